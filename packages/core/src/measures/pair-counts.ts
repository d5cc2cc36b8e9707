/** Pairs of rows by whether a clustering and the truth put them together, counted from a contingency table. */
import type { Contingency } from "../structures/contingency.js";

/** Exact up to 10^8 rows, where the pairs are just below 2^53. */
export interface PairCounts {
  /** Together in both. */
  readonly both: number;
  /** Together in the clustering (the rows of the table) alone. */
  readonly clusteringOnly: number;
  /** Together in the truth (the columns) alone. */
  readonly truthOnly: number;
  readonly neither: number;
}

export function pairCounts(table: Contingency): PairCounts {
  const both = pairsWithin(table.count);
  const clustering = pairsWithin(table.rowSums);
  const truth = pairsWithin(table.columnSums);
  return {
    both,
    clusteringOnly: clustering - both,
    truthOnly: truth - both,
    neither: pairsOf(table.n) - clustering - (truth - both),
  };
}

/** n(n-1)/2, halving the even factor first so that no product passes 2^53. */
export function pairsOf(n: number): number {
  if (n < 2) return 0;
  return n % 2 === 0 ? (n / 2) * (n - 1) : n * ((n - 1) / 2);
}

function pairsWithin(sizes: Int32Array): number {
  let pairs = 0;
  for (let s = 0; s < sizes.length; s++) pairs += pairsOf(sizes[s]!);
  return pairs;
}
