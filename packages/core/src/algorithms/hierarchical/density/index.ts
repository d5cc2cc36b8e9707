/**
 * HDBSCAN*: clusters as the parts of the plane that stay dense for long, and rows between them as noise.
 *
 * Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering, Visualization, and Outlier Detection. 2015. The
 * hierarchy is single linkage by mutual reachability: two rows are as far as they are, or as the `minSamples`-th neighbour of either is.
 * The clusters are its best cut by excess of mass. It equals the package of McInnes, Healy, Astels 2017, in which too a row is no neighbour of itself,
 * where there is one shortest spanning tree. All edges of a row within its core distance are equally long, so there may be several: then the package's labels
 * hang on the order of the rows, and these are its labels in some order.
 *
 * Departs from the papers: constraints count first in the cut (docs/decisions, "the best cut"). Rows at height 0, duplicates, are twice as dense as those
 * at the smallest height above 0; the package takes their density as infinite.
 */

import * as z from "zod";
import { badOption } from "../../../errors.js";
import { counted } from "../../../model/wording.js";
import type { Steps } from "../../../steps/index.js";
import { boxes, overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { chooseMetric, METRICS } from "../../distance.js";
import { type Context, CUT_BY_ALL, type Input, type Outcome } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { cutBest, USUAL_MIN_CLUSTER_SIZE } from "../cut/cut-best.js";
import { cutAtHeight, cutToK, orderMerges } from "../cut/merges.js";
import { checkedCut, cutOptions } from "../cut/options.js";
import { spanningMergeSteps } from "./spanning-merges.js";

const densityOptions = z.strictObject({
  minClusterSize: z
    .int()
    .min(2)
    .default(USUAL_MIN_CLUSTER_SIZE)
    .meta({ description: "rows of the smallest cluster; rows in none are noise" }),
  minSamples: z.int().min(1).optional().meta({
    description: "neighbours that a row must have nearby to be dense; more make more noise (default: the minimum cluster size)",
  }),
  k: cutOptions.k,
  height: cutOptions.height,
  cut: cutOptions.cut.meta({
    description:
      "best: at no one height, to keep the most constraint weight and then the most stable clusters; at the height, where smaller groups are noise; or into k groups at one height (default: best, also with -k)",
  }),
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
});

export type DensityOptions = z.input<typeof densityOptions>;
type CheckedOptions = z.output<typeof densityOptions>;

function* densitySteps({ points, constraints }: Input, options: CheckedOptions, _: Context): Steps<Outcome> {
  const { k, height, minClusterSize, minSamples = minClusterSize, distance } = options;
  const way = checkedCut({ k, height, cut: options.cut ?? (height === undefined ? "best" : "height") }, points.n);
  if (points.distances && distance !== undefined) throw badOption("distance", distance, "left out where the distances are given");
  const { metric, notices } = points.distances ? { metric: "euclidean" as const, notices: [] } : chooseMetric(points, distance);
  const few = minSamples < points.n ? [] : [tooManySamples(minSamples, points.n)];
  const merges = orderMerges(yield* spanningMergeSteps(points, metric, minSamples), points.n, "single");
  yield { phase: "cutting", done: 0, total: null };
  if (way === "best") {
    const looser = minSamples > minClusterSize ? { looser: "A smaller number of minimum samples" } : {};
    const cut = cutBest(merges, constraints, { k, minClusterSize, scale: "density", ...looser });
    return { ...cut, merges, notices: [...notices, ...few, ...cut.notices] };
  }
  const labels = way === "k" ? cutToK(merges, points.n, k!) : cutAtHeight(merges, points.n, height!);
  return { labels: way === "k" ? labels : withoutSmall(labels, minClusterSize), merges, notices: [...notices, ...few] };
}

function tooManySamples(minSamples: number, n: number): string {
  return `Each row has only ${counted(n - 1, "neighbour")}, fewer than the ${minSamples} minimum samples: all ${n - 1} are counted.`;
}

/** DBSCAN*: groups at a height that are too small are noise. */
function withoutSmall(labels: Int32Array, least: number): Int32Array {
  const sizes = new Int32Array(labels.length);
  for (const label of labels) sizes[label]!++;
  return labels.map((label) => (sizes[label]! < least ? -1 : label));
}

/** Finds how many clusters there are by density, and leaves rows between them out as noise. */
export const density = /* @__PURE__ */ defineMethod({
  name: "density",
  title: "HDBSCAN*",
  summary: "finds how many clusters there are by density; rows between them are noise; constraints choose the cut",
  paper: "Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering. 2015",
  family: "hierarchy",
  treats: CUT_BY_ALL,
  seconds: overPairs(boxes),
  ...withLearnedMetric({ options: densityOptions, steps: densitySteps }),
});
