/** Distances of one row to all others, of every kind, without a matrix. */

import type { Metric } from "../../../kernels/kernels.js";
import type { Instances } from "../../../model/points.js";
import { distancesOf as measure } from "../../distance-between.js";
import { distanceAt } from "../../given-distances.js";
import { costOfDistance } from "../../row-distances.js";
import type { DistancesOf } from "./prim.js";

export interface RowDistances {
  readonly distancesOf: DistancesOf;
  /** What one distance takes, in numbers that are read. */
  readonly cost: number;
}

export function rowDistances(points: Instances, metric: Metric): RowDistances {
  const { n, distances } = points;
  if (distances) {
    const of: DistancesOf = (row, into) => {
      for (let i = 0; i < n; i++) into[i] = i === row ? 0 : distanceAt(distances, n, row, i);
    };
    return { distancesOf: of, cost: 2 };
  }
  const { between } = measure(points, metric);
  const distancesOf: DistancesOf = (row, into) => {
    for (let i = 0; i < n; i++) into[i] = between(row, i);
  };
  return { distancesOf, cost: costOfDistance(points) };
}
