/**
 * Chooses the method and the scale of the columns, then clusters with them.
 *
 * Every candidate is judged by the constraints about pairs of rows: a method that uses constraints clusters the rows five times, each
 * time without a fifth of the pairs, and is judged by that fifth; a method without constraints is judged by all of them. A pair counts
 * log(0.05 + 0.9 t), where t is the probability that the candidate gives to what the pair says. The candidate with the highest sum of
 * prior and judgement is taken (candidates.ts has the priors). With fewer than FEW_PAIRS pairs the prior decides alone.
 *
 * Cost: six runs of each method that uses constraints and one of every other, on at most SAMPLE rows; then one run on all rows.
 * Candidates that would take longer than the budget are left out before they start.
 *
 * Source: constraints choose among clusterings: Van Craenendonck, Blockeel, Constraint-based Clustering Selection, 2017. Held-out
 * constraints: ours, as for k (choose-k.ts).
 */
import * as z from "zod/mini";
import { constrainedRows, constraintsAmong } from "../../constraints/some-rows.js";
import { badOption, CoterieError } from "../../errors.js";
import { log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances, Points } from "../../model/points.js";
import type { Chosen } from "../../model/result.js";
import { checkedOptions, option, whole } from "../../options.js";
import type { Random } from "../../random/index.js";
import { EFFORT } from "../../steps/budget.js";
import type { Step, Steps } from "../../steps/index.js";
import { aroundMeans } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { oneHot } from "../encode.js";
import { agreement, countLinks, knownPairs, type LinkCounts, NO_LINKS, type Pairs, partsOf } from "../held-out.js";
import { type Context, type Input, type Outcome, SOFT } from "../method.js";
import { clusterCount } from "../partition/kmeans.js";
import { keepSteps } from "../placement/keep.js";
import { someRows } from "../some-rows.js";
import { type Candidate, candidatesFor } from "./candidates.js";

export const autoOptions = z.strictObject({
  k: clusterCount,
  candidates: option(z.optional(z.array(z.string())), "methods to choose from (default: all that suit the table)"),
  errorRate: option(
    z._default(z.number().check(z.gte(0), z.lte(0.5)), 0),
    "share of wrong constraints to expect, from 0 to 0.5; 0: every constraint that can be kept is kept",
  ),
  effort: option(z._default(whole(1), EFFORT), "work limit of exact searches, in nodes"),
});

type CheckedOptions = z.output<typeof autoOptions>;

/** With fewer pairs, the prior decides. */
const FEW_PAIRS = 5;
const FOLDS = 5;
/** Larger tables are judged on this many rows. */
const SAMPLE = 2_000;
/** Share of pairs that the judgement expects to be wrong, for must-links and cannot-links together. */
const WRONG = 0.1;

export const auto = /* @__PURE__ */ defineMethod({
  name: "auto",
  title: "Automatic choice",
  summary: "tries methods and scales on held-out constraints, and clusters with the best",
  paper: "Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017",
  example: "auto(points, known, { k: 3 }).chosen?.algorithm;",
  family: "partition",
  treats: SOFT,
  seconds: aroundMeans(20),
  options: autoOptions,
  steps: autoSteps,
});

function* autoSteps({ points, constraints }: Input, options: CheckedOptions, context: Context): Steps<Outcome> {
  const { k, candidates: asked, errorRate, effort } = options;
  if (k > points.n) throw new CoterieError({ code: "k-too-large", k, n: points.n });
  const all = candidatesFor(points, constraints);
  const candidates = all.filter(({ method }) => !asked || asked.includes(method.name));
  if (candidates.length === 0)
    throw badOption("candidates", asked, `some of ${[...new Set(all.map(({ method }) => method.name))].join(", ")}`);
  const judged =
    candidates.length === 1
      ? [{ candidate: candidates[0]!, total: 0, agreement: null }]
      : yield* judge(points, constraints, candidates, k, context);
  const best = judged.reduce((most, each) => (each.total > most.total ? each : most));
  const { method, scale, points: scaled } = best.candidate;
  const outcome: Outcome = yield* method.steps(
    { points: scaled, constraints },
    checkedOptions(method.options, optionsOf(method, k, errorRate)),
    context,
  );
  const kept = errorRate > 0 ? outcome : yield* keptSteps(scaled, constraints, outcome, k, effort);
  const chosen: Chosen = {
    algorithm: method.name,
    scale,
    by: best.agreement === null ? "experience with other tables" : "held-out constraints",
    evidence: judged.map(({ candidate, agreement: score }) => ({
      algorithm: candidate.method.name,
      scale: candidate.scale,
      score,
    })),
  };
  return { ...withMeans(kept, scaled), chosen, ...(scale === "given" ? {} : { rescaled: scaled }) };
}

/** The options of a run: methods that expect wrong constraints expect this share of them. */
function optionsOf({ name }: Candidate["method"], k: number, errorRate: number): Record<string, unknown> {
  return name === "mixture" && errorRate > 0 ? { k, errorRate } : { k };
}

/** The outcome with constrained rows moved, so that every set of constraints that k clusters can keep is kept. */
function* keptSteps(points: Instances, constraints: ConstraintSet, outcome: Outcome, k: number, effort: number): Steps<Outcome> {
  const { ids } = points;
  const { labels, notices } = yield* keepSteps(constraints, outcome.labels, k, costsOf(points, outcome), { effort, ids });
  if (labels === outcome.labels) return outcome;
  return { ...outcome, labels, notices: [...outcome.notices, ...notices] };
}

/** The least probability that counts. */
const LEAST_PROBABILITY = 1e-9;

/**
 * The cost of a row in a cluster: minus the logarithm of its probability, or, for methods without probabilities, its squared distance to
 * the mean of the cluster in units of the mean squared distance to the own mean, and 1 for leaving its cluster.
 */
function costsOf(points: Instances, { labels, probabilities }: Outcome): (row: number, cluster: number) => number {
  if (probabilities) {
    const k = probabilities.length / labels.length;
    return (row, cluster) => -log(Math.max(LEAST_PROBABILITY, probabilities[row * k + cluster]!));
  }
  if (points.d === 0) return (row, cluster) => (labels[row] === cluster ? 0 : 1);
  const encoded = oneHot(points).points;
  const means = meansOf(encoded, labels);
  const unit = withinSquares(encoded, labels, means) / encoded.n || 1;
  return (row, cluster) => {
    const mean = means[cluster];
    return (labels[row] === cluster ? 0 : 1) + (mean ? squareTo(encoded, row, mean) / unit : 0);
  };
}

function meansOf({ d, x }: Points, labels: Int32Array): Float64Array[] {
  const count = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const means = Array.from({ length: count }, () => new Float64Array(d));
  const sizes = new Float64Array(count);
  labels.forEach((label, i) => {
    if (label < 0) return;
    sizes[label]!++;
    for (let j = 0; j < d; j++) means[label]![j]! += x[i * d + j]!;
  });
  return means.map((mean, c) => mean.map((sum) => sum / Math.max(1, sizes[c]!)));
}

function squareTo({ d, x }: Points, row: number, mean: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += (x[row * d + j]! - mean[j]!) ** 2;
  return sum;
}

function withinSquares(points: Points, labels: Int32Array, means: readonly Float64Array[]): number {
  let sum = 0;
  labels.forEach((label, i) => {
    if (label >= 0) sum += squareTo(points, i, means[label]!);
  });
  return sum;
}

/** Methods without centres get the means of their clusters, and the squares around them as objective. */
function withMeans(outcome: Outcome, points: Instances): Outcome {
  if (outcome.centres || points.d === 0) return outcome;
  const encoded = oneHot(points).points;
  const centres = meansOf(encoded, outcome.labels);
  const objective = withinSquares(encoded, outcome.labels, centres);
  return { objective, history: [objective], iterations: 1, stopped: "converged", ...outcome, centres };
}

interface Judged {
  readonly candidate: Candidate;
  /** Prior and judgement; -Infinity if a run failed. */
  readonly total: number;
  /** Agreement with the held-out pairs beyond chance; null if nothing was held out, or if a run failed. */
  readonly agreement: number | null;
}

function* judge(
  points: Instances,
  constraints: ConstraintSet,
  candidates: readonly Candidate[],
  k: number,
  context: Context,
): Steps<Judged[]> {
  const sample = sampleOf(points.n, constraints, context.random);
  const known = sample ? constraintsAmong(constraints, sample) : constraints;
  const pairs = knownPairs(known);
  const few = pairs.must.length + pairs.cannot.length < FEW_PAIRS;
  const judged: Judged[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const step: Step = { phase: `trying ${candidate.method.name}`, done: at, total: candidates.length };
    yield step;
    if (few) {
      judged.push({ candidate, total: candidate.prior, agreement: null });
      continue;
    }
    const rows = sample ? someRows(candidate.points, sample) : candidate.points;
    const found = yield* withPhase(judgement({ ...candidate, points: rows }, known, k, context), step);
    judged.push({
      candidate,
      total: candidate.prior + (found?.likelihood ?? -Infinity),
      agreement: found && agreement(found.counts).score,
    });
  }
  return judged;
}

interface Judgement {
  /** Σ log(WRONG + (1 - 2 WRONG) t) over the held-out pairs. */
  readonly likelihood: number;
  readonly counts: LinkCounts;
}

/** Null if a run failed. */
function* judgement(candidate: Candidate, known: ConstraintSet, k: number, context: Context): Steps<Judgement | null> {
  const { method, points, learns } = candidate;
  const options = checkedOptions(method.options, { k });
  const shared = new Map<string, unknown>();
  const parts = learns ? partsOf(known, context.random.split("folds"), FOLDS) : [{ known, held: knownPairs(known) }];
  let sum = 0;
  let counts = NO_LINKS;
  try {
    for (const [fold, part] of parts.entries()) {
      const random = context.random.split(`trial ${method.name}`, fold);
      const outcome: Outcome = yield* method.steps({ points, constraints: part.known }, options, { ...context, random, shared });
      sum += likelihood(outcome, part.held);
      counts = countLinks(counts, outcome.labels, part.held);
    }
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return null;
  }
  return { likelihood: sum, counts };
}

function likelihood({ labels, probabilities }: Outcome, { must, cannot }: Pairs): number {
  const k = probabilities ? probabilities.length / labels.length : 0;
  const together = ([a, b]: readonly [number, number]): number => {
    if (!probabilities) return labels[a]! >= 0 && labels[a] === labels[b] ? 1 : 0;
    let sum = 0;
    for (let c = 0; c < k; c++) sum += probabilities[a * k + c]! * probabilities[b * k + c]!;
    return sum;
  };
  const said = (t: number): number => log(WRONG + (1 - 2 * WRONG) * t);
  let sum = 0;
  for (const pair of must) sum += said(together(pair));
  for (const pair of cannot) sum += said(1 - together(pair));
  return sum;
}

function sampleOf(n: number, constraints: ConstraintSet, random: Random): Int32Array | null {
  if (n <= SAMPLE) return null;
  const rows = new Set<number>(constrainedRows(constraints).subarray(0, SAMPLE));
  for (const row of random.split("sample").sample(n, SAMPLE)) if (rows.size < SAMPLE) rows.add(row);
  return Int32Array.from(rows).sort();
}

/** The steps under another phase. */
function* withPhase<R>(steps: Steps<R>, step: Step): Steps<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield step;
  }
}
