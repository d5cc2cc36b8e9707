/**
 * The kernels over pairs of rows in plain TypeScript. The faster kernels match these references bit by bit. They compute distances, the
 * full distance matrix, and min-plus products, as kernels.ts defines. Linkages are in linkages.ts.
 */
import type { F32, F64, Metric, PairKernels } from "./kernels.js";
import { plainMoments, squared } from "./rows.js";

type Pair = (p: number, q: number) => number;

/**
 * The distance between two rows, given by their numbers, for callers that need few distances. Returns the same bits as
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

/**
 * Rows for the cosine, and their norms. If the squares of a row would overflow or underflow, the row is multiplied by a power of two. This
 * does not change the cosine.
 */
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

/**
 * Equal rows must have cosine distance 0, but rounding can give a small number. So rows with a computed distance below this number are
 * compared.
 */
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

/*
 * The full distance matrix. See PairKernels.distanceMatrix.
 *
 * For many columns, squared Euclidean distances are computed as |a|² + |b|² - 2 a·b, after subtracting the mean of all rows. This takes one
 * multiplication and one addition per column instead of three operations. If the result is small compared with |a|² + |b|², it has lost
 * digits and is recomputed from differences. If most pairs would lose digits, all distances are computed from differences. An example is a
 * table with a few rows very far away.
 */

/** From this many columns on, expanding the square is faster than differences. */
const LEAST_EXPANDED_COLUMNS = 32;

/** The precision in which products are summed if `distanceMatrix` expands squares; null if it uses differences. */
export function expansionOf(metric: Metric, x: F64 | F32, d: number, out: F64 | F32): "f64" | "f32" | null {
  if ((metric !== "euclidean" && metric !== "sqeuclidean") || d < LEAST_EXPANDED_COLUMNS) return null;
  return x.type === "f32" && out.type === "f32" ? "f32" : "f64";
}

/**
 * An expanded square below this share of |a|² + |b|² is recomputed from differences. Single-precision products lose more digits, so their
 * share is larger.
 */
export const NEAR_SHARE = { f64: 0.01, f32: 0.05 };
/** Squares below this are computed from differences again, because underflow can have removed digits. */
export const LEAST_SQUARE = 1e-290;

export const plainDistanceMatrix: PairKernels["distanceMatrix"] = (metric, x, n, d, ranges, out) => {
  const rows = x.view();
  const kind = expansionOf(metric, x, d, out);
  const centred = kind === null ? null : centredRows(rows, n, d, kind);
  if (kind === null || centred === null || sampledNear(rows, n, d, NEAR_SHARE[kind], centred.norms)) {
    const doubles = x.type === "f64" ? (x as F64) : doubleBlock(rows);
    return { expanded: false, fill: (from, to) => plainDistances(metric, doubles, n, d, ranges, from, to, out) };
  }
  const product = kind === "f64" ? productOf : singleProductOf;
  const square = (i: number, j: number): number => {
    const sum = centred.norms[i]! + centred.norms[j]!;
    const expanded = sum - 2 * product(centred.rows, i * d, j * d, d);
    return expanded >= NEAR_SHARE[kind] * sum + LEAST_SQUARE ? expanded : squared(rows, i * d, j * d, d);
  };
  return {
    expanded: true,
    fill: (from, to) => {
      const matrix = out.view();
      for (let i = from; i < to; i++) {
        matrix[i * n + i] = 0;
        for (let j = i + 1; j < n; j++) {
          const value = metric === "euclidean" ? Math.sqrt(square(i, j)) : square(i, j);
          matrix[i * n + j] = value;
          matrix[j * n + i] = value;
        }
      }
    },
  };
};

function doubleBlock(rows: Float64Array | Float32Array): F64 {
  const doubles = Float64Array.from(rows);
  return { type: "f64", length: doubles.length, view: () => doubles };
}

interface Centred {
  readonly rows: Float64Array | Float32Array;
  readonly norms: Float64Array;
}

/** Rows minus their mean, and their squared norms; in single precision if products are summed in single precision. */
function centredRows(rows: Float64Array | Float32Array, n: number, d: number, kind: "f64" | "f32"): Centred {
  const { mean } = plainMoments(rows, n, d);
  const centred = kind === "f64" ? new Float64Array(n * d) : new Float32Array(n * d);
  const norms = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let f = 0, p = i * d; f < d; f++, p++) {
      centred[p] = rows[p]! - mean[f]!;
      sum += centred[p]! * centred[p]!;
    }
    norms[i] = sum;
  }
  return { rows: centred, norms };
}

/** Number of pairs that `sampledNear` tests. */
const SAMPLED_PAIRS = 256;

/** Whether most pairs are so near that an expansion would lose digits; tested on a fixed sample. */
export function sampledNear(x: Float64Array | Float32Array, n: number, d: number, share: number, norms: Float64Array): boolean {
  if (n < 2) return true;
  let near = 0;
  for (let t = 0; t < SAMPLED_PAIRS; t++) {
    const i = Math.floor((t * n) / SAMPLED_PAIRS);
    const j = (i + 1 + ((t * 7919) % (n - 1))) % n;
    if (!(squared(x, i * d, j * d, d) >= share * (norms[i]! + norms[j]!) + LEAST_SQUARE)) near++;
  }
  return 2 * near > SAMPLED_PAIRS;
}

function productOf(x: Float64Array | Float32Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) sum += x[p + f]! * x[q + f]!;
  return sum;
}

/** Dot product with each product and each sum rounded to single precision. */
function singleProductOf(x: Float64Array | Float32Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) sum = Math.fround(sum + Math.fround(x[p + f]! * x[q + f]!));
  return sum;
}

/** The min-plus product: shortens paths by detours over a few middle rows. See PairKernels.minPlus and minPlusBoth. */

export const plainMinPlus: PairKernels["minPlus"] = (matrix, left, right, n, m, from, to) => {
  for (let i = from; i < to; i++) takeDetours(matrix, left, right, n, m, i, 0);
};

export const plainMinPlusBoth: PairKernels["minPlusBoth"] = (matrix, left, right, n, m, from, to) => {
  const paths = matrix.view();
  for (let i = from; i < to; i++) {
    takeDetours(matrix, left, right, n, m, i, i + 1);
    for (let j = i + 1; j < n; j++) paths[j * n + i] = paths[i * n + j]!;
  }
};

/** Shortens the distances of row i, from column `start` on, by paths that pass through one of m intermediate rows. */
function takeDetours(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, i: number, start: number): void {
  const paths = matrix.view();
  const toMiddle = left.view();
  const fromMiddle = right.view();
  const single = matrix.type === "f32";
  for (let c = 0; c < m; c++) {
    const first = toMiddle[i * m + c]!;
    if (first === Number.POSITIVE_INFINITY) continue;
    for (let j = start, p = i * n + j, q = c * n + j; j < n; j++, p++, q++) {
      const sum = first + fromMiddle[q]!;
      const detour = single ? Math.fround(sum) : sum;
      if (detour < paths[p]!) paths[p] = detour;
    }
  }
}

/** Shortens paths by detours over a few middle rows, with a list of middle rows for each row. See PairKernels.detours. */

export const plainDetours: PairKernels["detours"] = (over, m, n, order) => {
  return {
    shorten(matrix, from, to, start, middle, length) {
      const paths = matrix.view();
      const beyond = over.view().subarray(0, m * n);
      const single = matrix.type === "f32";
      for (let p = from; p < to; p++) {
        const row = order[p]! * n;
        for (let t = start[p - from]!; t < start[p - from + 1]!; t++) {
          const first = length[t]!;
          for (let q = p + 1; q < n; q++) {
            const j = order[q]!;
            const sum = first + beyond[middle[t]! * n + j]!;
            const detour = single ? Math.fround(sum) : sum;
            if (detour < paths[row + j]!) paths[row + j] = detour;
          }
        }
      }
    },
    mirror(matrix, from, to) {
      const paths = matrix.view();
      for (let i = from; i < to; i++) {
        for (let j = 0; j < i; j++) {
          const lesser = Math.min(paths[i * n + j]!, paths[j * n + i]!);
          paths[i * n + j] = lesser;
          paths[j * n + i] = lesser;
        }
      }
    },
  };
};
