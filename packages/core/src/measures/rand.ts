/**
 * The Rand index, the share of pairs of rows on which two clusterings agree, and its adjustment for chance.
 *
 * Rand, Objective criteria for the evaluation of clustering methods, 1971. Hubert and Arabie, Comparing partitions, 1985.
 */
import type { PairCounts } from "./pair-counts.js";

/** 1 if there is no pair. */
export function randIndex({ both, clusteringOnly, truthOnly, neither }: PairCounts): number {
  const pairs = both + clusteringOnly + truthOnly + neither;
  return pairs === 0 ? 1 : (both + neither) / pairs;
}

/**
 * Adjusted Rand index: 0 on average for unrelated clusterings of the same sizes, 1 for equal clusterings, even if chance alone
 * would agree.
 */
export function adjustedRandIndex({ both, clusteringOnly, truthOnly, neither }: PairCounts): number {
  if (clusteringOnly === 0 && truthOnly === 0) return 1;
  const chance = (both + truthOnly) * (truthOnly + neither) + (both + clusteringOnly) * (clusteringOnly + neither);
  return (2 * (both * neither - truthOnly * clusteringOnly)) / chance;
}
