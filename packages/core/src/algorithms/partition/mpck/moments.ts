/**
 * Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. Where a machine has just
 * assigned most rows and holds them as they are, it sums those and only the rest is added here.
 */
import { CHUNK_ROWS, type KMeansMachine } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Step } from "../../../steps/index.js";

export interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Int32Array;
}

/** A machine with rows and labels of its own, and the rows that it does not have. */
export interface Share {
  readonly machine: KMeansMachine;
  readonly rest: Int32Array;
}

export function* clusterSumsSteps(
  { n, d, x }: Points,
  labels: Int32Array,
  k: number,
  share: Share | null = null,
): Generator<Step, ClusterSums, void> {
  if (share) return sumsWith(share, x, d, labels);
  const sums = new Float64Array(k * d);
  const counts = new Int32Array(k);
  const part = new Float64Array(k * d);
  for (let from = 0; from < n; from += CHUNK_ROWS) {
    part.fill(0);
    for (let i = from; i < Math.min(n, from + CHUNK_ROWS); i++) {
      const h = labels[i]!;
      counts[h]!++;
      for (let j = 0, p = h * d, q = i * d; j < d; j++) part[p + j]! += x[q + j]!;
    }
    for (let p = 0; p < part.length; p++) sums[p]! += part[p]!;
    if (from % (64 * CHUNK_ROWS) === 0) yield { phase: "means", done: from, total: n };
  }
  return { sums, counts };
}

function sumsWith({ machine, rest }: Share, x: Float64Array, d: number, labels: Int32Array): ClusterSums {
  const { sums, counts } = machine.sums();
  for (const row of rest) {
    const h = labels[row]!;
    counts[h]!++;
    for (let j = 0, p = h * d, q = row * d; j < d; j++) sums[p + j]! += x[q + j]!;
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
  share: Share | null = null,
): Generator<Step, Float64Array[], void> {
  if (share && !full) return scatterWith(share, x, d, labels, centres, metrics);
  const width = full ? d * d : d;
  const sums = new Float64Array(metrics * width);
  const part = new Float64Array(metrics * width);
  const delta = new Float64Array(d);
  for (let from = 0; from < n; from += CHUNK_ROWS) {
    part.fill(0);
    for (let i = from; i < Math.min(n, from + CHUNK_ROWS); i++) {
      const h = labels[i]!;
      const at = metrics === 1 ? 0 : h * width;
      if (full) {
        for (let j = 0; j < d; j++) delta[j] = x[i * d + j]! - centres[h * d + j]!;
        for (let a = 0; a < d; a++) for (let b = 0; b <= a; b++) part[at + a * d + b]! += delta[a]! * delta[b]!;
      } else {
        for (let j = 0, p = i * d, q = h * d; j < d; j++) {
          const t = x[p + j]! - centres[q + j]!;
          part[at + j]! += t * t;
        }
      }
    }
    for (let p = 0; p < part.length; p++) sums[p]! += part[p]!;
    if (full || from % (64 * CHUNK_ROWS) === 0) yield { phase: "metrics", done: from, total: n };
  }
  return Array.from({ length: metrics }, (_, g) => sums.slice(g * width, (g + 1) * width));
}

function scatterWith(
  { machine, rest }: Share,
  x: Float64Array,
  d: number,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number,
): Float64Array[] {
  const sums = machine.scatter(centres, metrics > 1);
  for (const row of rest) {
    const h = labels[row]!;
    const at = metrics === 1 ? 0 : h * d;
    for (let j = 0; j < d; j++) {
      const t = x[row * d + j]! - centres[h * d + j]!;
      sums[at + j]! += t * t;
    }
  }
  return Array.from({ length: metrics }, (_, g) => sums.slice(g * d, (g + 1) * d));
}
