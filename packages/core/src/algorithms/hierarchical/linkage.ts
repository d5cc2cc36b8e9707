/**
 * Agglomerative clustering without constraints: the baseline methods.
 *
 * Complete, average, weighted and Ward linkage use a nearest-neighbour chain. Single linkage uses a minimum spanning tree. Centroid and
 * median linkage use a priority queue. All three algorithms are from Müllner: Modern hierarchical, agglomerative clustering algorithms,
 * 2011. Merges have the numbers, the order and the heights of SciPy's `linkage`.
 *
 * Departs from the paper: a matrix row is updated only when it is read.
 */

import * as z from "zod";
import { badOption } from "../../errors.js";
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, Kernels, LinkageState, Metric } from "../../kernels/index.js";
import type { Instances, Points } from "../../model/points.js";
import type { Merge } from "../../model/result.js";
import type { Steps } from "../../steps/index.js";
import { boxes, overPairs } from "../cost.js";
import { defineMethod } from "../define-method.js";
import {
  chooseMetric,
  chooseStorage,
  distanceMatrixSteps,
  METRICS,
  MOST_ROWS_IN_DOUBLE,
  MOST_ROWS_IN_SINGLE,
  refuseLargeMatrix,
  type Storage,
} from "../distance.js";
import { oneHot } from "../encode.js";
import { type Context, CUT_BY_ALL, IGNORES_ALL, type Input, type Outcome } from "../method.js";
import { withLearnedMetric } from "../metric/learned.js";
import { cutHierarchy } from "./cut/cut-hierarchy.js";
import { orderMerges } from "./cut/merges.js";
import { asksForBest, checkedCut, cutOptions } from "./cut/options.js";
import { MOST_TREE_COLUMNS, spanningMergeSteps } from "./density/spanning-merges.js";
import { isMeansLinkage, meansLinkageSteps } from "./means/index.js";
import { screenedMergeSteps } from "./screened.js";

export type Linkage = "single" | HeapLinkage | ChainLinkage;

/** Distance options, shared by all methods that merge by distance: the metric, and the precision of the stored distances. */
export const distanceOptions = {
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
  storage: z
    .enum(["f64", "f32"])
    .optional()
    .meta({ description: "precision of the stored distances (default: f64 up to 16,000 rows)" }),
};

export const linkageOptions = z.strictObject({
  ...cutOptions,
  ...distanceOptions,
});

export type LinkageOptions = z.infer<typeof linkageOptions>;

/** The steps of one linkage method: distances, merges, cut. */
function linkageSteps(kind: Linkage) {
  return function* ({ points, constraints }: Input, options: LinkageOptions, { kernels }: Context): Steps<Outcome> {
    const way = checkedCut(options, points.n);
    const prepared = prepareLinkage(kind, points, options);
    const raw = withoutMatrix(kind, prepared, options);
    if (raw) {
      const merges = orderMerges(yield* raw, points.n, kind);
      const cut = cutHierarchy(way, merges, constraints, options);
      return { ...cut, merges, notices: [...chosenMetricNotices(prepared), ...cut.notices] };
    }
    const merges = (yield* screened(kind, prepared, kernels)) ?? (yield* byMatrix(kind, prepared, kernels));
    const cut = cutHierarchy(way, merges, constraints, options);
    return { ...cut, merges, notices: [...prepared.notices, ...cut.notices] };
  };
}

function* byMatrix(kind: Linkage, { points, metric, storage }: PreparedLinkage, kernels: Kernels): Steps<readonly Merge[]> {
  const arena = kernels.arena();
  try {
    const matrix = yield* distanceMatrixSteps(points, metric, storage, kernels, arena);
    return yield* mergeSteps(kind, matrix, points.n, kernels, arena);
  } finally {
    arena.release();
  }
}

/** The merges without a distance matrix, for complete linkage only. Null if the matrix is needed. */
function* screened(kind: Linkage, prepared: PreparedLinkage, kernels: Kernels): Steps<readonly Merge[] | null> {
  const raw = kind === "complete" ? yield* screenedMergeSteps(prepared, kernels) : null;
  return raw && orderMerges(raw, prepared.points.n, kind);
}

/** For more rows, single linkage uses a spanning tree, in memory proportional to the data. The merges are the same up to ties. */
const MOST_ROWS_IN_MATRIX = 8_000;

/**
 * The raw merges in memory proportional to the data, or undefined if a matrix is better. A matrix is better for few rows. It is also used
 * if the caller sets `storage`. Ward, centroid and median linkage use the matrix while its distances fit in doubles. For wide rows, which
 * a k-d tree cannot separate, they use it while it fits in single precision.
 */
function withoutMatrix(
  kind: Linkage,
  { points, metric }: PreparedLinkage,
  options: LinkageOptions,
): Steps<Float64Array> | undefined {
  const { n, d, distances } = points;
  if (distances) return undefined;
  if (kind === "single") return n > MOST_ROWS_IN_MATRIX ? spanningMergeSteps(points, metric, 0) : undefined;
  if (!isMeansLinkage(kind)) return undefined;
  if (options.storage !== undefined)
    refuseLargeMatrix(n, options.storage, "Leave the storage out: this linkage then needs no matrix.");
  if (options.storage !== undefined || n <= (d > MOST_TREE_COLUMNS ? MOST_ROWS_IN_SINGLE : MOST_ROWS_IN_DOUBLE)) return undefined;
  return meansLinkageSteps(kind, points);
}

/** Removes the notice on single precision: without a matrix, no distance is rounded. */
function chosenMetricNotices({ notices }: PreparedLinkage): string[] {
  return notices.filter((notice) => !notice.includes("single precision"));
}

export interface PreparedLinkage {
  readonly points: Points;
  readonly metric: Metric;
  readonly storage: Storage;
  readonly notices: readonly string[];
}

/** Chooses the metric and the storage. Ward, centroid and median linkage need Euclidean means, so nominal columns are one-hot encoded. */
export function prepareLinkage(
  kind: Linkage,
  points: Instances,
  { distance, storage: asked }: Pick<LinkageOptions, "distance" | "storage">,
): PreparedLinkage {
  const { storage, notices } = chooseStorage(points.n, asked);
  if (points.distances) return givenDistances(kind, points, distance, { storage, notices });
  if (!isMeansLinkage(kind)) {
    const chosen = chooseMetric(points, distance);
    return { points, metric: chosen.metric, storage, notices: [...chosen.notices, ...notices] };
  }
  if (distance !== undefined && distance !== "euclidean")
    throw badOption("distance", distance, `"euclidean" with ${kind} linkage`);
  const encoded = oneHot(points);
  return { points: encoded.points, metric: "euclidean", storage, notices: [...encoded.notices, ...notices] };
}

/** Prepares a linkage over a distance matrix that the caller passed in: its distances are used unchanged. */
function givenDistances(
  kind: Linkage,
  points: Instances,
  distance: Metric | undefined,
  { storage, notices }: Pick<PreparedLinkage, "storage" | "notices">,
): PreparedLinkage {
  if (distance !== undefined) throw badOption("distance", distance, "left out where the distances are given");
  const squared = isMeansLinkage(kind);
  const taken = squared ? [`With ${kind} linkage the given distances are taken to be Euclidean.`] : [];
  return { points, metric: "euclidean", storage, notices: [...taken, ...notices] };
}

/**
 * All n - 1 merges of a full matrix.
 *
 * matrix: n x n distances; the linkage overwrites them. sizes: number of members of each row, default 1 each.
 */
export function* mergeSteps(
  kind: Linkage,
  matrix: F64 | F32,
  n: number,
  kernels: Kernels,
  arena: Arena,
  sizes?: Int32Array,
): Steps<readonly Merge[]> {
  return orderMerges(yield* runLinkage(openLinkage(kind, matrix, n, kernels, arena, sizes), n), n, kind);
}

/** The raw merges of a linkage over n rows, in the order in which the kernel finds them. */
export function* runLinkage(state: LinkageState, n: number): Steps<Float64Array> {
  const most = Math.max(1, Math.floor(4_000_000 / n));
  for (let done = 0; done < n - 1; done = state.advance(most)) yield { phase: "merging", done, total: n - 1 };
  return state.merges();
}

export function openLinkage(
  kind: Linkage,
  matrix: F64 | F32,
  n: number,
  kernels: Kernels,
  arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  switch (kind) {
    case "single":
      return kernels.treeLinkage(matrix, n, arena);
    case "centroid":
    case "median":
      return kernels.heapLinkage(kind, matrix, n, arena, sizes);
    default:
      return kernels.chainLinkage(kind, matrix, n, arena, sizes);
  }
}

const MUELLNER = "Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011";

function linkage<const Name extends string>(name: Name, kind: Linkage, summary: string, example: string) {
  return defineMethod({
    name,
    title: `${kind[0]!.toUpperCase()}${kind.slice(1)} linkage`,
    summary,
    paper: MUELLNER,
    example,
    family: "hierarchy",
    treats: IGNORES_ALL,
    seconds: overPairs(kind === "single" ? boxes : undefined),
    comparesMeans: () => isMeansLinkage(kind),
    treatsWith: (options) => (asksForBest(options) ? CUT_BY_ALL : undefined),
    ...withLearnedMetric({ options: linkageOptions, steps: linkageSteps(kind) }),
  });
}

// biome-ignore-start format: one method a line
export const completeLink = /* @__PURE__ */ linkage(
  "complete-link",
  "complete",
  "merges the two groups whose farthest rows are closest",
  "completeLink(points, undefined, { k: 3 }).merges;",
);
export const singleLink = /* @__PURE__ */ linkage(
  "single-link",
  "single",
  "merges the two groups whose nearest rows are closest",
  "singleLink(points, undefined, { height: 1.5 }).k;",
);
export const averageLink = /* @__PURE__ */ linkage(
  "average-link",
  "average",
  "merges the two groups with the least mean distance between their rows",
  'averageLink(points, undefined, { k: 3, distance: "cosine" }).labels;',
);
export const weightedLink = /* @__PURE__ */ linkage(
  "weighted-link",
  "weighted",
  "like average-link, with equal weight for the two halves of a group",
  "weightedLink(points, undefined, { k: 3 }).labels;",
);
export const ward = /* @__PURE__ */ linkage(
  "ward",
  "ward",
  "merges the two groups whose merge adds least to the variance within groups",
  "ward(points, undefined, { k: 3 }).merges;",
);
export const centroidLink = /* @__PURE__ */ linkage(
  "centroid-link",
  "centroid",
  "merges the two groups whose means are closest",
  "centroidLink(points, undefined, { k: 3 }).labels;",
);
export const medianLink = /* @__PURE__ */ linkage(
  "median-link",
  "median",
  "like centroid-link, with equal weight for the two halves of a group",
  "medianLink(points, undefined, { k: 3 }).labels;",
);
// biome-ignore-end format: one method a line

/** The methods, by the name of their linkage. */
export const linkages = {
  complete: completeLink,
  single: singleLink,
  average: averageLink,
  weighted: weightedLink,
  ward,
  centroid: centroidLink,
  median: medianLink,
} as const;
