/**
 * The methods of the MPCK family. MPCK-means is k-means with penalties for violated constraints. While it runs, it learns one metric, or
 * one metric per cluster.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Departs from the paper: With a single metric, a violated must-link has weight 1 in equations 7 and 8, not ½, because this minimises
 * equation 6. Above 20,000 rows the bound 4·max ‖x - mean‖² replaces the farthest pair. Constraints have weights, and hard constraints are
 * always satisfied. The paper makes one start. This method makes ten starts and returns a typical start.
 */
import * as z from "zod/mini";
import type { Kernels } from "../../../kernels/index.js";
import { pairCounts } from "../../../measures/pair-counts.js";
import type { Points } from "../../../model/points.js";
import { atLeast, oneOf, option, toggle, whole } from "../../../options.js";
import type { Steps } from "../../../steps/index.js";
import { contingency } from "../../../structures/contingency.js";
import {
  aroundMeans,
  fullMetrics,
  ITERATIONS,
  MOST_COLUMNS_OF_FULL_METRICS,
  refuseManyColumns,
  underMetrics,
} from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { noDirectionNotices } from "../../distance.js";
import { oneHot } from "../../encode.js";
import { type Context, type Input, lowestOutcome, type Outcome, SOFT, SOFT_TOGETHER, type Work } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { mapPoints, mapPointsSteps, metricsOf } from "../../metric/linear-maps.js";
import { rcaSteps } from "../../metric/rca.js";
import { clusterCount } from "../kmeans.js";
import { addRows, meansOf, noCounts } from "./estimate.js";
import { engineSteps, startsSteps } from "./index.js";
import type { Ablation, EngineInput } from "./run.js";

/** If the objectives of two starts differ by at most this number, the starts are equally good. */
export const INDISTINCT = 10;

const BILENKO = "Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004";

const init = z.union([z.enum(["neighbourhoods", "perturbed", "k-means++", "random"]), z.array(z.array(z.number()))]);

const costs = option(
  oneOf(["relative", "unit"]),
  "unit of constraint weights; relative: the mean squared distance of rows to the overall mean; unit: 1; ignored with a learned metric",
);

const metricOptions = {
  metrics: option(oneOf(["single", "multiple"]), "one metric for all clusters, or one per cluster"),
  matrix: option(oneOf(["diagonal", "full"]), "form of a metric: a weight for each feature, or a full matrix"),
};

const distance = option(
  oneOf(["euclidean", "cosine"]),
  "distance between rows; cosine scales each row to length 1, for many features of which only the direction matters",
);

const iterationOptions = (first: "neighbourhoods" | "k-means++") => ({
  init: option(
    z._default(init, first),
    "first centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns",
    { file: "centres" },
  ),
  restarts: option(z._default(whole(1), 10), "number of starts, of which one is kept (1 with given centres)"),
  maxIterations: option(z._default(whole(1), 100), "maximum number of iterations per start"),
  tolerance: option(
    z._default(atLeast(0), 0),
    "stop when the objective changes by less than this share of itself (0: when nothing moves)",
  ),
});

/** Only used with a learned metric. Then the objective is a log-likelihood, so differences between starts can be interpreted. */
const keep = option(
  oneOf(["typical", "lowest"]),
  `which start is kept; typical: of the starts within ${INDISTINCT} of the lowest objective, the start that agrees most with the others; lowest: the start with the lowest objective`,
);

const searchOptions = {
  search: option(
    z._default(whole(0), 20),
    "maximum number of rounds per start that place all constrained rows anew before the iterations; the best round is kept",
  ),
  faithful: option(
    toggle(false),
    "use the search of the paper: constrained rows only move one by one, without rounds before the iterations",
  ),
};

const FAMILY = { paper: BILENKO, family: "partition", weighsRows: true } as const;

/** The settings of plain k-means; each method of the family changes some of them. */
const PLAIN = {
  search: 0,
  faithful: false,
  penalty: "none",
  learning: null,
  relativeCosts: false,
  spherical: false,
  iterate: true,
} as const;

export const mpckMeansOptions = z.strictObject({
  k: clusterCount,
  ...metricOptions,
  costs,
  ...iterationOptions("neighbourhoods"),
  ...searchOptions,
  keep,
  distance,
});

/** Clusters rows around k means, with a penalty for every broken constraint and a metric learned from rows and constraints. */
export const mpckMeans = /* @__PURE__ */ defineMethod({
  name: "mpck-means",
  title: "MPCK-means",
  summary: "k-means with a penalty for every broken constraint, and one learned metric or a metric for each cluster",
  ...FAMILY,
  example: 'mpckMeans(points, known, { k: 3, metrics: "multiple" }).objective;',
  onEngine: { init: "neighbourhoods", iterations: 100, settles: "objective", places: "by penalties", learnsMetric: true },
  treats: SOFT,
  seconds: underMetrics,
  ...familyWork(mpckMeansOptions, ({ metrics, matrix, ...options }) => ({
    ...PLAIN,
    ...options,
    search: options.faithful ? 0 : options.search,
    penalty: "metric",
    learning: { metrics, matrix },
  })),
});

/*
 * MK-means: k-means with a learned metric. Constraints are used only to learn the metric. First centres and assignment ignore them.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: It starts from k-means++ (`init: "perturbed"` is as in the paper). Hard constraints are always satisfied. The
 * objective is equation 6. The assignment ignores constraints, so it does not minimise equation 6, and the objective can rise.
 */

const mkMeansOptions = z.strictObject({ k: clusterCount, ...metricOptions, costs, ...iterationOptions("k-means++"), distance });

/** Clusters rows around k means under a metric learned from rows and constraints. */
export const mkMeans = defineMethod({
  name: "mk-means",
  title: "MK-means",
  summary: "k-means with a metric that is learned from the constraints; constraints have no other effect",
  ...FAMILY,
  example: "mkMeans(points, known, { k: 3 }).metric?.matrices;",
  treats: SOFT,
  seconds: underMetrics,
  ...familyWork(mkMeansOptions, ({ metrics, matrix, ...options }) => ({
    ...PLAIN,
    ...options,
    learning: { metrics, matrix },
  })),
});

/*
 * PCK-means: k-means with penalties for violated constraints. It starts from must-linked neighbourhoods and moves rows greedily.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, equation 1.
 *
 * Departs from the paper: Weights are in units of the mean squared distance to the mean of all rows (`costs: "unit"` is as in the paper),
 * because on raw data a penalty of 1 can be negligible or dominant. Hard constraints are always satisfied.
 */

const pckMeansOptions = z.strictObject({
  k: clusterCount,
  costs,
  ...iterationOptions("neighbourhoods"),
  ...searchOptions,
  distance,
});

/** Clusters rows around k means, with a penalty for every broken constraint. */
export const pckMeans = defineMethod({
  name: "pck-means",
  title: "PCK-means",
  summary: "k-means with a penalty for every broken constraint",
  ...FAMILY,
  example: "pckMeans(points, known, { k: 3 }).violations.mustLink;",
  onEngine: { init: "neighbourhoods", iterations: 100, settles: "objective", places: "by penalties", learnsMetric: false },
  treats: SOFT,
  seconds: aroundMeans(3),
  ...withLearnedMetric(
    familyWork(pckMeansOptions, ({ costs, distance, ...options }) => ({
      ...PLAIN,
      ...options,
      search: options.faithful ? 0 : options.search,
      penalty: "cost",
      relativeCosts: costs === "relative",
      spherical: distance === "cosine",
    })),
  ),
});

/*
 * Supervised means: every row joins the nearest centroid of the must-linked neighbourhoods, once. A baseline that learns
 * only from constraints.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, sections 3.1, 4.2.
 *
 * Departs from the paper: hard constraints are always satisfied.
 */

const supervisedMeansOptions = z.strictObject({ k: clusterCount, distance });

/** Assigns each row once to the nearest centroid of must-linked rows. */
export const supervisedMeans = defineMethod({
  name: "supervised-means",
  title: "Supervised means",
  summary: "assigns each row, once, to the nearest centroid of must-linked rows",
  ...FAMILY,
  example: "supervisedMeans(points, known, { k: 3 }).labels;",
  onEngine: { init: "neighbourhoods", iterations: 0, settles: "objective", places: "nearest", learnsMetric: false },
  treats: SOFT_TOGETHER,
  seconds: (input, { k }) => aroundMeans(1 / ITERATIONS)(input, { k, restarts: 1 }),
  ...withLearnedMetric({ options: supervisedMeansOptions, steps: supervisedMeansSteps }),
});

type CheckedOptions = z.output<typeof supervisedMeansOptions>;

function supervisedMeansSteps(input: Input, { k, distance }: CheckedOptions, { kernels, random }: Context): Steps<Outcome> {
  const spherical = distance === "cosine";
  const ablation = { ...PLAIN, k, init: "neighbourhoods", spherical, maxIterations: 1, tolerance: 0, iterate: false } as const;
  return engineSteps(preparedPoints(input, distance), ablation, kernels, random.split("restart"));
}

/*
 * RCA and k-means: learns a metric from the must-links first (metric/rca.ts), then runs k-means under this metric, from must-linked
 * neighbourhoods.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: With few must-links the metric is not RCA as published, unless `prior` is 0 (metric/rca.ts). Hard constraints are
 * always satisfied. Centres are in the space of the points; the objective is measured under the metric.
 */

const rcaKMeansOptions = z.strictObject({
  k: clusterCount,
  prior: option(
    z.optional(atLeast(0)),
    "weight of the covariance of all rows, which is added to the covariance of must-linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0)",
  ),
  ...iterationOptions("neighbourhoods"),
  distance,
});

/** Clusters rows around k means under a metric in which must-linked rows are close. */
export const rcaKmeans = defineMethod({
  name: "rca-kmeans",
  title: "RCA and k-means",
  summary: "k-means under a metric in which must-linked rows are close",
  ...FAMILY,
  example: "rcaKmeans(points, known, { k: 3 }).metric?.matrices;",
  paper: `Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; ${BILENKO}`,
  treats: SOFT_TOGETHER,
  seconds: (input, options) => fullMetrics(input) + aroundMeans(2)(input, options),
  ...familyWork(rcaKMeansOptions, (options) => ({ ...PLAIN, ...options }), underRca),
});

type RcaOptions = z.output<typeof rcaKMeansOptions>;

/** Maps rows and first centres by the RCA metric. Centres of the outcome are in the original space. */
function* underRca(input: EngineInput, { prior, init, k }: RcaOptions, kernels: Kernels): Steps<TransformedRows> {
  const { points, constraints } = input;
  const { maps, notices } = yield* rcaSteps(points, constraints, prior === undefined ? {} : { prior }, kernels);
  const first = Array.isArray(init) ? mapPoints(asPoints(init, points.d), maps) : null;
  return {
    input: {
      ...input,
      points: yield* mapPointsSteps(points, maps, 0, undefined, kernels),
      notices: [...input.notices, ...notices],
    },
    init: first ? Array.from({ length: first.n }, (_, h) => Array.from(first.x.subarray(h * first.d, (h + 1) * first.d))) : init,
    asFound: (outcome) => ({ ...outcome, centres: centresOf(points, outcome.labels, k), metric: metricsOf(maps, points.d) }),
  };
}

function asPoints(rows: readonly (readonly number[])[], d: number): Points {
  return { n: rows.length, d: rows[0]?.length ?? d, x: Float64Array.from(rows.flat()) };
}

function centresOf(points: Points, labels: Int32Array, k: number): Float64Array[] {
  const { n, d } = points;
  const sums = new Float64Array(k * d);
  const counts = noCounts(points, k);
  addRows(points, null, 0, n, labels, sums, counts);
  const means = meansOf(sums, counts, new Float64Array(k * d));
  return Array.from({ length: k }, (_, h) => means.slice(h * d, (h + 1) * d));
}

/** Input for the main loop. Nominal columns are encoded. With `how` "cosine", rows are scaled to length 1. */
function preparedPoints(input: Input, how: "euclidean" | "cosine"): EngineInput {
  const { points, notices } = oneHot(input.points);
  const { constraints } = input;
  const ids = input.points.ids;
  if (how === "euclidean") return { points, constraints, ids, notices };
  const { rows, zeros } = unitRows(points);
  return {
    points: rows,
    constraints,
    ids,
    notices: [...notices, "Rows were scaled to length 1; centres are means of the scaled rows.", ...noDirectionNotices(zeros)],
  };
}

/** Scales rows to length 1; zero rows stay. Each row is first divided by its largest entry, so that no square overflows or underflows. */
export function unitRows({ n, d, x, rowWeights }: Points): { readonly rows: Points; readonly zeros: number } {
  const scaled = new Float64Array(n * d);
  let zeros = 0;
  for (let i = 0; i < n; i++) {
    let largest = 0;
    for (let p = i * d; p < (i + 1) * d; p++) largest = Math.max(largest, Math.abs(x[p]!));
    if (largest === 0) zeros++;
    if (largest === 0) continue;
    let sum = 0;
    for (let p = i * d; p < (i + 1) * d; p++) {
      const value = x[p]! / largest;
      scaled[p] = value;
      sum += value * value;
    }
    for (let p = i * d; p < (i + 1) * d; p++) scaled[p]! /= Math.sqrt(sum);
  }
  return { rows: { n, d, x: scaled, ...(rowWeights ? { rowWeights } : {}) }, zeros };
}

interface Startable {
  readonly init: Ablation["init"];
  readonly restarts: number;
  readonly faithful?: boolean;
  readonly keep?: z.output<typeof keep>;
}

/** The first centres of start `index`. Neighbourhoods give the same centres in every start, so every other start uses k-means++ instead. */
export function initOf({ init, faithful = true }: Startable, index: number): Ablation["init"] {
  return init === "neighbourhoods" && !faithful && index % 2 === 1 ? "k-means++" : init;
}

/** Transformed rows and first centres for the main loop. `asFound` converts the outcome of the loop back to the original rows. */
export interface TransformedRows {
  readonly input: EngineInput;
  readonly init: Ablation["init"];
  readonly asFound: (outcome: Outcome) => Outcome;
}

/**
 * The starts and steps of a method of the family. ablationOf: converts the options to settings of the main loop. under: maps the rows by a
 * metric before the main loop.
 */
function familyWork<Options, Checked extends Startable & { readonly distance: "euclidean" | "cosine" }>(
  options: z.ZodMiniType<Checked, Options>,
  ablationOf: (options: Checked) => Ablation,
  under?: (input: EngineInput, options: Checked, kernels: Kernels) => Steps<TransformedRows>,
): Work<Options, Checked> {
  const count = ({ init, restarts }: Checked): number => (Array.isArray(init) ? 1 : restarts);
  function* outcomesOf(given: Input, asked: Checked, indices: readonly number[], { kernels, random }: Context): Steps<Outcome[]> {
    const prepared = preparedPoints(given, asked.distance);
    if ("matrix" in asked && asked.matrix === "full") refuseManyColumns(prepared.points, MOST_COLUMNS_OF_FULL_METRICS);
    const seen = under ? yield* under(prepared, asked, kernels) : { input: prepared, init: asked.init, asFound: null };
    const { input, init, asFound } = seen;
    const starts = indices.map((index) => ({ random: random.split("restart", index), init: initOf({ ...asked, init }, index) }));
    const outcomes = yield* startsSteps(input, ablationOf({ ...asked, init }), kernels, starts);
    return asFound ? outcomes.map(asFound) : outcomes;
  }
  function* start(input: Input, asked: Checked, index: number, context: Context): Steps<Outcome> {
    const [outcome] = yield* outcomesOf(input, asked, [index], context);
    return outcome!;
  }
  const choose = (outcomes: readonly Outcome[], asked: Checked): Outcome =>
    asked.keep === "typical" ? typicalStart(outcomes) : lowestOutcome(outcomes);
  function* steps(input: Input, asked: Checked, context: Context): Steps<Outcome> {
    const indices = Array.from({ length: count(asked) }, (_, index) => index);
    return choose(yield* outcomesOf(input, asked, indices, context), asked);
  }
  return { options, steps, starts: { count, steps: start, choose } };
}

/*
 * Chooses among starts if metrics are learned. Then the objective (equation 6 of bilenko2004) is twice a negative log-likelihood, plus a
 * constant. A difference of 10 is a likelihood ratio of e⁵, the usual threshold for rejecting the worse model. So starts within 10 of the
 * lowest objective explain the rows about equally well.
 *
 * Among these starts, the clustering that agrees most with the other clusterings on pairs of rows is returned; on ties the one with the
 * lower objective. If several starts reach the same clustering, it counts several times. On small data the start with the lowest objective
 * was worse for rows without constraints (docs/measurements/mpck.md).
 */

export function typicalStart(outcomes: readonly Outcome[]): Outcome {
  const lowest = lowestOutcome(outcomes);
  const close = outcomes.filter(({ objective }) => objective! <= lowest.objective! + INDISTINCT);
  const differences = summedDifferences(close.map(({ labels }) => labels));
  const least = differences.reduce((smallest, sum) => Math.min(smallest, sum), Infinity);
  const kept = lowestOutcome(close.filter((_, s) => differences[s] === least));
  if (kept.objective === lowest.objective) return kept;
  const about = `${close.length} of ${outcomes.length} starts came within ${INDISTINCT} of the lowest objective, ${lowest.objective!.toFixed(3)}`;
  return { ...kept, notices: [...kept.notices, `${about}; the one that agrees most with the others is kept.`] };
}

/** For each clustering: the number of pairs of rows on which it differs from another clustering, summed over all other clusterings. */
function summedDifferences(labels: readonly Int32Array[]): number[] {
  const sums = labels.map(() => 0);
  labels.forEach((first, a) => {
    for (let b = a + 1; b < labels.length; b++) {
      const { clusteringOnly, truthOnly } = pairCounts(contingency(first, labels[b]!));
      sums[a]! += clusteringOnly + truthOnly;
      sums[b]! += clusteringOnly + truthOnly;
    }
  });
  return sums;
}
