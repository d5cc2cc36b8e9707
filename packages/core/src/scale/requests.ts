/**
 * Interface between a plan and the engine that stores the rows. A plan is a pure generator: it yields requests and receives replies. A
 * driver answers the requests with an engine, for example rows in memory, DuckDB or Spark. All engines that follow the definitions below
 * give bit-identical results.
 */
import type { InstanceId } from "../model/points.js";
import type { Stopped } from "../model/result.js";
import type { Steps } from "../steps/index.js";
import type { ColumnRange, PassModel, PassTotals } from "./pass-model.js";

/** Result of a first scan over all rows. The engine rejects columns with values that are not finite numbers. */
export interface Statistics {
  readonly rows: number;
  readonly names: readonly string[];
  readonly ranges: readonly ColumnRange[];
}

/** Rows as in the table, not scaled: n x d, row-major. */
export interface EngineRows {
  readonly n: number;
  readonly x: Float64Array;
  readonly ids?: readonly InstanceId[];
  readonly classes?: readonly (string | null)[];
}

export type EngineRequest =
  | { readonly ask: "statistics" }
  /** Pause: the plan works for a long time on its own rows, so the driver can handle signals now. */
  | { readonly ask: "pause" }
  /** Requests the rows with these ids, in this order; an unknown id is an error. */
  | { readonly ask: "rows"; readonly ids: readonly InstanceId[] }
  /** Requests the rows with the `size` smallest hashes of seed and id, smallest hash first. */
  | { readonly ask: "sample"; readonly size: number; readonly seed: number }
  /** Assigns all rows to their nearest clusters and returns the sums per cluster. */
  | { readonly ask: "pass"; readonly model: PassModel; readonly iteration: number }
  /**
   * Like "pass", but the engine stores the labels. `placed`: clusters of the rows requested by id; all other rows go to the nearest
   * cluster.
   */
  | { readonly ask: "labels"; readonly model: PassModel; readonly placed: Int32Array }
  /** Passes a state to the driver, which saves it, so that a run can resume from it later. */
  | { readonly ask: "keep"; readonly state: PlanState };

export interface PlanState {
  readonly start: number;
  readonly iteration: number;
  readonly centres: Float64Array;
  /** Weights or maps of the learned metrics, with their log determinants; null if no metric is learned. */
  readonly metric: { readonly maps: Float64Array; readonly logDets: Float64Array } | null;
  readonly placed: Int32Array;
  readonly history: readonly number[];
  /** The state with the lowest objective so far, and its iteration. */
  readonly lowest: PlanStart;
  readonly lowestAt: number;
  /** Why the start ended; null if it is still running. */
  readonly stopped: Stopped | null;
  /** The best result of earlier starts; null if there is none. */
  readonly best: PlanStart | null;
}

export interface PlanStart extends Pick<PlanState, "centres" | "metric" | "placed" | "history"> {
  readonly stopped: Stopped;
}

export type Plan<R> = Generator<EngineRequest, R, unknown>;

/** Runs the steps of a method inside a plan, with a pause request after each step. */
export function* pausing<R>(steps: Steps<R>): Plan<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield { ask: "pause" };
  }
}

/** A block of rows that the plan stores: rows from … to - 1. */
export interface RowBlock {
  readonly from: number;
  readonly to: number;
}

/** Approximate number of values computed between two pauses. */
const WORK_BETWEEN_PAUSES = 2 ** 22;

/** Blocks of rows 0 … n - 1. Each block has at most `most` rows and limited work. `work`: number of values computed for one row. */
export function* rowBlocks(n: number, work: number, most = n): Generator<RowBlock> {
  const rows = Math.max(1, Math.min(most, Math.floor(WORK_BETWEEN_PAUSES / work)));
  for (let from = 0; from < n; from += rows) yield { from, to: Math.min(n, from + rows) };
}

export function* askStatistics(): Plan<Statistics> {
  return (yield { ask: "statistics" }) as Statistics;
}

export function* askRows(ids: readonly InstanceId[]): Plan<EngineRows> {
  return (yield { ask: "rows", ids }) as EngineRows;
}

export function* askSample(size: number, seed: number): Plan<EngineRows> {
  return (yield { ask: "sample", size, seed }) as EngineRows;
}

export function* askPass(model: PassModel, iteration: number): Plan<PassTotals> {
  return (yield { ask: "pass", model, iteration }) as PassTotals;
}

export function* askLabels(model: PassModel, placed: Int32Array): Plan<PassTotals> {
  return (yield { ask: "labels", model, placed }) as PassTotals;
}
