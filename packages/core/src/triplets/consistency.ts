/** Decides whether triplets ab|c are consistent: returns a tree that induces them all, or a minimal conflict. */
import type { Hierarchy } from "../constraints/from-tree.js";
import type { Triples } from "../model/constraint-set.js";
import { buildTree, isBuilt, type LeafTriplets } from "./build.js";
import { minimalConflict } from "./conflict.js";
import { type LargestOptions, largestConsistent } from "./largest.js";

export interface TripletConflict {
  /** The rows in the conflict, ascending. */
  readonly instances: readonly number[];
  /** Triplets that are inconsistent together. If any one of them is left out, the rest is consistent. */
  readonly constraints: readonly (readonly [number, number, number])[];
  /** Indices of these triplets in the list passed by the caller. */
  readonly places: readonly number[];
}

export interface TripletConsistency {
  readonly consistent: boolean;
  /** A hierarchy over the rows of the triplets that induces every triplet; null if there is none. */
  readonly tree: Hierarchy | null;
  readonly conflict: TripletConflict | null;
}

/**
 * Decides whether relative constraints are consistent: returns a hierarchy that satisfies them, or a minimal conflict.
 *
 * ```ts
 * tripletConsistency(known.relative).conflict;
 * ```
 */
export function tripletConsistency(relative: Pick<Triples, "a" | "b" | "c">): TripletConsistency {
  const { triplets, rows } = leavesOf(relative);
  const outcome = buildTree(triplets);
  if (isBuilt(outcome)) {
    const row = new Int32Array(outcome.parent.length).fill(-1);
    row.set(rows);
    return { consistent: true, tree: { parent: outcome.parent, row }, conflict: null };
  }
  return { consistent: false, tree: null, conflict: conflictOf(relative, minimalConflict(triplets, outcome)) };
}

export interface LargestTriplets {
  /** Indices of triplets in the list passed by the caller, ascending. */
  readonly kept: readonly number[];
  readonly dropped: readonly number[];
  /** Whether it is proven that no consistent subset is heavier. */
  readonly exact: boolean;
  /** A conflict among triplets of weight Infinity, which cannot be dropped; `kept` is then empty. */
  readonly hardConflict: TripletConflict | null;
}

/**
 * A consistent subset of the relative constraints with a large total weight.
 *
 * ```ts
 * largestConsistentTriplets(known.relative).dropped;
 * ```
 */
export function largestConsistentTriplets(relative: Triples, options: LargestOptions = {}): LargestTriplets {
  const { kept, dropped, exact, hardConflict } = largestConsistent(leavesOf(relative).triplets, relative.weight, options);
  return {
    kept: [...kept],
    dropped: [...dropped],
    exact,
    hardConflict: hardConflict && conflictOf(relative, hardConflict),
  };
}

export function conflictOf({ a, b, c }: Pick<Triples, "a" | "b" | "c">, places: Int32Array): TripletConflict {
  const constraints = Array.from(places, (s) => [a[s]!, b[s]!, c[s]!] as const);
  const instances = [...new Set(constraints.flat())].sort((x, y) => x - y);
  return { instances, constraints, places: [...places] };
}

/** The triplets over leaf numbers instead of rows; `rows[leaf]` is the row, ascending. */
export function leavesOf({ a, b, c }: Pick<Triples, "a" | "b" | "c">): {
  readonly triplets: LeafTriplets;
  readonly rows: Int32Array;
} {
  let most = -1;
  for (const column of [a, b, c]) for (const row of column) if (row > most) most = row;
  const leaf = new Int32Array(most + 1).fill(-1);
  for (const column of [a, b, c]) for (const row of column) leaf[row] = 0;
  let leaves = 0;
  for (let row = 0; row <= most; row++) if (leaf[row] === 0) leaf[row] = leaves++;
  const rows = new Int32Array(leaves);
  for (let row = 0; row <= most; row++) if (leaf[row]! >= 0) rows[leaf[row]!] = row;
  const lookUp = (column: Int32Array): Int32Array => column.map((row) => leaf[row]!);
  return { triplets: { leaves, a: lookUp(a), b: lookUp(b), c: lookUp(c) }, rows };
}
