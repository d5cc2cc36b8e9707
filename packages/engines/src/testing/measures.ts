import { closeConstraints, emptyConstraints, scoresOf } from "@coterie/core/internal";

/** The adjusted Rand index of two labellings. */
export function measures(labels: Int32Array, classes: Int32Array): number {
  return scoresOf(labels, classes, closeConstraints(emptyConstraints(labels.length))).adjustedRand;
}
