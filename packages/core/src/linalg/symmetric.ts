/** Symmetric matrices with a few dozen rows, stored row-major in one array. */
import { EigenvalueDecomposition, Matrix } from "ml-matrix";

/** A pivot below this share of its own diagonal entry is a rounding error. */
const LEAST_PIVOT = 1e-13;

/** The lower triangle L with S = LLᵀ; null if S is not safely positive definite. Reads the lower triangle of S. */
export function cholesky(s: Float64Array, d: number): Float64Array | null {
  const lower = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = s[i * d + j]!;
      for (let m = 0; m < j; m++) rest -= lower[i * d + m]! * lower[j * d + m]!;
      if (i !== j) lower[i * d + j] = rest / lower[j * d + j]!;
      else if (rest > LEAST_PIVOT * s[i * d + i]!) lower[i * d + i] = Math.sqrt(rest);
      else return null;
    }
  }
  return lower;
}

/**
 * The smallest share of a column's diagonal entry that the other columns leave unexplained. Pivoted Cholesky: each step takes the
 * column with the largest share, so the rounding error stays near 1e-15; in a fixed order it would be divided by every small share
 * before. Reads the lower triangle of S, whose diagonal must be positive.
 */
export function leastOwnShare(s: Float64Array, d: number): number {
  const share = new Float64Array(d).fill(1);
  const scale = Float64Array.from({ length: d }, (_, j) => 1 / Math.sqrt(s[j * d + j]!));
  const rows: Float64Array[] = []; // of the triangle, in pivot order
  const taken = new Uint8Array(d);
  for (let step = 0; step < d; step++) {
    let pivot = -1;
    for (let j = 0; j < d; j++) if (!taken[j] && (pivot < 0 || share[j]! > share[pivot]!)) pivot = j;
    const least = share[pivot]!;
    if (!(least > 0) || step === d - 1) return least;
    taken[pivot] = 1;
    const row = new Float64Array(d);
    for (let j = 0; j < d; j++) {
      if (taken[j]) continue;
      let rest = s[Math.max(j, pivot) * d + Math.min(j, pivot)]! * scale[j]! * scale[pivot]!;
      for (const before of rows) rest -= before[j]! * before[pivot]!;
      row[j] = rest / Math.sqrt(least);
      share[j]! -= row[j]! * row[j]!;
    }
    rows.push(row);
  }
  return 1;
}

/** The inverse of a lower triangular matrix, also lower triangular. */
export function invertLower(lower: Float64Array, d: number): Float64Array {
  const inverse = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    inverse[j * d + j] = 1 / lower[j * d + j]!;
    for (let i = j + 1; i < d; i++) {
      let sum = 0;
      for (let m = j; m < i; m++) sum += lower[i * d + m]! * inverse[m * d + j]!;
      inverse[i * d + j] = -sum / lower[i * d + i]!;
    }
  }
  return inverse;
}

/** Eigenvalues, and eigenvectors as the rows of a matrix. Reads the lower triangle. Uses only + - * / and sqrt. */
export function eigen(s: Float64Array, d: number): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const matrix = new Matrix(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      matrix.set(i, j, s[i * d + j]!);
      matrix.set(j, i, s[i * d + j]!);
    }
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const vectors = new Float64Array(d * d);
  for (let e = 0; e < d; e++) for (let j = 0; j < d; j++) vectors[e * d + j] = eigenvectorMatrix.get(j, e);
  return { values: Float64Array.from(realEigenvalues), vectors };
}

/** RᵀR as a full matrix, for an m x d matrix R. */
export function gram(r: Float64Array, m: number, d: number): Float64Array {
  const product = new Float64Array(d * d);
  for (let row = 0; row < m; row++) {
    for (let i = 0; i < d; i++) {
      const factor = r[row * d + i]!;
      if (factor === 0) continue;
      for (let j = 0; j <= i; j++) product[i * d + j]! += factor * r[row * d + j]!;
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) product[j * d + i] = product[i * d + j]!;
  return product;
}
