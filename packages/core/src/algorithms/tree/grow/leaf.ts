/**
 * The rows of a leaf. A leaf never changes: the columns are sorted once, at the root, and a split parts the sorted rows in
 * their order.
 */
import type { Drops } from "./drops.js";
import type { Space, TestColumn } from "./space.js";

export interface Leaf {
  readonly size: number;
  /** Weight of the rows; as many as there are where all count alike. */
  readonly weight: number;
  /** For each test column, one after the other, the rows from its largest value to its smallest. */
  readonly order: Int32Array;
  /** Mean of each number column that counts. */
  readonly means: Float64Array;
  /** Sum over the columns that count of the variance times the weight. */
  readonly scatter: number;
  /** Computed at the first look. */
  drops: Drops | null;
  /** For each test column, what its best split would gain if there were no other leaves; Infinity until it is known. */
  readonly reach: Float64Array;
  units: Int32Array | null;
}

/** A test as it was chosen: ranks above a place, or a set of ranks. */
export interface Cut {
  /** Place in the space's tests. */
  readonly test: number;
  /** Rows with at least this rank pass; unused with a set. */
  readonly from: number;
  /** The largest rank in the leaf that does not pass; unused with a set. */
  readonly below: number;
  /** Ranks that pass, for nominal columns. */
  readonly among: readonly number[] | null;
}

export function passes(cut: Cut, { rank }: TestColumn, row: number): boolean {
  return cut.among ? cut.among.includes(rank[row]!) : rank[row]! >= cut.from;
}

export function rootLeaf(space: Space): Leaf {
  const { n, tests } = space;
  const order = new Int32Array(tests.length * n);
  tests.forEach(({ rank, values }, c) => {
    // A counting sort by descending rank keeps equal rows in row order.
    const next = new Int32Array(values.length + 1);
    for (let i = 0; i < n; i++) next[values.length - 1 - rank[i]! + 1]!++;
    for (let v = 0; v < values.length; v++) next[v + 1]! += next[v]!;
    for (let i = 0; i < n; i++) order[c * n + next[values.length - 1 - rank[i]!]!++] = i;
  });
  return leafOf(space, order, n);
}

/** The leaf's rows, in some order. */
export function rowsOf({ order, size }: Leaf): Int32Array {
  return order.subarray(0, size);
}

/** The leaves of the rows that pass and of those that do not; `side` is scratch of n flags. */
export function splitLeaf(space: Space, leaf: Leaf, cut: Cut, side: Uint8Array): readonly [Leaf, Leaf] {
  const { tests } = space;
  const test = tests[cut.test]!;
  let passing = 0;
  for (const row of rowsOf(leaf)) {
    side[row] = passes(cut, test, row) ? 1 : 0;
    passing += side[row]!;
  }
  const { size, order } = leaf;
  const first = new Int32Array(tests.length * passing);
  const second = new Int32Array(tests.length * (size - passing));
  let p = 0;
  let q = 0;
  for (let e = 0; e < tests.length * size; e++) {
    const row = order[e]!;
    if (side[row] === 1) first[p++] = row;
    else second[q++] = row;
  }
  return [leafOf(space, first, passing), leafOf(space, second, size - passing)];
}

function leafOf(space: Space, order: Int32Array, size: number): Leaf {
  const rows = order.subarray(0, size);
  const weight = weightOf(space, rows);
  const means = meansOf(space, rows, weight);
  const reach = new Float64Array(space.tests.length).fill(Infinity);
  return { size, weight, order, means, scatter: scatterOf(space, rows, weight, means), drops: null, reach, units: null };
}

function weightOf({ weight }: Space, rows: Int32Array): number {
  return weight ? rows.reduce((sum, row) => sum + weight[row]!, 0) : rows.length;
}

function meansOf({ weightedY, width }: Space, rows: Int32Array, weight: number): Float64Array {
  const means = new Float64Array(width);
  for (let r = 0; r < rows.length; r++) {
    for (let j = 0, p = rows[r]! * width; j < width; j++, p++) means[j]! += weightedY[p]!;
  }
  for (let j = 0; j < width; j++) means[j]! /= weight;
  return means;
}

function scatterOf({ y, width, weight, levels }: Space, rows: Int32Array, total: number, means: Float64Array): number {
  let scatter = 0;
  for (let r = 0; r < rows.length; r++) {
    const each = weight ? weight[rows[r]!]! : 1;
    for (let j = 0, p = rows[r]! * width; j < width; j++, p++) {
      const t = y[p]! - means[j]!;
      scatter += each * (t * t);
    }
  }
  for (const { codes, count } of levels) {
    const counts = new Float64Array(count);
    for (let r = 0; r < rows.length; r++) counts[codes[rows[r]!]!]! += weight ? weight[rows[r]!]! : 1;
    let squares = 0;
    for (const c of counts) squares += c * c;
    scatter += total - squares / total;
  }
  return scatter;
}
