/** `coterie/measures`: scores against known classes. Rows of class -1 are left out; a noise row counts as its own cluster. */
import {
  adjustedRandIndex as adjustedRandOf,
  type ConstraintSet,
  closeConstraints,
  contingency,
  normalizedMutualInformation as informationOf,
  noiseAlone,
  type PairwiseF,
  pairCounts,
  pairwiseF as pairwiseOf,
  randIndex as randOf,
  type Scores,
  type ScoresOverClustered,
  scoresOf,
  scoresOverClustered as scoresOver,
} from "@coterie/core/internal";

export type { Scores, ScoresOverClustered } from "@coterie/core/internal";

/**
 * All measures in one object. The constrained Rand index leaves out the pairs that the constraints decide.
 *
 * ```ts
 * scores(result.labels, iris.truth!.codes, known).adjustedRand;
 * ```
 */
export function scores(labels: Int32Array, truth: Int32Array, known?: ConstraintSet): Scores {
  return scoresOf(labels, truth, known && closeConstraints(known));
}

/**
 * The scores without the rows of label -1, and the number of remaining rows; undefined if no row has label -1.
 *
 * ```ts
 * scoresOverClustered(result.labels, iris.truth!.codes)?.rows;
 * ```
 */
export function scoresOverClustered(
  labels: Int32Array,
  truth: Int32Array,
  known?: ConstraintSet,
): ScoresOverClustered | undefined {
  return scoresOver(labels, truth, known && closeConstraints(known));
}

/**
 * The share of pairs of rows on which a clustering and the classes agree (Rand 1971).
 *
 * ```ts
 * randIndex(Int32Array.of(0, 0, 1), Int32Array.of(0, 0, 1)); // 1
 * ```
 */
export function randIndex(labels: Int32Array, truth: Int32Array): number {
  return randOf(pairCounts(tableOf(labels, truth)));
}

/**
 * The Rand index corrected for chance: 0 is the expected value of a random clustering, 1 is the maximum (Hubert and Arabie 1985).
 *
 * ```ts
 * adjustedRandIndex(Int32Array.of(0, 0, 1, 1), Int32Array.of(1, 1, 0, 0)); // 1
 * ```
 */
export function adjustedRandIndex(labels: Int32Array, truth: Int32Array): number {
  return adjustedRandOf(pairCounts(tableOf(labels, truth)));
}

/**
 * Precision, recall and F of the pairs of rows that a clustering puts together. A pair is right if both rows have the same class.
 *
 * ```ts
 * pairwiseF(result.labels, iris.truth!.codes).f;
 * ```
 */
export function pairwiseF(labels: Int32Array, truth: Int32Array): PairwiseF {
  return pairwiseOf(pairCounts(tableOf(labels, truth)));
}

/**
 * The mutual information of clusters and classes, normalised to the range 0 to 1.
 *
 * ```ts
 * normalizedMutualInformation(result.labels, iris.truth!.codes);
 * ```
 */
export function normalizedMutualInformation(labels: Int32Array, truth: Int32Array): number {
  return informationOf(tableOf(labels, truth));
}

function tableOf(labels: Int32Array, truth: Int32Array) {
  return contingency(noiseAlone(labels), truth);
}
