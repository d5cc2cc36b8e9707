/** The directions in which rows spread most: eigenvectors of the covariance, for rows to be told by fewer numbers. */
import { eigen } from "./symmetric.js";

export interface PrincipalAxes {
  readonly mean: Float64Array;
  /** m rows of d numbers, each of length 1, the largest number positive. */
  readonly axes: readonly Float64Array[];
  /** The share of the variance that the axes keep. */
  readonly share: number;
}

/** Products for the covariance at most; beyond them an even sample of the rows tells it. */
const MOST_PRODUCTS = 4e9;

/** The first `m` principal axes of n rows of d numbers. */
export function principalAxes(x: Float64Array, n: number, d: number, m: number): PrincipalAxes {
  const rows = Math.min(n, Math.max(2 * d, Math.floor(MOST_PRODUCTS / (d * d))));
  const rowAt = (i: number): number => Math.floor((i * n) / rows);
  const mean = new Float64Array(d);
  for (let i = 0; i < rows; i++) for (let j = 0, p = rowAt(i) * d; j < d; j++, p++) mean[j]! += x[p]! / rows;
  const covariance = new Float64Array(d * d);
  const away = new Float64Array(d);
  for (let i = 0; i < rows; i++) {
    for (let j = 0, p = rowAt(i) * d; j < d; j++, p++) away[j] = x[p]! - mean[j]!;
    for (let a = 0; a < d; a++) {
      const factor = away[a]! / rows;
      for (let b = 0; b <= a; b++) covariance[a * d + b]! += factor * away[b]!;
    }
  }
  const { values, vectors } = eigen(covariance, d);
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]! || a - b);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const kept = order.slice(0, m);
  return {
    mean,
    axes: kept.map((e) => upright(vectors.slice(e * d, (e + 1) * d))),
    share: total > 0 ? kept.reduce((sum, e) => sum + Math.max(0, values[e]!), 0) / total : 1,
  };
}

/** An axis has no direction of its own: its largest number is made positive. */
function upright(axis: Float64Array): Float64Array {
  const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? axis.map((value) => -value) : axis;
}
