/**
 * Runs the k-means family over an engine. The plan stores the constrained rows. The engine visits all rows in one pass per iteration.
 *
 * A pass assigns every row to its nearest cluster. The contributions of the constrained rows are then subtracted exactly, and added again
 * under the clusters that the constraints give them. So the engine needs no knowledge of the constraints.
 *
 * Differs from the in-memory methods:
 *
 * - Sums use fixed-sums.ts.
 * - First centres are drawn from a sample; hashes select the rows of the sample.
 * - The default is one start.
 * - A cluster without rows gets the sample row farthest from its centre.
 * - A bound from the column ranges replaces the farthest pair of MPCK-means (soft-constraints.ts).
 */

import { givenCentres, neighbourhoodCentres, withPerturbedMeans } from "../algorithms/partition/mpck/run.js";
import { plusPlusSteps, randomRows } from "../algorithms/partition/seeding.js";
import { closeConstraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { InstanceId } from "../model/points.js";
import type { LearnedMetrics, Stopped } from "../model/result.js";
import { type Random, randomFrom } from "../random/index.js";
import { openProblem } from "./open-problem.js";
import { squaredDistance } from "./pass.js";
import { type PassModel, type PassScaling, type PassSums, passSums } from "./pass-model.js";
import { breaksHard, checkState } from "./plan-state.js";
import { metricsFrom, objectiveOf, type Problem, totalsWithPlaced } from "./problem.js";
import { askLabels, askPass, type Plan, type PlanStart, type PlanState, pausing } from "./requests.js";
import { type LearnedMaps, learnMaps } from "./soft-constraints.js";

/** A start ends as "cycling" after this many iterations without a lower objective. */
const MOST_WITHOUT_GAIN = 5;

export interface PlanOptions {
  readonly k: number;
  readonly init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | readonly (readonly number[])[];
  readonly restarts?: number;
  readonly maxIterations?: number;
  readonly tolerance?: number;
  readonly costs?: "relative" | "unit";
  readonly metrics?: "single" | "multiple";
  readonly matrix?: "diagonal" | "full";
  readonly effort?: number;
}

export type PlanScale = "auto" | "none" | "zscore" | "minmax";

export interface PlanInput {
  /** The name of a method that plans can run (`planTraits`). */
  readonly method: string;
  readonly options: PlanOptions;
  /** The constraints. Row r of them is the row with the id `ids[r]`: only constrained rows are numbered. */
  readonly constraints: ConstraintSet;
  readonly ids: readonly InstanceId[];
  readonly seed: number;
  readonly scale: PlanScale;
  readonly from?: PlanState | undefined;
}

/** The result of a run; clusters have the plan's own numbers. */
export interface PlanOutcome {
  readonly model: PassModel;
  readonly names: readonly string[];
  readonly rows: number;
  readonly centres: readonly Float64Array[];
  readonly scaling: PassScaling | null;
  readonly metric?: LearnedMetrics;
  readonly farthestPair?: "bound";
  readonly sizes: Float64Array;
  readonly placed: Int32Array;
  readonly objective: number;
  readonly history: readonly number[];
  readonly iterations: number;
  readonly stopped: Stopped;
  readonly notices: readonly string[];
}

export function* planSteps(input: PlanInput): Plan<PlanOutcome> {
  const problem = yield* openProblem(input);
  const { k } = input.options;
  if (k > problem.statistics.rows) throw new CoterieError({ code: "k-too-large", k, n: problem.statistics.rows });
  if (input.from) checkState(problem, input.from);
  const starts = Array.isArray(input.options.init) ? 1 : (input.options.restarts ?? 1);
  let best = input.from?.best ?? null;
  for (let start = input.from?.start ?? 0; start < starts; start++) {
    const random = randomFrom(input.seed).split("restart", start);
    const from = input.from?.start === start ? input.from : null;
    const centres = from ? from.centres : yield* firstCentres(problem, random);
    const end = yield* iterateFrom(problem, centres, { start, from, best, random });
    if (best === null || end.history.at(-1)! < best.history.at(-1)!) best = end;
  }
  return yield* finish(problem, best!);
}

function* finish(problem: Problem, { centres, metric, placed, history, stopped }: PlanStart): Plan<PlanOutcome> {
  const { input, statistics, scaling } = problem;
  const model = problem.modelAt(centres, metric, "none");
  const fixed = placed.length > 0 ? placed : yield* problem.nearest(model);
  // Last check. Even if the saved state is damaged, labels that violate hard constraints are never returned.
  if (breaksHard(problem, fixed)) throw new Error(`${input.method} broke constraints that it keeps`);
  const totals = yield* askLabels(model, fixed);
  const sums = passSums(model, yield* totalsWithPlaced(problem, model, totals, fixed));
  const objective = objectiveOf(problem, model, sums, fixed, metric);
  const { d, k } = model;
  const used = sums.counts.filter((count) => count > 0).length;
  return {
    model,
    names: statistics.names,
    rows: statistics.rows,
    centres: Array.from({ length: k }, (_, c) => centres.slice(c * d, (c + 1) * d)),
    scaling,
    ...(metric ? { metric: metricsFrom(problem, metric), farthestPair: "bound" as const } : {}),
    sizes: sums.counts,
    placed: fixed,
    objective,
    history: [...history.slice(0, -1), objective],
    iterations: history.length,
    stopped,
    notices: [
      ...problem.notices,
      ...(used < k ? [`Only ${used} of the ${k} clusters have rows.`] : []),
      ...(stopped === "converged" ? [] : [`The run ended after ${history.length} iterations, before it had converged.`]),
    ],
  };
}

/** First centres: from must-linked neighbourhoods (bilenko2004, section 3.1), from a sample, or as given. */
function* firstCentres(
  { input, traits, sample, x, range, mean, variances, scaling }: Problem,
  random: Random,
): Plan<Float64Array> {
  const { k, init = traits.init } = input.options;
  const d = range.length;
  const points = { n: sample.n, d, x: sample.x };
  if (init === "k-means++") return yield* pausing(plusPlusSteps(points, k, random));
  if (init === "random") return randomRows(points, k, random);
  if (init === "neighbourhoods" || init === "perturbed") {
    const found = init === "neighbourhoods" ? neighbourhoodCentres({ d, x }, closeConstraints(input.constraints), k) : [];
    return withPerturbedMeans(found, () => ({ mean, variance: variances }), k, random);
  }
  return givenCentres(init, k, d).map((value, p) =>
    scaling ? (value - scaling.offset[p % d]!) / scaling.factor[p % d]! : value,
  );
}

type Metric = PlanState["metric"];

interface StartContext {
  readonly start: number;
  readonly from: PlanState | null;
  readonly best: PlanStart | null;
  readonly random: Random;
}

function* iterateFrom(problem: Problem, first: Float64Array, { start, from, best, random }: StartContext): Plan<PlanStart> {
  const { input } = problem;
  const { iterations } = problem.traits;
  const { maxIterations = iterations } = input.options;
  let centres = first;
  let metric: Metric = from?.metric ?? null;
  let placed = from?.placed ?? new Int32Array(problem.n).fill(-1);
  const history = [...(from?.history ?? [])];
  if (iterations === 0) return { centres, metric, placed: new Int32Array(0), history: [NaN], stopped: "converged" };
  let lowest = from?.lowest ?? null;
  let lowestAt = from?.lowestAt ?? 0;
  let stopped = from?.stopped ?? null;
  for (let iteration = (from?.iteration ?? 0) + 1; stopped === null; iteration++) {
    const result = yield* iterateOnce(problem, centres, metric, placed, iteration, random);
    history.push(result.objective);
    const isFixed = isSame(centres, result.centres) && isSame(placed, result.placed) && isSame(metric?.maps, result.metric?.maps);
    const small = isSmall(problem, centres, result.centres, history);
    ({ centres, metric, placed } = result);
    if (lowest === null || result.objective < lowest.history.at(-1)!) {
      lowest = { centres, metric, placed, history: [...history], stopped: "cycling" };
      lowestAt = iteration;
    }
    if (isFixed || small) stopped = "converged";
    else if (iteration >= maxIterations) stopped = "max-iterations";
    else if (iteration - lowestAt >= MOST_WITHOUT_GAIN) stopped = "cycling";
    const state = { start, iteration, centres, metric, placed, history: [...history], lowest, lowestAt, stopped, best };
    yield { ask: "keep", state };
  }
  return stopped === "cycling" ? lowest! : { centres, metric, placed, history, stopped };
}

function* iterateOnce(
  problem: Problem,
  centres: Float64Array,
  metric: Metric,
  before: Int32Array,
  iteration: number,
  random: Random,
): Plan<{ readonly centres: Float64Array; readonly metric: Metric; readonly placed: Int32Array; readonly objective: number }> {
  const learns = problem.traits.learnsMetric;
  const full = problem.input.options.matrix === "full";
  const model = problem.modelAt(centres, metric, learns ? (full ? "full" : "diagonal") : "none");
  const totals = yield* askPass(model, iteration);
  const placed = yield* problem.place(model, before, random.split("order", iteration));
  const sums = passSums(model, yield* totalsWithPlaced(problem, model, totals, placed));
  const next = meansOf(model, sums);
  const learned = learns ? learn(problem, model, sums, next, placed) : null;
  // The objective is computed before `refill` gives clusters without rows a new centre.
  const objective = objectiveAfter(problem, model, sums, next, placed, learned);
  refill(problem, model, sums, next);
  return { centres: next, metric: learned, placed, objective };
}

function meansOf({ d, centres }: PassModel, { counts, sums }: PassSums): Float64Array {
  return sums.map((sum, p) => {
    const count = counts[Math.floor(p / d)]!;
    return count > 0 ? sum / count : centres[p]!;
  });
}

function learn(problem: Problem, model: PassModel, sums: PassSums, next: Float64Array, labels: Int32Array): LearnedMaps {
  const { matrix, metrics } = problem.input.options;
  const kind = { several: metrics === "multiple", full: matrix === "full" };
  const scatter = scatterAbout(model, sums, next, kind.full);
  return learnMaps(problem.soft, model, kind, labels, sums.counts, scatter, problem.variances);
}

/** Second moments about the new centres: Σ(x-μ)(x-μ)ᵀ = Σ(x-c)(x-c)ᵀ - n(μ-c)(μ-c)ᵀ. */
function scatterAbout(
  { d, k, centres }: PassModel,
  { counts, moments }: PassSums,
  next: Float64Array,
  full: boolean,
): Float64Array[] {
  const per = full ? (d * (d + 1)) / 2 : d;
  return Array.from({ length: k }, (_, c) => {
    const shift = (j: number): number => next[c * d + j]! - centres[c * d + j]!;
    const part = new Float64Array(full ? d * d : d);
    for (let i = 0, at = c * per; i < d; i++) {
      if (!full) part[i] = Math.max(0, moments[at++]! - counts[c]! * shift(i) * shift(i));
      else for (let j = 0; j <= i; j++) part[i * d + j] = moments[at++]! - counts[c]! * shift(i) * shift(j);
    }
    return part;
  });
}

/** The objective of the labels under the new centres and metrics, without another pass. */
function objectiveAfter(
  problem: Problem,
  model: PassModel,
  sums: PassSums,
  next: Float64Array,
  placed: Int32Array,
  learned: LearnedMaps | null,
): number {
  const { d, k, centres } = model;
  const costs = sums.costs.slice();
  const after = problem.modelAt(next, learned, "none");
  if (learned) {
    const full = problem.input.options.matrix === "full";
    const scatter = scatterAbout(model, sums, next, full);
    for (let c = 0; c < k; c++) costs[c] = traceUnder(after, c, scatter[c]!);
  } else {
    for (let c = 0; c < k; c++) {
      for (let j = 0; j < d; j++) {
        const shift = next[c * d + j]! - centres[c * d + j]!;
        costs[c]! -= sums.counts[c]! * shift * shift;
      }
    }
  }
  return objectiveOf(problem, after, { ...sums, costs }, placed, learned);
}

/** tr(A·S) for the metric A of cluster c. */
function traceUnder({ d, metric, maps, several }: PassModel, c: number, s: Float64Array): number {
  const g = several ? c : 0;
  let trace = 0;
  for (let e = 0; e < d; e++) {
    if (metric === "diagonal") trace += maps[g * d + e]! * s[e]!;
    else
      for (let i = 0; i < d; i++) {
        const row = maps[(g * d + e) * d + i]!;
        for (let j = 0; j <= i; j++) trace += (i === j ? 1 : 2) * row * maps[(g * d + e) * d + j]! * s[i * d + j]!;
      }
  }
  return trace;
}

/** Gives each cluster without rows a new centre: a sample row that is far from its own centre. */
function refill({ sample }: Problem, model: PassModel, { counts }: PassSums, next: Float64Array): void {
  const empty = [...counts.keys()].filter((c) => counts[c] === 0);
  if (empty.length === 0) return;
  const { d, k } = model;
  const far = Array.from({ length: sample.n }, (_, i) => {
    const row = sample.x.subarray(i * d, (i + 1) * d);
    let least = Infinity;
    for (let c = 0; c < k; c++) if (counts[c]! > 0) least = Math.min(least, squaredDistance(model, row, c));
    return { i, least };
  }).filter(({ least }) => least > 0);
  far.sort((a, b) => b.least - a.least || a.i - b.i);
  empty.slice(0, far.length).forEach((c, at) => {
    const { i } = far[at]!;
    next.set(sample.x.subarray(i * d, (i + 1) * d), c * d);
  });
}

function isSame(a: ArrayLike<number> | undefined, b: ArrayLike<number> | undefined): boolean {
  if (!a || !b || a.length !== b.length) return a === b;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function isSmall(
  { input, traits, variances }: Problem,
  before: Float64Array,
  after: Float64Array,
  history: readonly number[],
): boolean {
  const { tolerance = 0 } = input.options;
  if (tolerance === 0) return false;
  if (traits.settles === "centres") {
    let shift = 0;
    for (let p = 0; p < before.length; p++) shift += (before[p]! - after[p]!) * (before[p]! - after[p]!);
    return shift <= (tolerance * variances.reduce((sum, variance) => sum + variance, 0)) / variances.length;
  }
  const [previous, last] = history.slice(-2);
  return last !== undefined && Math.abs(previous! - last) <= tolerance * Math.abs(last);
}
