/** Precision, recall and F over the pairs of rows that a clustering puts together (bilenko2004, §4.2). */
import type { PairCounts } from "./pair-counts.js";

export interface PairwiseF {
  /** Share of the clustering's pairs that the truth has too; 1 if the clustering has none. */
  readonly precision: number;
  /** Share of the truth's pairs that the clustering has too; 1 if the truth has none. */
  readonly recall: number;
  /** Their harmonic mean: 1 if neither has a pair, 0 if just one has. */
  readonly f: number;
}

export function pairwiseF({ both, clusteringOnly, truthOnly }: PairCounts): PairwiseF {
  return {
    precision: share(both, both + clusteringOnly),
    recall: share(both, both + truthOnly),
    f: share(2 * both, 2 * both + clusteringOnly + truthOnly),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
