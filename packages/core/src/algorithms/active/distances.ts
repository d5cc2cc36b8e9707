/** Distances between rows, one at a time, under the metric that was asked for or that fits the columns. */

import { distanceBetween } from "../../kernels/distances.js";
import { plainKernels } from "../../kernels/index.js";
import type { Metric } from "../../kernels/kernels.js";
import type { Instances } from "../../model/points.js";
import { chooseMetric, columnRanges } from "../distance.js";

export interface Distances {
  readonly between: (i: number, j: number) => number;
  readonly notices: readonly string[];
}

export function distancesOf(points: Instances, asked: Metric | undefined): Distances {
  const { metric, notices } = chooseMetric(points, asked);
  const ranges = metric === "gower" ? columnRanges(points, plainKernels.arena()).view().slice() : null;
  return { between: distanceBetween(metric, points.x, points.n, points.d, ranges), notices };
}
