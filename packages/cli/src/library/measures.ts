/** `coterie/measures`: how well a clustering meets known classes. Rows whose label or class is -1 are left out. */
import {
  adjustedRandIndex as adjustedRandOf,
  type ConstraintSet,
  closeConstraints,
  contingency,
  normalizedMutualInformation as informationOf,
  type PairwiseF,
  pairCounts,
  pairwiseF as pairwiseOf,
  randIndex as randOf,
  type Scores,
  scoresOf,
} from "@coterie/core/internal";

export type { Scores } from "@coterie/core/internal";

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
 * The share of pairs of rows on which a clustering and the classes agree (Rand 1971).
 *
 * ```ts
 * randIndex(Int32Array.of(0, 0, 1), Int32Array.of(0, 0, 1)); // 1
 * ```
 */
export function randIndex(labels: Int32Array, truth: Int32Array): number {
  return randOf(pairCounts(contingency(labels, truth)));
}

/**
 * The Rand index, less what chance alone would give (Hubert and Arabie 1985).
 *
 * ```ts
 * adjustedRandIndex(Int32Array.of(0, 0, 1, 1), Int32Array.of(1, 1, 0, 0)); // 1
 * ```
 */
export function adjustedRandIndex(labels: Int32Array, truth: Int32Array): number {
  return adjustedRandOf(pairCounts(contingency(labels, truth)));
}

/**
 * Precision, recall and F of the pairs of rows that a clustering puts together.
 *
 * ```ts
 * pairwiseF(result.labels, iris.truth!.codes).f;
 * ```
 */
export function pairwiseF(labels: Int32Array, truth: Int32Array): PairwiseF {
  return pairwiseOf(pairCounts(contingency(labels, truth)));
}

/**
 * What a clustering tells about the classes, as a share of what there is to tell.
 *
 * ```ts
 * normalizedMutualInformation(result.labels, iris.truth!.codes);
 * ```
 */
export function normalizedMutualInformation(labels: Int32Array, truth: Int32Array): number {
  return informationOf(contingency(labels, truth));
}
