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
export { everyTurn, type Run, type RunHost, type RunSpec, run } from "./run.js";
export { serveStarts } from "./worker.js";
