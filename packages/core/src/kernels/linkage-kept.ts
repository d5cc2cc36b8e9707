/**
 * Where a chain linkage has kept the rows of its merges: see `KeepRows`. Which rows there are, and which cluster each column stands
 * for, follows from the merges alone.
 */
import { beginsLayout } from "./linkage-rows.js";

/** The rows of the two clusters of a merge just before it: that of its lower slot at `place`, then that of its higher slot. */
export interface KeptRows {
  readonly place: number;
  /** The slot of each column, dead ones included: their columns hold Infinity. */
  readonly slots: Int32Array;
}

/** For each raw merge of a finished chain over n rows the rows kept of it, or null. */
export function keptRows(raw: Float64Array, n: number, above: number, room: number): (KeptRows | null)[] {
  const alive = new Uint8Array(n).fill(1);
  let slots = Int32Array.from({ length: n }, (_, slot) => slot);
  let place = 0;
  let full = false;
  return Array.from({ length: raw.length / 3 }, (_, t) => {
    const height = raw[3 * t + 2]!;
    // At Infinity slots are joined without a look at their rows.
    if (height === Infinity) return null;
    const wanted = height > above;
    full ||= wanted && place + 2 * slots.length > room;
    const kept = wanted && !full ? { place, slots } : null;
    if (kept) place += 2 * slots.length;
    alive[raw[3 * t]!] = 0;
    if (beginsLayout(n - t - 1, slots.length)) slots = slots.filter((slot) => alive[slot] === 1);
    return kept;
  });
}

/** Numbers that a block needs in which all rows of a chain over n rows are to be kept. */
export function roomForAll(n: number): number {
  let room = 0;
  for (let alive = n, width = n; alive > 1; alive--) {
    if (beginsLayout(alive, width)) width = alive;
    room += 2 * width;
  }
  return room;
}
