/** The nearest neighbours of every row, by a k-d tree. */
import type { Step } from "../../../steps/index.js";
import { boxesSquare, boxSquare, type KdTree, parentsOf, rowSquare } from "../../../structures/kd-tree.js";

/** By place in the tree. */
export interface Neighbours {
  readonly k: number;
  /** The k nearest other places of each, the nearest first. */
  readonly places: Int32Array;
  /** Squared distances to them. */
  readonly squares: Float64Array;
}

/** Multiplications of one step. */
const WORK_PER_STEP = 4_000_000;

/** The rows of a leaf search together: first in their own leaf, then in what is beside it on the way to the root. */
export function* neighbourSteps(tree: KdTree, k: number): Generator<Step, Neighbours, void> {
  const { n, nodes, second } = tree;
  const found: Neighbours = { k, places: new Int32Array(n * k).fill(-1), squares: new Float64Array(n * k).fill(Infinity) };
  const parent = parentsOf(tree);
  let work = 0;
  for (let leaf = 0; leaf < nodes; leaf++) {
    if (second[leaf]! >= 0) continue;
    if (work > WORK_PER_STEP) {
      work = 0;
      yield { phase: "neighbours", done: tree.from[leaf]!, total: n };
    }
    work += searchLeaf(tree, found, leaf, leaf);
    for (let node = leaf; node > 0; node = parent[node]!) {
      const above = parent[node]!;
      work += searchBelow(tree, found, leaf, node === above + 1 ? second[above]! : above + 1);
    }
  }
  return found;
}

/** A tree of 2³¹ rows is less deep than this, and one node waits at each depth. */
const open = new Int32Array(256);
const least = new Float64Array(256);

/** Searches from a leaf in all leaves below a node, nearer boxes first. Returns the work in numbers that were read. */
function searchBelow(tree: KdTree, found: Neighbours, leaf: number, node: number): number {
  const { d, second, boxes } = tree;
  let work = d;
  let depth = 0;
  open[0] = node;
  least[0] = boxesSquare(boxes, leaf, node, d);
  let limit = longestOf(tree, found, leaf);
  while (depth >= 0) {
    const v = open[depth]!;
    const bound = least[depth--]!;
    if (bound >= limit) continue;
    const other = second[v]!;
    if (other < 0) {
      work += searchLeaf(tree, found, leaf, v);
      limit = longestOf(tree, found, leaf);
      continue;
    }
    const [one, two] = [boxesSquare(boxes, leaf, v + 1, d), boxesSquare(boxes, leaf, other, d)];
    work += 2 * d;
    const isFirstNear = one <= two;
    open[++depth] = isFirstNear ? other : v + 1;
    least[depth] = isFirstNear ? two : one;
    open[++depth] = isFirstNear ? v + 1 : other;
    least[depth] = isFirstNear ? one : two;
  }
  return work;
}

/** The farthest of the neighbours that the rows of a leaf have so far. */
function longestOf({ from, to }: KdTree, { k, squares }: Neighbours, leaf: number): number {
  let longest = 0;
  for (let p = from[leaf]!; p < to[leaf]!; p++) if (squares[p * k + k - 1]! > longest) longest = squares[p * k + k - 1]!;
  return longest;
}

function searchLeaf({ d, x, from, to, boxes }: KdTree, { k, places, squares }: Neighbours, leaf: number, v: number): number {
  const end = to[v]!;
  const first = from[v]!;
  let work = 0;
  for (let p = from[leaf]!; p < to[leaf]!; p++) {
    const last = p * k + k - 1;
    work += d;
    let limit = squares[last]!;
    if (leaf !== v && boxSquare(boxes, v * 2 * d, x, p * d, d, limit) >= limit) continue;
    work += (end - first) * d;
    for (let q = first; q < end; q++) {
      if (q === p) continue;
      const square = rowSquare(x, p * d, q * d, d, limit);
      if (square >= limit) continue;
      insert(places, squares, p * k, k, q, square);
      limit = squares[last]!;
    }
  }
  return work;
}

/** Keeps the list sorted; the last one falls out. */
function insert(places: Int32Array, squares: Float64Array, at: number, k: number, place: number, square: number): void {
  let p = at + k - 1;
  while (p > at && squares[p - 1]! > square) {
    squares[p] = squares[p - 1]!;
    places[p] = places[p - 1]!;
    p--;
  }
  squares[p] = square;
  places[p] = place;
}
