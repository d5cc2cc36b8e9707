/**
 * What sets of rows look like to a clustering and to the truth, as sparse vectors whose products count agreeing pairs.
 *
 * A set's profile counts its rows by cluster, by class, and by both. Of the s(s-1)/2 pairs of a set, those that share a
 * cluster but not a class, or a class but not a cluster, disagree: `pairs - Σ clusters - Σ classes + 2·Σ cells`, each sum over
 * the pairs within. Between two sets it is the same with products of counts. So one vector with the coefficients -1, -1 and 2
 * says all, and no pair of rows is ever looked at.
 */
import type { Lists } from "../structures/components.js";
import { pairsOf } from "./pair-counts.js";

/** Profile i: `key[start[i]] … key[start[i + 1] - 1]` with counts, of `rows[i]` rows. */
export interface Profiles {
  readonly start: Int32Array;
  readonly key: Int32Array;
  readonly count: Int32Array;
  readonly rows: Int32Array;
  /** Keys from here on are cells (coefficient 2); those before are clusters and classes (coefficient -1). */
  readonly firstCell: number;
  readonly keyCount: number;
}

/** Pairs of rows, and on how many of them clustering and truth agree. */
export interface Agreement {
  pairs: number;
  agreeing: number;
}

/** The keys of each row: its cluster, its class, its cell; -1 for rows that are not counted. */
export interface RowKeys {
  readonly cluster: Int32Array;
  readonly classKey: Int32Array;
  readonly cell: Int32Array;
  readonly firstCell: number;
  readonly keyCount: number;
}

/** Profiles of lists of rows; those that `wanted` does not flag stay empty. */
export function profilesOf({ start: from, items }: Lists, wanted: Uint8Array, keys: RowKeys): Profiles {
  const sums = gather(keys.keyCount);
  const rows = new Int32Array(wanted.length);
  const start = new Int32Array(wanted.length + 1);
  for (let i = 0; i < wanted.length; i++) {
    for (let p = from[i]!; wanted[i] === 1 && p < from[i + 1]!; p++) {
      const row = items[p]!;
      if (keys.cell[row] === -1) continue;
      rows[i]!++;
      sums.add(keys.cluster[row]!, 1);
      sums.add(keys.classKey[row]!, 1);
      sums.add(keys.cell[row]!, 1);
    }
    start[i + 1] = sums.flush();
  }
  return { start, ...sums.done(), rows, firstCell: keys.firstCell, keyCount: keys.keyCount };
}

/** Profiles of unions of profiles: union u has the parts that list u names. */
export function unionsOf({ start: from, items }: Lists, parts: Profiles): Profiles {
  const sums = gather(parts.keyCount);
  const rows = new Int32Array(from.length - 1);
  const start = new Int32Array(from.length);
  for (let u = 0; u < rows.length; u++) {
    for (let q = from[u]!; q < from[u + 1]!; q++) {
      const part = items[q]!;
      rows[u] = rows[u]! + parts.rows[part]!;
      for (let p = parts.start[part]!; p < parts.start[part + 1]!; p++) sums.add(parts.key[p]!, parts.count[p]!);
    }
    start[u + 1] = sums.flush();
  }
  return { start, ...sums.done(), rows, firstCell: parts.firstCell, keyCount: parts.keyCount };
}

/** The pairs within a profile's set. */
export function within(profiles: Profiles, i: number): Agreement {
  const pairs = pairsOf(profiles.rows[i]!);
  let agreeing = pairs;
  for (let p = profiles.start[i]!; p < profiles.start[i + 1]!; p++) {
    const same = pairsOf(profiles.count[p]!);
    agreeing += profiles.key[p]! >= profiles.firstCell ? 2 * same : -same;
  }
  return { pairs, agreeing };
}

/** The pairs between one set, written out by `writeCounts`, and another: as many steps as the second has keys. */
export function between(profiles: Profiles, written: Int32Array, a: number, b: number): Agreement {
  const pairs = profiles.rows[a]! * profiles.rows[b]!;
  let agreeing = pairs;
  for (let p = profiles.start[b]!; p < profiles.start[b + 1]!; p++) {
    const same = profiles.count[p]! * written[profiles.key[p]!]!;
    agreeing += profiles.key[p]! >= profiles.firstCell ? 2 * same : -same;
  }
  return { pairs, agreeing };
}

/** Writes a profile's counts into a full vector (`sign` 1), or clears them again (`sign` 0). */
export function writeCounts(profiles: Profiles, i: number, sign: 0 | 1, counts: Int32Array): void {
  for (let p = profiles.start[i]!; p < profiles.start[i + 1]!; p++) counts[profiles.key[p]!] = sign * profiles.count[p]!;
}

/** Adds up counts by key, list after list. */
function gather(keyCount: number) {
  const sums = new Int32Array(keyCount);
  const touched: number[] = [];
  let key = new Int32Array(1024);
  let count = new Int32Array(1024);
  let length = 0;
  return {
    add(k: number, by: number): void {
      if (sums[k] === 0) touched.push(k);
      sums[k] = sums[k]! + by;
    },
    flush(): number {
      if (length + touched.length > key.length) {
        const size = Math.max(2 * key.length, length + touched.length);
        key = enlarged(key, size);
        count = enlarged(count, size);
      }
      for (const k of touched) {
        key[length] = k;
        count[length++] = sums[k]!;
        sums[k] = 0;
      }
      touched.length = 0;
      return length;
    },
    done: () => ({ key: key.slice(0, length), count: count.slice(0, length) }),
  };
}

function enlarged(values: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(values);
  return larger;
}
