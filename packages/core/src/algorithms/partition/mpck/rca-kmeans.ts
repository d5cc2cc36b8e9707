/**
 * RCA and k-means: a metric from the must-links first (metric/rca.ts), then k-means under it, from must-linked neighbourhoods.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: see metric/rca.ts for few must-links (`prior` 0 is the paper's RCA); hard constraints are kept always. Centres are in the space of
 * the points; the objective is measured under the metric.
 */

import { z } from "zod";
import type { Kernels } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { aroundMeans, fullMetrics } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { SOFT_TOGETHER } from "../../method.js";
import { mapPoints, mapPointsSteps, metricsOf } from "../../metric/linear-maps.js";
import { rcaSteps } from "../../metric/rca.js";
import { addRows, meansOf, noCounts } from "./estimate/cluster-sums.js";
import { BILENKO, distance, FAMILY, familyWork, iterationOptions, k, PLAIN, type Seen } from "./options.js";
import type { EngineInput } from "./run.js";

const rcaKMeansOptions = z.strictObject({
  k,
  prior: z.number().min(0).optional().meta({
    description:
      "rows that the covariance of all rows counts for beside the must-linked ones (0: RCA as published; default: the number of features where there are few must-links, else 0)",
  }),
  ...iterationOptions("neighbourhoods"),
  distance,
});

export type RcaKMeansOptions = z.input<typeof rcaKMeansOptions>;
type CheckedOptions = z.output<typeof rcaKMeansOptions>;

/** Clusters rows around k means under a metric in which must-linked rows are close. */
export const rcaKmeans = defineMethod({
  name: "rca-kmeans",
  title: "RCA and k-means",
  summary: "k-means under a metric in which must-linked rows are close",
  ...FAMILY,
  paper: `Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; ${BILENKO}`,
  treats: SOFT_TOGETHER,
  seconds: (input, options) => fullMetrics(input) + aroundMeans(2)(input, options),
  ...familyWork(rcaKMeansOptions, (options) => ({ ...PLAIN, ...options }), underRca),
});

/** Rows under the metric, and the way back for what is found there. */
function* underRca(input: EngineInput, { prior, init, k }: CheckedOptions, kernels: Kernels): Steps<Seen> {
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
