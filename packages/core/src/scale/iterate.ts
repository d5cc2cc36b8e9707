/** One start of a plan: pass, place, estimate, until nothing changes. */

import type { Random } from "../random/index.js";
import { type LearnedMaps, learnMaps } from "./learn.js";
import { squaredDistance } from "./pass.js";
import { type PassModel, type PassSums, passSums } from "./pass-model.js";
import { objectiveOf, type Problem, totalsWithPlaced } from "./problem.js";
import { askPass, type Plan, type PlanStart, type PlanState } from "./requests.js";

type Metric = PlanState["metric"];

const MOST_ITERATIONS = { kmeans: 300, "cop-kmeans": 300, "pck-means": 100, "mpck-means": 100, "supervised-means": 1 } as const;
/** Iterations without a lower objective after which a run goes in circles. */
const MOST_VAIN = 5;

export interface StartContext {
  readonly start: number;
  readonly from: PlanState | null;
  readonly best: PlanStart | null;
  readonly random: Random;
}

export function* iterateFrom(
  problem: Problem,
  first: Float64Array,
  { start, from, best, random }: StartContext,
): Plan<PlanStart> {
  const { input } = problem;
  const { maxIterations = MOST_ITERATIONS[input.method] } = input.options;
  let centres = first;
  let metric: Metric = from?.metric ?? null;
  let placed = from?.placed ?? new Int32Array(problem.n).fill(-1);
  const history = [...(from?.history ?? [])];
  if (input.method === "supervised-means")
    return { centres, metric, placed: new Int32Array(0), history: [NaN], stopped: "converged" };
  let lowest = from?.lowest ?? null;
  let lowestAt = from?.lowestAt ?? 0;
  let stopped = from?.stopped ?? null;
  for (let iteration = (from?.iteration ?? 0) + 1; stopped === null; iteration++) {
    const turn = yield* turnOf(problem, centres, metric, placed, iteration, random);
    history.push(turn.objective);
    const isFixed = isSame(centres, turn.centres) && isSame(placed, turn.placed) && isSame(metric?.maps, turn.metric?.maps);
    const small = isSmall(problem, centres, turn.centres, history);
    ({ centres, metric, placed } = turn);
    if (lowest === null || turn.objective < lowest.history.at(-1)!) {
      lowest = { centres, metric, placed, history: [...history], stopped: "cycling" };
      lowestAt = iteration;
    }
    if (isFixed || small) stopped = "converged";
    else if (iteration >= maxIterations) stopped = "max-iterations";
    else if (iteration - lowestAt >= MOST_VAIN) stopped = "cycling";
    const state = { start, iteration, centres, metric, placed, history: [...history], lowest, lowestAt, stopped, best };
    yield { ask: "keep", state };
  }
  return stopped === "cycling" ? lowest! : { centres, metric, placed, history, stopped };
}

interface Turn {
  readonly centres: Float64Array;
  readonly metric: Metric;
  readonly placed: Int32Array;
  readonly objective: number;
}

function* turnOf(
  problem: Problem,
  centres: Float64Array,
  metric: Metric,
  before: Int32Array,
  iteration: number,
  random: Random,
): Plan<Turn> {
  const learns = problem.input.method === "mpck-means";
  const full = problem.input.options.matrix === "full";
  const model = problem.modelAt(centres, metric, learns ? (full ? "full" : "diagonal") : "none");
  const totals = yield* askPass(model, iteration);
  const placed = yield* problem.place(model, before, random.split("order", iteration));
  const sums = passSums(model, yield* totalsWithPlaced(problem, model, totals, placed));
  const next = meansOf(model, sums);
  const learned = learns ? learn(problem, model, sums, next, placed) : null;
  // A cluster that has lost all its rows starts anew; the objective is that of the labels before.
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
  const { input, x, variances, range } = problem;
  const full = input.options.matrix === "full";
  const links = problem.links ?? NO_LINKS;
  const scatter = scatterAbout(model, sums, next, full);
  const several = input.options.metrics === "multiple";
  return learnMaps({ model, full, several, links, x, labels, counts: sums.counts, scatter, variances, range });
}

const NO_LINKS = {
  n: 0,
  start: new Int32Array(1),
  other: new Int32Array(0),
  weight: new Float64Array(0),
  must: new Uint8Array(0),
};

/** Second moments about the old centres, moved to the new ones: Σ(x-μ)(x-μ)ᵀ = Σ(x-c)(x-c)ᵀ - n(μ-c)(μ-c)ᵀ. */
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

/** tr(A·S) under the metric of cluster c. */
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

/** Clusters without rows go to the rows of the sample that are farthest from their centres, one each. */
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

/** Within the tolerance: of the centres' way for k-means and COP-k-means, of the objective for the others. */
function isSmall({ input, variances }: Problem, before: Float64Array, after: Float64Array, history: readonly number[]): boolean {
  const { tolerance = 0 } = input.options;
  if (tolerance === 0) return false;
  if (input.method === "kmeans" || input.method === "cop-kmeans") {
    let shift = 0;
    for (let p = 0; p < before.length; p++) shift += (before[p]! - after[p]!) * (before[p]! - after[p]!);
    return shift <= (tolerance * variances.reduce((sum, variance) => sum + variance, 0)) / variances.length;
  }
  const [previous, last] = history.slice(-2);
  return last !== undefined && Math.abs(previous! - last) <= tolerance * Math.abs(last);
}
