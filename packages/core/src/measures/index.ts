/** Measures: agreement of a clustering with the truth. All are computed from contingency tables. */

export { bestMatching, insideMatch } from "../structures/assignment.js";
export { type Contingency, contingency } from "../structures/contingency.js";
export { constrainedRandIndex } from "./constrained-rand.js";
export { normalizedMutualInformation } from "./nmi.js";
export { type PairCounts, pairCounts } from "./pair-counts.js";
export { type PairwiseF, pairwiseF } from "./pairwise-f.js";
export { adjustedRandIndex, randIndex } from "./rand.js";
export { drawFolds, heldOutF, noiseAlone, nothingToScore, scoresOf, scoresOverClustered, trainingPart } from "./scores.js";
