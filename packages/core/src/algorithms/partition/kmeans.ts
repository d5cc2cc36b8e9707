/**
 * k-means without constraints: the baseline of the family.
 *
 * Lloyd, Least squares quantization in PCM, 1982. Bounds to skip rows that cannot change their cluster: Hamerly, Making k-means even
 * faster, 2010. First centres: k-means++ with several candidates per centre: Arthur and Vassilvitskii, 2007.
 *
 * Departs from these papers: a cluster that loses all its rows takes the row farthest from its centre, as in scikit-learn.
 */

import * as z from "zod/mini";
import { badInput, CoterieError } from "../../errors.js";
import { CHUNK_ROWS, type F32, type F64, type Kernels, type KMeansState, type Screen } from "../../kernels/index.js";
import { type Instances, type Points, rowValues } from "../../model/points.js";
import type { Stopped } from "../../model/result.js";
import { atLeast, option, toggle, whole } from "../../options.js";
import type { Steps } from "../../steps/index.js";
import { aroundMeans } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { oneHot } from "../encode.js";
import { bestStart, type Context, IGNORES_ALL, type Input, type Outcome } from "../method.js";
import { withLearnedMetric } from "../metric/learned.js";
import { placedSteps, screenSteps } from "../ready-rows.js";
import { lloydOutcome } from "./outcome.js";
import { inertiaOf, sumsOf, type WeightedSums } from "./row-weights.js";
import { plusPlusSteps, randomRows, weightsIn } from "./seeding.js";

export const clusterCount = option(whole(1), "number of clusters");

export const kMeansOptions = z.strictObject({
  k: clusterCount,
  init: option(
    z._default(z.union([z.enum(["k-means++", "random"]), z.array(z.array(z.number()))]), "k-means++"),
    "first centres: k-means++, random rows, or a file with k rows of the same columns",
    { file: "centres" },
  ),
  restarts: option(z._default(whole(1), 10), "number of starts; the best is kept (1 with given centres)"),
  maxIterations: option(z._default(whole(1), 300), "maximum number of iterations per start"),
  tolerance: option(
    z._default(atLeast(0), 0),
    "stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster)",
  ),
  bounds: option(toggle(true), "skip rows whose cluster cannot change; the result is the same"),
});

type CheckedOptions = z.output<typeof kMeansOptions>;

export function kMeansSteps(input: Input, options: CheckedOptions, context: Context): Steps<Outcome> {
  return bestStart(kMeansStarts.count(options), (index) => kMeansStarts.steps(input, options, index, context));
}

export const kMeansStarts = {
  count: ({ init, restarts }: CheckedOptions): number => (Array.isArray(init) ? 1 : restarts),
  steps: startSteps,
};

/** Clusters rows around k means. */
export const kmeans = /* @__PURE__ */ defineMethod({
  name: "kmeans",
  title: "k-means",
  summary: "k groups around their means; ignores constraints",
  paper: "Lloyd: Least squares quantization in PCM. 1982",
  example: "kmeans(points, undefined, { k: 3, seed: 7 }).centres;",
  onEngine: { init: "k-means++", iterations: 300, settles: "centres", places: "nearest", learnsMetric: false },
  family: "partition",
  treats: IGNORES_ALL,
  seconds: aroundMeans(),
  weighsRows: true,
  ...withLearnedMetric({ options: kMeansOptions, steps: kMeansSteps, starts: kMeansStarts }),
});

function* startSteps(input: Input, options: CheckedOptions, index: number, { kernels, random }: Context): Steps<Outcome> {
  const { points, notices } = oneHot(input.points);
  const { n, d } = points;
  const { k, maxIterations } = options;
  if (k > n) throw new CoterieError({ code: "k-too-large", k, n });
  const arena = kernels.arena();
  try {
    const x = yield* placedSteps(points, arena);
    const screen = options.bounds ? yield* screenSteps(x, n, d, kernels, arena) : null;
    let centres = yield* seededCentres(input.points, points, options, random.split("restart", index), { kernels, x, screen });
    const state = kernels.kmeans(x, n, d, k, arena, { bounds: options.bounds, screen });
    const least = options.tolerance * (options.tolerance > 0 ? meanVariance(kernels.moments(x, n, d).squares, n) : 0);
    let about: About | null = null;
    const history: number[] = [];
    state.setCentres(centres);
    for (let iteration = 1; ; iteration++) {
      const changed = yield* assignSteps(state, n, iteration, history.at(-1));
      const { means: next, counts } = meansOf(state, points, centres, k);
      const shift = squaredDifference(centres, next);
      centres = next;
      state.setCentres(centres);
      const converged = changed === 0 || shift <= least;
      const isLast = converged || iteration === maxIterations;
      const inertia = (isLast || !about ? null : inertiaAbout(about, centres, counts)) ?? inertiaOf(state, points);
      if (!points.rowWeights && n * d >= LEAST_FROM_MEANS) about ??= aboutMean(inertia, centres, counts);
      history.push(inertia);
      if (isLast) {
        return finished(state, points, centres, history, converged ? "converged" : "max-iterations", notices);
      }
    }
  } finally {
    arena.release();
  }
}

/** The first centres by the option `init`. k-means++ runs in kernel memory. */
export function* seededCentres(
  original: Instances,
  points: Points,
  options: Pick<CheckedOptions, "k" | "init">,
  random: Context["random"],
  { kernels, x, screen }: { kernels: Kernels; x: F64 | F32; screen: Screen | null },
): Steps<Float64Array> {
  if (options.init !== "k-means++") return givenCentres(original, points, options, random);
  const arena = kernels.arena();
  try {
    const { n, d } = points;
    const state = kernels.seeding(x, n, d, arena, screen, weightsIn(arena, points));
    return yield* plusPlusSteps(points, options.k, random, state);
  } finally {
    arena.release();
  }
}

/**
 * The first centres if `init` is not k-means++: random rows, or the given centres. points: the rows with nominal columns encoded as
 * numbers.
 */
function givenCentres(
  original: Instances,
  points: Points,
  { k, init }: Pick<CheckedOptions, "k" | "init">,
  random: Context["random"],
): Float64Array {
  if (!Array.isArray(init)) return randomRows(points, k, random);
  const { d } = points;
  if (init.length !== k || init.some((row) => row.length !== d)) {
    throw badInput(
      `The first centres are ${init.length} rows of ${init[0]?.length ?? 0} numbers; ${k} rows of ${d} are needed.`,
      {
        remedy: original.d === d ? "Give one row per cluster." : "Give one number for each level of a nominal column.",
      },
    );
  }
  return Float64Array.from(init.flat());
}

/** Assigns every row to its nearest centre, several chunks per step; returns how many rows moved. */
export function* assignSteps(state: KMeansState, n: number, iteration: number, objective: number | undefined): Steps<number> {
  const rows = 64 * CHUNK_ROWS;
  let changed = 0;
  for (let from = 0; from < n; from += rows) {
    changed += state.assign(from, Math.min(n, from + rows));
    yield { phase: "iterating", done: iteration, total: null, ...(objective === undefined ? {} : { objective }) };
  }
  return changed;
}

/** The mean of each cluster. An empty cluster takes the row with the largest distance from its assigned centre. */
function meansOf(state: KMeansState, points: Points, centres: Float64Array, k: number) {
  const { sums, counts } = sumsOf(state, points, k);
  const { d } = points;
  const isWhole = !counts.some((count) => count === 0);
  if (!isWhole) fillEmpty(sums, counts, state, points);
  const means = new Float64Array(sums.length);
  for (let c = 0; c < counts.length; c++) {
    for (let j = 0; j < d; j++) {
      means[c * d + j] = counts[c]! > 0 ? sums[c * d + j]! / counts[c]! : centres[c * d + j]!;
    }
  }
  return { means, counts: isWhole ? counts : null };
}

function fillEmpty(sums: Float64Array, counts: WeightedSums["counts"], state: KMeansState, points: Points): void {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const distances = state.distances();
  const labels = state.labels();
  const empty = [...counts.keys()].filter((c) => counts[c] === 0);
  for (const row of farthest(distances, n, empty.length + counts.length)) {
    const from = labels[row]!;
    if (empty.length === 0) break;
    const weight = rowWeights?.[row] ?? 1;
    if (distances[row]! === 0 || counts[from]! <= weight) continue;
    const to = empty.shift()!;
    for (let j = 0; j < d; j++) {
      const value = weight * x[row * d + j]!;
      sums[from * d + j]! -= value;
      sums[to * d + j] = value;
    }
    counts[from]! -= weight;
    counts[to] = weight;
  }
}

/** The `count` rows with the largest distances, largest first; on ties the lower row first. */
export function farthest(distances: Float64Array, n: number, count: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < n; i++) {
    if (rows.length === count && distances[i]! <= distances[rows.at(-1)!]!) continue;
    let place = rows.length;
    while (place > 0 && distances[rows[place - 1]!]! < distances[i]!) place--;
    rows.splice(place, 0, i);
    if (rows.length > count) rows.pop();
  }
  return rows;
}

/**
 * The outcome of a start. If a limit ended the run, the centres may have moved after the last assignment, so labels are assigned once more.
 */
function finished(
  state: KMeansState,
  points: Points,
  centres: Float64Array,
  history: number[],
  stopped: Stopped,
  notices: readonly string[],
): Outcome {
  if (state.assign(0, points.n) > 0) history[history.length - 1] = inertiaOf(state, points);
  const reason = "the run ended before any row moved to the empty clusters";
  return lloydOutcome({ points, labels: state.labels(), centres, history, stopped, notices, reason });
}

export function squaredDifference(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) * (a[i]! - b[i]!);
  return sum;
}

/** If the table has at least this many numbers, the objective is computed from the cluster means, which saves a pass over all rows. */
const LEAST_FROM_MEANS = 2 ** 20;
/**
 * The objective from the means is a difference of two large numbers. If it is below this share of the larger number, it is inaccurate, and
 * is computed from the rows instead.
 */
const LEAST_SHARE = 1e-4;

interface About {
  readonly mean: Float64Array;
  readonly squares: number;
}

/**
 * The mean of all rows, and the sum of squared distances to this mean. Null if `counts` is null: then the centres are not the means of
 * their clusters. inertia: the sum of squared distances of rows to the cluster means.
 */
function aboutMean(inertia: number, means: Float64Array, counts: WeightedSums["counts"] | null): About | null {
  if (counts === null) return null;
  const d = means.length / counts.length;
  const mean = new Float64Array(d);
  let n = 0;
  for (let c = 0; c < counts.length; c++) n += counts[c]!;
  for (let c = 0; c < counts.length; c++) for (let j = 0; j < d; j++) mean[j]! += (counts[c]! / n) * means[c * d + j]!;
  return { mean, squares: inertia + between(mean, means, counts) };
}

/**
 * The sum of squared distances of rows to their cluster means. It equals `squares`, the sum for the mean of all rows, minus Σ count ·
 * ‖cluster mean - mean‖². Null if the difference is too inaccurate, or if the centres are not the means.
 */
function inertiaAbout({ mean, squares }: About, means: Float64Array, counts: WeightedSums["counts"] | null): number | null {
  if (counts === null) return null;
  const inertia = squares - between(mean, means, counts);
  return inertia > LEAST_SHARE * squares ? inertia : null;
}

/** The sum of squares between clusters: Σ count · ‖cluster mean - mean of all rows‖² over the clusters. */
function between(mean: Float64Array, means: Float64Array, counts: WeightedSums["counts"]): number {
  const d = mean.length;
  let sum = 0;
  for (let c = 0; c < counts.length; c++) {
    let square = 0;
    for (let j = 0; j < d; j++) square += (means[c * d + j]! - mean[j]!) * (means[c * d + j]! - mean[j]!);
    sum += counts[c]! * square;
  }
  return sum;
}

export function meanVariance(squares: Float64Array, n: number): number {
  return squares.length === 0 ? 0 : squares.reduce((sum, square) => sum + square / n, 0) / squares.length;
}
