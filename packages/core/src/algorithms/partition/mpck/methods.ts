/**
 * The methods of the MPCK family. MPCK-means itself: k-means with penalties for broken constraints that learns its metric, or one metric
 * per cluster, while it runs.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Departs from the paper: with a single metric a violated must-link has weight 1 in equations 7 and 8, as in the minimiser of equation
 * 6, not ½; above 20,000 rows the bound 4·max ‖x - mean‖² replaces the farthest pair; weights count, and hard
 * constraints are always satisfied; the paper has one start, ours ten, of which a typical one is kept.
 */

import * as z from "zod/mini";
import type { Kernels } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import { atLeast, option } from "../../../options.js";
import type { Steps } from "../../../steps/index.js";
import { aroundMeans, fullMetrics, ITERATIONS, underMetrics } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { type Context, type Input, type Outcome, SOFT, SOFT_TOGETHER } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { mapPoints, mapPointsSteps, metricsOf } from "../../metric/linear-maps.js";
import { rcaSteps } from "../../metric/rca.js";
import { clusterCount } from "../kmeans.js";
import { addRows, meansOf, noCounts } from "./estimate/learn-metrics.js";
import { engineSteps } from "./index.js";
import {
  BILENKO,
  costs,
  distance,
  FAMILY,
  familyWork,
  iterationOptions,
  keep,
  metricOptions,
  PLAIN,
  preparedPoints,
  searchOptions,
  type TransformedRows,
} from "./options.js";

import type { EngineInput } from "./run.js";

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
  summary: "k-means with a penalty for every broken constraint and a learned metric, or one per cluster",
  ...FAMILY,
  example: 'mpckMeans(points, known, { k: 3, metrics: "multiple" }).objective;',
  onEngine: { init: "neighbourhoods", iterations: 100, settles: "objective", places: "by penalties", learnsMetric: true },
  advisedWith: "any",
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
 * MK-means: k-means with a learned metric. Constraints only shape the metric: first centres and assignment ignore them.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: it starts from k-means++ (`init: "perturbed"` is as in the paper); hard constraints are always satisfied. The
 * objective is equation 6, which the assignment does not minimise: with constraints it can rise.
 */

const mkMeansOptions = z.strictObject({ k: clusterCount, ...metricOptions, costs, ...iterationOptions("k-means++"), distance });

/** Clusters rows around k means under a metric learned from rows and constraints. */
export const mkMeans = defineMethod({
  name: "mk-means",
  title: "MK-means",
  summary: "k-means with a learned metric; constraints only shape the metric",
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
 * PCK-means: k-means with penalties for broken constraints. It starts from must-linked neighbourhoods and moves rows greedily.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, equation 1.
 *
 * Departs from the paper: weights are in units of the mean squared distance to the mean of all rows (`costs: "unit"` is as in the
 * paper), because on raw data a penalty of 1 can be negligible or dominant; hard constraints are always satisfied.
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
  advisedWith: "any",
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
  summary: "each row joins the nearest centroid of must-linked rows, once",
  ...FAMILY,
  example: "supervisedMeans(points, known, { k: 3 }).labels;",
  onEngine: { init: "neighbourhoods", iterations: 0, settles: "objective", places: "nearest", learnsMetric: false },
  advisedWith: "labels",
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
 * RCA and k-means: first a metric from the must-links (metric/rca.ts), then k-means under it, from must-linked neighbourhoods.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: see metric/rca.ts for few must-links (`prior` 0 is RCA as published); hard constraints are always satisfied.
 * Centres are in the space of the points; the objective is measured under the metric.
 */

const rcaKMeansOptions = z.strictObject({
  k: clusterCount,
  prior: option(
    z.optional(atLeast(0)),
    "number of rows for which the covariance of all rows counts, beside the must-linked rows (0: RCA as published; default: the number of features while there are few must-links, else 0)",
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
  advisedWith: "any",
  paper: `Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; ${BILENKO}`,
  treats: SOFT_TOGETHER,
  seconds: (input, options) => fullMetrics(input) + aroundMeans(2)(input, options),
  ...familyWork(rcaKMeansOptions, (options) => ({ ...PLAIN, ...options }), underRca),
});

type RcaOptions = z.output<typeof rcaKMeansOptions>;

/** Rows and first centres mapped by the RCA metric; the outcome gets centres in the original space. */
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
