/** Scores by their definition, from every pair of rows. For tests only. */
import type { PairCounts } from "./pair-counts.js";

/** Counts the pairs for which `counts` returns true; rows with a negative label in either labelling are left out. */
export function plainPairCounts(
  labels: ArrayLike<number>,
  truth: ArrayLike<number>,
  counts: (i: number, j: number) => boolean = () => true,
): PairCounts {
  const found = { both: 0, clusteringOnly: 0, truthOnly: 0, neither: 0 };
  for (let i = 0; i < labels.length; i++) {
    for (let j = 0; j < i; j++) {
      if (labels[i]! < 0 || labels[j]! < 0 || truth[i]! < 0 || truth[j]! < 0 || !counts(i, j)) continue;
      const inLabels = labels[i] === labels[j];
      const inTruth = truth[i] === truth[j];
      found[inLabels ? (inTruth ? "both" : "clusteringOnly") : inTruth ? "truthOnly" : "neither"]++;
    }
  }
  return found;
}
