/** All scores of a clustering against known classes. */
import type { Closure } from "../constraints/closure.js";
import { badOption } from "../errors.js";
import type { Labelling } from "../model/points.js";
import type { Scores, ScoresOverClustered } from "../model/result.js";
import type { Random } from "../random/random.js";
import { contingency } from "../structures/contingency.js";
import { constrainedRandIndex } from "./constrained-rand.js";
import { normalizedMutualInformation } from "./nmi.js";
import { pairCounts } from "./pair-counts.js";
import { pairwiseF } from "./pairwise-f.js";
import { adjustedRandIndex, randIndex } from "./rand.js";

/** A message if fewer than two rows have a known class, because all scores would be 1 without any pair; otherwise undefined. */
export function nothingToScore(truth: Int32Array, what = "a known class"): string | undefined {
  let known = 0;
  for (let i = 0; i < truth.length; i++) if (truth[i]! >= 0) known++;
  if (known > 1) return undefined;
  return `${known === 1 ? "Only one row has" : "No row has"} ${what}: there are no scores.`;
}

/**
 * Scores over all rows with a known class. A row without a cluster (noise, label -1) counts as a cluster of its own, so that a
 * method cannot score well by leaving out most rows. Without a closure every pair is free.
 */
export function scoresOf(labels: Int32Array, truth: Int32Array, closure?: Closure): Scores {
  return scoresOfClustered(noiseAlone(labels), truth, closure);
}

/** The same scores only over rows in clusters, and the number of these rows; undefined if no row with a known class is noise. */
export function scoresOverClustered(labels: Int32Array, truth: Int32Array, closure?: Closure): ScoresOverClustered | undefined {
  let [rows, noise] = [0, 0];
  for (let i = 0; i < labels.length; i++) {
    if (truth[i]! < 0) continue;
    if (labels[i]! < 0) noise++;
    else rows++;
  }
  return noise === 0 || rows < 2 ? undefined : { ...scoresOfClustered(labels, truth, closure), rows };
}

/** Gives each row without a cluster a cluster of its own. */
export function noiseAlone(labels: Int32Array): Int32Array {
  if (!labels?.some((label) => label < 0)) return labels;
  const numbers = new Map<number, number>();
  let next = 0;
  return labels.map((label) => {
    const known = label < 0 ? undefined : numbers.get(label);
    if (known !== undefined) return known;
    if (label >= 0) numbers.set(label, next);
    return next++;
  });
}

function scoresOfClustered(labels: Int32Array, truth: Int32Array, closure?: Closure): Scores {
  const table = contingency(labels, truth);
  const counts = pairCounts(table);
  const rand = randIndex(counts);
  return {
    rand,
    adjustedRand: adjustedRandIndex(counts),
    constrainedRand: closure ? constrainedRandIndex(labels, truth, closure, counts) : rand,
    pairwiseF: pairwiseF(counts).f,
    normalizedMutualInformation: normalizedMutualInformation(table),
  };
}

/*
 * Cross-validation for constraints (bilenko2004, §4.1): constraints come from the rows of all folds except one, all rows are
 * clustered, and only the rows of the held-out fold are scored. So no constraint concerns a scored row.
 */

/** The fold of each row, 0 … count-1, at random; fold sizes differ by at most one row. */
export function drawFolds(n: number, count: number, random: Random): Int32Array {
  if (!(Number.isSafeInteger(count) && count >= 2)) throw badOption("folds", count, "a whole number from 2");
  const fold = Int32Array.from({ length: n }, (_, i) => i % count);
  random.shuffle(fold);
  return fold;
}

/** The labelling without the classes of one fold. */
export function trainingPart({ codes, names }: Labelling, folds: Int32Array, fold: number): Labelling {
  return { codes: codes.map((code, i) => (folds[i] === fold ? -1 : code)), names };
}

/** Pairwise F over the rows of one fold. */
export function heldOutF(labels: Int32Array, truth: Labelling, folds: Int32Array, fold: number): number {
  const held = truth.codes.map((code, i) => (folds[i] === fold ? code : -1));
  return pairwiseF(pairCounts(contingency(labels, held))).f;
}
