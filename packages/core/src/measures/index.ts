/** Measures: how well a clustering meets the truth. All are made from contingency tables. */
export { constrainedRandIndex } from "./constrained-rand.js";
export { type Contingency, contingency } from "./contingency.js";
export { drawFolds, heldOutF, trainingPart } from "./folds.js";
export { bestMatching, insideMatch } from "./matching.js";
export { normalizedMutualInformation } from "./nmi.js";
export { type PairCounts, pairCounts } from "./pair-counts.js";
export { type PairwiseF, pairwiseF } from "./pairwise-f.js";
export { adjustedRandIndex, randIndex } from "./rand.js";
export { nothingToScore, scoresOf } from "./scores.js";
