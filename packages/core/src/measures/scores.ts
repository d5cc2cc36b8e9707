/** All scores of a clustering against known classes. */
import type { Closure } from "../constraints/closure.js";
import type { Scores } from "../model/result.js";
import { constrainedRandIndex } from "./constrained-rand.js";
import { contingency } from "./contingency.js";
import { normalizedMutualInformation } from "./nmi.js";
import { pairCounts } from "./pair-counts.js";
import { pairwiseF } from "./pairwise-f.js";
import { adjustedRandIndex, randIndex } from "./rand.js";

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
