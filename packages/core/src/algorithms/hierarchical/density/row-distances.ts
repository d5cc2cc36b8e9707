/** Distances of one row to all others, of every kind, without a matrix. */

import { distanceBetween } from "../../../kernels/distances.js";
import { plainKernels } from "../../../kernels/index.js";
import type { Metric } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";
import { columnRanges } from "../../distance.js";
import { distanceAt } from "../../given-distances.js";
import type { DistancesOf } from "./prim.js";

export interface RowDistances {
  readonly distancesOf: DistancesOf;
  /** What one distance takes, in numbers that are read. */
  readonly cost: number;
}

export function rowDistances(points: Points, metric: Metric): RowDistances {
  const { n, d, x, distances } = points;
  if (distances) {
    const of: DistancesOf = (row, into) => {
      for (let i = 0; i < n; i++) into[i] = i === row ? 0 : distanceAt(distances, n, row, i);
    };
    return { distancesOf: of, cost: 2 };
  }
  const ranges = metric === "gower" ? columnRanges(points, plainKernels.arena()).view() : null;
  const between = distanceBetween(metric, x, n, d, ranges);
  const distancesOf: DistancesOf = (row, into) => {
    for (let i = 0; i < n; i++) into[i] = between(row, i);
  };
  return { distancesOf, cost: d };
}
