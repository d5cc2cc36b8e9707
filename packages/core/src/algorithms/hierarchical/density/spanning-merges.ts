/**
 * Raw merges of single linkage by mutual reachability distance or by plain distance, without a matrix.
 *
 * Euclidean distances of at most MOST_TREE_COLUMNS columns: Borůvka's algorithm with a k-d tree. All other distances: Prim's algorithm,
 * O(n²) distances.
 *
 * A raw merge is (row, row, height). A place is the index of a row in the order of the k-d tree.
 */
import type { Metric } from "../../../kernels/kernels.js";
import type { Instances } from "../../../model/points.js";
import type { Step, Steps } from "../../../steps/index.js";
import { forest, join, rootOf } from "../../../structures/components.js";
import { boxesSquare, boxSquare, type KdTree, kdTree, rowSquare } from "../../../structures/kd-tree.js";
import { distancesOf as measure } from "../../distance-between.js";
import { distanceAt } from "../../given-distances.js";
import { type Neighbours, nearestPlaceSteps } from "../../neighbours/tree-neighbours.js";
import { costOfDistance } from "../../row-distances.js";

/** With more columns, the bounding boxes of the k-d tree almost never save a distance computation. */
export const MOST_TREE_COLUMNS = 40;
/** Number of nearest neighbours per row that are listed for plain distances. With core distances, `minSamples` neighbours are listed. */
const FEW = 4;

/**
 * The raw merges of single linkage.
 * minSamples: the core distance of a row is its distance to the `minSamples`-th nearest neighbour; 0: plain distances without core
 * distances.
 */
export function* spanningMergeSteps(points: Instances, metric: Metric, minSamples: number): Steps<Float64Array> {
  const { n, d, distances, nominal, holes } = points;
  const k = Math.min(minSamples, n - 1);
  const isPlane = (metric === "euclidean" || metric === "sqeuclidean") && !distances && !holes && !nominal?.includes(1);
  if (n < 3 || !isPlane || d > MOST_TREE_COLUMNS || d === 0) {
    const { distancesOf, cost } = rowDistances(points, metric);
    const core = yield* coreDistanceSteps(n, k, distancesOf, cost);
    return yield* primSteps(n, core, distancesOf, cost);
  }
  const tree = kdTree(points);
  const nearby = yield* nearestPlaceSteps(tree, k === 0 ? Math.min(FEW, n - 1) : k);
  const core = coreSquares(tree, nearby, k);
  const edges = yield* boruvkaSteps(tree, core, nearby);
  return rawMerges(edges, tree, core, metric === "euclidean" ? Math.sqrt : (square) => square);
}

/** The squared distance of each row to its k-th nearest neighbour; 0 for k = 0. Same bits as the distance kernels. */
function coreSquares(tree: KdTree, { k: listed, places }: Neighbours, k: number): Float64Array {
  const core = new Float64Array(tree.n);
  if (k > 0) for (let p = 0; p < tree.n; p++) core[p] = squareOf(tree, p, places[p * listed + k - 1]!);
  return core;
}

function rawMerges({ a, b }: SpanningTree, tree: KdTree, core: Float64Array, heightOf: (square: number) => number): Float64Array {
  const raw = new Float64Array(3 * a.length);
  for (let e = 0; e < a.length; e++) {
    const [p, q] = [a[e]!, b[e]!];
    raw[3 * e] = tree.rows[p]!;
    raw[3 * e + 1] = tree.rows[q]!;
    raw[3 * e + 2] = heightOf(Math.max(squareOf(tree, p, q), core[p]!, core[q]!));
  }
  return raw;
}

/**
 * The squared distance between the rows at two places. Adds in the same order as the distance kernels, so that heights have the same bits.
 */
function squareOf({ x, d }: KdTree, p: number, q: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const difference = x[p * d + j]! - x[q * d + j]!;
    sum += difference * difference;
  }
  return sum;
}

/*
 * A minimum spanning tree of mutual reachability distances, without a matrix: Borůvka's rounds with dual-tree searches in a k-d tree.
 *
 * As in the package of McInnes, Healy, Astels 2017. In each round, every tree of the forest finds its shortest edge to another tree. A
 * pair of k-d tree nodes is pruned in two cases: all rows of both nodes are in one tree, or the boxes of the nodes are farther apart than
 * the best edges of the rows of the first node.
 *
 * Departs from the package: each row stores a lower bound of the length of its shortest edge to another tree. The bound stays valid
 * between rounds and only increases, because trees only grow. The search skips groups of rows whose bounds exceed the best edges of their
 * trees.
 */

/** Edges of the spanning tree. `a` and `b` are positions of rows in the order of the k-d tree. */
interface SpanningTree {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

interface State {
  readonly tree: KdTree;
  readonly core: Float64Array;
  readonly nearby: Neighbours;
  readonly of: Int32Array;
  /**
   * `bound`, by place of a row: lower bound of the squared lengths of the row's edges to other trees of the forest. `found`: the place at
   * the other end of an edge with length `bound`; negative if none is known.
   */
  readonly bound: Float64Array;
  readonly found: Int32Array;
  /** By node of the k-d tree: the forest tree that contains all its rows; -1 if its rows are in several trees. */
  readonly whole: Int32Array;
  /** By node of the k-d tree: the least squared core distance and the least `bound` of the rows of the node. */
  readonly leastCore: Float64Array;
  readonly leastBound: Float64Array;
  /**
   * By node of the k-d tree: the largest `best` of the forest trees with rows in the node. Longer edges from the node improve no tree, so
   * the search skips them.
   */
  readonly longest: Float64Array;
  /** The best edge found so far from each tree of the forest to another tree: the places of its two ends, and its squared length. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly best: Float64Array;
  work: number;
}

const WORK_PER_STEP = 4_000_000;

function* boruvkaSteps(tree: KdTree, core: Float64Array, nearby: Neighbours): Generator<Step, SpanningTree, void> {
  const { n } = tree;
  const state = openState(tree, core, nearby);
  const blocks = blocksOf(tree);
  const trees = forest(n);
  const edges = { a: new Int32Array(n - 1), b: new Int32Array(n - 1) };
  const order = placesByRow(tree);
  let made = joinDenser(state, order, trees, edges);
  while (made < n - 1) {
    beginRound(state, trees);
    for (const block of blocks) {
      searchPair(state, block, 0, 0);
      if (state.work < WORK_PER_STEP) continue;
      state.work = 0;
      yield { phase: "spanning tree", done: made, total: n - 1 };
    }
    for (const t of order) {
      if (state.best[t] === Infinity || !join(trees, state.from[t]!, state.to[t]!)) continue;
      edges.a[made] = state.from[t]!;
      edges.b[made] = state.to[t]!;
      made++;
    }
    endRound(state);
  }
  return edges;
}

function openState(tree: KdTree, core: Float64Array, nearby: Neighbours): State {
  const { n, nodes, from, to, second } = tree;
  const leastCore = new Float64Array(nodes).fill(Infinity);
  for (let v = nodes - 1; v >= 0; v--) {
    if (second[v]! >= 0) leastCore[v] = Math.min(leastCore[v + 1]!, leastCore[second[v]!]!);
    else for (let p = from[v]!; p < to[v]!; p++) leastCore[v] = Math.min(leastCore[v]!, core[p]!);
  }
  return {
    tree,
    core,
    nearby,
    leastCore,
    of: new Int32Array(n),
    bound: core.slice(),
    found: new Int32Array(n).fill(-1),
    whole: new Int32Array(nodes),
    leastBound: new Float64Array(nodes),
    longest: new Float64Array(nodes),
    from: new Int32Array(n),
    to: new Int32Array(n),
    best: new Float64Array(n),
    work: 0,
  };
}

function placesByRow({ n, rows }: KdTree): Int32Array {
  const places = new Int32Array(n);
  for (let p = 0; p < n; p++) places[rows[p]!] = p;
  return places;
}

/**
 * Joins each row to its nearest neighbour among those whose core distance is not larger than the row's core distance. No other edge of the
 * row is shorter. Returns the number of edges.
 *
 * These edges come first among edges of equal length, in row order, as in the package. The order decides which of two clusters gets a row
 * between them.
 */
function joinDenser({ core, nearby }: State, order: Int32Array, trees: Int32Array, { a, b }: SpanningTree): number {
  const { k, places } = nearby;
  let made = 0;
  for (const p of order) {
    for (let r = p * k; r < p * k + k; r++) {
      const q = places[r]!;
      if (core[q]! > core[p]!) continue;
      if (join(trees, p, q)) {
        a[made] = p;
        b[made++] = q;
      }
      break;
    }
  }
  return made;
}

const BLOCK = 64;

/**
 * The blocks: k-d tree nodes whose rows search for their shortest edges together. A block has at most BLOCK rows, or is a single leaf.
 * Nodes above the blocks have more rows.
 */
function blocksOf({ from, to, second }: KdTree): number[] {
  const blocks: number[] = [];
  const open = [0];
  while (open.length > 0) {
    const v = open.pop()!;
    if (second[v]! < 0 || to[v]! - from[v]! <= BLOCK) blocks.push(v);
    else open.push(second[v]!, v + 1);
  }
  return blocks;
}

function beginRound(state: State, trees: Int32Array): void {
  const { tree, of, whole, leastBound, longest, best, bound, found } = state;
  const { n, nodes, from, to, second } = tree;
  for (let p = 0; p < n; p++) of[p] = rootOf(trees, p);
  best.fill(Infinity);
  for (let p = 0; p < n; p++) fromNearby(state, p);
  for (let v = nodes - 1; v >= 0; v--) {
    const [one, other] = [v + 1, second[v]!];
    if (other >= 0) {
      whole[v] = whole[one] === whole[other] ? whole[one]! : -1;
      leastBound[v] = Math.min(leastBound[one]!, leastBound[other]!);
      longest[v] = Math.max(longest[one]!, longest[other]!);
      continue;
    }
    whole[v] = of[from[v]!]!;
    leastBound[v] = Infinity;
    longest[v] = 0;
    for (let p = from[v]!; p < to[v]!; p++) {
      if (of[p] !== whole[v]) whole[v] = -1;
      if (found[p]! < 0) leastBound[v] = Math.min(leastBound[v]!, bound[p]!);
      longest[v] = Math.max(longest[v]!, best[of[p]!]!);
    }
  }
}

/** Raises the bounds after a round: every edge from a row to another tree is at least as long as the best edge of the row's own tree. */
function endRound({ tree: { n }, of, best, bound, found }: State): void {
  for (let p = 0; p < n; p++) if (found[p]! < 0 && best[of[p]!]! > bound[p]!) bound[p] = best[of[p]!]!;
}

function offer({ of, best, from, to }: State, p: number, q: number, square: number): void {
  const t = of[p]!;
  if (square >= best[t]!) return;
  best[t] = square;
  from[t] = p;
  to[t] = q;
}

/**
 * Offers the known edges of row p to other trees, without a search: the shortest edge of an earlier round, or the shortest edge to a listed
 * neighbour. Also updates the bound of the row.
 */
function fromNearby(state: State, p: number): void {
  const { core, of, bound, found, nearby } = state;
  if (found[p]! >= 0) {
    if (of[found[p]!] !== of[p]) {
      offer(state, p, found[p]!, bound[p]!);
      return;
    }
    found[p] = -1;
  }
  const { k, places, squares } = nearby;
  const reach = squares[p * k + k - 1]!;
  let nearest = -1;
  let shortest = Infinity;
  for (let r = p * k; r < p * k + k; r++) {
    const q = places[r]!;
    if (of[q] === of[p]) continue;
    const square = Math.max(squares[r]!, core[p]!, core[q]!);
    if (square >= shortest) continue;
    shortest = square;
    nearest = q;
  }
  // Rows outside the list of neighbours are at least as far as the last row of the list.
  if (reach > bound[p]! && shortest > reach) bound[p] = reach;
  if (nearest < 0) return;
  offer(state, p, nearest, shortest);
  if (shortest > Math.max(reach, bound[p]!)) return;
  bound[p] = shortest;
  found[p] = nearest;
}

/**
 * Searches the shortest edges from rows of k-d tree node u to rows of node v in other trees of the forest. Descends into both nodes, nearer
 * children first. least: lower bound of the squared distances between rows of u and rows of v.
 */
function searchPair(state: State, u: number, v: number, least: number): void {
  const { tree, whole, leastCore, leastBound, longest, best } = state;
  const { from, to, second } = tree;
  const mine = whole[u]!;
  if (mine >= 0 && mine === whole[v]) return;
  const limit = mine >= 0 ? best[mine]! : longest[u]!;
  if (least >= limit || leastCore[u]! >= limit || leastCore[v]! >= limit || leastBound[u]! >= limit) return;
  const [isLeaf, isOtherLeaf] = [second[u]! < 0, second[v]! < 0];
  if (isLeaf && isOtherLeaf) {
    searchLeaves(state, u, v);
    return;
  }
  if (isLeaf || (!isOtherLeaf && to[v]! - from[v]! >= to[u]! - from[u]!)) {
    const [near, far] = [boxGap(state, u, v + 1), boxGap(state, u, second[v]!)];
    if (near <= far) {
      searchPair(state, u, v + 1, near);
      searchPair(state, u, second[v]!, far);
    } else {
      searchPair(state, u, second[v]!, far);
      searchPair(state, u, v + 1, near);
    }
    return;
  }
  const [one, other] = [boxGap(state, u + 1, v), boxGap(state, second[u]!, v)];
  if (one <= other) {
    searchPair(state, u + 1, v, one);
    searchPair(state, second[u]!, v, other);
  } else {
    searchPair(state, second[u]!, v, other);
    searchPair(state, u + 1, v, one);
  }
  longest[u] = Math.max(longest[u + 1]!, longest[second[u]!]!);
}

function searchLeaves(state: State, u: number, v: number): void {
  const { tree, core, of, bound, found, best, longest } = state;
  const { d, x, boxes, from, to } = tree;
  const end = to[v]!;
  let most = 0;
  for (let p = from[u]!; p < to[u]!; p++) {
    const mine = of[p]!;
    let limit = best[mine]!;
    if (found[p]! < 0 && bound[p]! < limit && core[p]! < limit && boxSquare(boxes, v * 2 * d, x, p * d, d, limit) < limit) {
      for (let q = from[v]!; q < end; q++) {
        if (of[q] === mine || core[q]! >= limit) continue;
        const square = Math.max(rowSquare(x, p * d, q * d, d, limit), core[p]!, core[q]!);
        if (square >= limit) continue;
        limit = square;
        offer(state, p, q, square);
      }
      state.work += (end - from[v]!) * d;
    }
    state.work += d;
    if (best[mine]! > most) most = best[mine]!;
  }
  longest[u] = most;
}

function boxGap(state: State, u: number, v: number): number {
  const { d, boxes } = state.tree;
  state.work += d;
  return boxesSquare(boxes, u, v, d);
}

/*
 * A minimum spanning tree of mutual reachability distances by Prim's algorithm. When a row joins the tree, its distances to all other rows
 * are computed. Memory is O(n). Time is O(n²) distances, for any number of columns. Used for tables with many columns, and for metrics that
 * k-d trees do not support.
 */

export type DistancesOf = (row: number, into: Float64Array) => void;

/**
 * The core distances: the distance of each row to its k-th nearest other row; all 0 for k = 0. cost: numbers read to compute one distance.
 */
function* coreDistanceSteps(n: number, k: number, distancesOf: DistancesOf, cost: number): Generator<Step, Float64Array, void> {
  const core = new Float64Array(n);
  if (k === 0) return core;
  const distances = new Float64Array(n);
  const nearest = new Float64Array(k);
  const every = Math.max(1, Math.floor(WORK_PER_STEP / (n * cost)));
  for (let row = 0; row < n; row++) {
    if (row % every === 0) yield { phase: "neighbours", done: row, total: n };
    distancesOf(row, distances);
    nearest.fill(Infinity);
    for (let i = 0; i < n; i++) {
      const value = distances[i]!;
      if (i === row || value >= nearest[k - 1]!) continue;
      let p = k - 1;
      for (; p > 0 && nearest[p - 1]! > value; p--) nearest[p] = nearest[p - 1]!;
      nearest[p] = value;
    }
    core[row] = nearest[k - 1]!;
  }
  return core;
}

/**
 * Prim's algorithm. Returns the edges of the spanning tree as raw merges: the two rows of each edge, and its length. core: the core
 * distance of each row.
 */
function* primSteps(n: number, core: Float64Array, distancesOf: DistancesOf, cost: number): Generator<Step, Float64Array, void> {
  const merges = new Float64Array(3 * Math.max(0, n - 1));
  const distances = new Float64Array(n);
  const nearest = new Float64Array(n).fill(Infinity);
  const beside = new Int32Array(n);
  const outside = new Int32Array(n);
  for (let i = 0; i < n; i++) outside[i] = i;
  const every = Math.max(1, Math.floor(WORK_PER_STEP / (n * cost)));
  let left = n;
  let at = 0;
  for (let made = 0; left > 1; made++) {
    if (made % every === 0) yield { phase: "spanning tree", done: made, total: n - 1 };
    const row = outside[at]!;
    outside[at] = outside[--left]!;
    distancesOf(row, distances);
    at = 0;
    for (let p = 0; p < left; p++) {
      const i = outside[p]!;
      const length = Math.max(distances[i]!, core[row]!, core[i]!);
      if (length < nearest[i]!) {
        nearest[i] = length;
        beside[i] = row;
      }
      if (nearest[i]! < nearest[outside[at]!]! || (nearest[i] === nearest[outside[at]!] && i < outside[at]!)) at = p;
    }
    merges.set([beside[outside[at]!]!, outside[at]!, nearest[outside[at]!]!], 3 * made);
  }
  return merges;
}

/* The distances of one row to all rows, for every metric, without a matrix. */

interface RowDistances {
  readonly distancesOf: DistancesOf;
  /** Numbers read to compute one distance. Loops yield after a number of reads. */
  readonly cost: number;
}

function rowDistances(points: Instances, metric: Metric): RowDistances {
  const { n, distances } = points;
  if (distances) {
    const of: DistancesOf = (row, into) => {
      for (let i = 0; i < n; i++) into[i] = i === row ? 0 : distanceAt(distances, n, row, i);
    };
    return { distancesOf: of, cost: 2 };
  }
  const { between } = measure(points, metric);
  const distancesOf: DistancesOf = (row, into) => {
    for (let i = 0; i < n; i++) into[i] = between(row, i);
  };
  return { distancesOf, cost: costOfDistance(points) };
}
