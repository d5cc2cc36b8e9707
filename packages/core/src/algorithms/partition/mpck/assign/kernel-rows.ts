/**
 * The E-step for rows that no constraint binds: each goes to the cluster of least ‖x - μ_h‖²_{A_h} - log det A_h. They do not
 * depend on each other, so the k-means kernel does it: under diagonal metrics as it is, under one full metric on rows mapped by
 * it. Several full metrics are left to plain loops.
 */
import { type Arena, CHUNK_ROWS, type F64, type Kernels, type KMeansState } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import type { LinearMaps } from "../../../metric/linear-maps.js";
import { forKernels, type Metrics } from "../../../metric/metrics.js";

/** What metrics are learned. */
export interface Learning {
  readonly metrics: "single" | "multiple";
  readonly matrix: "diagonal" | "full";
}

/** Rows in the order in which kernels have them. */
export interface KernelRows {
  /** Whether the metric never changes: then whoever moves the centres tells the kernels. */
  readonly fixed: boolean;
  readonly rows: Int32Array;
  readonly x: F64;
  readonly state: KMeansState | null;
  /** Whether kernels have the rows as they are, so that their sums are those of the rows. */
  readonly unmapped: boolean;
  /** The nearest cluster of each row as last found, where no kernel looks for it. */
  readonly found: Int32Array;
}

/** Copies rows to where kernels can reach them. Without learned metrics bounds may skip rows between iterations. */
export function kernelRows(
  { d, x }: Points,
  rows: Int32Array,
  k: number,
  learning: Learning | null,
  kernels: Kernels,
  arena: Arena,
  fill: (x: Float64Array, rows: Int32Array, d: number, out: Float64Array) => void = copyRows,
): KernelRows {
  const count = rows.length;
  const block = arena.f64(count * d);
  fill(x, rows, d, block.view());
  const bounds = learning === null;
  const screen = bounds && count > 0 ? kernels.screen(block, count, d, arena) : null;
  const state = count > 0 ? kernels.kmeans(block, count, d, k, arena, { bounds, screen }) : null;
  const several = learning?.matrix === "full" && learning.metrics === "multiple";
  return {
    fixed: learning === null,
    rows,
    x: block,
    state,
    unmapped: learning?.matrix !== "full",
    found: new Int32Array(several ? count : 0).fill(-1),
  };
}

/** Rows from this length on are copied faster as a whole. */
const WIDE = 64;

function copyRows(x: Float64Array, rows: Int32Array, d: number, out: Float64Array): void {
  if (d < WIDE)
    for (let f = 0; f < rows.length; f++) for (let j = 0, p = rows[f]! * d, q = f * d; j < d; j++) out[q + j] = x[p + j]!;
  else for (let f = 0; f < rows.length; f++) out.set(x.subarray(rows[f]! * d, (rows[f]! + 1) * d), f * d);
}

/** The rows i with of[i] = -1, ascending, or the others. */
export function rowsWhere(of: Int32Array, isFree: boolean): Int32Array {
  let count = 0;
  for (let i = 0; i < of.length; i++) if (of[i]! < 0 === isFree) count++;
  const rows = new Int32Array(count);
  count = 0;
  for (let i = 0; i < of.length; i++) if (of[i]! < 0 === isFree) rows[count++] = i;
  return rows;
}

/** `centres`: k × d, each in the space of its cluster's metric. Writes labels; returns how many changed. */
export function* assignFreeSteps(
  free: KernelRows,
  points: Points,
  metrics: Metrics,
  centres: Float64Array,
  labels: Int32Array,
): Generator<Step, number, void> {
  const { rows } = free;
  const found = yield* nearestSteps(free, points, metrics, centres);
  let changed = 0;
  for (let f = 0; f < rows.length; f++) {
    if (labels[rows[f]!] === found[f]) continue;
    labels[rows[f]!] = found[f]!;
    changed++;
  }
  return changed;
}

/** The cluster of least cost for each row, as if none were bound; the lower number on ties. */
export function* nearestSteps(
  kernel: KernelRows,
  points: Points,
  metrics: Metrics,
  centres: Float64Array,
): Generator<Step, Int32Array, void> {
  if (!kernel.state) return new Int32Array(0);
  return metrics.maps.kind === "full" && metrics.several
    ? yield* byDefinition(kernel, points, metrics.maps, centres)
    : yield* byKernel(kernel, kernel.state, points, metrics, centres);
}

const ROWS_A_STEP = 64 * CHUNK_ROWS;

function* byKernel(
  { fixed, rows, x }: KernelRows,
  state: KMeansState,
  points: Points,
  metrics: Metrics,
  centres: Float64Array,
): Generator<Step, Int32Array, void> {
  if (metrics.maps.kind === "full") {
    for (let from = 0; from < rows.length; from += ROWS_A_STEP) {
      const out = x.view();
      for (let f = from; f < Math.min(rows.length, from + ROWS_A_STEP); f++)
        metrics.all[0]!.map(points.x, rows[f]! * points.d, out, f * points.d);
      yield { phase: "mapping", done: from, total: rows.length };
    }
  }
  if (!fixed) state.setCentres(centres, forKernels(metrics, centres.length / points.d));
  for (let from = 0; from < rows.length; from += ROWS_A_STEP) {
    state.assign(from, Math.min(rows.length, from + ROWS_A_STEP));
    yield { phase: "iterating", done: from, total: rows.length };
  }
  return state.labels();
}

/** Several full metrics. The cluster that a row had before goes first: with its cost known, others are mostly dropped early. */
function* byDefinition(
  { rows, found }: KernelRows,
  { d, x }: Points,
  maps: LinearMaps,
  centres: Float64Array,
): Generator<Step, Int32Array, void> {
  const k = maps.maps.length;
  const width = d * d;
  const flat = new Float64Array(k * width);
  maps.maps.forEach((map, h) => {
    flat.set(map, h * width);
  });
  for (let f = 0; f < rows.length; f++) {
    const row = rows[f]!;
    const before = found[f]!;
    let best = Math.max(before, 0);
    let least = costIn(x, row * d, d, flat, best * width, centres, best * d, maps.logDets[best]!, Infinity);
    for (let h = 0; h < k; h++) {
      if (h === before) continue;
      const cost = costIn(x, row * d, d, flat, h * width, centres, h * d, maps.logDets[h]!, least);
      if (cost < least || (cost === least && h < best)) {
        least = cost;
        best = h;
      }
    }
    found[f] = best;
    if (f % CHUNK_ROWS === CHUNK_ROWS - 1) yield { phase: "iterating", done: f, total: rows.length };
  }
  return found;
}

/** ‖R x - centre‖² - log det A for a full map; some larger number once it is above `least`. */
function costIn(
  x: Float64Array,
  p: number,
  d: number, // in: a row
  r: Float64Array,
  at: number, // in: the map
  centres: Float64Array,
  q: number, // in: the mapped centre
  logDet: number,
  least: number,
): number {
  let cost = -logDet;
  for (let i = 0; i < d; i++) {
    let sum = -centres[q + i]!;
    for (let j = 0, m = at + i * d; j < d; j++) sum += r[m + j]! * x[p + j]!;
    cost += sum * sum;
    if (cost > least) return cost;
  }
  return cost;
}
