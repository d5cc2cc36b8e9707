/**
 * `coterie/measures`: how well a clustering meets known classes. Rows whose class is -1 are left out; each row whose label is -1 (noise) counts as a
 * cluster of its own. `scoresOverClustered` leaves noise out.
 */
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
 * All measures at once; the constrained Rand index leaves out the pairs that the constraints decide.
 *
 * ```ts
 * scores(result.labels, iris.truth!.codes, known).adjustedRand;
 * ```
 */
export function scores(labels: Int32Array, truth: Int32Array, known?: ConstraintSet): Scores {
  return scoresOf(labels, truth, known && closeConstraints(known));
}

/**
 * The same without the rows of label -1, and how many rows are left; undefined where there is no such row.
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
 * The Rand index, less what chance alone would give (Hubert and Arabie 1985).
 *
 * ```ts
 * adjustedRandIndex(Int32Array.of(0, 0, 1, 1), Int32Array.of(1, 1, 0, 0)); // 1
 * ```
 */
export function adjustedRandIndex(labels: Int32Array, truth: Int32Array): number {
  return adjustedRandOf(pairCounts(tableOf(labels, truth)));
}

/**
 * Precision, recall and F of the pairs of rows that a clustering puts together.
 *
 * ```ts
 * pairwiseF(result.labels, iris.truth!.codes).f;
 * ```
 */
export function pairwiseF(labels: Int32Array, truth: Int32Array): PairwiseF {
  return pairwiseOf(pairCounts(tableOf(labels, truth)));
}

/**
 * What a clustering tells about the classes, as a share of what there is to tell.
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
