export { Caller, nodePort, type Port, serve, WorkerEnded, webPort } from "./calls.js";
export { type Advised, advise, type TriedMethod } from "./compute/advise.js";
export type { Compute, ComputeHost, TableSource } from "./compute/compute.js";
export { createLocalCompute } from "./compute/local-compute.js";
export type { PageInput } from "./compute/page.js";
export { createRemoteCompute, serveTasks } from "./compute/remote-compute.js";
export { shortRules } from "./compute/understand.js";
export { constraintSetOf } from "./log/constraint-set.js";
export { createPool, type Pool, type Watch } from "./pool.js";
export type { SampleSource, WorkbenchOptions } from "./projects/context.js";
export { type OpenAnswers, openAnswers } from "./projects/open-answers.js";
export { replyTo } from "./projects/problems.js";
export { createWorkbench, type Workbench } from "./projects/workbench.js";
export { ODD_KEYS, ODD_WORD, QUESTION_KEYS, type QuestionKey } from "./protocol/question-keys.js";
export { type RunRequest, runSpec as runSpecSchema } from "./protocol/runs.js";
export { ownProbabilities, type ReportFacts, reportColumns, reportOf, rowsInFile, violationsInIds } from "./report.js";
export { clusterWords, everyTurn, internalScores, type Run, type RunHost, run } from "./run.js";
export type { RunSpec } from "./run-spec.js";
export { fewerStarts, startsNotice } from "./starts.js";
export { type Continuation, continuationOf } from "./store/answers-store.js";
export { createHolds, gathered, type Holds, hashOf, once } from "./store/bytes.js";
export { createMemoryStore } from "./store/memory-store.js";
export {
  type DamagedProject,
  type HeldBytes,
  noProject,
  type Store,
  type StoredProject,
  storedProjectSchema,
} from "./store/store.js";
export { loadsWith, type ReadColumns, rowsById } from "./tables/loaded-table.js";
export { serveStarts } from "./worker.js";
