/** The nearest neighbours of every row, from a k-d tree; the lower row on ties. */
import type { Points } from "../../model/points.js";
import type { Step, Steps } from "../../steps/index.js";
import { boxesSquare, boxSquare, type KdTree, kdTree, parentsOf, rowSquare } from "../../structures/kd-tree.js";

/** Numbers read between two pauses. */
const WORK_PER_STEP = 4e6;

/** Stack for the traversal of a k-d tree. At most one node waits at each depth, and a tree of 2³¹ rows has fewer than 256 levels. */
const open = new Int32Array(256);

const least = new Float64Array(256);

export interface Neighbours {
  readonly k: number;
  /** The k nearest rows of each row, nearest first, n x k. Rows are given by their places, the indices in the k-d tree. */
  readonly places: Int32Array;
  /** The squared distances to the rows in `places`, n x k. */
  readonly squares: Float64Array;
}

/** The rows of a leaf search together: first in their own leaf, then in the sibling subtrees on the path to the root. */
export function* nearestPlaceSteps(tree: KdTree, k: number): Generator<Step, Neighbours, void> {
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

/** Searches neighbours for the rows of a leaf in all leaves below a node, nearer boxes first. Returns how many numbers it read. */
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
    if (bound > limit) continue;
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

function longestOf({ from, to }: KdTree, { k, squares }: Neighbours, leaf: number): number {
  let longest = 0;
  for (let p = from[leaf]!; p < to[leaf]!; p++) if (squares[p * k + k - 1]! > longest) longest = squares[p * k + k - 1]!;
  return longest;
}

function searchLeaf(
  { d, x, rows, from, to, boxes }: KdTree,
  { k, places, squares }: Neighbours,
  leaf: number,
  v: number,
): number {
  const end = to[v]!;
  const first = from[v]!;
  let work = 0;
  for (let p = from[leaf]!; p < to[leaf]!; p++) {
    const last = p * k + k - 1;
    work += d;
    let limit = squares[last]!;
    if (leaf !== v && boxSquare(boxes, v * 2 * d, x, p * d, d, limit) > limit) continue;
    work += (end - first) * d;
    for (let q = first; q < end; q++) {
      if (q === p) continue;
      const square = rowSquare(x, p * d, q * d, d, limit);
      if (square > limit) continue;
      insert(rows, places, squares, p * k, k, q, square);
      limit = squares[last]!;
    }
  }
  return work;
}

function insert(
  rows: Int32Array,
  places: Int32Array,
  squares: Float64Array,
  at: number,
  k: number,
  place: number,
  square: number,
): void {
  const isBefore = (p: number): boolean =>
    squares[p]! > square || (squares[p] === square && (places[p]! < 0 || rows[places[p]!]! > rows[place]!));
  let p = at + k - 1;
  if (!isBefore(p)) return;
  while (p > at && isBefore(p - 1)) {
    squares[p] = squares[p - 1]!;
    places[p] = places[p - 1]!;
    p--;
  }
  squares[p] = square;
  places[p] = place;
}

/** The k nearest rows of each row of a table as row numbers, nearest first, and their squared distances. */
export function* nearestInTreeSteps(points: Points, k: number): Steps<{ rows: Int32Array; squares: Float64Array }> {
  const tree = kdTree(points);
  const { places, squares } = yield* nearestPlaceSteps(tree, k);
  const found = { rows: new Int32Array(places.length), squares: new Float64Array(places.length) };
  for (let p = 0; p < tree.n; p++) {
    const at = tree.rows[p]! * k;
    for (let r = 0; r < k; r++) found.rows[at + r] = tree.rows[places[p * k + r]!]!;
    found.squares.set(squares.subarray(p * k, (p + 1) * k), at);
  }
  return found;
}
