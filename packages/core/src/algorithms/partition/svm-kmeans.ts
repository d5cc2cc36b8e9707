/**
 * k-means under a metric learned from relative constraints: "K-Means + SVM Metric" of liu2011 §5.
 *
 * Learns a weight for each column from the constraints (Schultz and Joachims, NIPS 2004, with A = I and C = 1) and runs k-means on the
 * weighted columns. The clustering itself ignores the constraints. By default squared differences are divided by the median variance of the
 * columns, so the result does not depend on the unit of the table. With `costScale: "unit"` they are not divided, as published.
 *
 * Departs from the paper: if the constraints determine no weights, all columns get weight 1. Centres are in the units of the input, the
 * objective is in the units of the metric.
 */

import * as z from "zod/mini";
import type { Points } from "../../model/points.js";
import { oneOf, option, positive } from "../../options.js";
import type { Steps } from "../../steps/index.js";
import { aroundMeans, columnWeights } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { oneHot } from "../encode.js";
import { refuseClash } from "../hard-part.js";
import { bestStart, type Context, IGNORES_ALL, type Input, type Outcome } from "../method.js";
import { COST_SCALE, NO_METRIC } from "../metric/learned.js";
import { weightMetric } from "../metric/linear-maps.js";
import { COST_SCALES, learnWeightsSteps, unitOf, weightColumns } from "../metric/schultz-joachims.js";
import { kMeansOptions, kMeansStarts } from "./kmeans.js";

const svmKMeansOptions = z.extend(kMeansOptions, {
  cost: option(z._default(positive(), 1), "penalty of a relative constraint that the learned metric breaks"),
  costScale: option(oneOf(COST_SCALES), COST_SCALE),
});

function* svmKMeansSteps(input: Input, options: z.output<typeof svmKMeansOptions>, context: Context): Steps<Outcome> {
  const { cost, costScale, ...rest } = options;
  refuseClash(input.constraints.relative, input.points.ids);
  const { points, notices } = oneHot(input.points);
  const learned = yield* learnWeightsSteps(points, input.constraints.relative, { cost, unit: unitOf(points, costScale) });
  const isUseful = learned.weights.some((weight) => weight > 0);
  const weights = isUseful ? learned.weights : learned.weights.map(() => 1);
  const weighted = { points: weightColumns(points, weights), constraints: input.constraints };
  const init = Array.isArray(rest.init)
    ? rest.init.map((row) => row.map((value, j) => value * Math.sqrt(weights[j] ?? 1)))
    : rest.init;
  const inner = { ...rest, init };
  const best = yield* bestStart(kMeansStarts.count(inner), (index) => kMeansStarts.steps(weighted, inner, index, context));
  return {
    ...best,
    centres: meansIn(points, best),
    metric: weightMetric(weights),
    notices: [...notices, ...best.notices, ...(isUseful ? [] : [NO_METRIC])],
  };
}

function meansIn({ n, d, x, rowWeights }: Points, { labels, centres = [] }: Outcome): Float64Array[] {
  const means = centres.map(() => new Float64Array(d));
  const counts = new Float64Array(means.length);
  for (let i = 0; i < n; i++) {
    const weight = rowWeights?.[i] ?? 1;
    counts[labels[i]!]! += weight;
    for (let j = 0; j < d; j++) means[labels[i]!]![j]! += weight * x[i * d + j]!;
  }
  return means.map((sums, c) => sums.map((sum) => (counts[c]! > 0 ? sum / counts[c]! : 0)));
}

/** Clusters rows around k means, with column weights learned from relative constraints. */
export const svmKmeans = /* @__PURE__ */ defineMethod({
  name: "svm-kmeans",
  title: "k-means with a metric from relative constraints",
  summary: "k-means with a weight for each column, learned from relative constraints",
  paper: "Schultz, Joachims: Learning a Distance Metric from Relative Comparisons. 2004",
  example: "svmKmeans(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).metric?.matrices;",
  family: "partition",
  treats: { ...IGNORES_ALL, relative: "soft" },
  seconds: (input, options) => columnWeights(input) + aroundMeans()(input, options),
  weighsRows: true,
  options: svmKMeansOptions,
  steps: svmKMeansSteps,
});
