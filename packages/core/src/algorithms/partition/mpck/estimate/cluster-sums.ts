/**
 * Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. Where a kernel has
 * just assigned most rows and holds them as they are, it sums those and only the rest is added here; so it is with moments.
 */
import { CHUNK_ROWS, type KMeansState } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { addSquare } from "../constraints/component-moments.js";

export interface ClusterSums {
  readonly sums: Float64Array;
  /** How many rows each cluster has, or what they weigh together. */
  readonly counts: Counts;
}

export type Counts = Int32Array | Float64Array;

export function noCounts({ rowWeights }: Points, k: number): Counts {
  return rowWeights ? new Float64Array(k) : new Int32Array(k);
}

/** What need not be summed row by row: what kernels hold with their labels, and sets that lie in one cluster as a whole. */
export interface SumPlan {
  readonly states: readonly KMeansState[];
  readonly wholes: readonly Whole[];
  /** The rows that neither has, ascending. */
  readonly rest: Int32Array;
}

/** Rows in one cluster: their number, their mean, and Σ (x - mean)(x - mean)ᵀ as a diagonal or a lower triangle. */
export interface Whole {
  readonly cluster: number;
  readonly size: number;
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
}

export function* clusterSumsSteps(
  points: Points,
  labels: Int32Array,
  k: number,
  plan: SumPlan | null = null,
): Generator<Step, ClusterSums, void> {
  const { n, d } = points;
  const counts = noCounts(points, k);
  let sums: Float64Array = new Float64Array(k * d);
  for (const state of plan?.states ?? []) {
    const added = state.sums(sums);
    sums = added.sums;
    for (let h = 0; h < k; h++) counts[h]! += added.counts[h]!;
  }
  for (const { cluster, size, mean } of plan?.wholes ?? []) {
    counts[cluster]! += size;
    for (let j = 0; j < d; j++) sums[cluster * d + j]! += size * mean[j]!;
  }
  const rest = plan?.rest ?? null;
  const part = new Float64Array(k * d);
  for (let from = 0, to = rest?.length ?? n; from < to; from += CHUNK_ROWS) {
    part.fill(0);
    addRows(points, rest, from, Math.min(to, from + CHUNK_ROWS), labels, part, counts);
    addTo(sums, part);
    if (from % (64 * CHUNK_ROWS) === 0) yield { phase: "means", done: from, total: to };
  }
  return { sums, counts };
}

/** Adds the rows from … to-1 of a list, or of all rows, to the sums and counts of their clusters. */
export function addRows(
  { d, x, rowWeights }: Points,
  rows: Int32Array | null,
  from: number,
  to: number,
  labels: Int32Array,
  sums: Float64Array,
  counts: Counts,
): void {
  for (let e = from; e < to; e++) {
    const i = rows ? rows[e]! : e;
    const h = labels[i]!;
    const weight = rowWeights ? rowWeights[i]! : 1;
    counts[h]! += weight;
    for (let j = 0, p = h * d, q = i * d; j < d; j++) sums[p + j]! += weight * x[q + j]!;
  }
}

function addTo(sums: Float64Array, part: Float64Array): void {
  for (let p = 0; p < part.length; p++) sums[p]! += part[p]!;
}

/** The numbers of a from p on less those of b from q on. */
function differ(a: Float64Array, p: number, b: Float64Array, q: number, out: Float64Array): void {
  for (let j = 0; j < out.length; j++) out[j] = a[p + j]! - b[q + j]!;
}

/** Σ (x - μ)(x - μ)ᵀ over the rows of each cluster, or of all clusters together: diagonals, or lower triangles. */
export function* scatterSteps(
  { n, d, x, rowWeights }: Points,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number, // in: 1 or k
  full: boolean,
  plan: SumPlan | null = null,
): Generator<Step, Float64Array[], void> {
  const width = full ? d * d : d;
  let sums: Float64Array = new Float64Array(metrics * width);
  if (!full) for (const state of plan?.states ?? []) sums = state.scatter(centres, metrics > 1, sums);
  const part = new Float64Array(metrics * width);
  const delta = new Float64Array(d);
  for (const { cluster, size, mean, scatter } of plan?.wholes ?? []) {
    const at = metrics === 1 ? 0 : cluster * width;
    for (let j = 0; j < d; j++) delta[j] = mean[j]! - centres[cluster * d + j]!;
    for (let j = 0; j < width; j++) sums[at + j]! += scatter[j]!;
    addSquare(delta, d, full, size, sums, at);
  }
  const rest = plan?.rest ?? null;
  for (let from = 0, to = rest?.length ?? n; from < to; from += CHUNK_ROWS) {
    part.fill(0);
    for (let e = from; e < Math.min(to, from + CHUNK_ROWS); e++) {
      const i = rest ? rest[e]! : e;
      const h = labels[i]!;
      differ(x, i * d, centres, h * d, delta);
      addSquare(delta, d, full, rowWeights?.[i] ?? 1, part, metrics === 1 ? 0 : h * width);
    }
    addTo(sums, part);
    if (full || from % (64 * CHUNK_ROWS) === 0) yield { phase: "metrics", done: from, total: to };
  }
  return Array.from({ length: metrics }, (_, g) => sums.slice(g * width, (g + 1) * width));
}

/** Rows less a mean. */
export function centred({ n, d, x, rowWeights }: Points, mean: Float64Array): Points {
  const moved = new Float64Array(n * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) moved[i * d + j] = x[i * d + j]! - mean[j]!;
  return { n, d, x: moved, ...(rowWeights ? { rowWeights } : {}) };
}

/** Centres that are 0 stay. */
export function ontoSphere(centres: Float64Array, d: number): void {
  for (let p = 0; p < centres.length; p += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += centres[p + j]! * centres[p + j]!;
    if (sum > 0) for (let j = 0; j < d; j++) centres[p + j]! /= Math.sqrt(sum);
  }
}

/** An empty cluster keeps its centre. */
export function meansOf(sums: Float64Array, counts: Counts, before: Float64Array): Float64Array {
  const d = sums.length / counts.length;
  return before.map((value, p) => {
    const count = counts[Math.floor(p / d)]!;
    return count > 0 ? sums[p]! / count : value;
  });
}
