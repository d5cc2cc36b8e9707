/**
 * A minimum spanning tree of mutual reachability row by row: Prim's algorithm, which measures each row against all others when it joins the
 * tree. Memory grows with n alone, time with n² whatever the number of columns: for many columns, and for distances that no box bounds.
 */
import type { Step } from "../../../steps/index.js";

/** Writes the distances of a row to all rows. */
export type DistancesOf = (row: number, into: Float64Array) => void;

/** Numbers of one step. */
const WORK_PER_STEP = 4_000_000;

/** The distance of each row to its k-th nearest other row; 0 for none. `cost`: what one distance takes, in numbers. */
export function* coreDistanceSteps(
  n: number,
  k: number,
  distancesOf: DistancesOf,
  cost: number,
): Generator<Step, Float64Array, void> {
  const core = new Float64Array(n);
  if (k === 0) return core;
  const distances = new Float64Array(n);
  const nearest = new Float64Array(k);
  const every = Math.max(1, Math.floor(WORK_PER_STEP / (n * cost)));
  for (let row = 0; row < n; row++) {
    if (row % every === 0) yield { phase: "neighbours", done: row, total: n };
    distancesOf(row, distances);
    nearest.fill(Infinity);
    for (let i = 0; i < n; i++) {
      const value = distances[i]!;
      if (i === row || value >= nearest[k - 1]!) continue;
      let p = k - 1;
      for (; p > 0 && nearest[p - 1]! > value; p--) nearest[p] = nearest[p - 1]!;
      nearest[p] = value;
    }
    core[row] = nearest[k - 1]!;
  }
  return core;
}

/** Raw merges: for each edge its two rows and its length. */
export function* primSteps(
  n: number,
  core: Float64Array,
  distancesOf: DistancesOf,
  cost: number,
): Generator<Step, Float64Array, void> {
  const merges = new Float64Array(3 * Math.max(0, n - 1));
  const distances = new Float64Array(n);
  const nearest = new Float64Array(n).fill(Infinity);
  const beside = new Int32Array(n);
  /** Rows outside the tree, in no order. */
  const outside = new Int32Array(n);
  for (let i = 0; i < n; i++) outside[i] = i;
  const every = Math.max(1, Math.floor(WORK_PER_STEP / (n * cost)));
  let left = n;
  let at = 0;
  for (let made = 0; left > 1; made++) {
    if (made % every === 0) yield { phase: "spanning tree", done: made, total: n - 1 };
    const row = outside[at]!;
    outside[at] = outside[--left]!;
    distancesOf(row, distances);
    at = 0;
    for (let p = 0; p < left; p++) {
      const i = outside[p]!;
      const length = Math.max(distances[i]!, core[row]!, core[i]!);
      if (length < nearest[i]!) {
        nearest[i] = length;
        beside[i] = row;
      }
      if (nearest[i]! < nearest[outside[at]!]! || (nearest[i] === nearest[outside[at]!] && i < outside[at]!)) at = p;
    }
    merges.set([beside[outside[at]!]!, outside[at]!, nearest[outside[at]!]!], 3 * made);
  }
  return merges;
}
