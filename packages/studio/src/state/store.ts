/** A store for state that changes: its listeners are called after each change. React components read it through `useStore`. */
import { useRef, useSyncExternalStore } from "react";

export interface Store<State> {
  get(): State;
  set(change: Partial<State> | ((state: State) => Partial<State>)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...(typeof change === "function" ? change(state) : change) };
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Reads a part of the state in a component, and renders the component again when the part changes. Parts are compared by identity; tuples
 * and plain objects are compared entry by entry.
 */
export function useStore<State extends object, Part>(store: Store<State>, select: (state: State) => Part): Part {
  const last = useRef<{ readonly part: Part } | null>(null);
  const read = () => {
    const part = select(store.get());
    if (last.current !== null && isEqual(last.current.part, part)) return last.current.part;
    last.current = { part };
    return part;
  };
  return useSyncExternalStore(store.subscribe, read, read);
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isPlain(a) || !isPlain(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return left.length === right.length && left.every(([key, value]) => Object.is(value, (b as Record<string, unknown>)[key]));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}
