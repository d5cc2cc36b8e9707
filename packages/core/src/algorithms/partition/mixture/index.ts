/**
 * A Gaussian mixture that uses constraints: clusters that differ in size, spread and direction, fitted by EM.
 *
 * EM starts from several first labellings. It alternates between two steps: memberships of rows in clusters, which take the constraints
 * into account (evidence.ts), and Gaussians with shrunk covariances (gaussians.ts). The score of a run measures how well its Gaussians
 * alone predict the constraints and the rows. The run with the highest score is used:
 *
 *   score = Σ_pairs log(0.02 + 0.96 t) + 5 · mean log density of a row,   t = p_a · p_b for a must-link, 1 - p_a · p_b for a cannot-link
 *
 * In the Gaussians, constrained rows have weight 1 and other rows weight ½. Rows with many columns are replaced by principal components.
 *
 * Cost: starts × iterations × n k d² for full covariances; linear in n. With more than SAMPLE rows, the starts are fitted to a sample.
 *
 * Published: EM with must-links as units and with penalties, see evidence.ts; shrinkage, see gaussians.ts; weights of rows without a
 * constraint: Nigam, McCallum, Thrun, Mitchell: Text Classification from Labeled and Unlabeled Documents using EM. 2000; choosing a run
 * by its constraints: Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017.
 * Ours: the starts, the score and its constants, principal components, and the final placement of constrained rows.
 */
import * as z from "zod/mini";
import { constrainedRows, constraintsAmong } from "../../../constraints/some-rows.js";
import { CoterieError } from "../../../errors.js";
import { log } from "../../../linalg/elementary.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances, Points } from "../../../model/points.js";
import { atLeast, checkedOptions, oneOf, option, whole } from "../../../options.js";
import { EFFORT } from "../../../steps/budget.js";
import type { Step, Steps } from "../../../steps/index.js";
import { defineMethod } from "../../define-method.js";
import { alongAxes, principalAxesSteps } from "../../embedding/principal-axes.js";
import { spectralFeatureSteps } from "../../embedding/spectral-features.js";
import { encodedColumns, oneHot } from "../../encode.js";
import { knownPairs, type Pairs } from "../../held-out.js";
import { ccl } from "../../hierarchical/ccl/index.js";
import { type Context, type Input, type Method, type Outcome, SOFT } from "../../method.js";
import { type Kept, keepSteps } from "../../placement/keep.js";
import { someRows } from "../../some-rows.js";
import { clusterCount, kmeans } from "../kmeans.js";
import { pckMeans, rcaKmeans } from "../mpck/methods.js";
import { applyEvidence, type Evidence, evidenceOf, meanLogSum, softmax } from "./evidence.js";
import { densitySteps, fitSteps, type Gaussians, type MixtureRows, packed, type Spread, spreadSteps } from "./gaussians.js";

const mixtureOptions = z.strictObject({
  k: clusterCount,
  covariance: option(
    oneOf(["auto", "full", "diagonal", "shared"]),
    "shape of the clusters; full: each cluster has its own covariance matrix; diagonal: its own variance for each column; shared: one covariance matrix for all clusters; auto: full or shared, the one that explains constraints and rows better",
  ),
  errorRate: option(
    z._default(z.number().check(z.gte(0), z.lte(0.5)), 0.02),
    "expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept",
  ),
  maxIterations: option(z._default(whole(1), 25), "maximum number of iterations of EM per start"),
  tolerance: option(z._default(atLeast(0), 1e-4), "stop when the log-likelihood changes by less than this share of itself"),
});

type CheckedOptions = z.output<typeof mixtureOptions>;

/** Weight of a row without constraints when Gaussians are fitted; constrained rows have weight 1. */
const FREE_WEIGHT = 0.5;
/** The share of constraints that the score of a run assumes to be wrong. */
const SCORE_ERROR = 0.02;
/** Weight of the mean log density of a row in the score; a constraint has weight 1. */
const DENSITY_WEIGHT = 5;
/** HEAT_ITERATIONS: number of EM iterations of every start. FINALISTS: number of starts with the best scores that then continue. */
const HEAT_ITERATIONS = 6;
const FINALISTS = 3;
/** Above this number of rows, the starts are fitted to a sample of this size. */
const SAMPLE = 3_000;
/**
 * Share of the variance of a level that is added to its variance in every cluster. Each level of a nominal column is a 0/1 column. For
 * columns of numbers the share is one hundredth (gaussians.ts).
 */
const LEVEL_NOISE = 0.4;
/** Smaller probabilities are raised to this value before their logarithm is taken. */
const LEAST_PROBABILITY = 1e-9;
/** Above this number of columns, the methods for first labels use principal components instead of the columns. */
const MOST_COLUMNS_OF_STARTS = 512;
/**
 * Upper limits of the number of principal components. MOST_COMPONENTS: for tables. MOST_OF_EMBEDDINGS: for many columns, such as
 * embeddings, because their clusters differ in many directions.
 */
const MOST_COMPONENTS = 20;
const MOST_OF_EMBEDDINGS = 50;
const COLUMNS_PER_COMPONENT = 8;
const ROWS_PER_COMPONENT = 20;
const ROWS_PER_COMPONENT_AND_CLUSTER = 3;

export const mixture = /* @__PURE__ */ defineMethod({
  name: "mixture",
  title: "Gaussian mixture",
  summary: "each cluster has its own size, spread and direction; each row has a probability for each cluster",
  paper:
    "Shental, Bar-Hillel, Hertz, Weinshall: Computing Gaussian Mixture Models with EM Using Equivalence Constraints. 2003; Lu, Leen: Semi-supervised Learning with Penalized Probabilistic Clustering. 2004",
  example: "mixture(points, known, { k: 3 }).labels;",
  family: "partition",
  treats: SOFT,
  seconds: ({ points: { n, d } }, { k }) =>
    ((5 * 25 * Math.min(n, SAMPLE) + 25 * n) * Number(k ?? 1) * Math.min(d, 20) ** 2) / 5e8,
  onEngine: "sample",
  weighsRows: true,
  options: mixtureOptions,
  steps: mixtureSteps,
});

function* mixtureSteps({ points: original, constraints }: Input, options: CheckedOptions, context: Context): Steps<Outcome> {
  const { points, notices } = oneHot(original);
  const { n, d } = points;
  const { k } = options;
  if (k > n) throw new CoterieError({ code: "k-too-large", k, n });
  const named = constrainedRows(constraints);
  const { rows, origin, axes, said } = yield* mixtureRowSteps(original, points, named, k, context);
  // The methods for first labels use all columns, unless there are too many columns to learn a metric.
  const starting = d > MOST_COLUMNS_OF_STARTS && axes ? { n, d: rows.d, x: rows.x } : points;
  const run = yield* bestRunSteps({ points: starting, constraints, rows }, named, options, context);
  const { memberships, history, converged } = run;
  const kept = yield* keptSteps(original, constraints, memberships, options);
  return {
    labels: kept.labels,
    notices: [...notices, ...said, ...kept.notices],
    centres: meansOf(points, memberships, k),
    probabilities: memberships,
    gaussians: packed(run.gaussians, origin, axes),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped: converged ? "converged" : "max-iterations",
  };
}

function* keptSteps(
  { ids }: Instances,
  constraints: ConstraintSet,
  memberships: Float64Array,
  { k, errorRate }: CheckedOptions,
): Steps<Kept> {
  const labels = largest(memberships, k);
  if (errorRate > 0) return { labels, notices: [] };
  const costs = (row: number, cluster: number): number => -log(Math.max(LEAST_PROBABILITY, memberships[row * k + cluster]!));
  return yield* keepSteps(constraints, labels, k, costs, { effort: EFFORT, ids });
}

/** The number of principal components that replace the columns; the number of columns if no reduction is needed. */
function componentsFor(n: number, d: number, k: number): number {
  const byColumns = Math.max(MOST_COMPONENTS, Math.min(MOST_OF_EMBEDDINGS, Math.floor(d / COLUMNS_PER_COMPONENT)));
  const byRows = Math.max(Math.floor(n / (ROWS_PER_COMPONENT_AND_CLUSTER * k)), Math.floor(n / ROWS_PER_COMPONENT));
  return Math.max(Math.min(2, d), Math.min(d, byColumns, byRows));
}

interface ReducedRows {
  readonly rows: MixtureRows;
  readonly origin: Float64Array;
  /** The principal axes; null if all columns are used. */
  readonly axes: readonly Float64Array[] | null;
  readonly said: readonly string[];
}

/**
 * Prepares the rows for the mixture: subtracts the mean or computes principal components, and sets row weights. For nominal columns it also
 * sets `noise`, a variance that is added in every cluster. Without `noise`, a cluster in which all rows have the same level would have
 * infinite density.
 */
function* mixtureRowSteps(
  original: Instances,
  points: Points,
  named: Int32Array,
  k: number,
  { kernels }: Context,
): Steps<ReducedRows> {
  const { n, d, x, rowWeights } = points;
  const weights = new Float64Array(n).fill(FREE_WEIGHT);
  for (const row of named) weights[row] = 1;
  if (rowWeights) for (let i = 0; i < n; i++) weights[i]! *= rowWeights[i]!;
  const noise = levelNoise(original, points);
  const components = componentsFor(n, d, k);
  if (components < d) {
    const { mean, axes, share } = yield* principalAxesSteps(x, n, d, components, kernels);
    const rows: MixtureRows = {
      n,
      d: axes.length,
      x: alongAxes(x, n, { mean, axes }, kernels),
      weights,
      noise: noise && alongBoth(noise, axes),
    };
    const percent = (100 * share).toFixed(0);
    const said = `The mixture uses ${axes.length} principal components of ${d.toLocaleString("en")} columns, which hold ${percent}% of the variance.`;
    return { rows, origin: mean, axes, said: [said] };
  }
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  const centred = x.map((value, p) => value - mean[p % d]!);
  const rows: MixtureRows = { n, d, x: centred, weights, noise: noise && diagonalOf(noise) };
  return { rows, origin: mean, axes: null, said: [] };
}

/** By encoded column: the variance that is added in every cluster, 0 for columns of numbers. Null if all columns are numbers. */
function levelNoise(original: Instances, { n, d, x }: Points): Float64Array | null {
  if (!original.nominal?.includes(1)) return null;
  const noise = new Float64Array(d);
  for (const [j, { level }] of encodedColumns(original).entries()) {
    if (level < 0) continue;
    let [mean, squares] = [0, 0];
    for (let p = j; p < n * d; p += d) mean += x[p]! / n;
    for (let p = j; p < n * d; p += d) squares += (x[p]! - mean) ** 2 / n;
    noise[j] = LEVEL_NOISE * squares;
  }
  return noise;
}

/** The matrix A N Aᵀ, where the rows of A are the axes and N is the diagonal matrix of `noise`. */
function alongBoth(noise: Float64Array, axes: readonly Float64Array[]): Float64Array {
  const r = axes.length;
  const found = new Float64Array(r * r);
  for (let a = 0; a < r; a++)
    for (let b = 0; b < r; b++)
      for (let j = 0; j < noise.length; j++) found[a * r + b]! += axes[a]![j]! * noise[j]! * axes[b]![j]!;
  return found;
}

function diagonalOf(values: Float64Array): Float64Array {
  const d = values.length;
  const matrix = new Float64Array(d * d);
  values.forEach((value, j) => {
    matrix[j * d + j] = value;
  });
  return matrix;
}

interface EmRun {
  readonly spread: Spread;
  readonly gaussians: Gaussians;
  readonly memberships: Float64Array;
  readonly history: number[];
  readonly converged: boolean;
  readonly score: number;
}

interface Prepared {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly rows: MixtureRows;
}

function* bestRunSteps(prepared: Prepared, named: Int32Array, options: CheckedOptions, context: Context): Steps<EmRun> {
  const { points, constraints, rows } = prepared;
  const { n } = points;
  if (n <= SAMPLE) return yield* bestStartSteps(prepared, options, context);
  const sample = sampleOf(n, named, context);
  const part = {
    points: someRows(points, sample),
    constraints: constraintsAmong(constraints, sample),
    rows: rowsAt(rows, sample),
  };
  const { spread, gaussians } = yield* bestStartSteps(part, options, context);
  return yield* emSteps(problemOf(constraints, rows, spread, options), gaussians, options, context);
}

interface Problem {
  readonly rows: MixtureRows;
  readonly spread: Spread;
  readonly evidence: Evidence | null;
  readonly pairs: Pairs;
}

function problemOf(constraints: ConstraintSet, rows: MixtureRows, spread: Spread, { errorRate }: CheckedOptions): Problem {
  return { rows, spread, evidence: evidenceOf(constraints, errorRate), pairs: knownPairs(constraints) };
}

/**
 * Runs a few iterations of EM from every start, for every form of covariances. The runs with the best scores continue to the end. Returns
 * the best of them.
 */
function* bestStartSteps({ points, constraints, rows }: Prepared, options: CheckedOptions, context: Context): Steps<EmRun> {
  const { k, covariance } = options;
  const firsts: Int32Array[] = [];
  for (const { steps } of startsFor(points, constraints, k, context)) firsts.push(yield* steps());
  const heats: { readonly problem: Problem; readonly run: EmRun }[] = [];
  for (const shape of covariance === "auto" ? (["full", "shared"] as const) : [covariance]) {
    const spread = yield* spreadSteps(rows, shape, context.kernels);
    const problem = problemOf(constraints, rows, spread, options);
    for (const labels of firsts) {
      const gaussians = yield* fitSteps(rows, membershipsOf(labels, k), k, spread, context.kernels);
      const short = { ...options, maxIterations: Math.min(options.maxIterations, HEAT_ITERATIONS) };
      heats.push({ problem, run: yield* emSteps(problem, gaussians, short, context) });
    }
  }
  heats.sort((a, b) => b.run.score - a.run.score);
  let best: EmRun | undefined;
  for (const { problem, run } of heats.slice(0, FINALISTS)) {
    const done = run.converged ? run : yield* emSteps(problem, run.gaussians, options, context, run.history.slice(0, -1));
    if (best === undefined || done.score > best.score) best = done;
  }
  return best!;
}

function* emSteps(
  { rows, spread, evidence, pairs }: Problem,
  first: Gaussians,
  { k, maxIterations, tolerance }: CheckedOptions,
  { kernels }: Context,
  before: readonly number[] = [],
): Steps<EmRun> {
  let gaussians = first;
  const history = [...before];
  for (;;) {
    const scores = yield* densitySteps(rows, gaussians, kernels);
    const plain = softmax(scores, k);
    const memberships = plain.slice();
    if (evidence) applyEvidence(evidence, scores, k, memberships);
    const last = history.at(-1);
    const objective = -meanLogSum(scores, k, rows.weights);
    history.push(objective);
    const converged = last !== undefined && Math.abs(objective - last) <= tolerance * Math.abs(last);
    if (converged || history.length === maxIterations) {
      const score = agreement(plain, k, pairs) - DENSITY_WEIGHT * objective;
      return { spread, gaussians, memberships, history, converged, score };
    }
    yield { phase: "iterating", done: history.length, total: null, objective };
    gaussians = yield* fitSteps(rows, memberships, k, spread, kernels);
  }
}

/** Σ log(ε + (1 - 2ε) t) over the pairs, where t is the probability that the constraint of the pair is satisfied. */
function agreement(memberships: Float64Array, k: number, { must, cannot }: Pairs): number {
  const together = ([a, b]: readonly [number, number]): number => {
    let sum = 0;
    for (let c = 0; c < k; c++) sum += memberships[a * k + c]! * memberships[b * k + c]!;
    return sum;
  };
  const said = (t: number): number => log(SCORE_ERROR + (1 - 2 * SCORE_ERROR) * t);
  let sum = 0;
  for (const pair of must) sum += said(together(pair));
  for (const pair of cannot) sum += said(1 - together(pair));
  return sum;
}

function sampleOf(n: number, named: Int32Array, { random }: Context): Int32Array {
  const rows = new Set<number>(named.subarray(0, SAMPLE));
  for (const row of random.split("sample").sample(n, SAMPLE)) if (rows.size < SAMPLE) rows.add(row);
  return Int32Array.from(rows).sort();
}

function rowsAt({ d, x, weights, noise }: MixtureRows, rows: Int32Array): MixtureRows {
  const some = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    some.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return {
    n: rows.length,
    d,
    x: some,
    weights: Float64Array.from(rows, (row) => weights[row]!),
    noise,
  };
}

function membershipsOf(labels: Int32Array, k: number): Float64Array {
  const memberships = new Float64Array(labels.length * k);
  labels.forEach((label, i) => {
    if (label >= 0) memberships[i * k + label] = 1;
  });
  return memberships;
}

function largest(memberships: Float64Array, k: number): Int32Array {
  return Int32Array.from({ length: memberships.length / k }, (_, i) => {
    let best = 0;
    for (let c = 1; c < k; c++) if (memberships[i * k + c]! > memberships[i * k + best]!) best = c;
    return best;
  });
}

function meansOf({ n, d, x }: Points, memberships: Float64Array, k: number): Float64Array[] {
  const means = Array.from({ length: k }, () => new Float64Array(d));
  const sums = new Float64Array(k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      const part = memberships[i * k + c]!;
      if (part === 0) continue;
      sums[c]! += part;
      for (let j = 0; j < d; j++) means[c]![j]! += part * x[i * d + j]!;
    }
  }
  return means.map((mean, c) => mean.map((value) => (sums[c]! > 0 ? value / sums[c]! : 0)));
}

/*
 * First labels for EM, by other methods. Each start detects another structure: clusters under a learned metric, clusters around means,
 * groups of any shape, and clusters by distances.
 */

const RESTARTS = 3;
/** The start "neighbours" uses FEATURES_PER_CLUSTER spectral features for each cluster, but at least LEAST_FEATURES. */
const LEAST_FEATURES = 20;
const FEATURES_PER_CLUSTER = 3;

/** With more columns than this, must-links are too few to learn a metric: the learned metric would fit the must-links and nothing else. */
const MOST_COLUMNS_OF_METRIC = 100;

interface Start {
  readonly name: string;
  readonly steps: () => Steps<Int32Array>;
}

function startsFor(points: Points, constraints: ConstraintSet, k: number, context: Context): readonly Start[] {
  const { n, d } = points;
  const from = (method: unknown, rows: Instances, options: Record<string, unknown>, purpose: string) =>
    labelSteps(method as Method, rows, constraints, { k, ...options }, { ...context, random: context.random.split(purpose) });
  const ofMetric = { name: "metric of must-links", steps: () => from(rcaKmeans, points, { restarts: RESTARTS }, "rca") };
  const starts: Start[] = [
    ...(d > MOST_COLUMNS_OF_METRIC ? [] : [ofMetric]),
    { name: "means", steps: () => from(pckMeans, points, { restarts: RESTARTS, search: 0 }, "means") },
    { name: "plain means", steps: () => from(kmeans, points, { restarts: RESTARTS }, "plain") },
    { name: "distances", steps: () => from(ccl, points, {}, "distances") },
  ];
  const wanted = Math.max(LEAST_FEATURES, FEATURES_PER_CLUSTER * k);
  if (n < 2 * wanted) return starts;
  return [
    ...starts,
    {
      name: "neighbours",
      *steps() {
        const features = yield* featureSteps(points, wanted, context);
        const rows: Points = { n, d: features.length / n, x: features };
        return yield* from(pckMeans, rows, { restarts: RESTARTS, search: 0 }, "neighbours");
      },
    },
  ];
}

function* featureSteps({ n, d, x }: Points, wanted: number, { random, shared }: Context): Steps<Float64Array> {
  const name = `spectral features ${wanted}`;
  const known = shared?.get(name) as Float64Array | undefined;
  if (known) return known;
  const features = yield* spectralFeatureSteps(x, n, d, wanted, random.split("neighbours"));
  shared?.set(name, features);
  return features;
}

function* labelSteps(
  method: Method,
  points: Instances,
  constraints: ConstraintSet,
  options: Record<string, unknown>,
  context: Context,
): Generator<Step, Int32Array, void> {
  const outcome: Outcome = yield* method.steps({ points, constraints }, checkedOptions(method.options, options), context);
  return outcome.labels;
}
