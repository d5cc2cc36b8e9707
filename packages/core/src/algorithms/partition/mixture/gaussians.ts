/**
 * Gaussians of a mixture: densities of rows under them (the E-step) and their estimate from memberships (the M-step).
 *
 * Covariances are shrunk, because a cluster often has fewer rows than a covariance has numbers (Friedman: Regularized Discriminant
 * Analysis. 1989). The shared covariance T is shrunk towards the covariance C of all rows. The covariance Σ_c of each cluster is shrunk
 * towards T, and 1% of C is added. With ν = d, S_c the scatter of cluster c, and s_c its weight:
 *
 *   T   = (Σ_c S_c + 0.3 ν C) / (Σ_c s_c + ν)
 *   Σ_c = (S_c + 2 ν T) / (s_c + 2 ν) + 0.01 C
 *
 * Cost of each step: n k d² for full covariances, n (d² + k d) for a shared covariance, n k d for diagonal covariances.
 */
import type { Kernels } from "../../../kernels/index.js";
import { log } from "../../../linalg/elementary.js";
import { cholesky, invertLower } from "../../../linalg/symmetric.js";
import type { GaussianMixture } from "../../../model/result.js";
import type { Steps } from "../../../steps/index.js";

export type Shape = "full" | "diagonal" | "shared";

/** The rows from which a mixture is fitted: n × d numbers minus an origin, and row weights. */
export interface MixtureRows {
  readonly n: number;
  readonly d: number;
  readonly x: Float64Array;
  readonly weights: Float64Array;
  /** A d × d covariance that is added to the covariance of every cluster; null for none. */
  readonly noise: Float64Array | null;
}

export interface Gaussians {
  readonly shape: Shape;
  readonly k: number;
  readonly d: number;
  readonly logShares: Float64Array;
  /** The mean of each Gaussian, k × d. */
  readonly means: Float64Array;
  /** R with Σ^-1 = RᵀR: k × d × d for full, d × d for shared, k × d factors for diagonal. */
  readonly roots: Float64Array;
  readonly logDets: Float64Array;
}

/** The covariance of all rows with a small value added to its diagonal: d × d, or d numbers for diagonal shapes. */
export interface Spread {
  readonly shape: Shape;
  readonly matrix: Float64Array;
}

/** Numbers in a block of rows that one kernel call reads: large enough for an efficient call, and small enough for frequent pauses. */
const BLOCK = 2 ** 15;

function blockRows(d: number): number {
  return Math.max(16, Math.floor(BLOCK / d));
}

/** Share of the mean variance that is added to every variance, so that no variance is 0, even for constant columns. */
const LEAST_VARIANCE = 1e-6;

export function* spreadSteps(rows: MixtureRows, shape: Shape, kernels: Kernels): Steps<Spread> {
  const { n, d } = rows;
  const one = new Float64Array(n).fill(1);
  const mean = meansOf(rows, one, 1).means;
  const flat = shape === "diagonal";
  if (d === 0) return { shape, matrix: new Float64Array(0) };
  const matrix = yield* scatterSteps(rows, one, 1, 0, mean, flat, kernels);
  for (let p = 0; p < matrix.length; p++) matrix[p]! /= n;
  let trace = 0;
  for (let j = 0; j < d; j++) trace += matrix[flat ? j : j * d + j]!;
  const least = trace > 0 ? (LEAST_VARIANCE * trace) / d : 1;
  for (let j = 0; j < d; j++) matrix[flat ? j : j * d + j]! += least;
  return { shape, matrix };
}

const FLOOR = 0.01;

/** The M-step: shares, means and covariances of k Gaussians, from the memberships (n × k) and weights of the rows. */
export function* fitSteps(
  rows: MixtureRows,
  memberships: Float64Array,
  k: number,
  spread: Spread,
  kernels: Kernels,
): Steps<Gaussians> {
  const { d, noise } = rows;
  const { shape, matrix: whole } = spread;
  const flat = shape === "diagonal";
  const { means, sums, total } = meansOf(rows, memberships, k);
  const size = flat ? d : d * d;
  const shared = new Float64Array(size);
  const own: Float64Array[] = [];
  for (let c = 0; c < k && d > 0; c++) {
    const scatter = yield* scatterSteps(rows, memberships, k, c, means, flat, kernels);
    for (let p = 0; p < size; p++) shared[p]! += scatter[p]!;
    if (shape !== "shared") own.push(scatter);
  }
  for (let p = 0; p < size; p++) shared[p] = (shared[p]! + SHARED_PRIOR * d * whole[p]!) / (total + d);
  const logShares = Float64Array.from(sums, (sum) => log((sum + 1) / (total + k)));
  const covariances = shape === "shared" ? [shared] : own.map((scatter, c) => shrunk(scatter, sums[c]!, shared, d));
  const roots = new Float64Array(covariances.length * size);
  const logDets = new Float64Array(k);
  covariances.forEach((covariance, c) => {
    for (let p = 0; p < size; p++) covariance[p]! += FLOOR * whole[p]! + (noise ? noise[flat ? p * (d + 1) : p]! : 0);
    const { root, logDet } = flat ? flatRoot(covariance) : fullRoot(covariance, whole, d);
    roots.set(root, c * size);
    logDets[c] = logDet;
  });
  if (shape === "shared") logDets.fill(logDets[0]!);
  return { shape, k, d, logShares, means, roots, logDets };
}

const SHARED_PRIOR = 0.3;
const OWN_PRIOR = 2;

function shrunk(scatter: Float64Array, sum: number, shared: Float64Array, d: number): Float64Array {
  const prior = OWN_PRIOR * d;
  return scatter.map((value, p) => (value + prior * shared[p]!) / (sum + prior));
}

/** R = L^-1 for Σ = L Lᵀ, and log det Σ. While Σ is not positive definite, more of the variances of all rows is added to its diagonal. */
function fullRoot(covariance: Float64Array, whole: Float64Array, d: number): { root: Float64Array; logDet: number } {
  for (let more = 0; ; more = Math.max(LEAST_VARIANCE, 10 * more)) {
    const sum = more === 0 ? covariance : covariance.map((value, p) => value + (p % (d + 1) === 0 ? more * whole[p]! : 0));
    const lower = cholesky(sum, d);
    if (!lower) continue;
    let logDet = 0;
    for (let j = 0; j < d; j++) logDet += 2 * log(lower[j * d + j]!);
    return { root: invertLower(lower, d), logDet };
  }
}

function flatRoot(variances: Float64Array): { root: Float64Array; logDet: number } {
  return { root: variances.map((variance) => 1 / Math.sqrt(variance)), logDet: variances.reduce((sum, v) => sum + log(v), 0) };
}

/** Rows with a smaller weighted membership in a cluster add nothing to the mean and the scatter of the cluster. */
const LEAST_MEMBERSHIP = 1e-8;

/** The weighted mean of each cluster, the weight of each cluster, and the total weight. An empty cluster gets the mean of all rows. */
function meansOf({ n, d, x, weights }: MixtureRows, memberships: Float64Array, k: number) {
  const means = new Float64Array(k * d);
  const sums = new Float64Array(k);
  const all = new Float64Array(d);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const p = i * d;
    const weight = weights[i]!;
    total += weight;
    for (let j = 0; j < d; j++) all[j]! += weight * x[p + j]!;
    for (let c = 0; c < k; c++) {
      const part = weight * memberships[i * k + c]!;
      if (part < LEAST_MEMBERSHIP) continue;
      sums[c]! += part;
      for (let j = 0, q = c * d; j < d; j++) means[q + j]! += part * x[p + j]!;
    }
  }
  for (let c = 0; c < k; c++)
    for (let j = 0, q = c * d; j < d; j++) means[q + j] = (means[q + j]! + (EMPTY * all[j]!) / total) / (sums[c]! + EMPTY);
  return { means, sums, total };
}

/** Weight of the mean of all rows in each cluster mean. So empty clusters have a mean. */
const EMPTY = 1e-3;

/** The scatter of cluster c, Σ_i w_i q_ic (x_i - μ_c)(x_i - μ_c)ᵀ, as a full symmetric matrix, or only its diagonal. */
function* scatterSteps(
  rows: MixtureRows,
  memberships: Float64Array,
  k: number,
  c: number,
  means: Float64Array,
  flat: boolean,
  kernels: Kernels,
): Steps<Float64Array> {
  const { n, d, x, weights } = rows;
  if (flat) return flatScatter(rows, memberships, k, c, means);
  const arena = kernels.arena();
  try {
    const state = kernels.products(d, arena, 1);
    const most = blockRows(d);
    const block = new Float64Array(most * d);
    let count = 0;
    for (let i = 0; i < n; i++) {
      const part = weights[i]! * memberships[i * k + c]!;
      if (part < LEAST_MEMBERSHIP) continue;
      const root = Math.sqrt(part);
      for (let j = 0, p = i * d, q = count * d, m = c * d; j < d; j++) block[q + j] = root * (x[p + j]! - means[m + j]!);
      if (++count < most) continue;
      state.add(block, count);
      count = 0;
      yield { phase: "covariances", done: i, total: n };
    }
    state.add(block, count);
    const scatter = state.products();
    for (let a = 0; a < d; a++) for (let b = 0; b < a; b++) scatter[b * d + a] = scatter[a * d + b]!;
    return scatter;
  } finally {
    arena.release();
  }
}

function flatScatter({ n, d, x, weights }: MixtureRows, memberships: Float64Array, k: number, c: number, means: Float64Array) {
  const scatter = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    const part = weights[i]! * memberships[i * k + c]!;
    if (part < LEAST_MEMBERSHIP) continue;
    for (let j = 0, p = i * d, m = c * d; j < d; j++) scatter[j]! += part * (x[p + j]! - means[m + j]!) ** 2;
  }
  return scatter;
}

/**
 * Converts Gaussians to the form of results and models. origin: vector that was subtracted from the rows. axes: axes on which the rows were
 * projected, or null.
 */
export function packed(gaussians: Gaussians, origin: Float64Array, axes: readonly Float64Array[] | null): GaussianMixture {
  const { shape, k, d, means, roots } = gaussians;
  const size = shape === "diagonal" ? d : d * d;
  const parts = (all: Float64Array, count: number, length: number) =>
    Array.from({ length: count }, (_, c) => all.slice(c * length, (c + 1) * length));
  return {
    covariance: shape,
    origin,
    axes,
    means: parts(means, k, d),
    roots: parts(roots, roots.length / size, size),
    offsets: [...offsetsOf(gaussians)],
  };
}

export function unpacked({ covariance, means, roots, offsets }: Omit<GaussianMixture, "origin" | "axes">): Gaussians {
  const k = offsets.length;
  const d = means[0]!.length;
  const flat = (parts: readonly ArrayLike<number>[], length: number) => {
    const all = new Float64Array(parts.length * length);
    parts.forEach((part, c) => {
      all.set(part, c * length);
    });
    return all;
  };
  const size = covariance === "diagonal" ? d : d * d;
  // The offsets already contain the log determinants. This value of `logDets` cancels the term d · log(2π) of a Gaussian density.
  const logDets = new Float64Array(k).fill(-d * LOG_2_PI);
  return {
    shape: covariance,
    k,
    d,
    logShares: Float64Array.from(offsets),
    means: flat(means, d),
    roots: flat(roots, size),
    logDets,
  };
}

function offsetsOf({ k, d, logShares, logDets }: Gaussians): Float64Array {
  return Float64Array.from({ length: k }, (_, c) => logShares[c]! - (logDets[c]! + d * LOG_2_PI) / 2);
}

/** The E-step: log(share · density) of each row in each cluster, n × k. */
export function* densitySteps(
  { n, d, x }: Pick<MixtureRows, "n" | "d" | "x">,
  gaussians: Gaussians,
  kernels: Kernels,
): Steps<Float64Array> {
  const { shape, k } = gaussians;
  const scores = new Float64Array(n * k);
  const offset = offsetsOf(gaussians);
  const squares =
    d === 0
      ? () => {}
      : shape === "full"
        ? ownSquares(gaussians, kernels)
        : shape === "shared"
          ? sharedSquares(gaussians, kernels)
          : flatSquares(gaussians);
  const most = blockRows(shape === "full" ? Math.max(d, k * d) : d);
  for (let from = 0; from < n; from += most) {
    const count = Math.min(most, n - from);
    squares(x.subarray(from * d, (from + count) * d), count, scores, from * k);
    for (let p = from * k, c = 0; p < (from + count) * k; p++) {
      scores[p] = offset[c]! - scores[p]! / 2;
      if (++c === k) c = 0;
    }
    yield { phase: "densities", done: from + count, total: n };
  }
  return scores;
}

const LOG_2_PI = log(2 * Math.PI);

/** Writes ‖R_c (x - μ_c)‖² of `count` rows to `out` from index `at`, row by row. */
type Squares = (rows: Float64Array, count: number, out: Float64Array, at: number) => void;

function ownSquares({ k, d, means, roots }: Gaussians, kernels: Kernels): Squares {
  const mapped = new Float64Array(k * d);
  for (let c = 0; c < k; c++)
    mapped.set(
      kernels.projections(means.subarray(c * d, (c + 1) * d), 1, roots.subarray(c * d * d, (c + 1) * d * d), d, d),
      c * d,
    );
  return (rows, count, out, at) => {
    const images = kernels.projections(rows, count, roots, k * d, d);
    for (let i = 0, p = 0; i < count; i++) {
      for (let c = 0, q = 0; c < k; c++) {
        let sum = 0;
        for (let j = 0; j < d; j++, p++, q++) sum += (images[p]! - mapped[q]!) ** 2;
        out[at + i * k + c] = sum;
      }
    }
  };
}

function sharedSquares({ k, d, means, roots }: Gaussians, kernels: Kernels): Squares {
  const centres = kernels.projections(means, k, roots, d, d);
  return (rows, count, out, at) => {
    const images = kernels.projections(rows, count, roots, d, d);
    out.set(kernels.squares(images, count, centres, k, d), at);
  };
}

function flatSquares({ k, d, means, roots }: Gaussians): Squares {
  return (rows, count, out, at) => {
    for (let i = 0; i < count; i++) {
      for (let c = 0, q = 0; c < k; c++) {
        let sum = 0;
        for (let j = 0, p = i * d; j < d; j++, p++, q++) sum += ((rows[p]! - means[q]!) * roots[q]!) ** 2;
        out[at + i * k + c] = sum;
      }
    }
  };
}
