/**
 * Computes the distance of two rows on request, without a matrix. If the points have given distances, it reads these. Otherwise it uses the
 * requested metric, or the metric that fits the columns.
 */

import { plainKernels } from "../kernels/index.js";
import type { Metric } from "../kernels/kernels.js";
import { distanceBetween } from "../kernels/pairs.js";
import type { Instances } from "../model/points.js";
import { chooseMetric, columnRanges } from "./distance.js";
import { distanceHere, isMeasuredHere } from "./row-distances.js";

export interface Distances {
  readonly between: (i: number, j: number) => number;
  readonly notices: readonly string[];
}

export function distancesOf(points: Instances, asked: Metric | undefined): Distances {
  if (points.distances) return { between: between(points.distances, points.n), notices: [] };
  const { metric, notices } = chooseMetric(points, asked);
  if (isMeasuredHere(points, metric)) return { between: distanceHere(points, metric), notices };
  const ranges = metric === "gower" ? columnRanges(points, plainKernels.arena()).view().slice() : null;
  return { between: distanceBetween(metric, points.x, points.n, points.d, ranges), notices };
}

/** Reads distances from a condensed matrix. The pair i < j is at index i·n - i(i+1)/2 + j - i - 1. */
function between(condensed: Float64Array, n: number): (i: number, j: number) => number {
  return (i, j) => {
    if (i === j) return 0;
    const [low, high] = i < j ? [i, j] : [j, i];
    return condensed[low * n - (low * (low + 1)) / 2 + high - low - 1]!;
  };
}
