/**
 * Entries on their way to the log. They are sent in order, and kept here until the reply says that they are on disk. What an
 * interrupted connection held up is sent again, after a reload too. Each entry has its own id, so that one that arrives twice
 * counts once.
 */
import type { NewEntry } from "@coterie/workbench/protocol";
import { isAbort, isOffline } from "./problems.js";

type Send = (entries: readonly NewEntry[]) => Promise<unknown>;

export interface OutboxOptions {
  readonly send: Send;
  readonly onWaiting: (waiting: number) => void;
  /** Nobody took the entries: they wait until the next flush. */
  readonly onOffline: () => void;
  /** The log does not take these, and never will. */
  readonly onRefused: (error: unknown, entries: readonly NewEntry[]) => void;
  readonly keep?: Storage | undefined;
  readonly key: string;
}

export interface Outbox {
  /**
   * Resolves when the entries are on disk, or refused: then with false. `send` replaces the usual way as long as this page lives;
   * after a reload the entries go the usual way.
   */
  post(entries: readonly NewEntry[], send?: Send): Promise<boolean>;
  /** Tries again at once. */
  flush(): Promise<void>;
}

interface Batch {
  readonly entries: readonly NewEntry[];
  readonly send: Send;
  readonly resolve: (arrived: boolean) => void;
  /** Where it is kept. Each batch has a place of its own, so that two tabs do not overwrite each other. */
  readonly place: string;
}

const MOST = 5_000;

export function createOutbox({ send, onWaiting, onOffline, onRefused, keep, key }: OutboxOptions): Outbox {
  let batches: Batch[] = restored(keep, key).map(([place, entries]) => ({ place, entries, send, resolve: () => {} }));
  let sending = false;
  const count = () => onWaiting(batches.reduce((sum, { entries }) => sum + entries.length, 0));
  const leave = (batch: Batch, arrived: boolean) => {
    batches = batches.filter((other) => other !== batch);
    keep?.removeItem(batch.place);
    batch.resolve(arrived);
  };
  const flush = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    try {
      while (batches.length > 0) {
        const batch = batches[0]!;
        try {
          for (let at = 0; at < batch.entries.length; at += MOST) await batch.send(batch.entries.slice(at, at + MOST));
          leave(batch, true);
        } catch (error) {
          if (isOffline(error)) return onOffline();
          // The page leaves the project: nobody knows whether the entries arrived, so they stay.
          if (isAbort(error)) return;
          leave(batch, false);
          onRefused(error, batch.entries);
        }
        count();
      }
    } finally {
      sending = false;
    }
  };
  return {
    post: (entries, own = send) =>
      new Promise((resolve) => {
        const batch = { entries, send: own, resolve, place: `${key}/${stamp()}/${entries[0]?.id}` };
        store(keep, batch);
        batches.push(batch);
        count();
        void flush();
      }),
    flush,
  };
}

let stamps = 0;

/** Later places sort after earlier ones, also across reloads. */
function stamp(): string {
  return `${String(Date.now()).padStart(15, "0")}-${String(stamps++).padStart(6, "0")}`;
}

/** What earlier pages left, oldest first. Older versions kept all entries under the bare key. */
function restored(keep: Storage | undefined, key: string): [string, NewEntry[]][] {
  const places = Array.from({ length: keep?.length ?? 0 }, (_, i) => keep!.key(i)!)
    .filter((place) => place === key || place.startsWith(`${key}/`))
    .sort();
  return places.flatMap((place): [string, NewEntry[]][] => {
    try {
      return [[place, JSON.parse(keep!.getItem(place) ?? "[]") as NewEntry[]]];
    } catch {
      return [];
    }
  });
}

function store(keep: Storage | undefined, { place, entries }: Pick<Batch, "place" | "entries">): void {
  try {
    keep?.setItem(place, JSON.stringify(entries));
  } catch {
    // Full or forbidden: the entries still wait in memory.
  }
}
