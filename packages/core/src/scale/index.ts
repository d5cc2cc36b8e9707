/** Clustering of data that stay in an external engine: plans, the requests they send, and the arithmetic that all engines share. */
export type { CoreGround, CoreOutcome, CorePoints, CoreSet, CoreSetInput } from "./core-set.js";
export { coreGround, coreLabels, corePoints, isSampled, microClusters, sampledPoints } from "./core-set.js";
export { BLOCK_ROWS, type Grid, setUnits, type Totals } from "./fixed-sums.js";
export { scaleNotice } from "./open-problem.js";
export { flushBlock, type OpenPass, type OpenPassKernel, openPlainPass } from "./pass.js";
export type { ColumnRange, PassModel, PassTotals } from "./pass-model.js";
export { modelOf as passModelOf, momentCount, openPassTotals, passSums, workOf } from "./pass-model.js";
export { type PlanInput, type PlanOptions, type PlanOutcome, type PlanScale, planSteps } from "./plan.js";
export { DAMAGED_STATE, stateFile } from "./plan-state.js";
export type { EngineRequest, EngineRows, Plan, PlanState, Statistics } from "./requests.js";
