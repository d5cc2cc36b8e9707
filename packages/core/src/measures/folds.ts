/**
 * Cross-validation for constraints (bilenko2004, §4.1): constraints come from the rows of all folds but one, all rows are
 * clustered, and the rows of that fold alone are scored, so that no constraint speaks of a row that counts.
 */
import { badOption } from "../errors.js";
import type { Labelling } from "../model/points.js";
import type { Random } from "../random/random.js";
import { contingency } from "../structures/contingency.js";
import { pairCounts } from "./pair-counts.js";
import { pairwiseF } from "./pairwise-f.js";

/** The fold of each row, 0 … count-1, at random; their sizes differ by one row at most. */
export function drawFolds(n: number, count: number, random: Random): Int32Array {
  if (!(Number.isSafeInteger(count) && count >= 2)) throw badOption("folds", count, "a whole number from 2");
  const fold = Int32Array.from({ length: n }, (_, i) => i % count);
  random.shuffle(fold);
  return fold;
}

/** The classes of the rows outside a fold; the others have none. */
export function trainingPart({ codes, names }: Labelling, folds: Int32Array, fold: number): Labelling {
  return { codes: codes.map((code, i) => (folds[i] === fold ? -1 : code)), names };
}

/** Pairwise F over the rows of one fold. */
export function heldOutF(labels: Int32Array, truth: Labelling, folds: Int32Array, fold: number): number {
  const held = truth.codes.map((code, i) => (folds[i] === fold ? code : -1));
  return pairwiseF(pairCounts(contingency(labels, held))).f;
}
