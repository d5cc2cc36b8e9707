/**
 * Sums over the rows of each cluster, for the M-step. Chunks of rows are added in order, as kernels do. Where a machine has just
 * assigned most rows and holds them as they are, it sums those and only the rest is added here; so it is with moments.
 */
import { CHUNK_ROWS, type KMeansMachine } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { rowsOfComponents, sizeOf } from "../components/large-components.js";
import { splitComponents } from "../components/lone.js";
import type { Run } from "../run.js";
import { addSquare, wholeClusters } from "../statements/component-moments.js";

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

/** The cluster of each large component that is in one as a whole, among those that are not lone; -1 for the others. */
export function wholesOf({ moments, links, labels }: Run): Int32Array | null {
  return moments?.at.some((place) => place >= 0) ? wholeClusters(moments, links, labels) : null;
}

/** Null: every row is to be visited. */
export function sumPlanOf(run: Run, whole: Int32Array | null): SumPlan | null {
  const { free, lone, tied } = run;
  const machine = free.unmapped ? free.machine : null;
  if (!machine && !lone && !whole) return null;
  const rows = [
    ...(machine ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(lone ? [rowsOfComponents(lone, splitComponents(run.lonePlacement)).items] : []),
    ...(tied ? [rowsOfComponents(tied.large, splitComponents(run.tiedPlacement)).items] : []),
  ];
  return { machine, wholes: [...(whole ? wholeComponents(run, whole) : []), ...wholeLone(run)], rest: joined(rows) };
}

function wholeComponents({ moments, links: { members }, points: { d } }: Run, cluster: Int32Array): Whole[] {
  const { at, mean, scatter, full } = moments!;
  const width = full ? d * d : d;
  const wholes: Whole[] = [];
  cluster.forEach((h, c) => {
    if (h < 0) return;
    const p = at[c]!;
    const size = members.start[c + 1]! - members.start[c]!;
    wholes.push({
      cluster: h,
      size,
      mean: mean.subarray(p * d, (p + 1) * d),
      scatter: scatter.subarray(p * width, (p + 1) * width),
    });
  });
  return wholes;
}

function wholeLone({ lone, lonePlacement, points: { d } }: Run): Whole[] {
  if (!lone) return [];
  const width = lone.full ? d * d : d;
  const wholes: Whole[] = [];
  lonePlacement.cluster.forEach((h, c) => {
    if (h < 0) return;
    const mean = lone.mean.subarray(c * d, (c + 1) * d);
    wholes.push({ cluster: h, size: sizeOf(lone, c), mean, scatter: lone.scatter.subarray(c * width, (c + 1) * width) });
  });
  return wholes;
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 1) return filled[0]!;
  const all = new Int32Array(filled.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
