/** Principal components: the directions of largest variance. They are the eigenvectors of the covariance. */
import { type Kernels, plainKernels } from "../../kernels/index.js";
import { eigen } from "../../linalg/symmetric.js";
import { drain, type Steps } from "../../steps/index.js";
import { leadingSteps } from "./leading-vectors.js";
import { projectionSteps, secondMomentSteps } from "./second-moments.js";

export interface PrincipalAxes {
  readonly mean: Float64Array;
  /** m vectors of d numbers, each of length 1. The entry with the largest absolute value of each vector is positive. */
  readonly axes: readonly Float64Array[];
  readonly share: number;
}

/** Maximum number of multiplications for the covariance. If all rows need more, an evenly spread sample is used. */
const MOST_PRODUCTS = 4e9;

/**
 * Largest matrix for which all eigenvectors are computed. For larger matrices, an iterative method computes only the leading eigenvectors.
 * The user can interrupt this method.
 */
const MOST_WHOLE = 400;

export function principalAxes(x: Float64Array, n: number, d: number, m: number, kernels: Kernels = plainKernels): PrincipalAxes {
  return drain(principalAxesSteps(x, n, d, m, kernels));
}

export function* principalAxesSteps(x: Float64Array, n: number, d: number, m: number, kernels: Kernels): Steps<PrincipalAxes> {
  if (d > n) return yield* axesOfFewRows(x, n, d, m, kernels);
  const rows = Math.min(n, Math.max(2 * d, Math.floor(MOST_PRODUCTS / (d * d))));
  const read = (i: number, row: Float64Array) => copyRow(x, Math.floor((i * n) / rows), d, row);
  const { mean, covariance } = yield* secondMomentSteps(read, rows, d, kernels);
  const { values, vectors } = yield* largestSteps(covariance, d, m, kernels);
  return { mean, axes: vectors.map(withFixedSign), share: shareOf(values, covariance, d) };
}

/**
 * Principal axes if there are fewer rows than columns. The n × n matrix of products between rows is smaller than the covariance. Both
 * matrices have the same eigenvalues above 0.
 */
function* axesOfFewRows(x: Float64Array, n: number, d: number, m: number, kernels: Kernels): Steps<PrincipalAxes> {
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  const rows = x.map((value, p) => value - mean[p % d]!);
  const products = kernels.projections(rows, n, rows, n, d).map((sum) => sum / n);
  yield { phase: "map", done: 0, total: null };
  const { values, vectors } = yield* largestSteps(products, n, Math.min(m, n), kernels);
  const axes = vectors.map((weights) => {
    const axis = new Float64Array(d);
    for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) axis[j]! += weights[i]! * rows[i * d + j]!;
    const length = Math.sqrt(axis.reduce((sum, value) => sum + value * value, 0));
    return withFixedSign(length > 0 ? axis.map((value) => value / length) : axis);
  });
  return { mean, axes, share: shareOf(values, products, n) };
}

function* largestSteps(
  matrix: Float64Array,
  size: number,
  m: number,
  kernels: Kernels,
): Steps<{ readonly values: readonly number[]; readonly vectors: readonly Float64Array[] }> {
  if (size > MOST_WHOLE && m < size / 4) return yield* leadingSteps(matrix, size, m, kernels);
  const { values, vectors } = eigen(matrix, size);
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]! || a - b);
  const kept = order.slice(0, m);
  return { values: kept.map((e) => values[e]!), vectors: kept.map((e) => vectors.slice(e * size, (e + 1) * size)) };
}

function shareOf(values: readonly number[], matrix: Float64Array, size: number): number {
  let total = 0;
  for (let j = 0; j < size; j++) total += matrix[j * size + j]!;
  const found = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  return total > 0 ? Math.min(1, found / total) : 1;
}

/** Makes the entry with the largest absolute value positive, because the sign of an axis is arbitrary. */
function withFixedSign(axis: Float64Array): Float64Array {
  const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
}

export function alongAxes(
  x: Float64Array,
  n: number,
  { mean, axes }: Pick<PrincipalAxes, "mean" | "axes">,
  kernels: Kernels = plainKernels,
): Float64Array {
  return drain(projectionSteps((i, row) => copyRow(x, i, mean.length, row), n, mean, axes, kernels));
}

function copyRow(x: Float64Array, i: number, d: number, row: Float64Array): void {
  for (let j = 0, p = i * d; j < d; j++, p++) row[j] = x[p]!;
}
