/**
 * Learns a metric before a method runs, for methods that do not learn one themselves. The rows are mapped so that plain distances equal
 * the learned distances, and the method runs on the mapped rows.
 *
 * `rca` learns from must-links and labels (rca.ts), `svm` from relative constraints (schultz-joachims.ts). Nominal columns are encoded as
 * 0 or 1/√2 for each level. Centres are returned in the units of the points; objectives and heights use the learned distances.
 */

import * as z from "zod/mini";
import { badOption } from "../../errors.js";
import type { Kernels } from "../../kernels/index.js";
import { upTo } from "../../linalg/indices.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Points } from "../../model/points.js";
import { atLeast, option, positive } from "../../options.js";
import type { Steps } from "../../steps/index.js";
import { oneHot } from "../encode.js";
import { refuseClash } from "../hard-part.js";
import { type Context, type Input, LEARNED_METRICS, lowestOutcome, type MetricName, type Outcome, type Work } from "../method.js";
import { identityMaps, type LinearMaps, mapPoints, mapPointsSteps, metricsOf } from "./linear-maps.js";
import { type LearnedMetric, rcaSteps } from "./rca.js";
import { COST_SCALES, type CostScale, learnWeightsSteps, unitOf } from "./schultz-joachims.js";

export const COST_SCALE =
  "unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns";

const learnedMetricOptions = {
  learnedMetric: option(
    z.optional(z.enum(LEARNED_METRICS)),
    "learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints",
  ),
  prior: option(
    z.optional(atLeast(0)),
    "rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0)",
  ),
  cost: option(z.optional(positive()), "svm: penalty of a relative constraint that the metric breaks (default: 1)"),
  costScale: option(z.optional(z.enum(COST_SCALES)), `svm: ${COST_SCALE} (default: relative)`),
};

/** Options of every method that can learn a metric before it runs. */
export interface LearnedMetricOptions {
  /** `rca` learns from must-links and labels, `svm` from relative constraints. */
  readonly learnedMetric?: MetricName | undefined;
  readonly prior?: number | undefined;
  readonly cost?: number | undefined;
  readonly costScale?: CostScale | undefined;
}

export function* learnMetricSteps(
  points: Points,
  constraints: ConstraintSet,
  { learnedMetric, prior, cost = 1, costScale = "relative" }: LearnedMetricOptions,
  kernels?: Kernels,
): Steps<LearnedMetric> {
  if (learnedMetric === "rca") return yield* rcaSteps(points, constraints, prior === undefined ? {} : { prior }, kernels);
  const { weights } = yield* learnWeightsSteps(points, constraints.relative, { cost, unit: unitOf(points, costScale) });
  if (!weights.some((weight) => weight > 0)) {
    return { maps: identityMaps(1), notices: [constraints.relative.a.length === 0 ? NO_TRIPLETS : NO_METRIC] };
  }
  return { maps: { kind: "diagonal", maps: [weights.map(Math.sqrt)], logDets: new Float64Array(1) }, notices: [] };
}

const NO_TRIPLETS = "There are no relative constraints to learn a metric from: every column has the weight 1.";
export const NO_METRIC = "No metric can be learned from the relative constraints: every column has the weight 1.";

interface InnerOptions extends LearnedMetricOptions {
  readonly distance?: string;
  readonly init?: unknown;
}

export function withLearnedMetric<Options, Checked>(
  work: Work<Options, Checked>,
): Work<Options & LearnedMetricOptions, Checked & LearnedMetricOptions> {
  const { options, steps, starts } = work;
  const inner = ({ learnedMetric, prior, cost, costScale, ...rest }: Checked & InnerOptions) => rest as Checked;
  const isPlain = ({ learnedMetric, prior, cost, costScale }: InnerOptions): boolean => {
    if (prior !== undefined && learnedMetric !== "rca") throw badOption("prior", prior, 'left out unless learnedMetric is "rca"');
    if (cost !== undefined && learnedMetric !== "svm") throw badOption("cost", cost, 'left out unless learnedMetric is "svm"');
    if (costScale !== undefined && learnedMetric !== "svm")
      throw badOption("costScale", costScale, 'left out unless learnedMetric is "svm"');
    return learnedMetric === undefined;
  };
  return {
    options: z.extend(options as unknown as z.ZodMiniObject, learnedMetricOptions) as unknown as z.ZodMiniType<
      Checked & LearnedMetricOptions,
      Options & LearnedMetricOptions
    >,
    steps: (input, asked, context) =>
      isPlain(asked) ? steps(input, inner(asked), context) : mappedSteps(steps, input, asked, inner(asked), context),
    // All starts use the same learned metric. So with a learned metric there is one start for callers.
    ...(starts
      ? {
          starts: {
            count: (asked) => (isPlain(asked) ? starts.count(inner(asked)) : 1),
            steps: (input, asked, index, context) => starts.steps(input, inner(asked), index, context),
            choose: (outcomes, asked) => (starts.choose ?? lowestOutcome)(outcomes, inner(asked)),
          },
        }
      : {}),
  };
}

function* mappedSteps<Checked>(
  steps: Work<unknown, Checked>["steps"],
  { points: original, constraints }: Input,
  asked: InnerOptions,
  rest: Checked,
  context: Context,
): Steps<Outcome> {
  const { distance, init } = asked;
  if (original.distances) throw badOption("learnedMetric", asked.learnedMetric, "left out when the distances are given");
  if (distance !== undefined && distance !== "euclidean" && distance !== "sqeuclidean")
    throw badOption("distance", distance, '"euclidean" or "sqeuclidean" with a learned metric');
  if (asked.learnedMetric === "svm") refuseClash(constraints.relative, original.ids);
  const { points, notices } = oneHot(original);
  const { maps, notices: learning } = yield* learnMetricSteps(points, constraints, asked, context.kernels);
  const frame = frameOf(points, maps);
  const mapped = {
    ...(yield* mapPointsSteps(points, maps, 0, frame.mean, context.kernels)),
    ...(original.ids ? { ids: original.ids } : {}),
  };
  const inner = Array.isArray(init) ? { ...rest, init: mappedRows(init, frame, maps, points.d) } : rest;
  const outcome = yield* steps({ points: mapped, constraints }, inner, context);
  return {
    ...outcome,
    ...(outcome.centres ? { centres: frame.back(outcome.centres, points, outcome.labels) } : {}),
    // The identity means that there was nothing to learn from. Then no metric is reported.
    ...(maps.kind === "identity" ? {} : { metric: metricsOf(maps, points.d) }),
    notices: [...notices, ...learning, ...outcome.notices],
  };
}

interface Frame {
  readonly mean: Float64Array;
  readonly back: (centres: readonly Float64Array[], points: Points, labels: Int32Array) => Float64Array[];
}

/**
 * The map x → R(x - mean), where R is the learned metric, and its inverse for centres. The mean is subtracted first, so that mapped rows
 * keep their precision.
 */
function frameOf({ n, d, x }: Points, maps: LinearMaps): Frame {
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  const back: Frame["back"] = (centres, points, labels) => {
    const solve = maps.kind === "full" ? solver(maps.maps[0]!, d) : null;
    if (maps.kind === "full" && !solve) return memberMeans(points, labels, centres.length);
    const roots = maps.kind === "diagonal" ? maps.maps[0]! : null;
    // If a column has weight 0, the centre is unknown in this column. It gets the mean of the rows of the cluster.
    const means = roots?.includes(0) ? memberMeans(points, labels, centres.length) : null;
    return centres.map((centre, c) => {
      if (solve) return solve(centre).map((value, j) => value + mean[j]!);
      return centre.map((value, j) => (roots?.[j] === 0 ? means![c]![j]! : value / (roots?.[j] ?? 1) + mean[j]!));
    });
  };
  return { mean, back };
}

function memberMeans({ n, d, x, rowWeights }: Points, labels: Int32Array, k: number): Float64Array[] {
  const means = Array.from({ length: k }, () => new Float64Array(d));
  const counts = new Float64Array(k);
  for (let i = 0; i < n; i++) counts[labels[i]!]! += rowWeights?.[i] ?? 1;
  for (let i = 0; i < n; i++) {
    const weight = rowWeights?.[i] ?? 1;
    for (let j = 0; j < d; j++) means[labels[i]!]![j]! += (weight * x[i * d + j]!) / counts[labels[i]!]!;
  }
  return means;
}

/** Maps first centres that the user gave. If a row has the wrong length, all rows stay unchanged: the method reports the error. */
function mappedRows(
  rows: readonly (readonly number[])[],
  frame: Frame,
  maps: LinearMaps,
  d: number,
): readonly (readonly number[])[] {
  if (rows.some((row) => row.length !== d)) return rows;
  const { x } = mapPoints({ n: rows.length, d, x: Float64Array.from(rows.flat()) }, maps, 0, frame.mean);
  return rows.map((_, i) => Array.from(x.subarray(i * d, (i + 1) * d)));
}

/** Solves R x = y for a square R (row-major) by LU decomposition with partial pivoting; null if R is singular. */
function solver(r: Float64Array, d: number): ((y: Float64Array) => Float64Array) | null {
  const lu = r.slice();
  const order = upTo(d);
  const column = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    for (let i = 0; i < d; i++) column[i] = lu[i * d + j]!;
    for (let i = 0; i < d; i++) {
      let sum = 0;
      for (let k = 0; k < Math.min(i, j); k++) sum += lu[i * d + k]! * column[k]!;
      column[i]! -= sum;
      lu[i * d + j] = column[i]!;
    }
    let pivot = j;
    for (let i = j + 1; i < d; i++) if (Math.abs(column[i]!) > Math.abs(column[pivot]!)) pivot = i;
    if (pivot !== j) {
      for (let k = 0; k < d; k++) [lu[pivot * d + k], lu[j * d + k]] = [lu[j * d + k]!, lu[pivot * d + k]!];
      [order[pivot], order[j]] = [order[j]!, order[pivot]!];
    }
    const diagonal = lu[j * d + j]!;
    if (diagonal === 0) return null;
    for (let i = j + 1; i < d; i++) lu[i * d + j]! /= diagonal;
  }
  return (y) => {
    const solution = Float64Array.from(order, (row) => y[row]!);
    for (let k = 0; k < d; k++) for (let i = k + 1; i < d; i++) solution[i]! -= solution[k]! * lu[i * d + k]!;
    for (let k = d - 1; k >= 0; k--) {
      solution[k]! /= lu[k * d + k]!;
      for (let i = 0; i < k; i++) solution[i]! -= solution[k]! * lu[i * d + k]!;
    }
    return solution;
  };
}
