/**
 * Rows in boxes: a binary tree in which each node holds a stretch of rows and the smallest box around them. Two boxes bound the
 * distance of every row in one to every row in the other, so that whole stretches of pairs are decided at once.
 *
 * Bounds hold to the bit: differences, squares and sums of a box are rounded in the same order as those of two rows, and
 * rounding never turns an order around.
 */
import { upTo } from "../linalg/indices.js";
import type { Points } from "../model/points.js";

/** Nodes are numbered from the root, 0, each before its parts. Distances are squared. */
export interface BoxTree {
  /** The rows, those of a node side by side. */
  readonly rows: Int32Array;
  /** Node v holds `rows[from[v]] … rows[to[v] - 1]`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The second part of a node, -1 for a leaf; the first part of v is v + 1. */
  readonly second: Int32Array;
  least(u: number, v: number): number;
  most(u: number, v: number): number;
  distance(row: number, other: number): number;
}

/** Rows in a leaf. */
const LEAF = 12;

export function boxTree({ n, d, x }: Points): BoxTree {
  const rows = upTo(n);
  const from: number[] = [];
  const to: number[] = [];
  const second: number[] = [];
  const bounds: Float64Array[] = [];
  const grow = (low: number, high: number): void => {
    const node = from.length;
    const box = boxOf(x, d, rows, low, high);
    from.push(low);
    to.push(high);
    second.push(-1);
    bounds.push(box);
    const column = widest(box, d);
    if (high - low <= LEAF || box[d + column] === box[column]) return;
    // Sorted by the widest column, equals by row: the same tree in every engine.
    rows.subarray(low, high).sort((i, j) => x[i * d + column]! - x[j * d + column]! || i - j);
    const middle = (low + high) >>> 1;
    grow(low, middle);
    second[node] = from.length;
    grow(middle, high);
  };
  if (n > 0) grow(0, n);
  const boxes = new Float64Array(bounds.length * 2 * d);
  bounds.forEach((box, v) => {
    boxes.set(box, v * 2 * d);
  });
  return {
    rows,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    second: Int32Array.from(second),
    ...measures(x, d, boxes),
  };
}

/** The least values of all columns, then the largest. */
function boxOf(x: Float64Array, d: number, rows: Int32Array, low: number, high: number): Float64Array {
  const box = new Float64Array(2 * d);
  box.fill(Infinity, 0, d).fill(-Infinity, d);
  for (let p = low; p < high; p++) {
    const at = rows[p]! * d;
    for (let j = 0; j < d; j++) {
      const value = x[at + j]!;
      if (value < box[j]!) box[j] = value;
      if (value > box[d + j]!) box[d + j] = value;
    }
  }
  return box;
}

function widest(box: Float64Array, d: number): number {
  let best = 0;
  for (let j = 1; j < d; j++) if (box[d + j]! - box[j]! > box[d + best]! - box[best]!) best = j;
  return best;
}

function measures(x: Float64Array, d: number, boxes: Float64Array): Pick<BoxTree, "least" | "most" | "distance"> {
  return {
    least(u, v) {
      let sum = 0;
      for (let j = 0, a = u * 2 * d, b = v * 2 * d; j < d; j++) {
        const gap = Math.max(0, boxes[b + j]! - boxes[a + d + j]!, boxes[a + j]! - boxes[b + d + j]!);
        sum += gap * gap;
      }
      return sum;
    },
    most(u, v) {
      let sum = 0;
      for (let j = 0, a = u * 2 * d, b = v * 2 * d; j < d; j++) {
        const reach = Math.max(boxes[b + d + j]! - boxes[a + j]!, boxes[a + d + j]! - boxes[b + j]!);
        sum += reach * reach;
      }
      return sum;
    },
    distance(row, other) {
      let sum = 0;
      for (let j = 0, a = row * d, b = other * d; j < d; j++) {
        const difference = x[a + j]! - x[b + j]!;
        sum += difference * difference;
      }
      return sum;
    },
  };
}

/** The parts of two nodes, or of one with itself, as pairs of nodes: each pair of rows is in one of them. */
export function eachPart({ from, to, second }: BoxTree, u: number, v: number, visit: (u: number, v: number) => void): void {
  if (u === v) {
    visit(u + 1, u + 1);
    visit(second[u]!, second[u]!);
    visit(u + 1, second[u]!);
  } else if (second[v] === -1 || (second[u] !== -1 && to[u]! - from[u]! >= to[v]! - from[v]!)) {
    visit(u + 1, v);
    visit(second[u]!, v);
  } else {
    visit(u, v + 1);
    visit(u, second[v]!);
  }
}

/** Every pair of rows, one of each node; of one node with itself, each once. */
export function eachPair({ rows, from, to }: BoxTree, u: number, v: number, act: (row: number, other: number) => void): void {
  for (let p = from[u]!; p < to[u]!; p++) {
    for (let q = u === v ? p + 1 : from[v]!; q < to[v]!; q++) act(rows[p]!, rows[q]!);
  }
}
