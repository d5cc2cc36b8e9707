/** Measures: agreement of a clustering with the truth. All are computed from contingency tables. */

export { bestMatching, insideMatch } from "../structures/assignment.js";
export { type Contingency, contingency } from "../structures/contingency.js";
export { constrainedRandIndex } from "./constrained-rand.js";
export { type PairCounts, pairCounts } from "./pair-counts.js";
export {
  adjustedRandIndex,
  drawFolds,
  heldOutF,
  noiseAlone,
  normalizedMutualInformation,
  nothingToScore,
  type PairwiseF,
  pairwiseF,
  randIndex,
  scoresOf,
  scoresOverClustered,
  trainingPart,
} from "./scores.js";
