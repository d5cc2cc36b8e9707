/**
 * Metric learning, the M-step of MPCK-means (bilenko2004, equations 7 and 8), from the sums of a pass and the violated links.
 *
 * Departs from the paper: instead of the farthest pair of rows it uses an upper bound from the ranges r of the columns, Σ |A_ij|
 * r_i r_j. The bound needs no pass, and no pair of rows exceeds it, so the penalty of a violated cannot-link is never negative.
 */
import { diagonalMetric, type Estimate, fullMetric } from "../algorithms/metric/estimate.js";
import type { PassModel } from "./pass-model.js";
import type { SoftLinks } from "./soft-links.js";

export interface LearnedMaps {
  /** Diagonal weights, or maps R with A = RᵀR: one or k of them. */
  readonly maps: Float64Array;
  readonly logDets: Float64Array;
}

export interface LearnInput {
  readonly model: PassModel;
  readonly full: boolean;
  readonly several: boolean;
  readonly links: SoftLinks;
  /** `x`: constrained rows, n x d, row-major. `labels`: their clusters. */
  readonly x: Float64Array;
  readonly labels: Int32Array;
  readonly counts: Float64Array;
  /** Scatter about the new centre of each cluster: d numbers, or d x d with the lower triangle used. */
  readonly scatter: readonly Float64Array[];
  /** Variance of each column over all rows, and its range. */
  readonly variances: Float64Array;
  readonly range: Float64Array;
}

/** Computes each metric from its sums. A cluster without any spread uses the metric of all clusters together. */
export function learnMaps(input: LearnInput): LearnedMaps {
  const { full, several, counts, variances, model, range } = input;
  const { d, k } = model;
  const { sums, share } = linkSums(input);
  for (const [c, part] of input.scatter.entries()) addInto(sums[several ? c : 0]!, part);
  const wholes = sums.map((sum, g) => withBound(sum, share[g]!, model, g, range, full));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const estimate = full ? fullMetric : diagonalMetric;
  const estimates = wholes.map((whole, g) => estimate(whole, several ? counts[g]! : total, variances));
  const common = estimates.includes(null) ? (estimate(sumOf(wholes), total, variances) ?? unitMetric(d, full)) : null;
  const found = estimates.map((each) => each ?? common!);
  const size = full ? d * d : d;
  const maps = new Float64Array((several ? k : 1) * size);
  found.forEach(({ map }, g) => {
    for (let i = 0; i < size; i++) maps[g * size + i] = full ? map[i]! : map[i]! * map[i]!;
  });
  return {
    maps,
    logDets: Float64Array.from(found, ({ logDet }) => logDet),
  };
}

/** The outer-product sums of violated links, and the total weight with which the farthest pair counts. */
function linkSums({ links, labels, x, model, several, full }: LearnInput): { sums: Float64Array[]; share: Float64Array } {
  const { d, k } = model;
  const metrics = several ? k : 1;
  const sums = Array.from({ length: metrics }, () => new Float64Array(full ? d * d : d));
  const share = new Float64Array(metrics);
  for (let i = 0; i < links.n; i++) {
    for (let e = links.start[i]!; e < links.start[i + 1]!; e++) {
      const j = links.other[e]!;
      const must = links.must[e] === 1;
      if (j < i || (labels[i] === labels[j]) === must) continue;
      const weight = links.weight[e]!;
      if (!must) {
        const g = several ? labels[i]! : 0;
        share[g]! += weight;
        addPair(sums[g]!, x, i, j, d, full, -weight);
      } else if (!several) addPair(sums[0]!, x, i, j, d, full, weight);
      else for (const g of [labels[i]!, labels[j]!]) addPair(sums[g]!, x, i, j, d, full, weight / 2);
    }
  }
  return { sums, share };
}

function addPair(sum: Float64Array, x: Float64Array, i: number, j: number, d: number, full: boolean, weight: number): void {
  for (let e = 0; e < d; e++) {
    const t = x[i * d + e]! - x[j * d + e]!;
    if (!full) sum[e]! += weight * t * t;
    else for (let f = 0; f <= e; f++) sum[e * d + f]! += weight * t * (x[i * d + f]! - x[j * d + f]!);
  }
}

/** S plus the share of the bound: the gradient of the bound with respect to A, at the previous metric. */
function withBound(
  sum: Float64Array,
  share: number,
  model: PassModel,
  g: number,
  range: Float64Array,
  full: boolean,
): Float64Array {
  if (share === 0) return sum;
  const { d } = model;
  const whole = sum.slice();
  const a = full ? matrixOf(model, g) : null;
  for (let e = 0; e < d; e++) {
    if (!a) whole[e]! += share * range[e]! * range[e]!;
    else
      for (let f = 0; f <= e; f++) {
        const sign = e === f ? 1 : Math.sign(a[e * d + f]!);
        whole[e * d + f]! += share * sign * range[e]! * range[f]!;
      }
  }
  return whole;
}

/** A = RᵀR of metric g; the identity before a metric is learned. */
function matrixOf({ d, metric, maps }: PassModel, g: number): Float64Array {
  const a = new Float64Array(d * d);
  if (metric !== "full") {
    for (let e = 0; e < d; e++) a[e * d + e] = metric === "diagonal" ? maps[g * d + e]! : 1;
    return a;
  }
  for (let r = 0; r < d; r++) {
    for (let e = 0; e < d; e++) {
      for (let f = 0; f < d; f++) a[e * d + f]! += maps[(g * d + r) * d + e]! * maps[(g * d + r) * d + f]!;
    }
  }
  return a;
}

/** For each metric of a model, an upper bound of the squared distance of any two rows. */
export function farthestBounds(model: PassModel, range: Float64Array): Float64Array {
  const { d, k, several } = model;
  return Float64Array.from({ length: several ? k : 1 }, (_, g) => {
    const a = matrixOf(model, g);
    let sum = 0;
    for (let e = 0; e < d; e++) {
      for (let f = 0; f < d; f++) sum += Math.abs(a[e * d + f]!) * range[e]! * range[f]!;
    }
    return sum;
  });
}

function addInto(sum: Float64Array, part: Float64Array): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += part[i]!;
}

function sumOf(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]!.length);
  for (const part of parts) addInto(sum, part);
  return sum;
}

function unitMetric(d: number, full: boolean): Estimate {
  const map = new Float64Array(full ? d * d : d);
  for (let e = 0; e < d; e++) map[full ? e * d + e : e] = 1;
  return { map, logDet: 0, mended: "conditioned" };
}
