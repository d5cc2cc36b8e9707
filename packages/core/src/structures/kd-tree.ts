/**
 * A k-d tree: rows in boxes, split at the median of the widest column. Fast for searches in few columns.
 *
 * The rows are copied in tree order, so the rows of a node are contiguous. Boxes are the bounding boxes of their rows. Distances
 * are squared.
 */
import type { Points } from "../model/points.js";

/** A k-d tree. Its nodes are numbered from the root (0) in preorder. */
export interface KdTree {
  readonly n: number;
  readonly d: number;
  /** `x`: the rows in tree order, n x d, row-major. `rows`: their numbers in the table. */
  readonly x: Float64Array;
  readonly rows: Int32Array;
  /** Node v contains the rows at positions from[v] … to[v] - 1 of the tree order. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The second child of a node, -1 for a leaf. The first child of v is v + 1. */
  readonly second: Int32Array;
  /** The bounding box of each node: the minima of all columns, then the maxima. */
  readonly boxes: Float64Array;
  readonly nodes: number;
}

const LEAF = 32;

export function kdTree({ n, d, x }: Points): KdTree {
  const rows = new Int32Array(n);
  for (let i = 0; i < n; i++) rows[i] = i;
  const most = Math.max(1, 4 * Math.ceil(n / (LEAF / 2)));
  const from = new Int32Array(most);
  const to = new Int32Array(most);
  const second = new Int32Array(most).fill(-1);
  const boxes = new Float64Array(most * 2 * d);
  let nodes = 0;
  const grow = (low: number, high: number): void => {
    const node = nodes++;
    from[node] = low;
    to[node] = high;
    const column = fitBox(boxes, node, x, d, rows, low, high);
    if (high - low <= LEAF) return;
    const middle = (low + high) >>> 1;
    if (column >= 0) selectRow(rows, byColumn(x, d, column), low, high - 1, middle);
    grow(low, middle);
    second[node] = nodes;
    grow(middle, high);
  };
  if (n > 0) grow(0, n);
  const ordered = new Float64Array(n * d);
  for (let p = 0; p < n; p++) for (let j = 0, a = rows[p]! * d, b = p * d; j < d; j++) ordered[b + j] = x[a + j]!;
  return {
    n,
    d,
    x: ordered,
    rows,
    from: from.slice(0, nodes),
    to: to.slice(0, nodes),
    second: second.slice(0, nodes),
    boxes: boxes.slice(0, nodes * 2 * d),
    nodes,
  };
}

/** Writes the bounding box of the given rows. Returns its widest column, -1 if all rows are equal. */
function fitBox(
  boxes: Float64Array,
  node: number,
  x: Float64Array,
  d: number,
  rows: Int32Array,
  low: number,
  high: number,
): number {
  const at = node * 2 * d;
  boxes.fill(Infinity, at, at + d).fill(-Infinity, at + d, at + 2 * d);
  for (let p = low; p < high; p++) {
    for (let j = 0, a = rows[p]! * d; j < d; j++) {
      const value = x[a + j]!;
      if (value < boxes[at + j]!) boxes[at + j] = value;
      if (value > boxes[at + d + j]!) boxes[at + d + j] = value;
    }
  }
  let widest = -1;
  let width = 0;
  for (let j = 0; j < d; j++) {
    if (boxes[at + d + j]! - boxes[at + j]! <= width) continue;
    widest = j;
    width = boxes[at + d + j]! - boxes[at + j]!;
  }
  return widest;
}

/** The order of rows by the values of a column; rows with equal values are in order of their numbers. */
function byColumn(x: Float64Array, d: number, column: number): (i: number, j: number) => boolean {
  return (i, j) => {
    const [a, b] = [x[i * d + column]!, x[j * d + column]!];
    return a < b || (a === b && i < j);
  };
}

/**
 * Quickselect: reorders positions low … high by `isBefore`. Afterwards, position `middle` holds the same row as after a full sort, and rows
 * that come before it have lower positions.
 */
export function selectRow(
  rows: Int32Array,
  isBefore: (row: number, other: number) => boolean,
  low: number,
  high: number,
  middle: number,
): void {
  while (low < high) {
    const pivot = rows[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (isBefore(rows[i]!, pivot)) i++;
      while (isBefore(pivot, rows[j]!)) j--;
      if (i > j) break;
      const swapped = rows[i]!;
      rows[i++] = rows[j]!;
      rows[j--] = swapped;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

/** The parent of each node; 0 for the root. */
export function parentsOf({ nodes, second }: KdTree): Int32Array {
  const parent = new Int32Array(nodes);
  for (let v = 0; v < nodes; v++) {
    if (second[v]! < 0) continue;
    parent[v + 1] = v;
    parent[second[v]!] = v;
  }
  return parent;
}

/** The squared distance from a row to a box. If the distance exceeds `limit`, returns any number above `limit`. */
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

/** The squared distance of two rows. If the distance exceeds `limit`, returns any number above `limit`. */
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

export function boxesSquare(boxes: Float64Array, u: number, v: number, d: number): number {
  let sum = 0;
  for (let j = 0, a = u * 2 * d, b = v * 2 * d; j < d; j++) {
    const gap = Math.max(boxes[b + j]! - boxes[a + d + j]!, boxes[a + j]! - boxes[b + d + j]!, 0);
    sum += gap * gap;
  }
  return sum;
}
