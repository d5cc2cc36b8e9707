/** What a run compared rows by, from its name, options and result: for notes about columns, and for maps of what was seen. */
import { chooseMetric } from "./algorithms/distance.js";
import { findMethod } from "./catalogue.js";
import type { Metric } from "./kernels/kernels.js";
import type { Instances } from "./model/points.js";
import type { LearnedMetrics } from "./model/result.js";

export interface MeasuredRun {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const BY_MEANS = ["ward", "centroid", "median", "centroid-link", "median-link"];

/** Methods about means see numbers, or directions where they are told so; those about pairs the distance that fits the columns. */
export function distanceSeen({ algorithm, options }: MeasuredRun, instances: Instances): Metric {
  const family = findMethod(algorithm)?.family;
  const { distance, linkage } = options;
  const byMeans =
    family === "partition" || family === "tree" || BY_MEANS.includes(algorithm) || BY_MEANS.includes(String(linkage));
  if (byMeans) return distance === "cosine" ? "cosine" : "euclidean";
  return chooseMetric(instances, distance as Metric | undefined).metric;
}

/**
 * Whether the units of columns decided how far rows were apart. Not where distances were given, where a metric was learned, and
 * where columns are scaled by their range, only told equal from different, or seen as directions.
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
