/**
 * Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. Where a machine has just
 * assigned most rows and holds them as they are, it sums those and only the rest is added here; so it is with moments.
 */
import { CHUNK_ROWS, type KMeansMachine } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { addSquare } from "../constraints/component-moments.js";

export interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Int32Array;
}

/** What need not be summed row by row: what a machine holds with labels of its own, and sets that lie in one cluster as a whole. */
export interface SumPlan {
  readonly machine: KMeansMachine | null;
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
  { n, d, x }: Points,
  labels: Int32Array,
  k: number,
  plan: SumPlan | null = null,
): Generator<Step, ClusterSums, void> {
  const { sums, counts } = plan?.machine?.sums() ?? { sums: new Float64Array(k * d), counts: new Int32Array(k) };
  for (const { cluster, size, mean } of plan?.wholes ?? []) {
    counts[cluster]! += size;
    for (let j = 0; j < d; j++) sums[cluster * d + j]! += size * mean[j]!;
  }
  const rest = plan?.rest ?? null;
  const part = new Float64Array(k * d);
  for (let from = 0, to = rest?.length ?? n; from < to; from += CHUNK_ROWS) {
    part.fill(0);
    for (let e = from; e < Math.min(to, from + CHUNK_ROWS); e++) {
      const i = rest ? rest[e]! : e;
      const h = labels[i]!;
      counts[h]!++;
      for (let j = 0, p = h * d, q = i * d; j < d; j++) part[p + j]! += x[q + j]!;
    }
    for (let p = 0; p < part.length; p++) sums[p]! += part[p]!;
    if (from % (64 * CHUNK_ROWS) === 0) yield { phase: "means", done: from, total: to };
  }
  return { sums, counts };
}

/** Σ (x - μ)(x - μ)ᵀ over the rows of each cluster, or of all clusters together: diagonals, or lower triangles. */
export function* scatterSteps(
  { n, d, x }: Points,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number, // in: 1 or k
  full: boolean,
  plan: SumPlan | null = null,
): Generator<Step, Float64Array[], void> {
  const width = full ? d * d : d;
  const sums = (!full && plan?.machine?.scatter(centres, metrics > 1)) || new Float64Array(metrics * width);
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
      for (let j = 0, p = i * d, q = h * d; j < d; j++) delta[j] = x[p + j]! - centres[q + j]!;
      addSquare(delta, d, full, 1, part, metrics === 1 ? 0 : h * width);
    }
    for (let p = 0; p < part.length; p++) sums[p]! += part[p]!;
    if (full || from % (64 * CHUNK_ROWS) === 0) yield { phase: "metrics", done: from, total: to };
  }
  return Array.from({ length: metrics }, (_, g) => sums.slice(g * width, (g + 1) * width));
}
