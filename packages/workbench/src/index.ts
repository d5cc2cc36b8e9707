export {
  type AnswerStore,
  Asking,
  type AskingPlan,
  type Continuation,
  continuationOf,
  idsOf,
  knownFrom,
} from "./asking.js";
export { createPool, type FromWorker, type Pool, type Port, type ToWorker, type Watch } from "./pool.js";
export { type RunRequest, runSpec as runSpecSchema } from "./protocol/runs.js";
export { type ReportFacts, reportOf, rowsInFile, violationsInIds } from "./report.js";
export { everyTurn, type Run, type RunHost, run } from "./run.js";
export type { RunSpec } from "./run-spec.js";
export { serveStarts } from "./worker.js";
