/** Counts pairs of rows from a contingency table: are the two rows together in the clustering, in the truth, in both, or in neither? */
import type { Contingency } from "../structures/contingency.js";

/** Numbers of pairs, exact up to 10^8 rows. */
export interface PairCounts {
  /** Number of pairs that are together only in the clustering (the rows of the table). */
  readonly both: number;
  /** Number of pairs that are together only in the truth (the columns of the table). */
  readonly clusteringOnly: number;
  /** Number of pairs that are together only in the truth, which gives the columns of the table. */
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

/** n(n-1)/2; halves the even factor first, so that no product exceeds 2^53. */
export function pairsOf(n: number): number {
  if (n < 2) return 0;
  return n % 2 === 0 ? (n / 2) * (n - 1) : n * ((n - 1) / 2);
}

function pairsWithin(sizes: Int32Array): number {
  let pairs = 0;
  for (let s = 0; s < sizes.length; s++) pairs += pairsOf(sizes[s]!);
  return pairs;
}
