/**
 * The full distance matrix in plain TypeScript: the reference that the faster kernel matches bit by bit. See
 * PairKernels.distanceMatrix.
 *
 * For many columns, squared Euclidean distances are computed as |a|² + |b|² - 2 a·b, after subtracting the mean of all rows: one
 * multiplication and one addition per column instead of three operations. If the result is small compared with |a|² + |b|², it has
 * lost digits and is recomputed from differences. If this happens for most pairs, for example with a few rows very far away,
 * differences are used from the start.
 */
import { plainDistances, squared } from "./distances.js";
import type { F32, F64, Metric, PairKernels } from "./kernels.js";
import { plainMoments } from "./moments.js";

/** The expansion is faster from this many columns on. */
const LEAST_EXPANDED_COLUMNS = 32;

/** The precision in which the products of an expansion are summed; null if differences are used. */
export function expansionOf(metric: Metric, x: F64 | F32, d: number, out: F64 | F32): "f64" | "f32" | null {
  if ((metric !== "euclidean" && metric !== "sqeuclidean") || d < LEAST_EXPANDED_COLUMNS) return null;
  return x.type === "f32" && out.type === "f32" ? "f32" : "f64";
}

/** A square below this share of |a|² + |b|² is recomputed from differences; single precision products keep fewer digits. */
export const NEAR_SHARE = { f64: 0.01, f32: 0.05 };
/** Squares below this can have lost digits to underflow. */
export const LEAST_SQUARE = 1e-290;

export const plainDistanceMatrix: PairKernels["distanceMatrix"] = (metric, x, n, d, ranges, out) => {
  const rows = x.view();
  const kind = expansionOf(metric, x, d, out);
  const centred = kind === null ? null : centredRows(rows, n, d, kind);
  if (kind === null || centred === null || mostAreNear(rows, n, d, centred, NEAR_SHARE[kind])) {
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

/** Rows minus their mean, and their squared norms; rounded to single precision if the products are. */
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

/** Whether the expansion would lose digits for most pairs, tested on a fixed sample of pairs. */
function mostAreNear(x: Float64Array | Float32Array, n: number, d: number, { norms }: Centred, share: number): boolean {
  return sampledNear(n, share, norms, (i, j) => squared(x, i * d, j * d, d));
}

/** Pairs sampled to find out whether most pairs are near. */
const SAMPLED_PAIRS = 256;

/** Whether most of a fixed sample of pairs are near compared with their norms. */
export function sampledNear(n: number, share: number, norms: Float64Array, squareOf: (i: number, j: number) => number): boolean {
  if (n < 2) return true;
  let near = 0;
  for (let t = 0; t < SAMPLED_PAIRS; t++) {
    const i = Math.floor((t * n) / SAMPLED_PAIRS);
    const j = (i + 1 + ((t * 7919) % (n - 1))) % n;
    if (!(squareOf(i, j) >= share * (norms[i]! + norms[j]!) + LEAST_SQUARE)) near++;
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
