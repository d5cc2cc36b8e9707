/** The nearest neighbours of every row, by a k-d tree. */
import type { Step } from "../../../steps/index.js";
import type { KdTree } from "../../../structures/kd-tree.js";

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

export function* neighbourSteps(tree: KdTree, k: number): Generator<Step, Neighbours, void> {
  const { n, d, x, from, to, second, boxes } = tree;
  const places = new Int32Array(n * k).fill(-1);
  const squares = new Float64Array(n * k).fill(Infinity);
  const open = new Int32Array(256);
  const least = new Float64Array(256);
  let work = 0;
  for (let p = 0; p < n; p++) {
    if (work > WORK_PER_STEP) {
      work = 0;
      yield { phase: "neighbours", done: p, total: n };
    }
    const own = p * d;
    const last = p * k + k - 1;
    let depth = 0;
    open[0] = 0;
    least[0] = 0;
    while (depth >= 0) {
      const node = open[depth]!;
      const bound = least[depth--]!;
      if (bound >= squares[last]!) continue;
      const other = second[node]!;
      if (other >= 0) {
        const near = boxSquare(boxes, (node + 1) * 2 * d, x, own, d, squares[last]!);
        const far = boxSquare(boxes, other * 2 * d, x, own, d, squares[last]!);
        work += 2 * d;
        const firstIsNear = near <= far;
        depth++;
        open[depth] = firstIsNear ? other : node + 1;
        least[depth] = firstIsNear ? far : near;
        depth++;
        open[depth] = firstIsNear ? node + 1 : other;
        least[depth] = firstIsNear ? near : far;
        continue;
      }
      const end = to[node]!;
      for (let q = from[node]!; q < end; q++) {
        if (q === p) continue;
        const limit = squares[last]!;
        const square = rowSquare(x, own, q * d, d, limit);
        if (square < limit) insert(places, squares, p * k, k, q, square);
      }
      work += (end - from[node]!) * d;
    }
  }
  return { k, places, squares };
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

/** The squared distance of a row to a box; given up above the limit, where what it returns is above it too. */
export function boxSquare(boxes: Float64Array, at: number, x: Float64Array, own: number, d: number, limit: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const value = x[own + j]!;
    const gap = Math.max(boxes[at + j]! - value, value - boxes[at + d + j]!, 0);
    sum += gap * gap;
    if ((j & 3) === 3 && sum > limit) return sum;
  }
  return sum;
}

/** The squared distance of two rows; given up above the limit, where what it returns is above it too. */
export function rowSquare(x: Float64Array, a: number, b: number, d: number, limit: number): number {
  let sum = 0;
  let j = 0;
  for (; j + 4 <= d; j += 4) {
    const e = x[a + j]! - x[b + j]!;
    const f = x[a + j + 1]! - x[b + j + 1]!;
    const g = x[a + j + 2]! - x[b + j + 2]!;
    const h = x[a + j + 3]! - x[b + j + 3]!;
    sum += e * e + f * f + (g * g + h * h);
    if (sum > limit) return sum;
  }
  for (; j < d; j++) {
    const e = x[a + j]! - x[b + j]!;
    sum += e * e;
  }
  return sum;
}
