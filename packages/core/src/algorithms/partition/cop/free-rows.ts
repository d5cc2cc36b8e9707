/** Copies the rows without constraints into kernel memory. */
import type { Arena, F32, F64, KMeansState, Screen } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { NUMBERS_PER_STEP } from "../../ready-rows.js";

/** The rows without constraints, in kernel memory. */
export interface FreeTable {
  readonly n: number;
  readonly d: number;
  readonly x: F64 | F32;
  /**
   * Data with which kernels skip most distances, reused from the choice of first centres. Null if some rows are in units, or if there was
   * no such choice.
   */
  readonly screen: Screen | null;
}

function gather({ d, x }: Points, rows: Int32Array, into: Float64Array): void {
  for (let i = 0; i < rows.length; i++) into.set(x.subarray(rows[i]! * d, (rows[i]! + 1) * d), i * d);
}

export function* freeTableSteps(points: Points, rows: Int32Array, arena: Arena): Steps<FreeTable> {
  const { d } = points;
  const n = rows.length;
  const block = arena.f64(Math.max(1, n * d));
  const atOnce = Math.ceil(NUMBERS_PER_STEP / d);
  for (let from = 0; from < n; from += atOnce) {
    if (from > 0) yield { phase: "copying rows", done: from, total: n };
    gather(points, rows.subarray(from, from + atOnce), block.view().subarray(from * d));
  }
  return { n, d, x: block, screen: null };
}

/** A kernel state without rows, for tables where every row is in a unit. */
export function noRows(k: number, d: number): KMeansState {
  return {
    setCentres() {},
    assign: () => 0,
    relabel() {},
    sums: () => ({ sums: new Float64Array(k * d), counts: new Int32Array(k) }),
    inertia: () => 0,
    labels: () => new Int32Array(0),
    distances: () => new Float64Array(0),
    scatter: (_, separate) => new Float64Array(separate ? k * d : d),
    farthest: (factors) => ({ rows: new Int32Array(factors.length / d), squares: new Float64Array(factors.length / d).fill(-1) }),
  };
}
