/** Small steps with centres and the rows they are means of. */
import type { Points } from "../../../../model/points.js";

/** Rows less a mean. */
export function centred({ n, d, x }: Points, mean: Float64Array): Points {
  const moved = new Float64Array(n * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) moved[i * d + j] = x[i * d + j]! - mean[j]!;
  return { n, d, x: moved };
}

/** Centres that are 0 stay. */
export function ontoSphere(centres: Float64Array, d: number): void {
  for (let p = 0; p < centres.length; p += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += centres[p + j]! * centres[p + j]!;
    if (sum > 0) for (let j = 0; j < d; j++) centres[p + j]! /= Math.sqrt(sum);
  }
}

/** An empty cluster keeps its centre. */
export function meansOf(sums: Float64Array, counts: Int32Array, before: Float64Array): Float64Array {
  const d = sums.length / counts.length;
  return before.map((value, p) => {
    const count = counts[Math.floor(p / d)]!;
    return count > 0 ? sums[p]! / count : value;
  });
}
