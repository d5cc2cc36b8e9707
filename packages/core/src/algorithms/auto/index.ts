/**
 * Chooses the method and the scale of the columns (choose.ts, candidates.ts), then clusters all rows. At the end it moves constrained rows,
 * even if the chosen method ignores constraints. The result satisfies the constraints if k clusters can satisfy them.
 *
 * Cost: six runs of each method that uses constraints and one run of every other method, on at most 2,000 rows; then one run on all rows.
 * Candidates that would take far longer than the fastest candidate are left out before they start.
 *
 * Source: choosing among clusterings by constraints: Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017. Held-out
 * constraints, priors and the final move are our own.
 */
import * as z from "zod/mini";
import { badOption, CoterieError } from "../../errors.js";
import { log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances, Points } from "../../model/points.js";
import type { Chosen } from "../../model/result.js";
import { checkedOptions, option, whole } from "../../options.js";
import { EFFORT } from "../../steps/budget.js";
import type { Steps } from "../../steps/index.js";
import { aroundMeans } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { hasMeans, oneHot } from "../encode.js";
import { type Context, type Input, type Outcome, SOFT } from "../method.js";
import { clusterCount } from "../partition/kmeans.js";
import { keepSteps } from "../placement/keep.js";
import { type Candidate, candidatesFor } from "./candidates.js";
import { chooseMethodSteps, type MethodChoice } from "./choose.js";

const autoOptions = z.strictObject({
  k: clusterCount,
  candidates: option(z.optional(z.array(z.string())), "methods to choose from (default: all that suit the table)"),
  errorRate: option(
    z._default(z.number().check(z.gte(0), z.lte(0.5)), 0),
    "expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept",
  ),
  effort: option(
    z._default(whole(1), EFFORT),
    "limit on the search for clusters that keep all constraints, in nodes of the search tree",
  ),
});

type CheckedOptions = z.output<typeof autoOptions>;

export const auto = /* @__PURE__ */ defineMethod({
  name: "auto",
  title: "Automatic choice",
  summary: "tries methods and scales on held-out constraints, and clusters with the best",
  paper: "Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017",
  example: "auto(points, known, { k: 3 }).chosen?.algorithm;",
  family: "partition",
  treats: SOFT,
  seconds: aroundMeans(20),
  onEngine: "sample",
  weighsRows: true,
  whileChoosing: { candidates: ["mixture"] },
  options: autoOptions,
  steps: autoSteps,
});

function* autoSteps({ points, constraints }: Input, options: CheckedOptions, context: Context): Steps<Outcome> {
  const { k, candidates: asked, errorRate, effort } = options;
  if (k > points.n) throw new CoterieError({ code: "k-too-large", k, n: points.n });
  const all = candidatesFor(points, constraints, k);
  const candidates = all.filter(({ method }) => !asked || asked.includes(method.name));
  if (candidates.length === 0)
    throw badOption("candidates", asked, `some of ${[...new Set(all.map(({ method }) => method.name))].join(", ")}`);
  const choice = candidates.length === 1 ? null : yield* chooseMethodSteps(points, constraints, candidates, k, context);
  const { method, scale, points: scaled, options: own } = choice?.best.candidate ?? candidates[0]!;
  const outcome: Outcome = yield* method.steps(
    { points: scaled, constraints },
    checkedOptions(method.options, { ...own, ...optionsOf(method, k, errorRate) }),
    context,
  );
  const kept = errorRate > 0 ? outcome : yield* keptSteps(scaled, constraints, outcome, k, effort);
  const chosen: Chosen = { algorithm: method.name, scale, ...evidenceOf(choice) };
  const notices = [...kept.notices, ...(choice?.leftOut.map(leftOutNotice) ?? [])];
  return { ...withMeans(kept, scaled), notices, chosen, ...(scale === "given" ? {} : { rescaled: scaled }) };
}

function evidenceOf(choice: MethodChoice | null): Pick<Chosen, "by" | "evidence"> {
  if (choice === null) return { by: "the only candidate", evidence: [] };
  if (choice.held === 0) return { by: "experience with other tables, as there are few constraints", evidence: [] };
  return {
    by: "held-out constraints",
    evidence: choice.judged.map(({ candidate, score }) => ({ algorithm: candidate.method.name, scale: candidate.scale, score })),
  };
}

function leftOutNotice({ candidate, seconds }: MethodChoice["leftOut"][number]): string {
  const { name } = candidate.method;
  return `${name} was not tried, because its runs may take about ${Math.ceil(seconds)} seconds (--candidates ${name} runs it).`;
}

/** The options of the final run. Only the mixture has an option for wrong constraints, so only the mixture gets the error rate. */
function optionsOf({ name }: Candidate["method"], k: number, errorRate: number): Record<string, unknown> {
  return name === "mixture" && errorRate > 0 ? { k, errorRate } : { k };
}

/** Moves constrained rows to other clusters. If k clusters can satisfy all constraints, the result satisfies them. */
function* keptSteps(points: Instances, constraints: ConstraintSet, outcome: Outcome, k: number, effort: number): Steps<Outcome> {
  const { ids } = points;
  const { labels, notices } = yield* keepSteps(constraints, outcome.labels, k, costsOf(points, outcome), { effort, ids });
  if (labels === outcome.labels) return outcome;
  return { ...outcome, labels, notices: [...outcome.notices, ...notices] };
}

/** Lower bound of probabilities, so that their logarithms are finite. */
const LEAST_PROBABILITY = 1e-9;

/**
 * The cost of putting a row into a cluster.
 *
 * - With probabilities: minus the logarithm of the probability.
 * - Without probabilities: the squared distance to the mean of the cluster, relative to the average over all rows, plus 1 if the row
 *   changes its cluster.
 */
function costsOf(points: Instances, { labels, probabilities }: Outcome): (row: number, cluster: number) => number {
  if (probabilities) {
    const k = probabilities.length / labels.length;
    return (row, cluster) => -log(Math.max(LEAST_PROBABILITY, probabilities[row * k + cluster]!));
  }
  if (!hasMeans(points)) return (row, cluster) => (labels[row] === cluster ? 0 : 1);
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

/** If the outcome has no centres, adds the means of the clusters as centres, and the sum of squared distances to them as objective. */
function withMeans(outcome: Outcome, points: Instances): Outcome {
  if (outcome.centres || !hasMeans(points)) return outcome;
  const encoded = oneHot(points).points;
  const centres = meansOf(encoded, outcome.labels);
  const objective = withinSquares(encoded, outcome.labels, centres);
  return { objective, history: [objective], iterations: 1, stopped: "converged", ...outcome, centres };
}
