/**
 * The m leading eigenvectors of a symmetric matrix, by subspace iteration. Each iteration multiplies a basis of vectors by the matrix,
 * makes it orthonormal, and takes the best approximations of eigenvectors in its span (Rayleigh-Ritz step). Up to 32 rows the subspace is
 * the whole space, and the first step is exact. Nothing is random.
 *
 * Cost: each iteration multiplies the matrix twice with each of max(32, 2 m) vectors. Source: Saad: Numerical Methods for Large Eigenvalue
 * Problems. 2011, chapter 5.
 */
import { type Kernels, plainKernels } from "../../kernels/index.js";
import type { Steps } from "../../steps/index.js";

const LIMITS = { subspace: 32, iterations: 300 } as const;

export function* leadingSteps(
  matrix: Float64Array,
  size: number,
  m: number,
  kernels: Kernels = plainKernels,
): Steps<{ readonly values: number[]; readonly vectors: Float64Array[] }> {
  const block = Math.min(size, Math.max(LIMITS.subspace, 2 * m));
  let basis = widestAxes(matrix, size, block);
  let values: number[] = [];
  for (let iteration = 0; iteration < LIMITS.iterations; iteration++) {
    const before = values;
    const images = multiplied(matrix, size, basis, kernels);
    ({ values, basis } = ritz(basis, images));
    if (block === size) break;
    const moved = values.slice(0, m).some((value, c) => Math.abs(value - (before[c] ?? 0)) > 1e-13 * Math.abs(values[0]!));
    if (!moved) break;
    yield { phase: "map", done: iteration, total: null };
    basis = orthonormal(multiplied(matrix, size, basis, kernels));
  }
  return { values, vectors: basis.slice(0, m) };
}

function widestAxes(matrix: Float64Array, size: number, block: number): Float64Array[] {
  const axes = Array.from({ length: size }, (_, j) => j)
    .sort((a, b) => matrix[b * size + b]! - matrix[a * size + a]! || a - b)
    .slice(0, block)
    .sort((a, b) => a - b);
  return axes.map((axis) => {
    const vector = new Float64Array(size);
    vector[axis] = 1;
    return vector;
  });
}

function multiplied(matrix: Float64Array, size: number, vectors: readonly Float64Array[], kernels: Kernels): Float64Array[] {
  const rows = new Float64Array(vectors.length * size);
  vectors.forEach((vector, v) => {
    rows.set(vector, v * size);
  });
  const images = kernels.projections(rows, vectors.length, matrix, size, size);
  return vectors.map((_, v) => images.subarray(v * size, (v + 1) * size));
}

/**
 * Makes vectors orthonormal by Gram-Schmidt, applied twice for accuracy. Vectors that are linearly dependent on earlier vectors become
 * zero.
 */
export function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const vector of vectors) {
    const scale = Math.sqrt(dot(vector, vector));
    for (let round = 0; round < 2; round++) {
      for (const other of done) subtract(vector, other, dot(vector, other));
    }
    const length = Math.sqrt(dot(vector, vector));
    const factor = length > 1e-12 * scale ? 1 / length : 0;
    done.push(vector.map((value) => value * factor));
  }
  return done;
}

function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let j = 0; j < a.length; j++) s += a[j]! * b[j]!;
  return s;
}

function subtract(a: Float64Array, b: Float64Array, factor: number): void {
  for (let j = 0; j < a.length; j++) a[j]! -= factor * b[j]!;
}

/**
 * Rayleigh-Ritz step: approximates eigenvectors in the span of `basis`, sorted from the largest eigenvalue. `images`: the products of the
 * matrix with the basis vectors.
 */
export function ritz(
  basis: readonly Float64Array[],
  images: readonly Float64Array[],
): { values: number[]; basis: Float64Array[] } {
  const b = basis.length;
  const small = Array.from({ length: b }, (_, i) => Float64Array.from({ length: b }, (_, j) => dot(basis[i]!, images[j]!)));
  const { values, vectors } = jacobi(small);
  const order = values.map((_, i) => i).sort((p, q) => values[q]! - values[p]! || p - q);
  return {
    values: order.map((i) => values[i]!),
    basis: order.map((i) => {
      const vector = new Float64Array(basis[0]?.length ?? 0);
      for (let j = 0; j < b; j++) subtract(vector, basis[j]!, -vectors[j]![i]!);
      return vector;
    }),
  };
}

const SWEEPS = 60;

function jacobi(a: Float64Array[]): { values: number[]; vectors: Float64Array[] } {
  const b = a.length;
  const v = a.map((_, i) => Float64Array.from({ length: b }, (_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let off = 0;
    for (let p = 0; p < b; p++) for (let q = 0; q < p; q++) off += Math.abs(a[p]![q]!);
    if (off === 0) break;
    for (let p = 0; p < b; p++) for (let q = p + 1; q < b; q++) rotate(a, v, p, q);
  }
  return { values: a.map((row, i) => row[i]!), vectors: v };
}

function rotate(a: Float64Array[], v: Float64Array[], p: number, q: number): void {
  const apq = a[p]![q]!;
  const scale = Math.abs(a[p]![p]!) + Math.abs(a[q]![q]!);
  if (Math.abs(apq) <= 1e-18 * scale || apq === 0) {
    a[p]![q] = 0;
    a[q]![p] = 0;
    return;
  }
  const theta = (a[q]![q]! - a[p]![p]!) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let r = 0; r < a.length; r++) {
    const arp = a[r]![p]!;
    const arq = a[r]![q]!;
    a[r]![p] = c * arp - s * arq;
    a[r]![q] = s * arp + c * arq;
  }
  for (let r = 0; r < a.length; r++) {
    const apr = a[p]![r]!;
    const aqr = a[q]![r]!;
    a[p]![r] = c * apr - s * aqr;
    a[q]![r] = s * apr + c * aqr;
    const vrp = v[r]![p]!;
    v[r]![p] = c * vrp - s * v[r]![q]!;
    v[r]![q] = s * vrp + c * v[r]![q]!;
  }
  a[p]![q] = 0;
  a[q]![p] = 0;
}

/** Fixes the arbitrary sign of an eigenvector: negates it if its entry with the largest absolute value is negative. */
export function fixSign(loading: Float64Array): void {
  if (signOf(loading) < 0) negate(loading);
}

/** The sign of the entry with the largest absolute value. The first entry decides if several are equal up to rounding. */
export function signOf(weights: Float64Array): number {
  let most = 0;
  for (const value of weights) most = Math.max(most, Math.abs(value));
  return Math.sign(weights.find((value) => Math.abs(value) >= most * (1 - 1e-9)) ?? 0);
}

export function negate(loading: Float64Array): void {
  for (let j = 0; j < loading.length; j++) loading[j] = -loading[j]!;
}
