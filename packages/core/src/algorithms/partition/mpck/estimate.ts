/**
 * The M-step for metrics (bilenko2004, equations 7 and 8), and the objective of equation 6. Both use the same sums:
 *
 *     J = Σ_g (tr(A_g·S_g) + share_g·‖v_g‖²_{A_g}) - Σ_h N_h·log det A_h
 *
 * S_g: sum of scatter and violated constraints. v_g: difference of the farthest pair under metric g. share_g: factor of the squared
 * distance of the farthest pair. N_h: weight of cluster h.
 */

import type { Arena, FarthestPair, FarthestSearch, Kernels, KMeansState } from "../../../kernels/index.js";
import { CHUNK_ROWS } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Step } from "../../../steps/index.js";
import { diagonalMetric, type Estimate, fullMetric } from "../../metric/estimate.js";
import { type LinearMaps, matricesOf, squaredNorm, traceOfProduct } from "../../metric/linear-maps.js";
import type { Metrics } from "../../metric/metrics.js";
import type { KernelRows } from "./assign.js";
import { addSquare, type ComponentMoments, type Links, wholeClusters } from "./links.js";
import { type ViolatedSums, violatedSums } from "./violations.js";

/** Above this many rows, the bound 4·max ‖x - mean‖² replaces the farthest pair. */
export const MOST_ROWS_EXACT = 20_000;

/** The sums S_g from which the metrics are estimated, without the terms of the farthest pairs. */
export interface MetricSums extends ViolatedSums {
  readonly full: boolean;
  readonly counts: Counts;
}

export function* metricSumsSteps(
  points: Points,
  links: Links,
  labels: Int32Array,
  centres: Float64Array,
  counts: Counts,
  metrics: number, // number of metrics: 1 or k
  full: boolean,
  plan: SumPlan | null = null,
  moments: ComponentMoments | null = null,
  whole: Int32Array | null = moments && wholeClusters(moments, links, labels),
): Generator<Step, MetricSums, void> {
  const { d, x } = points;
  const k = counts.length;
  const scatter = yield* scatterSteps(points, labels, centres, metrics, full, plan);
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, metrics, full, moments, whole);
  sums.forEach((sum, g) => {
    for (let j = 0; j < sum.length; j++) scatter[g]![j]! += sum[j]!;
  });
  return { sums: scatter, farthestShare, full, counts };
}

export interface Learned {
  readonly maps: LinearMaps;
  readonly conditioned: number;
  readonly projected: number;
}

/** Estimates each metric from its sums. A cluster without any spread gets the metric of all clusters together. */
export function learnMetrics(sums: MetricSums, farthest: Farthest | null, spread: Float64Array): Learned {
  const { full, counts } = sums;
  const d = spread.length;
  const total = Float64Array.from(counts).reduce((sum, count) => sum + count, 0);
  const wholes = sums.sums.map((part, g) => withFarthest(part, sums.farthestShare[g]!, farthest, g, d, full));
  const estimate = full ? fullMetric : diagonalMetric;
  const single = wholes.length === 1;
  const estimates = wholes.map((whole, g) => estimate(whole, single ? total : counts[g]!, spread));
  const common = estimates.includes(null) ? (estimate(sumOf(wholes), total, spread) ?? unitMetric(d, full)) : null;
  const repaired = (how: Estimate["repaired"]): number =>
    estimates.filter((found) => (found?.repaired ?? "conditioned") === how).length;
  return {
    maps: {
      kind: full ? "full" : "diagonal",
      maps: estimates.map((found) => (found ?? common!).map),
      logDets: Float64Array.from(estimates, (found) => (found ?? common!).logDet),
    },
    conditioned: repaired("conditioned"),
    projected: repaired("projected"),
  };
}

/** Returns S + share·vvᵀ, where v is the difference of the farthest pair under metric g. part: the sum S. */
function withFarthest(
  part: Float64Array,
  share: number,
  farthest: Farthest | null,
  g: number,
  d: number,
  full: boolean,
): Float64Array {
  if (share === 0 || !farthest) return part;
  const v = farthest.vectors[g] ?? farthest.vectors[0]!;
  const whole = part.slice();
  for (let i = 0; i < d; i++) {
    if (!full) whole[i]! += share * v[i]! * v[i]!;
    else for (let j = 0; j <= i; j++) whole[i * d + j]! += share * v[i]! * v[j]!;
  }
  return whole;
}

function sumOf(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]!.length);
  for (const part of parts) for (let j = 0; j < sum.length; j++) sum[j]! += part[j]!;
  return sum;
}

function unitMetric(d: number, full: boolean): Estimate {
  const map = new Float64Array(full ? d * d : d);
  for (let j = 0; j < d; j++) map[full ? j * d + j : j] = 1;
  return { map, logDet: 0, repaired: "conditioned" };
}

/** The objective of equation 6 for the labels and centres of the sums, under the given metrics and farthest pairs. */
export function metricObjective(sums: MetricSums, maps: LinearMaps, farthest: Farthest | null, d: number): number {
  const single = maps.maps.length === 1;
  let objective = 0;
  matricesOf(maps, d).forEach((a, g) => {
    objective += traceOfProduct(a, sums.sums[g]!, d, sums.full);
    const share = sums.farthestShare[g]!;
    if (share !== 0 && farthest) objective += share * squaredNorm(maps, g, d, farthest.vectors[g] ?? farthest.vectors[0]!);
  });
  sums.counts.forEach((count, h) => {
    objective -= count * maps.logDets[single ? 0 : h]!;
  });
  return objective;
}

/*
 * Sums over the rows of each cluster, for the M-step. Rows are added in chunks and in order, as in the kernels. Two kinds of rows are added
 * elsewhere: kernels sum the rows that they have just assigned, if the rows are unmapped; components with moments are summed through their
 * moments.
 */

interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Counts;
}

export type Counts = Int32Array | Float64Array;

export function noCounts({ rowWeights }: Points, k: number): Counts {
  return rowWeights ? new Float64Array(k) : new Int32Array(k);
}

/**
 * How the M-step sums rows. `states`: kernels that sum their rows. `wholes`: sets of rows in one cluster, added at once. `rest`: rows added
 * one by one.
 */
export interface SumPlan {
  readonly states: readonly KMeansState[];
  readonly wholes: readonly Whole[];
  readonly rest: Int32Array;
}

/** Rows that all lie in one cluster, added at once: number, mean, and scatter Σ (x - mean)(x - mean)ᵀ. */
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

/** Adds the rows at positions from … to - 1 of the list `rows` (of all rows if null) to the sums and counts of their clusters. */
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

/** out = a - b, for the numbers of a from index p and the numbers of b from index q. */
function differ(a: Float64Array, p: number, b: Float64Array, q: number, out: Float64Array): void {
  for (let j = 0; j < out.length; j++) out[j] = a[p + j]! - b[q + j]!;
}

/** Σ (x - μ)(x - μ)ᵀ over the rows of each cluster, or of all clusters together: diagonals or lower triangles. */
function* scatterSteps(
  { n, d, x, rowWeights }: Points,
  labels: Int32Array,
  centres: Float64Array,
  metrics: number, // number of metrics: 1 or k
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

export function centred({ n, d, x, rowWeights }: Points, mean: Float64Array): Points {
  const moved = new Float64Array(n * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) moved[i * d + j] = x[i * d + j]! - mean[j]!;
  return { n, d, x: moved, ...(rowWeights ? { rowWeights } : {}) };
}

/** Scales centres to length 1; a centre of zeros stays unchanged. */
export function ontoSphere(centres: Float64Array, d: number): void {
  for (let p = 0; p < centres.length; p += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += centres[p + j]! * centres[p + j]!;
    if (sum > 0) for (let j = 0; j < d; j++) centres[p + j]! /= Math.sqrt(sum);
  }
}

/** The mean of each cluster, from the sum and count of its rows; an empty cluster keeps its previous centre. */
export function meansOf(sums: Float64Array, counts: Counts, before: Float64Array): Float64Array {
  const d = sums.length / counts.length;
  return before.map((value, p) => {
    const count = counts[Math.floor(p / d)]!;
    return count > 0 ? sums[p]! / count : value;
  });
}

/*
 * The farthest pair under each metric, for f_C (equation 5). Up to MOST_ROWS_EXACT rows the search is exact. With more rows a bound is
 * used: twice the largest distance of a row from the mean of all rows.
 */

/** For each metric, the row farthest from 0. Rows are centred, so 0 is the mean of all rows. rest: the rows outside the kernels. */
function* farthestFromOrigin(
  x: Float64Array,
  n: number,
  d: number,
  { maps, all }: Metrics,
  inKernels: readonly KernelRows[],
  rest: Int32Array,
): Generator<Step, Int32Array, void> {
  const count = all.length;
  const far = new Int32Array(count);
  const most = new Float64Array(count).fill(-1);
  const take = (g: number, row: number, square: number): void => {
    if (square > most[g]! || (square === most[g] && row < far[g]!)) {
      most[g] = square;
      far[g] = row;
    }
  };
  const serve = maps.kind !== "full" && inKernels.every(({ unmapped }) => unmapped);
  if (serve) {
    const factors = new Float64Array(count * d).fill(1);
    if (maps.kind === "diagonal") for (let g = 0; g < count; g++) factors.set(maps.maps[g]!, g * d);
    for (const { state, rows } of inKernels) {
      const found = state?.farthest(factors);
      found?.rows.forEach((place, g) => {
        take(g, rows[place]!, found.squares[g]!);
      });
    }
  }
  const z = new Float64Array(d);
  for (let g = 0; g < count; g++) {
    for (let e = 0; e < (serve ? rest.length : n); e++) {
      const i = serve ? rest[e]! : e;
      all[g]!.map(x, i * d, z, 0);
      let sum = 0;
      for (let j = 0; j < d; j++) sum += z[j]! * z[j]!;
      take(g, i, sum);
    }
    yield { phase: "farthest pair", done: g, total: count };
  }
  return far;
}

export interface Farthest {
  readonly vectors: readonly Float64Array[];
  readonly squares: Float64Array;
  /** The two rows of each farthest pair; the next search starts from them. Empty if a bound replaces the exact search. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** Prepares an exact search for the farthest pair among all rows; null above MOST_ROWS_EXACT rows. */
export function openSearch({ n, d, x }: Points, kernels: Kernels, arena: Arena): FarthestSearch | null {
  if (n > MOST_ROWS_EXACT) return null;
  const block = arena.f64(n * d);
  block.view().set(x.subarray(0, n * d));
  return kernels.farthest(block, n, d);
}

function* searchSteps(
  search: FarthestSearch,
  g: number,
  { kind, maps }: LinearMaps,
  n: number,
  hint: readonly [number, number] | undefined,
): Generator<Step, FarthestPair, void> {
  try {
    search.begin(g, kind === "identity" ? null : maps[g]!, hint ?? null);
    while (!search.advance()) yield { phase: "farthest pair", done: 0, total: n };
    return search.pair();
  } finally {
    search.close();
  }
}

/** The farthest pair of centred rows under each metric. If `search` is null, the bound. */
export function* farthestSteps(
  { n, d, x }: Points,
  metrics: Metrics,
  before: Farthest | null,
  search: FarthestSearch | null, // the exact search over all rows
  inKernels: readonly KernelRows[],
  rest: Int32Array, // the rows that no kernel holds
): Generator<Step, Farthest, void> {
  const vectors: Float64Array[] = [];
  const pairs: (readonly [number, number])[] = [];
  const ends = search ? [] : yield* farthestFromOrigin(x, n, d, metrics, inKernels, rest);
  for (let g = 0; g < metrics.all.length; g++) {
    const v = new Float64Array(d);
    if (search) {
      const { a, b } = yield* searchSteps(search, g, metrics.maps, n, before?.pairs[g] ?? before?.pairs[0]);
      for (let j = 0; j < d; j++) v[j] = x[a * d + j]! - x[b * d + j]!;
      pairs.push([a, b]);
    } else for (let j = 0; j < d; j++) v[j] = 2 * x[ends[g]! * d + j]!;
    vectors.push(v);
  }
  const squares = Float64Array.from(vectors, (v, g) => squaredNorm(metrics.maps, g, d, v));
  return { vectors, squares, pairs };
}
