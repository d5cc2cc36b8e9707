/**
 * Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. Where a machine has just
 * assigned most rows and holds them as they are, it sums those and only the rest is added here.
 */
import { CHUNK_ROWS, type KMeansMachine } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Step } from "../../../steps/index.js";
import type { Bulk } from "./bulk.js";
import type { Links } from "./links.js";

export interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Int32Array;
}

/** A machine with rows and labels of its own, components that moments stand for, and the rows that neither has. */
export interface Share {
  readonly machine: KMeansMachine;
  readonly rest: Int32Array;
  readonly wholes: Wholes | null;
}

/** Components that lie in one cluster as a whole (-1 for others): their moments stand for their rows. */
export interface Wholes {
  readonly bulk: Bulk;
  readonly links: Links;
  readonly cluster: Int32Array;
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

function sumsWith({ machine, rest, wholes }: Share, x: Float64Array, d: number, labels: Int32Array): ClusterSums {
  const { sums, counts } = machine.sums();
  wholes?.cluster.forEach((h, c) => {
    if (h < 0) return;
    const size = sizeOf(wholes, c);
    counts[h]! += size;
    for (let j = 0, p = wholes.bulk.at[c]! * d; j < d; j++) sums[h * d + j]! += size * wholes.bulk.mean[p + j]!;
  });
  for (const row of rest) {
    const h = labels[row]!;
    counts[h]!++;
    for (let j = 0, p = h * d, q = row * d; j < d; j++) sums[p + j]! += x[q + j]!;
  }
  return { sums, counts };
}

function sizeOf({ links: { members } }: Wholes, c: number): number {
  return members.start[c + 1]! - members.start[c]!;
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
  { machine, rest, wholes }: Share,
  x: Float64Array,
  d: number,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number,
): Float64Array[] {
  const sums = machine.scatter(centres, metrics > 1);
  wholes?.cluster.forEach((h, c) => {
    if (h < 0) return;
    const { mean, scatter } = wholes.bulk;
    for (let j = 0, p = wholes.bulk.at[c]! * d; j < d; j++) {
      const t = mean[p + j]! - centres[h * d + j]!;
      sums[(metrics === 1 ? 0 : h * d) + j]! += scatter[p + j]! + sizeOf(wholes, c) * t * t;
    }
  });
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
