/** Sums for k-means with row weights: the sums for the weighted means, and the weighted objective. */
import type { KMeansState } from "../../kernels/index.js";
import { type Points, rowValues } from "../../model/points.js";

export interface WeightedSums {
  readonly sums: Float64Array;
  readonly counts: Float64Array | Int32Array;
}

export function sumsOf(state: KMeansState, points: Points, k: number): WeightedSums {
  const { n, d, rowWeights } = points;
  if (!rowWeights) return state.sums();
  const x = rowValues(points);
  const labels = state.labels();
  const sums = new Float64Array(k * d);
  const counts = new Float64Array(k);
  for (let i = 0; i < n; i++) {
    const c = labels[i]!;
    const weight = rowWeights[i]!;
    counts[c]! += weight;
    for (let j = 0; j < d; j++) sums[c * d + j]! += weight * x[i * d + j]!;
  }
  return { sums, counts };
}

export function inertiaOf(state: KMeansState, { rowWeights }: Points): number {
  if (!rowWeights) return state.inertia();
  return state.distances().reduce((sum, square, i) => sum + square * rowWeights[i]!, 0);
}
