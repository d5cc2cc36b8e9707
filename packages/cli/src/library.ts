export type { Report } from "@coterie/core";
export {
  type AnswerStore,
  Asking,
  type AskingPlan,
  continuationOf,
  knownFrom,
  type Run,
  type RunHost,
  type RunSpec,
  reportOf,
  run,
} from "@coterie/workbench";
