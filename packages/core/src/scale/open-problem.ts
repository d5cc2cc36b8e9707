/**
 * Builds the data of a running plan (`Problem`) from the plan's input: statistics, scaling, constrained rows, and data that only some
 * methods need.
 */

import { MOST_COLUMNS_OF_FULL_METRICS, refuseManyColumns } from "../algorithms/cost.js";
import type { PlanTraits } from "../algorithms/method.js";
import { repairing } from "../algorithms/partition/cop/assigners.js";
import { unitsOf } from "../algorithms/partition/cop/units.js";
import { decideExactly } from "../algorithms/placement/legal.js";
import { methodNamed } from "../catalogue.js";
import { closeConstraints, refuseContradictions } from "../constraints/index.js";
import { badInput } from "../errors.js";
import { plainKernels } from "../kernels/index.js";
import { EFFORT } from "../steps/budget.js";
import { commonRange, oneUnitNotice, scaledNotice } from "../structures/column-scaling.js";
import { type ColumnRange, modelOf, type PassMetric, type PassScaling, passSums, scaledRanges } from "./pass-model.js";
import type { PlanInput, PlanScale } from "./plan.js";
import { nearestOf, type Problem } from "./problem.js";
import { askPass, askRows, askSample, askStatistics, type EngineRows, type Plan, pausing, type Statistics } from "./requests.js";
import { placeSoftly, softConstraintsOf } from "./soft-constraints.js";

const SAMPLE_PER_CLUSTER = 50;
const LEAST_SAMPLE = 2000;

/** How plans run this method; throws if plans cannot run it. */
function planTraits(method: string): PlanTraits {
  const { onEngine } = methodNamed(method);
  if (typeof onEngine !== "object") throw new Error(`no plan runs ${method}`);
  return onEngine;
}

export function* openProblem(input: PlanInput): Plan<Problem> {
  const { options, seed, ids } = input;
  const traits = planTraits(input.method);
  const statistics = yield* askStatistics();
  if (options.matrix === "full")
    refuseManyColumns({ n: statistics.rows, d: statistics.ranges.length }, MOST_COLUMNS_OF_FULL_METRICS);
  const found = yield* constrainedRows(input);
  const isConstrained = ids.length > 0 && options.costs !== "unit";
  const perturbs = traits.init === "neighbourhoods" || options.init === "perturbed";
  const needsMoments = perturbs || isConstrained || (options.tolerance ?? 0) > 0;
  const { scaling, ...moments } = yield* scalingAndMoments(input.scale, statistics, needsMoments);
  const ranges = scaledRanges(statistics.ranges, scaling);
  const size = Math.min(statistics.rows, Math.max(LEAST_SAMPLE, SAMPLE_PER_CLUSTER * options.k));
  const sample = scaledRows(yield* askSample(size, seed), scaling);
  const { x, n } = scaledRows(found, scaling);
  const rows = { traits, x, n, sample, ranges, scaling, ...moments };
  return yield* problemOf(input, statistics, rows);
}

interface Rows extends Pick<Problem, "traits" | "x" | "n" | "sample" | "scaling" | "mean" | "variances"> {
  readonly ranges: readonly ColumnRange[];
}

function* problemOf(input: PlanInput, statistics: Statistics, rows: Rows): Plan<Problem> {
  const { method, options, constraints } = input;
  const { x, n, ranges, scaling, traits } = rows;
  const { k, costs = "relative", metrics = "single", matrix = "diagonal" } = options;
  const d = ranges.length;
  const learns = traits.learnsMetric;
  const several = learns && metrics === "multiple";
  const range = Float64Array.from(ranges, ({ least, most }) => most - least);
  const isSoft = traits.places === "by penalties" && n > 0;
  const unit = costs === "unit" ? 1 : rows.variances.reduce((sum, variance) => sum + variance, 0);
  const soft = isSoft ? softConstraintsOf(constraints, input.ids, x, range, { k, byMetric: learns, unit }) : null;
  const placeHard = traits.places === "legally" && n > 0 ? yield* hardPlacement(input, x, d) : null;
  return {
    ...rows,
    input,
    statistics,
    range,
    soft,
    notices: constraints.relative.a.length > 0 ? [`${method} does not use relative constraints.`] : [],
    modelAt: (centres, metric, moments) => {
      const kind: PassMetric = metric ? (matrix === "full" ? "full" : "diagonal") : "plain";
      const bias = Float64Array.from({ length: k }, (_, c) => (metric && several ? -metric.logDets[c]! : 0));
      const maps = metric?.maps ?? new Float64Array(0);
      const parts = { d, k, metric: kind, centres, maps, several: several && metric !== null, bias, moments, scaling };
      return modelOf(parts, ranges, statistics.rows);
    },
    nearest: (model) => nearestOf(model, x, n),
    *place(model, before, random) {
      if (placeHard) return yield* placeHard(model.centres, before);
      return yield* soft ? placeSoftly(soft, model, before, random) : nearestOf(model, x, n);
    },
  };
}

type PlaceHard = (centres: Float64Array, before: Int32Array) => Plan<Int32Array>;

/** Hard placement: each must-link component moves as a whole. Unconstrained rows go to their nearest centre. */
function* hardPlacement({ constraints, ids, options }: PlanInput, x: Float64Array, d: number): Plan<PlaceHard> {
  const { k, effort = EFFORT } = options;
  const closure = closeConstraints(constraints);
  yield { ask: "pause" };
  refuseContradictions(closure, ids);
  yield { ask: "pause" };
  const points = { n: constraints.n, d, x };
  const units = unitsOf(closure, points);
  yield { ask: "pause" };
  const place = repairing(units, k, d, plainKernels, () => decideExactly(units.graph, k, effort, ids));
  return function* (centres, before) {
    const placed = new Int32Array(constraints.n);
    if (units.count > 0) {
      const firstRows = Int32Array.from({ length: units.count }, (_, u) => units.rows.items[units.rows.start[u]!]!);
      const known = before.length > 0 && before[firstRows[0]!]! >= 0 ? firstRows.map((row) => before[row]!) : null;
      const labels = yield* pausing(place(centres, known));
      for (let u = 0; u < units.count; u++) {
        for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) placed[units.rows.items[p]!] = labels[u]!;
      }
    }
    for (const row of units.freeRows) placed[row] = nearestCentre(centres, x.subarray(row * d, (row + 1) * d), k);
    return placed;
  };
}

function nearestCentre(centres: Float64Array, row: Float64Array, k: number): number {
  const d = row.length;
  let best = 0;
  let least = Infinity;
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (row[j]! - centres[c * d + j]!) * (row[j]! - centres[c * d + j]!);
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  return best;
}

export function* constrainedRows({ ids }: Pick<PlanInput, "ids">): Plan<EngineRows> {
  return ids.length === 0 ? { n: 0, x: new Float64Array(0) } : yield* askRows(ids);
}

function oneUnit(ranges: readonly ColumnRange[]) {
  return commonRange(ranges.map(({ least, most }) => ({ low: least, high: most })));
}

/** A sentence that says which scale `auto` chose for columns with these ranges. */
export function scaleNotice(ranges: readonly ColumnRange[]): string {
  const unit = oneUnit(ranges);
  return unit ? oneUnitNotice(ranges.length, unit) : scaledNotice("Columns are");
}

/**
 * The scaling of the columns, and the mean and variance of the scaled columns. The scale `auto` means zscore, or no scaling if the columns
 * have one unit.
 */
export function* scalingAndMoments(
  asked: PlanScale,
  { ranges, rows, names }: Statistics,
  needsMoments: boolean,
): Plan<{ readonly scaling: PassScaling | null; readonly mean: Float64Array; readonly variances: Float64Array }> {
  const d = ranges.length;
  const none = { mean: new Float64Array(d), variances: new Float64Array(d) };
  const constant = (j: number): boolean => ranges[j]!.least === ranges[j]!.most;
  const scale = asked === "auto" ? (oneUnit(ranges) ? "none" : "zscore") : asked;
  let scaling: PassScaling | null = null;
  if (scale === "minmax") {
    const offset = Float64Array.from(ranges, ({ least }) => least);
    scaling = { offset, factor: Float64Array.from(ranges, ({ least, most }) => (most > least ? most - least : 1)) };
  }
  if (scale === "zscore") {
    const { mean, variances } = yield* columnMoments(ranges, rows, null);
    const offset = mean.map((value, j) => (constant(j) ? ranges[j]!.least : value));
    scaling = { offset, factor: variances.map((variance, j) => (constant(j) ? 1 : Math.sqrt(variance))) };
  }
  const bad = scaling ? scaling.factor.findIndex((factor) => !(factor > 0 && Number.isFinite(factor))) : -1;
  if (bad >= 0) {
    throw badInput(`Column "${names[bad]}" cannot be scaled: its values are too far from 1.`, {
      remedy: "Change its unit, or leave it out (--ignore).",
    });
  }
  return needsMoments ? { scaling, ...(yield* columnMoments(ranges, rows, scaling)) } : { scaling, ...none };
}

/** Mean and variance of each column. Makes one pass with a single cluster, whose centre is the middle of the ranges. */
function* columnMoments(raw: readonly ColumnRange[], rows: number, scaling: PassScaling | null) {
  const ranges = scaledRanges(raw, scaling);
  const d = ranges.length;
  const centres = Float64Array.from(ranges, ({ least, most }) => least / 2 + most / 2);
  const none = { maps: new Float64Array(0), several: false, bias: new Float64Array(1) };
  const model = modelOf({ d, k: 1, metric: "plain", centres, ...none, moments: "diagonal", scaling }, ranges, rows);
  const { sums, moments } = passSums(model, yield* askPass(model, 0));
  const mean = sums.map((sum) => sum / rows);
  const variances = moments.map((moment, j) => {
    const shift = mean[j]! - centres[j]!;
    return ranges[j]!.least === ranges[j]!.most ? 0 : Math.max(0, moment / rows - shift * shift);
  });
  return { mean, variances };
}

export function scaledRows(rows: EngineRows, scaling: PassScaling | null): EngineRows {
  if (!scaling) return rows;
  const d = scaling.offset.length;
  return { ...rows, x: rows.x.map((value, p) => (value - scaling.offset[p % d]!) / scaling.factor[p % d]!) };
}
