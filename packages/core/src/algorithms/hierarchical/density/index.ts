/**
 * HDBSCAN*: clusters are regions that stay dense over a long range of heights. Rows between clusters are noise.
 *
 * Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering, Visualization, and Outlier Detection. 2015. The
 * hierarchy is single linkage of mutual reachability distances. The mutual reachability distance of two rows is the maximum of three
 * numbers: their distance and the two core distances. The core distance of a row is the distance to its `minSamples`-th nearest neighbour.
 * The clusters are the best cut of the hierarchy by excess of mass.
 *
 * If the minimum spanning tree is unique, the result equals the result of the `hdbscan` package of McInnes, Healy, Astels 2017. As in the
 * package, a row is not its own neighbour. There can be several minimum spanning trees, because several edges of a row can have the length
 * of its core distance. Then the labels of the package depend on the order of the rows. The result equals the result of the package for one
 * of these orders.
 *
 * Departs from the papers: the cut maximises constraint weight first (docs/decisions, "the best cut"). Rows at height 0 (duplicates) get
 * twice the density of the smallest height above 0; the package gives them infinite density.
 */

import * as z from "zod/mini";
import { badOption } from "../../../errors.js";
import { counted } from "../../../model/wording.js";
import { option, whole } from "../../../options.js";
import type { Steps } from "../../../steps/index.js";
import { boxes, overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { chooseMetric, rowDistance } from "../../distance.js";
import { type Context, CUT_BY_ALL, type Input, type Outcome } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { cutBest, USUAL_MIN_CLUSTER_SIZE } from "../cut/cut-best.js";
import { cutAtHeight, cutToK, orderMerges } from "../cut/merges.js";
import { CUTS, checkedCut, cutOptions } from "../cut/options.js";
import { canBePlaced, clusterSizeOnMap, isWide, neighbourhoodPlaneSteps } from "./neighbourhood-plane.js";
import { spanningMergeSteps } from "./spanning-merges.js";

const densityOptions = z.strictObject({
  minClusterSize: option(
    z.optional(whole(2)),
    "minimum number of rows in a cluster; rows outside all clusters are noise (default: 5; 1.5 √n on the map of neighbourhoods)",
  ),
  minSamples: option(
    z.optional(whole(1)),
    "neighbours that must be near a row for it to count as dense; a higher number gives more noise (default: the minimum cluster size; 1 on the map of neighbourhoods)",
  ),
  space: option(
    z.optional(z.enum(["rows", "neighbourhoods"])),
    "where density is measured: between the rows, or on a map of neighbourhoods, which suits rows of many columns (default: neighbourhoods for more than 30 columns of numbers, unless a height is given)",
  ),
  k: cutOptions.k,
  height: cutOptions.height,
  cut: option(
    z.optional(z.enum(CUTS)),
    "where the hierarchy is cut; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters; height: at the given height, where smaller groups are noise; k: into k groups at one height (default: best, also with -k)",
  ),
  distance: rowDistance,
});

function* densitySteps(
  { points: given, constraints }: Input,
  options: z.output<typeof densityOptions>,
  { kernels }: Context,
): Steps<Outcome> {
  const { k, height, distance } = options;
  const onMap = options.space === undefined ? isWide(given) && height === undefined : options.space === "neighbourhoods";
  if (onMap && !canBePlaced(given)) throw badOption("space", options.space, "rows, because not all cells are numbers");
  const { minClusterSize = onMap ? clusterSizeOnMap(given.n) : USUAL_MIN_CLUSTER_SIZE } = options;
  const { minSamples = onMap ? 1 : minClusterSize } = options;
  const chosen = given.distances ? { metric: "euclidean" as const, notices: [] } : chooseMetric(given, distance);
  const points = onMap ? yield* neighbourhoodPlaneSteps(given, chosen.metric === "cosine", kernels) : given;
  const metric = onMap ? "euclidean" : chosen.metric;
  const way = checkedCut({ k, height, cut: options.cut ?? (height === undefined ? "best" : "height") }, points.n);
  if (points.distances && distance !== undefined) throw badOption("distance", distance, "left out when the distances are given");
  const notices = onMap && options.space === undefined ? [...chosen.notices, mapNotice(given.d)] : chosen.notices;
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

function mapNotice(d: number): string {
  return `Density is measured on a map of neighbourhoods, because distances over ${counted(d, "column")} hardly differ: the space "rows" measures it between the rows.`;
}

function tooManySamples(minSamples: number, n: number): string {
  return `Each row has only ${counted(n - 1, "neighbour")}, fewer than the ${minSamples} minimum samples: all ${n - 1} are counted.`;
}

/** Marks groups of fewer than `least` rows as noise, as DBSCAN* does at a given height. */
function withoutSmall(labels: Int32Array, least: number): Int32Array {
  const sizes = new Int32Array(labels.length);
  for (const label of labels) sizes[label]!++;
  return labels.map((label) => (sizes[label]! < least ? -1 : label));
}

/** Finds the number of clusters by density, and marks the rows between clusters as noise. */
export const density = /* @__PURE__ */ defineMethod({
  name: "density",
  title: "HDBSCAN*",
  summary: "finds how many clusters there are by density; rows between them are noise; constraints choose the cut",
  paper: "Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering. 2015",
  example: "density(points, known, { minClusterSize: 10 }).noise;",
  onEngine: "sample",
  family: "hierarchy",
  treats: CUT_BY_ALL,
  seconds: overPairs(boxes),
  ...withLearnedMetric({ options: densityOptions, steps: densitySteps }),
});
