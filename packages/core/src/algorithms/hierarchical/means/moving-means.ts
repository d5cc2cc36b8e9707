/**
 * Clusters by their means, in a k-d tree that follows them as they merge.
 *
 * A merged cluster takes the place of one of its two, and the boxes above it grow to hold its mean; the other's place is dead. When a quarter of the
 * places is dead, the tree is built anew from those that live. So memory grows with the rows alone.
 */
import type { Points } from "../../../model/points.js";
import { boxSquare, type KdTree, kdTree, parentsOf, rowSquare } from "../../../structures/kd-tree.js";

export interface MovingMeans {
  readonly d: number;
  /** Rows of the cluster that a slot stands for, 0 once it is merged away. */
  readonly sizes: Int32Array;
  /** Whether clusters are as far as Ward has it, so that large ones are farther. */
  readonly isWard: boolean;
  /** Numbers that were read. */
  work: number;
  live: number;
  /** The k-d tree of the places, which holds their means. */
  tree: KdTree;
  /** The slot of each place, and the place of each slot. */
  slots: Int32Array;
  readonly places: Int32Array;
  parent: Int32Array;
  leafOf: Int32Array;
  /** By node: places that live, and the least size of them or less. */
  alive: Int32Array;
  least: Int32Array;
}

/** Below this many clusters a new tree is not worth building. */
const LEAST_TREE = 64;

export function openMeans({ n, d, x }: Points, isWard: boolean): MovingMeans {
  const slots = new Int32Array(n);
  for (let i = 0; i < n; i++) slots[i] = i;
  const means = { d, sizes: new Int32Array(n).fill(1), isWard, work: 0, live: n, places: new Int32Array(n) };
  return plant(means, slots, x);
}

type Planted = "tree" | "slots" | "parent" | "leafOf" | "alive" | "least";

/** Builds the tree of some slots, whose means stand side by side in x. */
function plant<Means extends Omit<MovingMeans, Planted>>(means: Means, slots: Int32Array, x: Float64Array): Means & MovingMeans {
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

/** Merges the cluster of slot `gone` into that of slot `kept`; its mean is the mean of both, or halfway between them. */
export function mergeMeans(means: MovingMeans, gone: number, kept: number, isHalfway: boolean): void {
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
  if (means.live >= LEAST_TREE && 4 * means.live < 3 * means.slots.length) replant(means);
}

function growBox(boxes: Float64Array, at: number, x: Float64Array, own: number, d: number): void {
  for (let j = 0; j < d; j++) {
    const value = x[own + j]!;
    if (value < boxes[at + j]!) boxes[at + j] = value;
    if (value > boxes[at + d + j]!) boxes[at + d + j] = value;
  }
}

function replant(means: MovingMeans): void {
  const { d, sizes, slots, live } = means;
  const left = new Int32Array(live);
  const x = new Float64Array(live * d);
  let count = 0;
  for (let p = 0; p < slots.length; p++) {
    if (sizes[slots[p]!] === 0) continue;
    x.set(means.tree.x.subarray(p * d, p * d + d), count * d);
    left[count++] = slots[p]!;
  }
  plant(means, left, x);
}

export interface Nearest {
  /** -1 if no cluster is at a finite distance. */
  slot: number;
  /** The squared distance of the linkage. */
  square: number;
}

const open = new Int32Array(256);
const bounds = new Float64Array(256);

/** The nearest other cluster of a slot: first in its own leaf, then in what is beside it on the way to the root. */
export function nearestMean(means: MovingMeans, slot: number, found: Nearest): void {
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

/** No cluster below a node is nearer; Infinity where none lives. */
function boundOf(means: MovingMeans, slot: number, v: number): number {
  const { d, sizes, alive, least, isWard, places } = means;
  if (alive[v] === 0) return Infinity;
  const { boxes, x } = means.tree;
  means.work += d;
  return factorOf(isWard, sizes[slot]!, least[v]!) * boxSquare(boxes, v * 2 * d, x, places[slot]! * d, d, Infinity);
}

/** Twice the sum of squares that a merge adds, per squared distance of the means: Ward's distance, squared. */
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
