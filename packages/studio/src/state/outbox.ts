/**
 * Entries on their way to the log. They are sent in order, and kept here until the reply says that they are on disk; what a lost
 * line held up is sent again. Each has its own id, so that one that arrives twice counts once.
 */
import type { NewEntry } from "@coterie/workbench/protocol";
import { isOffline } from "./problems.js";

export interface OutboxOptions {
  readonly send: (entries: readonly NewEntry[]) => Promise<unknown>;
  readonly onWaiting: (waiting: number) => void;
  /** Nobody took the entries: they wait until somebody says flush. */
  readonly onOffline: () => void;
  /** The log does not take these, and never will. */
  readonly onRefused: (error: unknown, entries: readonly NewEntry[]) => void;
  readonly keep?: Storage | undefined;
  readonly key: string;
}

export interface Outbox {
  /** Resolves when the entries are on disk, or refused: then with false. */
  post(entries: readonly NewEntry[]): Promise<boolean>;
  /** Tries again at once. */
  flush(): Promise<void>;
}

interface Letter {
  readonly entries: readonly NewEntry[];
  readonly resolve: (arrived: boolean) => void;
}

const MOST = 5_000;

export function createOutbox({ send, onWaiting, onOffline, onRefused, keep, key }: OutboxOptions): Outbox {
  let letters: Letter[] = restored(keep, key).map((entries) => ({ entries, resolve: () => {} }));
  let sending = false;
  const tell = () => {
    const waiting = letters.flatMap(({ entries }) => entries);
    if (waiting.length === 0) keep?.removeItem(key);
    else store(keep, key, waiting);
    onWaiting(waiting.length);
  };
  const flush = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    try {
      while (letters.length > 0) {
        const letter = letters[0]!;
        try {
          for (let at = 0; at < letter.entries.length; at += MOST) await send(letter.entries.slice(at, at + MOST));
          letters = letters.slice(1);
          letter.resolve(true);
        } catch (error) {
          if (isOffline(error)) return onOffline();
          letters = letters.slice(1);
          onRefused(error, letter.entries);
          letter.resolve(false);
        }
        tell();
      }
    } finally {
      sending = false;
    }
  };
  return {
    post: (entries) =>
      new Promise((resolve) => {
        letters.push({ entries, resolve });
        tell();
        void flush();
      }),
    flush,
  };
}

function restored(keep: Storage | undefined, key: string): NewEntry[][] {
  try {
    const kept = JSON.parse(keep?.getItem(key) ?? "[]") as NewEntry[];
    return kept.length > 0 ? [kept] : [];
  } catch {
    return [];
  }
}

function store(keep: Storage | undefined, key: string, entries: readonly NewEntry[]): void {
  try {
    keep?.setItem(key, JSON.stringify(entries));
  } catch {
    // Full or forbidden: the entries still wait in memory.
  }
}
