/** Trials, each with one saved line of results; the workers that run trials; and statistics over the lines. */
export { type Curve, compareCurves, curveCells, curveOf, found, meanAt, pointsOf, type Sides } from "./curves.js";
export {
  columnOf,
  distinct,
  headerOf,
  type Kept,
  lineOf,
  nameOf,
  numbersOf,
  parseTrials,
  repeated,
  rounded,
  seedFor,
  sortedLines,
  textOf,
  where,
} from "./lines.js";
export { type Batch, type FinishedTrial, poolHere, runBatch, type TrialPool, workerPool } from "./pool.js";
export { type Clock, durationInWords, type Job, type Progress, runJobs, startClock } from "./run.js";
export {
  againstNumber,
  correlation,
  correlationP,
  deviationOf,
  deviationsTest,
  holm,
  type Mean,
  meanOf,
  pairedTest,
  shareOf,
  sharesTest,
  shareTest,
  shifted,
  type Test,
  testOf,
  welchTest,
  withError,
} from "./statistics.js";
export type { Line, Trial, TrialColumns, TrialKey, Values } from "./trial.js";
