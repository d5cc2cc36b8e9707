/** Principal axes: the directions of largest variance (eigenvectors of the covariance), to represent rows by fewer numbers. */
import { type Kernels, plainKernels } from "../../kernels/index.js";
import { eigen } from "../../linalg/symmetric.js";
import { drain } from "../../steps/index.js";
import { projectionSteps, secondMomentSteps } from "./second-moments.js";

export interface PrincipalAxes {
  readonly mean: Float64Array;
  /** m vectors of d numbers with length 1; the largest number of each is positive. */
  readonly axes: readonly Float64Array[];
  /** The share of the variance along the axes. */
  readonly share: number;
}

/** Maximum number of products for the covariance; above it, an evenly spread sample of the rows is used. */
const MOST_PRODUCTS = 4e9;

/** The first `m` principal axes of n x d rows. */
export function principalAxes(x: Float64Array, n: number, d: number, m: number, kernels: Kernels = plainKernels): PrincipalAxes {
  const rows = Math.min(n, Math.max(2 * d, Math.floor(MOST_PRODUCTS / (d * d))));
  const read = (i: number, row: Float64Array) => copyRow(x, Math.floor((i * n) / rows), d, row);
  const { mean, covariance } = drain(secondMomentSteps(read, rows, d, kernels));
  const { values, vectors } = eigen(covariance, d);
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]! || a - b);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const kept = order.slice(0, m);
  return {
    mean,
    axes: kept.map((e) => withFixedSign(vectors.slice(e * d, (e + 1) * d))),
    share: total > 0 ? kept.reduce((sum, e) => sum + Math.max(0, values[e]!), 0) / total : 1,
  };
}

/** The sign of an axis is arbitrary: its largest number is made positive. */
function withFixedSign(axis: Float64Array): Float64Array {
  const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
}

/** The coordinates of each row along the axes, row-major. */
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
