/**
 * Principal components: the directions in which rows spread most, to draw many columns on two axes.
 *
 * One pass over the rows for the covariance, then subspace iteration with a Rayleigh-Ritz step; with up to 32 columns the
 * subspace is the whole space and the first step is exact. Nothing is random and signs are fixed, so a picture never flips.
 */
import type { Points } from "@coterie/core";

export interface PrincipalComponents {
  /** n × m, row-major, around the mean. */
  readonly scores: Float64Array;
  /** Share of the whole spread along each component. */
  readonly share: readonly number[];
  /** For each component, the weight of each of `columns`; the largest is positive. */
  readonly loadings: readonly Float64Array[];
  /** Names of the columns behind the loadings; a level of a nominal column is `column = level`. */
  readonly columns: readonly string[];
}

/** Levels of a nominal column beyond the most common ones are left at the origin, which bounds the covariance. */
const LEVELS = 32;
const SUBSPACE = 32;
const SWEEPS = 60;
const ITERATIONS = 300;

export function principalComponents(
  points: Points & { readonly levels?: readonly (readonly string[] | null)[] },
  m = 2,
): PrincipalComponents {
  const expansion = expand(points);
  const { size } = expansion;
  const { mean, covariance } = spread(points, expansion);
  let total = 0;
  for (let j = 0; j < size; j++) total += covariance[j * size + j]!;
  const { values, vectors } = leading(covariance, size, m);
  const loadings: Float64Array[] = [];
  const share: number[] = [];
  for (let c = 0; c < m; c++) {
    const loading = vectors[c] ?? new Float64Array(size);
    fixSign(loading);
    loadings.push(loading);
    share.push(total > 0 ? Math.max(0, values[c] ?? 0) / total : 0);
  }
  return { scores: project(points, expansion, mean, loadings), share, loadings, columns: expansion.columns };
}

/** How columns become numbers: `at[j]` is the place of a numeric column, or of the levels of a nominal one. */
interface Expansion {
  readonly size: number;
  readonly at: readonly (number | Int32Array)[];
  readonly columns: readonly string[];
}

function expand(points: Points & { readonly levels?: readonly (readonly string[] | null)[] }): Expansion {
  const at: (number | Int32Array)[] = [];
  const columns: string[] = [];
  for (let j = 0; j < points.d; j++) {
    const name = points.names?.[j] ?? `column ${j + 1}`;
    if (points.nominal?.[j] !== 1) {
      at.push(columns.push(name) - 1);
      continue;
    }
    const counts = levelCounts(points, j);
    const place = new Int32Array(counts.length).fill(-1);
    const common = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b).slice(0, LEVELS);
    for (const level of common.sort((a, b) => a - b)) {
      place[level] = columns.push(`${name} = ${points.levels?.[j]?.[level] ?? level}`) - 1;
    }
    at.push(place);
  }
  return { size: columns.length, at, columns };
}

/** Rows per level of a nominal column. */
export function levelCounts({ n, d, x }: Points, column: number): Float64Array {
  let levels = 0;
  for (let i = 0; i < n; i++) levels = Math.max(levels, x[i * d + column]! + 1);
  const counts = new Float64Array(levels);
  for (let i = 0; i < n; i++) counts[x[i * d + column]!]!++;
  return counts;
}

/** One-hot cells weigh 1/√2, so that two rows of different levels are 1 apart. */
function readRow({ d, x }: Points, { at }: Expansion, i: number, row: Float64Array): void {
  row.fill(0);
  for (let j = 0; j < d; j++) {
    const value = x[i * d + j]!;
    const place = at[j]!;
    if (typeof place === "number") row[place] = value;
    else if (place[value]! >= 0) row[place[value]!] = Math.SQRT1_2;
  }
}

/** Rows taken together, so that the covariance is read and written a fourth as often. */
const LANES = 4;

/** Mean and covariance in one pass, shifted by the first row against cancellation. */
function spread(points: Points, expansion: Expansion): { mean: Float64Array; covariance: Float64Array } {
  const { size } = expansion;
  const lanes = Array.from({ length: LANES }, () => new Float64Array(size));
  const shift = new Float64Array(size);
  const sum = new Float64Array(size);
  const covariance = new Float64Array(size * size);
  if (points.n > 0) readRow(points, expansion, 0, shift);
  for (let i = 0; i < points.n; i += LANES) {
    lanes.forEach((row, lane) => {
      if (i + lane >= points.n) row.fill(0);
      else {
        readRow(points, expansion, i + lane, row);
        for (let j = 0; j < size; j++) row[j]! -= shift[j]!;
      }
    });
    accumulate(lanes as [Float64Array, Float64Array, Float64Array, Float64Array], size, sum, covariance);
  }
  const n = Math.max(1, points.n);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      const value = covariance[a * size + b]! / n - (sum[a]! / n) * (sum[b]! / n);
      covariance[a * size + b] = value;
      covariance[b * size + a] = value;
    }
  }
  return { mean: shift.map((value, j) => value + sum[j]! / n), covariance };
}

/** Adds four rows to the sums and to the lower half of the products. */
function accumulate(
  [p, q, r, s]: readonly [Float64Array, Float64Array, Float64Array, Float64Array],
  size: number,
  sum: Float64Array,
  products: Float64Array,
): void {
  for (let a = 0, at = 0; a < size; a++, at += size) {
    const pa = p[a]!;
    const qa = q[a]!;
    const ra = r[a]!;
    const sa = s[a]!;
    sum[a]! += pa + qa + ra + sa;
    for (let b = 0; b <= a; b++) products[at + b]! += pa * p[b]! + qa * q[b]! + ra * r[b]! + sa * s[b]!;
  }
}

function project(points: Points, expansion: Expansion, mean: Float64Array, loadings: readonly Float64Array[]): Float64Array {
  const m = loadings.length;
  const row = new Float64Array(expansion.size);
  const scores = new Float64Array(points.n * m);
  for (let i = 0; i < points.n; i++) {
    readRow(points, expansion, i, row);
    for (let c = 0; c < m; c++) {
      const loading = loadings[c]!;
      let score = 0;
      for (let j = 0; j < row.length; j++) score += (row[j]! - mean[j]!) * loading[j]!;
      scores[i * m + c] = score;
    }
  }
  return scores;
}

/** The m largest eigenvalues of a symmetric matrix, with their vectors. */
export function leading(matrix: Float64Array, size: number, m: number): { values: number[]; vectors: Float64Array[] } {
  const block = Math.min(size, Math.max(SUBSPACE, 2 * m));
  let basis = widestAxes(matrix, size, block);
  let values: number[] = [];
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const before = values;
    const images = basis.map((vector) => multiply(matrix, size, vector));
    ({ values, basis } = ritz(basis, images));
    if (block === size) break;
    const moved = values.slice(0, m).some((value, c) => Math.abs(value - (before[c] ?? 0)) > 1e-13 * Math.abs(values[0]!));
    if (!moved) break;
    basis = orthonormal(basis.map((vector) => multiply(matrix, size, vector)));
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

function multiply(matrix: Float64Array, size: number, vector: Float64Array): Float64Array {
  const image = new Float64Array(size);
  for (let a = 0; a < size; a++) {
    let s = 0;
    for (let b = 0, at = a * size; b < size; b++) s += matrix[at + b]! * vector[b]!;
    image[a] = s;
  }
  return image;
}

/** Gram-Schmidt, twice for safety; a vector that vanishes is left at zero. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
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

/** The best approximations of eigenvectors inside the span of `basis`, largest value first. */
function ritz(basis: readonly Float64Array[], images: readonly Float64Array[]): { values: number[]; basis: Float64Array[] } {
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

/** Eigenvalues and eigenvectors (in columns) of a small symmetric matrix by cyclic Jacobi rotations. */
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

/** The largest weight is positive; among equals within rounding, the first. */
export function fixSign(loading: Float64Array): void {
  let most = 0;
  for (const value of loading) most = Math.max(most, Math.abs(value));
  const lead = loading.find((value) => Math.abs(value) >= most * (1 - 1e-9)) ?? 0;
  if (lead < 0) for (let j = 0; j < loading.length; j++) loading[j] = -loading[j]!;
}
