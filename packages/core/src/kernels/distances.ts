/** Distances between rows in plain TypeScript: the reference that every faster kernel matches bit by bit. See PairKernels.distances. */
import type { Metric, PairKernels } from "./kernels.js";

/** Distance between the rows that start at indices p and q. */
type Pair = (p: number, q: number) => number;

/**
 * The distance between two rows by number, for callers that need a few distances and no matrix; bit-identical to
 * `PairKernels.distances`.
 */
export function distanceBetween(
  metric: Metric,
  x: Float64Array,
  n: number,
  d: number,
  ranges: Float64Array | null,
): (i: number, j: number) => number {
  const pair = pairOf(metric, x, n, d, ranges);
  return (i, j) => (i === j ? 0 : pair(i * d, j * d));
}

export const plainDistances: PairKernels["distances"] = (metric, x, n, d, ranges, from, to, out) => {
  const matrix = out.view();
  const pair = pairOf(metric, x.view(), n, d, ranges?.view() ?? null);
  for (let i = from; i < to; i++) {
    for (let j = 0; j < n; j++) matrix[i * n + j] = i === j ? 0 : pair(i * d, j * d);
  }
};

function pairOf(metric: Metric, x: Float64Array, n: number, d: number, ranges: Float64Array | null): Pair {
  switch (metric) {
    case "euclidean":
      return (p, q) => Math.sqrt(squared(x, p, q, d));
    case "sqeuclidean":
      return (p, q) => squared(x, p, q, d);
    case "hamming":
      return (p, q) => differing(x, p, q, d);
    case "gower": {
      if (ranges === null) throw new Error("Gower's distance needs the ranges of the columns.");
      return (p, q) => gower(x, ranges, p, q, d);
    }
    case "cosine": {
      const { rows, norms } = scaledRows(x, n, d);
      return (p, q) => cosine(rows, norms, p, q, d);
    }
  }
}

/** The squared distance between the rows that start at indices p and q. */
export function squared(x: Float64Array | Float32Array, p: number, q: number, d: number): number {
  return squaredTo(x, p, x, q, d);
}

/** The squared distance between the row of x at index p and the row of y at index q. */
export function squaredTo(
  x: Float64Array | Float32Array,
  p: number,
  y: Float64Array | Float32Array,
  q: number,
  d: number,
): number {
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const t = x[p + f]! - y[q + f]!;
    sum += t * t;
  }
  return sum;
}

export function plainSquares(rows: Float64Array, n: number, centres: Float64Array, k: number, d: number): Float64Array {
  const squares = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) squares[i * k + c] = squaredTo(rows, i * d, centres, c * d, d);
  }
  return squares;
}

function differing(x: Float64Array, p: number, q: number, d: number): number {
  let count = 0;
  for (let f = 0; f < d; f++) if (x[p + f] !== x[q + f]) count++;
  return count;
}

function gower(x: Float64Array, ranges: Float64Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const a = x[p + f]!;
    const b = x[q + f]!;
    const range = ranges[f]!;
    if (range < 0) sum += a === b ? 0 : 1;
    else if (range > 0) sum += Math.abs(a - b) / range;
  }
  return sum / d;
}

const HUGE = 2 ** 500;
const TINY = 2 ** -500;
const DOWN = 2 ** -600;
const UP = 2 ** 600;

/** Rows scaled by a power of two if their squares would overflow or underflow (the cosine does not change), and their norms. */
function scaledRows(x: Float64Array, n: number, d: number): { readonly rows: Float64Array; readonly norms: Float64Array } {
  const rows = new Float64Array(n * d);
  const norms = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let largest = 0;
    for (let p = i * d; p < (i + 1) * d; p++) largest = Math.max(largest, Math.abs(x[p]!));
    const factor = largest > HUGE ? DOWN : largest < TINY ? UP : 1;
    let sum = 0;
    for (let p = i * d; p < (i + 1) * d; p++) {
      const value = x[p]! * factor;
      rows[p] = value;
      sum += value * value;
    }
    norms[i] = Math.sqrt(sum);
  }
  return { rows, norms };
}

/** Below this, a computed cosine distance can belong to equal rows, whose distance must be 0. */
const NEARLY_EQUAL = 2 ** -40;

function cosine(rows: Float64Array, norms: Float64Array, p: number, q: number, d: number): number {
  const a = norms[p / d]!;
  const b = norms[q / d]!;
  if (a === 0 || b === 0) return a === b ? 0 : 1;
  let dot = 0;
  for (let f = 0; f < d; f++) dot += rows[p + f]! * rows[q + f]!;
  const distance = 1 - dot / (a * b);
  if (distance < NEARLY_EQUAL) return distance <= 0 || differing(rows, p, q, d) === 0 ? 0 : distance;
  return Math.min(distance, 2);
}
