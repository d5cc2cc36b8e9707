/**
 * What sets of rows look like to a clustering and to the truth, as sparse vectors whose products count agreeing pairs.
 *
 * A set's profile counts its rows by cluster, by class, and by both. Of the s(s-1)/2 pairs of a set, those that share a
 * cluster but not a class, or a class but not a cluster, disagree: `pairs - Σ clusters - Σ classes + 2·Σ cells`, each sum over
 * the pairs within. Between two sets it is the same with products of counts. So one vector with the coefficients -1, -1 and 2
 * says all, and no pair of rows is ever looked at.
 */
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

/** Profiles of lists of rows; `rowsOf(i)` gives the i-th, or null for one that nobody will ask about. */
export function profilesOf(listCount: number, rowsOf: (list: number) => Int32Array | null, keys: RowKeys): Profiles {
  const gathering = gather(keys);
  const rows = new Int32Array(listCount);
  const start = new Int32Array(listCount + 1);
  for (let i = 0; i < listCount; i++) {
    for (const row of rowsOf(i) ?? []) {
      if (keys.cell[row] === -1) continue;
      rows[i]!++;
      gathering.add(keys.cluster[row]!, 1);
      gathering.add(keys.classKey[row]!, 1);
      gathering.add(keys.cell[row]!, 1);
    }
    start[i + 1] = gathering.flush();
  }
  return { start, ...gathering.done(), rows, firstCell: keys.firstCell, keyCount: keys.keyCount };
}

/** Profiles of unions of profiles. */
export function unionsOf(unionCount: number, partsOf: (union: number) => Iterable<number>, parts: Profiles): Profiles {
  const gathering = gather(parts);
  const rows = new Int32Array(unionCount);
  const start = new Int32Array(unionCount + 1);
  for (let u = 0; u < unionCount; u++) {
    for (const part of partsOf(u)) {
      rows[u] = rows[u]! + parts.rows[part]!;
      for (let p = parts.start[part]!; p < parts.start[part + 1]!; p++) gathering.add(parts.key[p]!, parts.count[p]!);
    }
    start[u + 1] = gathering.flush();
  }
  return { start, ...gathering.done(), rows, firstCell: parts.firstCell, keyCount: parts.keyCount };
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

/** The pairs between one set, spread out by `spread`, and another: as many steps as the second has keys. */
export function between(profiles: Profiles, spreadCounts: Int32Array, a: number, b: number): Agreement {
  const pairs = profiles.rows[a]! * profiles.rows[b]!;
  let agreeing = pairs;
  for (let p = profiles.start[b]!; p < profiles.start[b + 1]!; p++) {
    const same = profiles.count[p]! * spreadCounts[profiles.key[p]!]!;
    agreeing += profiles.key[p]! >= profiles.firstCell ? 2 * same : -same;
  }
  return { pairs, agreeing };
}

/** Writes a profile's counts into a full vector (`sign` 1), or clears them again (`sign` 0). */
export function spread(profiles: Profiles, i: number, sign: 0 | 1, counts: Int32Array): void {
  for (let p = profiles.start[i]!; p < profiles.start[i + 1]!; p++) counts[profiles.key[p]!] = sign * profiles.count[p]!;
}

/** Adds up counts by key, list after list. */
function gather({ keyCount }: { readonly keyCount: number }) {
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
