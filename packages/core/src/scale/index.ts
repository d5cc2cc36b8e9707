/** Clustering of data that stay in an external engine: plans, the requests they send, and the arithmetic that all engines share. */
export {
  type CoreGround,
  type CoreOutcome,
  type CorePoints,
  type CoreSet,
  type CoreSetInput,
  coreGround,
  coreLabels,
  corePoints,
  isSampled,
  microClusters,
  sampledPoints,
} from "./core-set.js";
export { BLOCK_ROWS, type Grid, setUnits, type Totals } from "./fixed-sums.js";
export { flushBlock, type OpenPass, type OpenPassKernel, openPlainPass } from "./pass.js";
export {
  type ColumnRange,
  modelOf as passModelOf,
  momentCount,
  openPassTotals,
  type PassModel,
  type PassTotals,
  passSums,
  workOf,
} from "./pass-model.js";
export { type PlanInput, type PlanOptions, type PlanOutcome, planSteps } from "./plan.js";
export { DAMAGED_STATE, stateFile } from "./plan-state.js";
export type { EngineRequest, EngineRows, Plan, PlanState, Statistics } from "./requests.js";
