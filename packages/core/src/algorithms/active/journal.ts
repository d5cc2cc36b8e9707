/**
 * The undo log of a session. It records every change of the session's state with the previous value. Undoing an answer reverts its changes
 * one by one, and takes no longer than making them took.
 */

type Numbers = Int32Array | Float64Array | Uint8Array;

export class Journal {
  /** Three parallel arrays describe each change: the changed array or an undo function, the index in the array, and the previous value. */
  readonly #places: (Numbers | (() => void))[] = [];
  readonly #indices: number[] = [];
  readonly #values: number[] = [];

  /** Sets array[index] = value and records the previous value. */
  set(array: Numbers, index: number, value: number): void {
    this.#places.push(array);
    this.#indices.push(index);
    this.#values.push(array[index]!);
    array[index] = value;
  }

  /** Records how to undo a change that the caller has just made: rewinding calls `undo`. */
  did(undo: () => void): void {
    this.#places.push(undo);
    this.#indices.push(0);
    this.#values.push(0);
  }

  /** The current position in the log, to which `rewind` can return. */
  mark(): number {
    return this.#places.length;
  }

  /** Undoes all changes since the mark, the latest first. */
  rewind(mark: number): void {
    while (this.#places.length > mark) {
      const place = this.#places.pop()!;
      const index = this.#indices.pop()!;
      const value = this.#values.pop()!;
      if (typeof place === "function") place();
      else place[index] = value;
    }
  }
}
