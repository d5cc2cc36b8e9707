/** Reference for tests: the E-step and M-step of the mixture by their definitions, with whole matrices, one row and one entry at a time. */
import type { MixtureRows } from "./gaussians.js";

export interface PlainGaussian {
  readonly share: number;
  readonly mean: readonly number[];
  readonly covariance: readonly (readonly number[])[];
}

/** The M-step: the Gaussians of weighted memberships, by the formulas in the head of gaussians.ts. */
export function plainFit(rows: MixtureRows, memberships: Float64Array, k: number, shared: boolean): PlainGaussian[] {
  const { n, d, x, weights } = rows;
  const row = (i: number): number[] => Array.from(x.subarray(i * d, (i + 1) * d));
  const all = Array.from({ length: n }, (_, i) => row(i));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const meanOf = (part: (i: number) => number): { readonly sum: number; readonly mean: number[] } => {
    const sum = all.reduce((s, _, i) => s + part(i), 0);
    return { sum, mean: Array.from({ length: d }, (_, j) => all.reduce((s, values, i) => s + part(i) * values[j]!, 0)) };
  };
  const overall = meanOf((i) => weights[i]!).mean.map((value) => value / total);
  const whole = scatter(all, (i) => weights[i]! / n, overall);
  const trace = whole.reduce((sum, line, j) => sum + line[j]!, 0);
  for (let j = 0; j < d; j++) whole[j]![j]! += (1e-6 * trace) / d;
  const clusters = Array.from({ length: k }, (_, c) => {
    const part = (i: number): number => weights[i]! * memberships[i * k + c]!;
    const { sum, mean: sums } = meanOf(part);
    const mean = meanWithPrior(sums, sum, overall);
    return { sum, mean, scatter: scatter(all, part, mean) };
  });
  const pooled = combine(
    whole,
    (a, b) => (clusters.reduce((s, each) => s + each.scatter[a]![b]!, 0) + 0.3 * d * whole[a]![b]!) / (total + d),
  );
  return clusters.map(({ sum, mean, scatter: own }) => ({
    share: (sum + 1) / (total + k),
    mean,
    covariance: combine(
      whole,
      (a, b) => (shared ? pooled[a]![b]! : (own[a]![b]! + 2 * d * pooled[a]![b]!) / (sum + 2 * d)) + 0.01 * whole[a]![b]!,
    ),
  }));
}

/** log(share · density) of a row. */
export function plainScore({ share, mean, covariance }: PlainGaussian, row: readonly number[]): number {
  const { inverse, logDet } = eliminate(covariance);
  const away = row.map((value, j) => value - mean[j]!);
  let square = 0;
  for (let a = 0; a < row.length; a++) for (let b = 0; b < row.length; b++) square += away[a]! * inverse[a]![b]! * away[b]!;
  return Math.log(share) - (square + logDet + row.length * Math.log(2 * Math.PI)) / 2;
}

function meanWithPrior(sums: readonly number[], weight: number, overall: readonly number[]): number[] {
  return sums.map((sum, j) => (sum + 1e-3 * overall[j]!) / (weight + 1e-3));
}

function scatter(all: readonly number[][], part: (i: number) => number, mean: readonly number[]): number[][] {
  return mean.map((_, a) =>
    mean.map((__, b) => all.reduce((sum, row, i) => sum + part(i) * (row[a]! - mean[a]!) * (row[b]! - mean[b]!), 0)),
  );
}

function combine(like: readonly number[][], entry: (a: number, b: number) => number): number[][] {
  return like.map((line, a) => line.map((_, b) => entry(a, b)));
}

/** The inverse and the logarithm of the determinant, by elimination with the largest pivot of each column. */
function eliminate(matrix: readonly (readonly number[])[]): { readonly inverse: number[][]; readonly logDet: number } {
  const d = matrix.length;
  const work = matrix.map((line, a) => [...line, ...line.map((_, b) => (a === b ? 1 : 0))]);
  let logDet = 0;
  for (let j = 0; j < d; j++) {
    const pivot = work.slice(j).reduce((best, line, at) => (Math.abs(line[j]!) > Math.abs(work[best]![j]!) ? j + at : best), j);
    [work[j], work[pivot]] = [work[pivot]!, work[j]!];
    const value = work[j]![j]!;
    logDet += Math.log(Math.abs(value));
    work[j] = work[j]!.map((entry) => entry / value);
    for (let a = 0; a < d; a++) {
      if (a === j) continue;
      const factor = work[a]![j]!;
      work[a] = work[a]!.map((entry, b) => entry - factor * work[j]![b]!);
    }
  }
  return { inverse: work.map((line) => line.slice(d)), logDet };
}
