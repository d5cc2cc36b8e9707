/** Finds the distance that a run used, from its method, options and result. Notes about columns and maps name this distance. */
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
 * The distance that the run used. Methods that use cluster means have Euclidean or cosine distance. Other methods have the option
 * `distance`, or the default for the columns.
 */
export function distanceSeen({ algorithm, options, chosen }: MeasuredRun, instances: Instances): Metric {
  const method = findMethod(chosen?.algorithm ?? algorithm);
  const { distance } = options;
  if (method && (method.comparesMeans?.(options) ?? needsK(method))) return distance === "cosine" ? "cosine" : "euclidean";
  return chooseMetric(instances, distance as Metric | undefined).metric;
}

/**
 * Whether another unit of a column would change the distances. False if distances are given or learned, or if the metric is neither
 * "euclidean" nor "sqeuclidean".
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
