/**
 * Ward, centroid and median linkage over cluster means, without a matrix: memory is O(n d).
 *
 * Each cluster stores its nearest cluster, and a priority queue holds these distances. If the nearest cluster changed after the last
 * search, the search runs again. In every pair, the younger cluster was searched while both clusters had their present means. So no pair
 * is closer than the least entry of the queue. This is the generic algorithm of Müllner 2011, with searches in a k-d tree instead of
 * matrix rows. Unlike a nearest-neighbour chain, it is correct for centroids, whose merge heights may decrease.
 *
 * Heights are computed from means, not from the distances before the merge. So their last bits differ from the heights over a matrix, and
 * ties may be broken differently.
 */
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../../structures/heap.js";

import { boxSquare, type KdTree, kdTree, parentsOf, rowSquare } from "../../../structures/kd-tree.js";

/** Minimum number of live clusters for a rebuild of the tree. Below it, a rebuild costs more than it saves. */
const LEAST_TREE = 64;

/** Stacks of `searchBelow`: waiting nodes and their bounds. A k-d tree of 2³¹ rows has fewer than 256 levels. */
const open = new Int32Array(256);

const bounds = new Float64Array(256);

export type MeansLinkage = "ward" | "centroid" | "median";

/** Whether a linkage compares clusters by their means. */
export function isMeansLinkage(kind: unknown): kind is MeansLinkage {
  return kind === "ward" || kind === "centroid" || kind === "median";
}

/** Numbers read between two yields. */
const WORK_PER_STEP = 8_000_000;

interface Queue {
  readonly means: MovingMeans;
  readonly heap: Heap;
  /** Per slot, as of the last search: squared distance to the nearest cluster, and the slot of that cluster. */
  readonly square: Float64Array;
  readonly nearest: Int32Array;
  /** `version`: how often the cluster of a slot changed. `nearestVersion`: the version of the nearest cluster at the last search. */
  readonly version: Int32Array;
  readonly nearestVersion: Int32Array;
  readonly found: Nearest;
  /** All slots below this slot are merged away. */
  lowest: number;
}

/**
 * Raw merges (slot, slot, height) in the order of merging. Each row starts in the slot of its own number; the merged cluster keeps the
 * higher of the two slots.
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

/** The lowest other live slot. Used when squared distances overflow to Infinity, so that no search finds a nearest cluster. */
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
  /** Number of rows in the cluster of each slot. 0 after the cluster was merged away. */
  readonly sizes: Int32Array;
  /** Whether squared distances have Ward's factor, which grows with the cluster sizes. */
  readonly isWard: boolean;
  /** Numbers read since the last yield. */
  work: number;
  live: number;
  /** The k-d tree of the places. It stores the mean at each place. */
  tree: KdTree;
  /** `slots`: the slot at each place. `places`: the place of each slot. */
  slots: Int32Array;
  readonly places: Int32Array;
  parent: Int32Array;
  leafOf: Int32Array;
  /** Per node: the number of live places, and a lower bound of their cluster sizes. */
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

/**
 * Builds the tree over the given slots.
 *
 * x: means of the slots, in the same order, slots x d, row-major.
 */
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
 * Merges the cluster of slot `gone` into the cluster of slot `kept`. The new mean is the mean of all rows, or with `isHalfway` (median
 * linkage) the midpoint of the two means.
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
  /** -1 if no cluster is at a finite distance. */
  slot: number;
  /** The squared linkage distance. */
  square: number;
}

/** Finds the cluster nearest to a slot: first in the leaf of the slot, then in the sibling subtrees on the path to the root. */
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
 * The factor on the squared distance of the means. Ward: 2 s t / (s + t), so the product is twice the increase of the sum of squares,
 * which is Ward's distance squared.
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
