/** Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. */
import { CHUNK_ROWS } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Step } from "../../../steps/index.js";

export interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Int32Array;
}

export function* clusterSumsSteps({ n, d, x }: Points, labels: Int32Array, k: number): Generator<Step, ClusterSums, void> {
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

/** Σ (x - μ)(x - μ)ᵀ over the rows of each cluster, or of all clusters together: diagonals, or lower triangles. */
export function* scatterSteps(
  { n, d, x }: Points,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number, // in: 1 or k
  full: boolean,
): Generator<Step, Float64Array[], void> {
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
