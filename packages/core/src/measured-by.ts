/** Determines which distance a run used, from its method name, options and result. Notes about columns and maps show it. */
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

/** Methods that use means compare by Euclidean distance, or by direction ("cosine"). Other methods use the columns' distance. */
export function distanceSeen({ algorithm, options, chosen }: MeasuredRun, instances: Instances): Metric {
  const method = findMethod(chosen?.algorithm ?? algorithm);
  const { distance } = options;
  if (method && (method.comparesMeans?.(options) ?? needsK(method))) return distance === "cosine" ? "cosine" : "euclidean";
  return chooseMetric(instances, distance as Metric | undefined).metric;
}

/** Whether units of columns affect distances: not if distances are given, learned, scaled, or only directions or equality. */
export function goesByUnits(
  run: MeasuredRun & { readonly metric?: Pick<LearnedMetrics, "matrices"> | undefined },
  instances: Instances,
): boolean {
  if (instances.distances) return false;
  if (run.metric?.matrices.some((matrix) => matrix.some((weight) => weight !== 1))) return false;
  const metric = distanceSeen(run, instances);
  return metric === "euclidean" || metric === "sqeuclidean";
}
