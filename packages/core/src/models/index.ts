/** Models: what a run learned, saved and applied to new rows. */
export type { UnseenLevels } from "./align.js";
export type { CentreRule, MissingRule, Model, ModelColumn, ModelReduction, ModelSource, TreeRule } from "./model.js";
export { neededColumns } from "./model.js";
export { loadModel, type ModelFacts, modelOf, modelSteps, saveModel } from "./model-file.js";
export { type Prediction, type PredictOptions, predict, predictSteps } from "./predict.js";
