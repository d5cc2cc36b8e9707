/** Rows that no constraint binds, apart from the others. */
import type { KMeansState } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";

/** The values of some rows, one after the other. */
export function gather({ n, d, x }: Points, rows: Int32Array, into: Float64Array): void {
  if (rows.length === n) into.set(x.subarray(0, n * d));
  else for (let i = 0; i < rows.length; i++) into.set(x.subarray(rows[i]! * d, (rows[i]! + 1) * d), i * d);
}

/** Stands for the kernels where every row is in a unit. */
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
