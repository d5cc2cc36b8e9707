/**
 * The E-step for rows that no constraint binds: each goes to the cluster of least ‖x - μ_h‖²_{A_h} - log det A_h. They do not
 * depend on each other, so the k-means kernel does it: under diagonal metrics as it is, under one full metric on rows mapped by
 * it. Several full metrics are left to plain loops.
 */
import {
  type Arena,
  CHUNK_ROWS,
  type F64,
  type Kernels,
  type KMeansMachine,
  type KMeansMetrics,
} from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { type LinearMaps, mapInto } from "../../../metric/linear-maps.js";

/** What metrics are learned. */
export interface Learning {
  readonly metrics: "single" | "multiple";
  readonly matrix: "diagonal" | "full";
}

/** Rows in the order in which a machine has them. */
export interface KernelRows {
  /** Whether the metric never changes: then whoever moves the centres tells the machine. */
  readonly fixed: boolean;
  readonly rows: Int32Array;
  readonly x: F64;
  readonly machine: KMeansMachine | null;
  /** Whether the machine has the rows as they are, so that its sums are those of the rows. */
  readonly unmapped: boolean;
  /** The nearest cluster of each row as last found, where the machine does not look for it. */
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
  const machine = count > 0 ? kernels.kmeans(block, count, d, k, arena, { bounds, screen }) : null;
  const several = learning?.matrix === "full" && learning.metrics === "multiple";
  return {
    fixed: learning === null,
    rows,
    x: block,
    machine,
    unmapped: learning?.matrix !== "full",
    found: new Int32Array(several ? count : 0).fill(-1),
  };
}

function copyRows(x: Float64Array, rows: Int32Array, d: number, out: Float64Array): void {
  for (let f = 0; f < rows.length; f++) for (let j = 0, p = rows[f]! * d, q = f * d; j < d; j++) out[q + j] = x[p + j]!;
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
  maps: LinearMaps,
  centres: Float64Array,
  labels: Int32Array,
): Generator<Step, number, void> {
  const { rows } = free;
  const found = yield* nearestSteps(free, points, maps, centres);
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
  maps: LinearMaps,
  centres: Float64Array,
): Generator<Step, Int32Array, void> {
  if (!kernel.machine) return new Int32Array(0);
  return maps.kind === "full" && maps.maps.length > 1
    ? yield* byDefinition(kernel, points, maps, centres)
    : yield* byMachine(kernel, kernel.machine, points, maps, centres);
}

const ROWS_A_STEP = 64 * CHUNK_ROWS;

function* byMachine(
  { fixed, rows, x }: KernelRows,
  machine: KMeansMachine,
  points: Points,
  maps: LinearMaps,
  centres: Float64Array,
): Generator<Step, Int32Array, void> {
  if (maps.kind === "full") {
    for (let from = 0; from < rows.length; from += ROWS_A_STEP) {
      mapRows(points, rows, from, Math.min(rows.length, from + ROWS_A_STEP), maps, x.view());
      yield { phase: "mapping", done: from, total: rows.length };
    }
  }
  if (maps.kind === "diagonal") machine.setCentres(centres, metricsOf(maps, centres.length / points.d));
  else if (!fixed) machine.setCentres(centres);
  for (let from = 0; from < rows.length; from += ROWS_A_STEP) {
    machine.assign(from, Math.min(rows.length, from + ROWS_A_STEP));
    yield { phase: "iterating", done: from, total: rows.length };
  }
  return machine.labels();
}

/** Each cluster's factors, and what its determinant adds to every cost; that of one metric adds the same to all. */
function metricsOf({ maps, logDets }: LinearMaps, k: number): KMeansMetrics {
  const first = maps[0]!;
  if (maps.length === 1) return { factors: first, offsets: null };
  const factors = new Float64Array(k * first.length);
  maps.forEach((map, h) => {
    factors.set(map, h * first.length);
  });
  return { factors, offsets: logDets.map((logDet) => -logDet) };
}

function mapRows({ d, x }: Points, rows: Int32Array, from: number, to: number, maps: LinearMaps, out: Float64Array): void {
  for (let f = from; f < to; f++) mapInto(maps, 0, d, x, rows[f]! * d, out, f * d);
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
