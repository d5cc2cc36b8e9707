/**
 * The seam between a plan and the engine that keeps the rows. A plan is pure: it yields requests and gets replies. Whoever drives it
 * asks an engine: rows in memory, DuckDB, Spark. Engines that keep to the words below give the same bits.
 */
import type { InstanceId } from "../model/points.js";
import type { Stopped } from "../model/result.js";
import type { Steps } from "../steps/index.js";
import type { ColumnRange, PassModel, PassTotals } from "./pass-model.js";

/** What the engine found in one look at all rows; it refuses columns that are no finite numbers. */
export interface Statistics {
  readonly rows: number;
  readonly names: readonly string[];
  readonly ranges: readonly ColumnRange[];
}

/** Rows as they are in the table, not scaled. */
export interface EngineRows {
  readonly n: number;
  readonly x: Float64Array;
  /** Who they are, and their known classes, where the engine was asked for a sample. */
  readonly ids?: readonly InstanceId[];
  readonly classes?: readonly (string | null)[];
}

export type EngineRequest =
  | { readonly ask: "statistics" }
  /** The plan works on its own rows for long; the driver lets signals in. */
  | { readonly ask: "pause" }
  /** The rows of these ids, in their order; an id that no row has is refused. */
  | { readonly ask: "rows"; readonly ids: readonly InstanceId[] }
  /** The rows of the `size` lowest hashes of seed and id, lowest first. */
  | { readonly ask: "sample"; readonly size: number; readonly seed: number }
  /** All rows to their nearest clusters; sums per cluster. */
  | { readonly ask: "pass"; readonly model: PassModel; readonly iteration: number }
  /** The same, and the clusters stay: `placed` has those of the rows that were asked for by id, the others go to the nearest. */
  | { readonly ask: "labels"; readonly model: PassModel; readonly placed: Int32Array }
  /** A state that a run can go on from. */
  | { readonly ask: "keep"; readonly state: PlanState };

/** What a plan needs to go on after an iteration. */
export interface PlanState {
  readonly start: number;
  readonly iteration: number;
  readonly centres: Float64Array;
  /** Weights or maps of the learned metrics, with their log determinants; null without. */
  readonly metric: { readonly maps: Float64Array; readonly logDets: Float64Array } | null;
  readonly placed: Int32Array;
  readonly history: readonly number[];
  /** The state of lowest objective so far, and the iteration that it comes from. */
  readonly lowest: PlanStart;
  readonly lowestAt: number;
  /** How the start ended, if it has. */
  readonly stopped: Stopped | null;
  /** The best end of earlier starts, if there are any. */
  readonly best: PlanStart | null;
}

/** How one start ended. */
export interface PlanStart {
  readonly centres: Float64Array;
  readonly metric: PlanState["metric"];
  readonly placed: Int32Array;
  readonly history: readonly number[];
  readonly stopped: Stopped;
}

export type Plan<R> = Generator<EngineRequest, R, unknown>;

/** Steps of a method inside a plan: the driver lets signals in between two steps. */
export function* pausing<R>(steps: Steps<R>): Plan<R> {
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
    yield { ask: "pause" };
  }
}

/** A block of rows from..to - 1 of a plan's own rows. */
export interface RowBlock {
  readonly from: number;
  readonly to: number;
}

/** Numbers that a loop over a plan's own rows computes between two pauses, about. */
const WORK_BETWEEN_PAUSES = 2 ** 22;

/** Splits rows 0..n - 1 into blocks of 1 to `most` rows, so that a block computes few enough numbers; `work`: numbers per row. */
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
