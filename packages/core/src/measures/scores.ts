/** All scores of a clustering against known classes. */
import type { Closure } from "../constraints/closure.js";
import type { Scores } from "../model/result.js";
import { contingency } from "../structures/contingency.js";
import { constrainedRandIndex } from "./constrained-rand.js";
import { normalizedMutualInformation } from "./nmi.js";
import { pairCounts } from "./pair-counts.js";
import { pairwiseF } from "./pairwise-f.js";
import { adjustedRandIndex, randIndex } from "./rand.js";

/**
 * A sentence where there is nothing to compare: scores of no pair would all be 1 and say nothing. Undefined where two rows or more have
 * both a cluster and a known class.
 */
export function nothingToScore(labels: Int32Array, truth: Int32Array): string | undefined {
  let [known, both] = [0, 0];
  for (let i = 0; i < truth.length; i++) {
    if (truth[i]! < 0) continue;
    known++;
    if (labels[i]! >= 0) both++;
  }
  if (both > 1) return undefined;
  const rows = both === 1 ? "Only one row has" : "No row has";
  const what = known === both ? "a known class" : "both a cluster and a known class";
  return `${rows} ${what}: there are no scores.`;
}

/** Rows with a negative label or class are left out. Without a closure every pair is free. */
export function scoresOf(labels: Int32Array, truth: Int32Array, closure?: Closure): Scores {
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
