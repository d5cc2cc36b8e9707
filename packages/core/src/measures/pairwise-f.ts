/** Precision, recall and F over the pairs of rows that a clustering puts together (bilenko2004, §4.2). */
import type { PairCounts } from "./pair-counts.js";

export interface PairwiseF {
  /** Share of the clustering's pairs that are also together in the truth; 1 if the clustering has no pair. */
  readonly precision: number;
  /** Share of the truth's pairs that are also together in the clustering; 1 if the truth has no pair. */
  readonly recall: number;
  /** Harmonic mean of precision and recall: 1 if neither side has a pair, 0 if only one has. */
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
