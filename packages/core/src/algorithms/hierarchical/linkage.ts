/**
 * Agglomerative clustering without constraints: the baseline methods.
 *
 * Complete, average, weighted and Ward linkage use a nearest-neighbour chain. Single linkage uses a minimum spanning tree. Centroid and
 * median linkage use a priority queue. All three algorithms are from Müllner: Modern hierarchical, agglomerative clustering algorithms,
 * 2011. Merges have the numbers, the order and the heights of SciPy's `linkage`.
 *
 * Departs from the paper: a matrix row is updated only when it is read.
 */

import * as z from "zod/mini";
import { badOption } from "../../errors.js";
import {
  type Arena,
  type ChainLinkage,
  type F32,
  type F64,
  type HeapLinkage,
  type Kernels,
  type LinkageState,
  type Metric,
  pairKernelsOf,
} from "../../kernels/index.js";
import type { Instances, Points } from "../../model/points.js";
import type { Merge } from "../../model/result.js";
import { option } from "../../options.js";
import type { Steps } from "../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../structures/heap.js";
import { boxSquare, type KdTree, kdTree, parentsOf, rowSquare } from "../../structures/kd-tree.js";
import { boxes, overPairs } from "../cost.js";
import { defineMethod } from "../define-method.js";
import {
  chooseMetric,
  chooseStorage,
  distanceMatrixSteps,
  MOST_ROWS_IN_DOUBLE,
  MOST_ROWS_IN_SINGLE,
  refuseLargeMatrix,
  rowDistance,
} from "../distance.js";
import { oneHot } from "../encode.js";
import { type Context, CUT_BY_ALL, IGNORES_ALL, type Input, type Outcome } from "../method.js";
import { withLearnedMetric } from "../metric/learned.js";
import { cutHierarchy } from "./cut/cut-hierarchy.js";
import { orderMerges } from "./cut/merges.js";
import { asksForBest, checkedCut, cutOptions } from "./cut/options.js";
import { MOST_TREE_COLUMNS, spanningMergeSteps } from "./density/spanning-merges.js";
import { type Measured, screenedMergeSteps } from "./screened.js";

export type Linkage = "single" | HeapLinkage | ChainLinkage;

/** Distance options, shared by all methods that merge by distance: the metric, and the precision of the stored distances. */
export const distanceOptions = {
  distance: rowDistance,
  storage: option(z.optional(z.enum(["f64", "f32"])), "precision of the stored distances (default: f64 up to 16,000 rows)"),
};

export const linkageOptions = z.strictObject({
  ...cutOptions,
  ...distanceOptions,
});

export type LinkageOptions = z.infer<typeof linkageOptions>;

function linkageSteps(kind: Linkage) {
  return function* ({ points, constraints }: Input, options: LinkageOptions, { kernels }: Context): Steps<Outcome> {
    const way = checkedCut(options, points.n);
    const prepared = prepareLinkage(kind, points, options);
    const raw = withoutMatrix(kind, prepared, options);
    if (raw) {
      const merges = orderMerges(yield* raw, points.n, kind);
      const cut = cutHierarchy(way, merges, constraints, options);
      return { ...cut, merges, notices: [...prepared.metricNotices, ...cut.notices] };
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

/** With more rows than this, single linkage computes a spanning tree without a matrix. The merges are the same up to ties. */
const MOST_ROWS_IN_MATRIX = 8_000;

/**
 * Computes the raw merges without a distance matrix, in memory proportional to the data. Returns undefined if a matrix is used instead.
 * - Single linkage needs no matrix above MOST_ROWS_IN_MATRIX rows. With fewer rows a matrix is faster.
 * - Ward, centroid and median linkage need no matrix if it would not fit in memory. With many columns a k-d tree is slow, so the limit for
 *   the matrix is higher: it can be in single precision.
 * - Ward, centroid and median linkage use a matrix if the caller sets `storage`.
 * - All other linkages, and given distances, use a matrix.
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

export interface PreparedLinkage extends Measured {
  /** The notices of a run without a distance matrix. */
  readonly metricNotices: readonly string[];
  /** The notices of a run over a distance matrix: also the notice that its distances are rounded. */
  readonly notices: readonly string[];
}

/** Chooses the metric and the storage. Ward, centroid and median linkage need Euclidean means, so nominal columns are one-hot encoded. */
export function prepareLinkage(
  kind: Linkage,
  points: Instances,
  { distance, storage: asked }: Pick<LinkageOptions, "distance" | "storage">,
): PreparedLinkage {
  const measured = points.distances
    ? givenDistances(kind, points, distance)
    : isMeansLinkage(kind)
      ? encodedMeans(kind, points, distance)
      : { points, ...chooseMetric(points, distance) };
  const { storage, notices } = chooseStorage(points.n, asked);
  return {
    points: measured.points,
    metric: measured.metric,
    storage,
    metricNotices: measured.notices,
    notices: [...measured.notices, ...notices],
  };
}

type MeasuredRows = Pick<PreparedLinkage, "points" | "metric" | "notices">;

function encodedMeans(kind: Linkage, points: Instances, distance: Metric | undefined): MeasuredRows {
  if (distance !== undefined && distance !== "euclidean")
    throw badOption("distance", distance, `"euclidean" with ${kind} linkage`);
  return { ...oneHot(points), metric: "euclidean" };
}

/** Prepares a linkage over a distance matrix that the caller passed in: its distances are used unchanged. */
function givenDistances(kind: Linkage, points: Instances, distance: Metric | undefined): MeasuredRows {
  if (distance !== undefined) throw badOption("distance", distance, "left out when the distances are given");
  const taken = isMeansLinkage(kind) ? [`With ${kind} linkage the given distances are taken to be Euclidean.`] : [];
  return { points, metric: "euclidean", notices: taken };
}

/**
 * Runs a linkage over a full distance matrix. Returns all n - 1 merges.
 *
 * matrix: n x n distances; the linkage overwrites them. sizes: number of instances per matrix row, default 1 each.
 */
export function* mergeSteps(...[kind, matrix, n, ...rest]: Parameters<typeof openLinkage>): Steps<readonly Merge[]> {
  return orderMerges(yield* runLinkage(openLinkage(kind, matrix, n, ...rest), n), n, kind);
}

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
      return pairKernelsOf(kernels).treeLinkage(matrix, n, arena);
    case "centroid":
    case "median":
      return pairKernelsOf(kernels).heapLinkage(kind, matrix, n, arena, sizes);
    default:
      return pairKernelsOf(kernels).chainLinkage(kind, matrix, n, arena, sizes);
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

export const linkages = {
  complete: completeLink,
  single: singleLink,
  average: averageLink,
  weighted: weightedLink,
  ward,
  centroid: centroidLink,
  median: medianLink,
} as const;

/*
 * Ward, centroid and median linkage over cluster means, without a matrix: memory is O(n d).
 *
 * This is the generic algorithm of Müllner 2011, with searches in a k-d tree instead of matrix rows. Each cluster stores its nearest
 * cluster, and a priority queue contains these distances. If the nearest cluster has changed since the search, the cluster searches again.
 *
 * Each new cluster searches among all current clusters. So for every pair of clusters, the younger cluster has searched after the older
 * cluster got its current mean. No pair is closer than the smallest entry of the queue. Unlike a nearest-neighbour chain, this algorithm is
 * correct for centroids, whose merge heights can decrease.
 *
 * Heights are computed from means, not from the distances before the merge. So their last bits can differ from the heights over a matrix,
 * and ties can be broken differently.
 */

/** The k-d tree is rebuilt only if at least this many clusters are left. With fewer clusters, a rebuild costs more than it saves. */
const LEAST_TREE = 64;

/** Stacks of `searchBelow`: waiting nodes and their bounds. A k-d tree of 2³¹ rows has fewer than 256 levels. */
const open = new Int32Array(256);

const bounds = new Float64Array(256);

export type MeansLinkage = "ward" | "centroid" | "median";

export function isMeansLinkage(kind: unknown): kind is MeansLinkage {
  return kind === "ward" || kind === "centroid" || kind === "median";
}

/** Numbers read in one step; after each step the generator yields. */
const WORK_PER_STEP = 8_000_000;

interface Queue {
  readonly means: MovingMeans;
  readonly heap: Heap;
  /** By slot, from the last search: the squared distance to the nearest cluster, and the slot of that cluster. */
  readonly square: Float64Array;
  readonly nearest: Int32Array;
  /** `version`: how often the cluster of a slot changed. `nearestVersion`: the version of the nearest cluster at the last search. */
  readonly version: Int32Array;
  readonly nearestVersion: Int32Array;
  readonly found: Nearest;
  /** A lower bound of the lowest slot that still has a cluster. */
  lowest: number;
}

/**
 * Runs the linkage. Returns raw merges (slot, slot, height) in order. Row i starts in slot i; a merged cluster keeps the higher of its two
 * slots.
 */
export function* meansLinkageSteps(kind: MeansLinkage, points: Points): Steps<Float64Array> {
  const { n } = points;
  yield { phase: "merging", done: 0, total: n - 1 };
  const queue = openQueue(points, kind === "ward");
  const { means, heap, square, nearest, version } = queue;
  for (let slot = 0; slot < n; slot++) {
    search(queue, slot);
    heap.keys.push(square[slot]!);
    heap.items.push(slot);
    if (!isYieldDue(means)) continue;
    yield { phase: "neighbours", done: slot, total: n };
  }
  heapify(heap);
  const merges = new Float64Array(3 * Math.max(0, n - 1));
  for (let made = 0; made < n - 1; ) {
    if (isYieldDue(means)) yield { phase: "merging", done: made, total: n - 1 };
    const key = heap.keys[0]!;
    const slot = popLeast(heap);
    if (means.sizes[slot] === 0 || key !== square[slot]) continue;
    const other = nearest[slot]! >= 0 ? nearest[slot]! : lowestOther(queue, slot);
    if (nearest[slot]! >= 0 && version[other] !== queue.nearestVersion[slot]) {
      searchAndPush(queue, slot);
      continue;
    }
    const [gone, kept] = [Math.min(slot, other), Math.max(slot, other)];
    merges.set([gone, kept, Math.sqrt(key)], 3 * made++);
    mergeMeans(means, gone, kept, kind === "median");
    version[gone]!++;
    version[kept]!++;
    if (made < n - 1) searchAndPush(queue, kept);
  }
  return merges;
}

function openQueue(points: Points, isWard: boolean): Queue {
  const { n } = points;
  return {
    means: openMeans(points, isWard),
    heap: { keys: [], items: [] },
    square: new Float64Array(n),
    nearest: new Int32Array(n),
    version: new Int32Array(n),
    nearestVersion: new Int32Array(n),
    found: { slot: -1, square: Infinity },
    lowest: 0,
  };
}

function isYieldDue(means: MovingMeans): boolean {
  if (means.work < WORK_PER_STEP) return false;
  means.work = 0;
  return true;
}

function search({ means, square, nearest, version, nearestVersion, found }: Queue, slot: number): void {
  nearestMean(means, slot, found);
  square[slot] = found.square;
  nearest[slot] = found.slot;
  nearestVersion[slot] = found.slot < 0 ? -1 : version[found.slot]!;
}

function searchAndPush(queue: Queue, slot: number): void {
  search(queue, slot);
  push(queue.heap, queue.square[slot]!, slot);
}

/**
 * The lowest slot other than `slot` that still has a cluster. Used if a search finds no nearest cluster, because all distances overflow to
 * Infinity.
 */
function lowestOther(queue: Queue, slot: number): number {
  const { sizes } = queue.means;
  while (sizes[queue.lowest] === 0) queue.lowest++;
  let other = queue.lowest;
  while (sizes[other] === 0 || other === slot) other++;
  return other;
}

/*
 * The means of the clusters, in a k-d tree that is updated at each merge.
 *
 * A place is an index in the order of the k-d tree. A merged cluster takes the place of one of its two parts, and all boxes above that
 * place grow to contain its mean. The place of the other part is dead. When a quarter of the places are dead, the tree is rebuilt from
 * the live places. So memory stays O(n d).
 */

interface MovingMeans {
  readonly d: number;
  /** Number of rows in the cluster of each slot; 0 after the cluster was merged into another slot. */
  readonly sizes: Int32Array;
  readonly isWard: boolean;
  work: number;
  live: number;
  tree: KdTree;
  /**
   * A place is an index in the order of the k-d tree. `slots`: the slot of the cluster at each place. `places`: the place of the cluster in
   * each slot.
   */
  slots: Int32Array;
  readonly places: Int32Array;
  parent: Int32Array;
  leafOf: Int32Array;
  /**
   * By node of the k-d tree. `alive`: number of places below the node that have a cluster. `least`: lower bound of the sizes of these
   * clusters.
   */
  alive: Int32Array;
  least: Int32Array;
}

function openMeans({ n, d, x }: Points, isWard: boolean): MovingMeans {
  const slots = new Int32Array(n);
  for (let i = 0; i < n; i++) slots[i] = i;
  const means = { d, sizes: new Int32Array(n).fill(1), isWard, work: 0, live: n, places: new Int32Array(n) };
  return buildTree(means, slots, x);
}

type TreeFields = "tree" | "slots" | "parent" | "leafOf" | "alive" | "least";

/** Builds the tree over the clusters in the given slots. x: the means of these clusters in the same order, slots x d, row-major. */
function buildTree<Means extends Omit<MovingMeans, TreeFields>>(
  means: Means,
  slots: Int32Array,
  x: Float64Array,
): Means & MovingMeans {
  const { d, sizes, places } = means;
  const tree = kdTree({ n: slots.length, d, x });
  const { n, nodes, rows, from, to, second } = tree;
  const inOrder = new Int32Array(n);
  for (let p = 0; p < n; p++) {
    inOrder[p] = slots[rows[p]!]!;
    places[inOrder[p]!] = p;
  }
  const leafOf = new Int32Array(n);
  const alive = new Int32Array(nodes);
  const least = new Int32Array(nodes);
  for (let v = nodes - 1; v >= 0; v--) {
    alive[v] = to[v]! - from[v]!;
    if (second[v]! >= 0) {
      least[v] = Math.min(least[v + 1]!, least[second[v]!]!);
      continue;
    }
    leafOf.fill(v, from[v]!, to[v]!);
    least[v] = sizes[inOrder[from[v]!]!]!;
    for (let p = from[v]! + 1; p < to[v]!; p++) least[v] = Math.min(least[v]!, sizes[inOrder[p]!]!);
  }
  means.work += 8 * n * d;
  return Object.assign(means, { tree, slots: inOrder, parent: parentsOf(tree), leafOf, alive, least });
}

/**
 * Merges the cluster of slot `gone` into slot `kept`. The new mean is the mean of all rows of both clusters. With `isHalfway` it is the
 * midpoint of the two means.
 */
function mergeMeans(means: MovingMeans, gone: number, kept: number, isHalfway: boolean): void {
  const { d, sizes, places, parent, leafOf, alive } = means;
  const { x, boxes } = means.tree;
  const [from, to] = [places[gone]!, places[kept]!];
  const [lost, own] = isHalfway ? [1, 1] : [sizes[gone]!, sizes[kept]!];
  for (let j = 0; j < d; j++) x[to * d + j] = (lost * x[from * d + j]! + own * x[to * d + j]!) / (lost + own);
  sizes[kept]! += sizes[gone]!;
  sizes[gone] = 0;
  means.live--;
  for (let v = leafOf[from]!; ; v = parent[v]!) {
    alive[v]!--;
    if (v === 0) break;
  }
  for (let v = leafOf[to]!; ; v = parent[v]!) {
    growBox(boxes, v * 2 * d, x, to * d, d);
    if (v === 0) break;
  }
  means.work += 20 * d;
  if (means.live >= LEAST_TREE && 4 * means.live < 3 * means.slots.length) rebuildTree(means);
}

function growBox(boxes: Float64Array, at: number, x: Float64Array, own: number, d: number): void {
  for (let j = 0; j < d; j++) {
    const value = x[own + j]!;
    if (value < boxes[at + j]!) boxes[at + j] = value;
    if (value > boxes[at + d + j]!) boxes[at + d + j] = value;
  }
}

function rebuildTree(means: MovingMeans): void {
  const { d, sizes, slots, live } = means;
  const left = new Int32Array(live);
  const x = new Float64Array(live * d);
  let count = 0;
  for (let p = 0; p < slots.length; p++) {
    if (sizes[slots[p]!] === 0) continue;
    x.set(means.tree.x.subarray(p * d, p * d + d), count * d);
    left[count++] = slots[p]!;
  }
  buildTree(means, left, x);
}

interface Nearest {
  /** The slot of the nearest cluster; -1 if no cluster is at a finite distance. */
  slot: number;
  square: number;
}

/**
 * Finds the cluster nearest to the cluster in `slot`: first in the leaf of the slot, then in the sibling subtrees on the path to the root.
 */
function nearestMean(means: MovingMeans, slot: number, found: Nearest): void {
  const { parent, leafOf, places } = means;
  const { second } = means.tree;
  found.slot = -1;
  found.square = Infinity;
  const leaf = leafOf[places[slot]!]!;
  searchLeaf(means, slot, leaf, found);
  for (let node = leaf; node > 0; node = parent[node]!) {
    const above = parent[node]!;
    searchBelow(means, slot, node === above + 1 ? second[above]! : above + 1, found);
  }
}

function searchBelow(means: MovingMeans, slot: number, node: number, found: Nearest): void {
  const { second } = means.tree;
  let depth = 0;
  open[0] = node;
  bounds[0] = boundOf(means, slot, node);
  while (depth >= 0) {
    const v = open[depth]!;
    if (bounds[depth--]! >= found.square) continue;
    const other = second[v]!;
    if (other < 0) {
      searchLeaf(means, slot, v, found);
      continue;
    }
    const [one, two] = [boundOf(means, slot, v + 1), boundOf(means, slot, other)];
    const isFirstNear = one <= two;
    open[++depth] = isFirstNear ? other : v + 1;
    bounds[depth] = isFirstNear ? two : one;
    open[++depth] = isFirstNear ? v + 1 : other;
    bounds[depth] = isFirstNear ? one : two;
  }
}

/** A lower bound of the squared distances to all clusters below a node. Infinity if no live cluster is below it. */
function boundOf(means: MovingMeans, slot: number, v: number): number {
  const { d, sizes, alive, least, isWard, places } = means;
  if (alive[v] === 0) return Infinity;
  const { boxes, x } = means.tree;
  means.work += d;
  return factorOf(isWard, sizes[slot]!, least[v]!) * boxSquare(boxes, v * 2 * d, x, places[slot]! * d, d, Infinity);
}

/**
 * Factor for the squared distance between the means of two clusters of s and t rows. Ward: 2st / (s + t); the product is twice the increase
 * of the sum of squares. Other linkages: 1.
 */
function factorOf(isWard: boolean, size: number, other: number): number {
  return isWard ? (2 * size * other) / (size + other) : 1;
}

function searchLeaf(means: MovingMeans, slot: number, leaf: number, found: Nearest): void {
  const { d, sizes, isWard, slots, places } = means;
  const { x, from, to } = means.tree;
  const own = places[slot]! * d;
  for (let p = from[leaf]!; p < to[leaf]!; p++) {
    const other = slots[p]!;
    if (sizes[other] === 0 || other === slot) continue;
    const factor = factorOf(isWard, sizes[slot]!, sizes[other]!);
    const square = factor * rowSquare(x, own, p * d, d, found.square / factor);
    means.work += d;
    if (square >= found.square) continue;
    found.square = square;
    found.slot = other;
  }
}
