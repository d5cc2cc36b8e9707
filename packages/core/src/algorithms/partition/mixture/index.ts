/**
 * A Gaussian mixture that uses constraints: clusters of own size, spread and direction, fitted by EM.
 *
 * From several first labellings, EM alternates between memberships of rows in clusters, which constraints correct (evidence.ts), and
 * Gaussians with shrunk covariances (gaussians.ts). The run is kept whose Gaussians, without the corrections, best predict the
 * constraints and the rows:
 *
 *   score = Σ_pairs log(0.02 + 0.96 t) + 5 · mean log density of a row,   t = p_a · p_b for a must-link, 1 - p_a · p_b for a cannot-link
 *
 * Constrained rows count fully in the Gaussians, other rows half. Rows with many columns are replaced by principal components.
 *
 * Cost: starts × iterations × n k d² for full covariances; linear in n. Tables of more than SAMPLE rows fit the starts to a sample.
 *
 * Published: EM with must-links as units and with penalties, see evidence.ts; shrinkage, see gaussians.ts; weights of rows without
 * a constraint: Nigam, McCallum, Thrun, Mitchell, Text Classification from Labeled and Unlabeled Documents using EM, 2000; a run chosen
 * by its constraints: Van Craenendonck, Blockeel, Constraint-based Clustering Selection, 2017.
 * Ours: the starts, the score and its constants, principal components, and the final placement of constrained rows.
 */
import * as z from "zod";
import { constrainedRows, constraintsAmong } from "../../../constraints/some-rows.js";
import { CoterieError } from "../../../errors.js";
import { log } from "../../../linalg/elementary.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { defineMethod } from "../../define-method.js";
import { alongAxes, principalAxes } from "../../embedding/principal-axes.js";
import { oneHot } from "../../encode.js";
import { knownPairs, type Pairs } from "../../held-out.js";
import { type Context, type Input, type Outcome, SOFT } from "../../method.js";
import { someRows } from "../../some-rows.js";
import { applyEvidence, type Evidence, evidenceOf, meanLogSum, softmax } from "./evidence.js";
import { densitySteps, fitSteps, type Gaussians, type MixtureRows, type Spread, spreadSteps } from "./gaussians.js";
import { startsFor } from "./starts.js";

export const mixtureOptions = z.strictObject({
  k: z.int().min(1).meta({ description: "number of clusters" }),
  covariance: z.enum(["auto", "full", "diagonal", "shared"]).default("auto").meta({
    description:
      "spread of the clusters: full and own, diagonal and own, or one full spread shared by all; auto: full or shared, whichever explains the constraints and rows better",
  }),
  errorRate: z.number().min(0).max(0.5).default(0.02).meta({
    description: "share of wrong constraints to expect, from 0 to 0.5; 0: every constraint that can be kept is kept",
  }),
  maxIterations: z.int().min(1).default(25).meta({ description: "maximum number of iterations of EM per start" }),
  tolerance: z.number().min(0).default(1e-4).meta({
    description: "stop when the log-likelihood changes by less than this share of itself",
  }),
});

type CheckedOptions = z.output<typeof mixtureOptions>;

/** Weight of a row that no constraint names; constrained rows have weight 1. */
const FREE_WEIGHT = 0.5;
/** Share of wrong constraints in the score of a run. */
const SCORE_ERROR = 0.02;
/** Weight of the mean log density of a row in the score, in constraints. */
const DENSITY_WEIGHT = 5;
/** Larger tables fit the starts to this many rows. */
const SAMPLE = 3_000;
const MOST_COMPONENTS = 20;
const ROWS_PER_COMPONENT = 3;

export const mixture = /* @__PURE__ */ defineMethod({
  name: "mixture",
  title: "Gaussian mixture",
  summary: "clusters of own size, spread and direction; memberships are probabilities",
  paper:
    "Shental, Bar-Hillel, Hertz, Weinshall: Computing Gaussian Mixture Models with EM Using Equivalence Constraints. 2003; Lu, Leen: Semi-supervised Learning with Penalized Probabilistic Clustering. 2004",
  example: "mixture(points, known, { k: 3 }).labels;",
  advisedWith: "any",
  family: "partition",
  treats: SOFT,
  seconds: ({ points: { n, d } }, { k }) =>
    ((5 * 25 * Math.min(n, SAMPLE) + 25 * n) * Number(k ?? 1) * Math.min(d, 20) ** 2) / 5e8,
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
  const reduced = Math.max(2, Math.min(d, MOST_COMPONENTS, Math.floor(n / (ROWS_PER_COMPONENT * k))));
  const rows = mixtureRows(points, named, reduced, context);
  const { memberships, history, converged } = yield* bestRunSteps({ points, constraints, rows, named }, options, context);
  return {
    labels: largest(memberships, k),
    notices,
    centres: meansOf(points, memberships, k),
    probabilities: memberships,
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped: converged ? "converged" : "max-iterations",
  };
}

/** Rows about their mean, or their principal components, with the weights of the rows. */
function mixtureRows(points: Points, named: Int32Array, components: number, { kernels }: Context): MixtureRows {
  const { n, d, x, rowWeights } = points;
  const weights = new Float64Array(n).fill(FREE_WEIGHT);
  for (const row of named) weights[row] = 1;
  if (rowWeights) for (let i = 0; i < n; i++) weights[i]! *= rowWeights[i]!;
  if (components < d) {
    const axes = principalAxes(x, n, d, components, kernels);
    return { n, d: components, x: alongAxes(x, n, axes, kernels), weights };
  }
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  return { n, d, x: x.map((value, p) => value - mean[p % d]!), weights };
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
  /** The rows that constraints name. */
  readonly named: Int32Array;
}

/** The best run. In large tables the starts are fitted to a sample, and the best of them then to all rows. */
function* bestRunSteps(prepared: Prepared, options: CheckedOptions, context: Context): Steps<EmRun> {
  const { points, constraints, rows, named } = prepared;
  const { n } = points;
  if (n <= SAMPLE) return yield* bestStartSteps(prepared, options, context);
  const sample = sampleOf(n, named, context);
  const part = {
    points: someRows(points, sample),
    constraints: constraintsAmong(constraints, sample),
    rows: rowsAt(rows, sample),
    named,
  };
  const { spread, gaussians } = yield* bestStartSteps(part, options, context);
  return yield* emSteps(problemOf(constraints, rows, spread, options), gaussians, options, context);
}

/** What EM works on. */
interface Problem {
  readonly rows: MixtureRows;
  readonly spread: Spread;
  readonly evidence: Evidence | null;
  readonly pairs: Pairs;
}

function problemOf(constraints: ConstraintSet, rows: MixtureRows, spread: Spread, { errorRate }: CheckedOptions): Problem {
  return { rows, spread, evidence: evidenceOf(constraints, errorRate), pairs: knownPairs(constraints) };
}

/** EM from every start and with every form of the covariances; the run of highest score. */
function* bestStartSteps({ points, constraints, rows }: Prepared, options: CheckedOptions, context: Context): Steps<EmRun> {
  const { k, covariance } = options;
  const firsts: Int32Array[] = [];
  for (const { steps } of startsFor(points, constraints, k, context)) firsts.push(yield* steps());
  let best: EmRun | undefined;
  for (const shape of covariance === "auto" ? (["full", "shared"] as const) : [covariance]) {
    const spread = yield* spreadSteps(rows, shape, context.kernels);
    const problem = problemOf(constraints, rows, spread, options);
    for (const labels of firsts) {
      const gaussians = yield* fitSteps(rows, oneOf(labels, k), k, spread, context.kernels);
      const run = yield* emSteps(problem, gaussians, options, context);
      if (best === undefined || run.score > best.score) best = run;
    }
  }
  return best!;
}

/** EM from Gaussians, until the log-likelihood stands still. */
function* emSteps(
  { rows, spread, evidence, pairs }: Problem,
  first: Gaussians,
  { k, maxIterations, tolerance }: CheckedOptions,
  { kernels }: Context,
): Steps<EmRun> {
  let gaussians = first;
  const history: number[] = [];
  for (;;) {
    const scores = yield* densitySteps(rows, gaussians, kernels);
    const plain = softmax(scores, k);
    const memberships = plain.slice();
    if (evidence) applyEvidence(evidence, scores, k, memberships);
    const before = history.at(-1);
    const objective = -meanLogSum(scores, k, rows.weights);
    history.push(objective);
    const converged = before !== undefined && Math.abs(objective - before) <= tolerance * Math.abs(before);
    if (converged || history.length === maxIterations) {
      const score = agreement(plain, k, pairs) - DENSITY_WEIGHT * objective;
      return { spread, gaussians, memberships, history, converged, score };
    }
    yield { phase: "iterating", done: history.length, total: null, objective };
    gaussians = yield* fitSteps(rows, memberships, k, spread, kernels);
  }
}

/** Σ log(ε + (1 - 2ε) t) over the pairs, where t is the probability of what the pair says. */
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

function rowsAt({ d, x, weights }: MixtureRows, rows: Int32Array): MixtureRows {
  const some = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    some.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return { n: rows.length, d, x: some, weights: Float64Array.from(rows, (row) => weights[row]!) };
}

function oneOf(labels: Int32Array, k: number): Float64Array {
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

/** The means of the columns, weighted by membership. */
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
