/** Determines which distance a run measured with, from its method, options and result. Notes about columns and maps name this distance. */
import { chooseMetric } from "./algorithms/distance.js";
import { needsK } from "./algorithms/method.js";
import { findMethod } from "./catalogue.js";
import type { Metric } from "./kernels/kernels.js";
import type { Instances } from "./model/points.js";
import type { Chosen, LearnedMetrics } from "./model/result.js";

export interface MeasuredRun {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The method that `auto` chose. */
  readonly chosen?: Pick<Chosen, "algorithm"> | undefined;
}

/**
 * The distance that the run measured with. Methods that use cluster means measure Euclidean or cosine distance. Other methods use the
 * option `distance`, or the default for the columns.
 */
export function distanceSeen({ algorithm, options, chosen }: MeasuredRun, instances: Instances): Metric {
  const method = findMethod(chosen?.algorithm ?? algorithm);
  const { distance } = options;
  if (method && (method.comparesMeans?.(options) ?? needsK(method))) return distance === "cosine" ? "cosine" : "euclidean";
  return chooseMetric(instances, distance as Metric | undefined).metric;
}

/**
 * Whether another unit for a column would change the distances. It would not if distances are given or learned, if columns are scaled, or
 * if the distance compares only directions or equality.
 */
export function goesByUnits(
  run: MeasuredRun & { readonly metric?: Pick<LearnedMetrics, "matrices"> | undefined },
  instances: Instances,
): boolean {
  if (instances.distances) return false;
  if (run.metric?.matrices.some((matrix) => matrix.some((weight) => weight !== 1))) return false;
  const metric = distanceSeen(run, instances);
  return metric === "euclidean" || metric === "sqeuclidean";
}
