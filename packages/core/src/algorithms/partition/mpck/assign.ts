/**
 * The E-step for constrained rows. Greedy moves of single rows (bilenko2004, section 3.2) get stuck for two reasons. Must-linked rows
 * cannot leave a cluster one by one. Rows that the first metric misplaced keep each other in the wrong cluster.
 *
 * So a sweep over single units is followed by a sweep over blocks of units. When nothing moves, all units are also placed from scratch, and
 * the better result is used. Every step minimises the same objective, so the objective never rises.
 */

import { type Arena, CHUNK_ROWS, type F64, type Kernels, type KMeansState } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Step, Steps } from "../../../steps/index.js";
import { type Lists, listsByKey } from "../../../structures/components.js";
import { type LinearMaps, matricesOf, traceOfProduct } from "../../metric/linear-maps.js";
import { forKernels, type Metrics, squareBetween } from "../../metric/metrics.js";
import { meansOfLists, placeOfWhole, type Units, weightsOfLists, wholeClusters } from "./links.js";
import { leastOf, type Mapped, openSweep, type SweepState, sweepSteps, type Table, writeWhole } from "./sweep.js";
import { violatedSums, violationCosts } from "./violations.js";

/** The search of the paper: one sweep over single units. Updates the labels. Returns how many units moved. */
export function* moveOneByOneSteps(state: SweepState, random: Random): Steps<number> {
  return yield* sweepSteps(openSweep(state), orderOf(state.units.count, random));
}

/** Places all constrained rows from scratch; returns how many rows moved. */
export function* placeSteps(state: SweepState, random: Random): Steps<number> {
  const { units, labels } = state;
  if (state.penalty === "none") return yield* moveOneByOneSteps(state, random);
  const fresh = forgotten(state);
  yield* assignSteps({ ...state, labels: fresh }, random);
  return adopt(units, fresh, labels);
}

/** Moves units to lower the objective. Returns how many units moved. If nothing moved, tries to place all constrained rows from scratch. */
export function* improveSteps(state: SweepState, random: Random, others: number): Steps<number> {
  const moved = yield* assignSteps(state, random);
  if (state.penalty === "none" || moved + others > 0 || isLeast(state)) return moved;
  return yield* afreshSteps(state, random.split("afresh"));
}

/** A new placement must be better by this share of the objective. Otherwise two equal placements could alternate. */
const BETTER = 1e-9;

/**
 * Whether the constrained rows are certainly in the best clusters: every unit is in its nearest cluster and nothing is violated, up to
 * rounding.
 */
function isLeast(state: SweepState): boolean {
  const { table, units, labels } = state;
  if (!table) return false;
  const { distances, violations } = boundParts(state);
  let gain = violations;
  for (let u = 0; u < units.count; u++) {
    const h = labels[units.rows.items[units.rows.start[u]!]!]!;
    if (h === table.nearest[u]) continue;
    gain += table.costIn(u, h) - table.costIn(u, table.nearest[u]!);
  }
  return gain <= BETTER * Math.abs(distances + violations - gain);
}

function* assignSteps(state: SweepState, random: Random): Steps<number> {
  return yield* sweepAndBlocksSteps(state, orderOf(state.units.count, random), random);
}

/**
 * One sweep over the single units in the given order, then one sweep over blocks of units in random order. Returns how many units and
 * blocks moved.
 */
export function* sweepAndBlocksSteps(state: SweepState, order: Int32Array, random: Random): Steps<number> {
  const sweep = openSweep(state);
  const moved = yield* sweepSteps(sweep, order);
  if (state.penalty === "none") return moved;
  const blocks = blocksOf(state);
  if (blocks.units.count === 0) return moved;
  const blockOrder = orderOf(blocks.units.count, random);
  const table = state.table && blockTable(state, blocks, state.table);
  const second = openSweep({ ...state, units: blocks.units, table }, sweep.tallies);
  return moved + (yield* sweepSteps(second, blockOrder));
}

function orderOf(count: number, random: Random): Int32Array {
  const order = upTo(count);
  random.shuffle(order);
  return order;
}

/** The labels, with -1 for all constrained rows except rows of units with hard cannot-links. */
function forgotten({ units, labels }: SweepState): Int32Array {
  const fresh = labels.slice();
  for (let u = 0; u < units.count; u++) {
    if (units.apart.start[u + 1]! > units.apart.start[u]!) continue;
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) fresh[units.rows.items[p]!] = -1;
  }
  return fresh;
}

/** Copies the labels of constrained rows from `fresh` to `labels`; returns how many labels changed. */
function adopt({ rows }: SweepState["units"], fresh: Int32Array, labels: Int32Array): number {
  let moved = 0;
  for (const row of rows.items) {
    if (labels[row] !== fresh[row]) moved++;
    labels[row] = fresh[row]!;
  }
  return moved;
}

/** Places all constrained rows from scratch; keeps the new placement if it is better. */
function* afreshSteps(state: SweepState, random: Random): Steps<number> {
  const other = { ...state, labels: forgotten(state) };
  yield* assignSteps(other, random.split("first"));
  yield* assignSteps(other, random.split("second"));
  const before = boundObjective(state);
  if (!(boundObjective(other) < before - BETTER * Math.abs(before))) return 0;
  return adopt(state.units, other.labels, state.labels);
}

/** The two terms of the objective for constrained rows: distances to centres, and violated constraints. */
interface BoundParts {
  readonly distances: number;
  readonly violations: number;
}

export function boundObjective(state: SweepState): number {
  const { distances, violations } = boundParts(state);
  return distances + violations;
}

function boundParts(state: SweepState): BoundParts {
  const { links, penalty, x, d, k, metrics, farthest, labels, moments } = state;
  const { maps } = metrics;
  const whole = moments && wholeClusters(moments, links, labels);
  const distances = distancesOf(state, whole);
  if (penalty === "none") return { distances, violations: 0 };
  if (penalty === "cost") return { distances, violations: violationCosts(links, labels, k) };
  const full = maps.kind === "full";
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, maps.maps.length, full, moments, whole);
  let violations = 0;
  matricesOf(maps, d).forEach((a, g) => {
    violations += traceOfProduct(a, sums[g]!, d, full) + (farthestShare[g]! > 0 ? farthestShare[g]! * farthest[g]! : 0);
  });
  return { distances, violations };
}

/** The distance term of constrained rows. whole: by component, the cluster of all its rows if its moments are known; else -1. */
function distancesOf(state: SweepState, whole: Int32Array | null): number {
  const { units, x, d, rowWeights, k, metrics, centres, labels, table, moments } = state;
  const z = new Float64Array(d);
  let sum = 0;
  if (table) {
    const costs = new Float64Array(k);
    whole?.forEach((h, c) => {
      if (h < 0) return;
      writeWhole(state, moments!, c, costs, 0);
      sum += costs[h]!;
    });
    for (let u = 0; u < units.count; u++) {
      if (whole && whole[units.component[u]!]! >= 0) continue;
      sum += table.costIn(u, labels[units.rows.items[units.rows.start[u]!]!]!);
    }
    return sum;
  }
  for (const row of units.rows.items) {
    const h = labels[row]!;
    const metric = metrics.all[metrics.of(h)]!;
    metric.map(x, row * d, z, 0);
    sum += (rowWeights?.[row] ?? 1) * squareBetween(z, 0, centres, h * d, d, -metric.logDet);
  }
  return sum;
}

/*
 * The E-step for free rows. Each row is assigned to the cluster with the least ‖x - μ_h‖²_{A_h} - log det A_h, independently of all other
 * rows. With diagonal metrics the k-means kernel computes this. With one full metric the kernel runs on mapped rows. With several full
 * metrics plain loops are used.
 */

export interface Learning {
  readonly metrics: "single" | "multiple";
  readonly matrix: "diagonal" | "full";
}

export interface KernelRows {
  /** Whether the metric never changes. If true, the caller passes new centres to the kernel. */
  readonly fixed: boolean;
  readonly rows: Int32Array;
  readonly x: F64;
  readonly state: KMeansState | null;
  /** Whether the kernel has the original rows, not rows mapped by a metric. If true, its sums are sums of the original rows. */
  readonly unmapped: boolean;
  /** The last nearest cluster of each row. Used only with several full metrics, because they have no kernel. */
  readonly found: Int32Array;
}

/** Copies rows to kernel memory. Without learned metrics, the kernel stores bounds, so that it can skip rows between iterations. */
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

/** From this number of columns, copying a row as a whole is faster than copying number by number. */
const WIDE = 64;

function copyRows(x: Float64Array, rows: Int32Array, d: number, out: Float64Array): void {
  if (d < WIDE)
    for (let f = 0; f < rows.length; f++) for (let j = 0, p = rows[f]! * d, q = f * d; j < d; j++) out[q + j] = x[p + j]!;
  else for (let f = 0; f < rows.length; f++) out.set(x.subarray(rows[f]! * d, (rows[f]! + 1) * d), f * d);
}

/** The rows i with of[i] < 0 (free rows), ascending. If `isFree` is false: all other rows. */
export function rowsWhere(of: Int32Array, isFree: boolean): Int32Array {
  let count = 0;
  for (let i = 0; i < of.length; i++) if (of[i]! < 0 === isFree) count++;
  const rows = new Int32Array(count);
  count = 0;
  for (let i = 0; i < of.length; i++) if (of[i]! < 0 === isFree) rows[count++] = i;
  return rows;
}

/**
 * Assigns each free row to its nearest cluster. Returns how many labels changed. centres: k × d, each mapped by the metric of its cluster.
 */
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

/** The cluster of least cost for each row, ignoring constraints; the lower number on ties. */
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

/**
 * Assigns rows with several full metrics. Starts with the previous cluster of a row, because a low cost cuts the computation for other
 * clusters short.
 */
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

/** ‖R x - centre‖² - log det A for a full map R. If a partial sum exceeds `least`, returns this partial sum. */
function costIn(
  x: Float64Array,
  p: number,
  d: number, // length of the row
  r: Float64Array,
  at: number, // index in r of the map R
  centres: Float64Array,
  q: number, // index in `centres` of the mapped centre
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

/*
 * Blocks: all units of a component in one cluster form a block. A second sweep moves blocks as a whole. Rows with many must-links between
 * them never move one by one, even if all of them would be better in another cluster.
 */

interface Blocks {
  /** The blocks as units of the second sweep. A block has two or more units of the first sweep. */
  readonly units: Units;
  readonly inside: Lists;
}

function blocksOf(state: SweepState): Blocks {
  const { units, labels, table } = state;
  const { blockOf, component } = numberBlocks(state);
  const count = component.length;
  const inside = listsByKey(blockOf, count);
  const rows = joined(units.rows, inside);
  const of = new Int32Array(labels.length).fill(-1);
  for (let b = 0; b < count; b++) for (let p = rows.start[b]!; p < rows.start[b + 1]!; p++) of[rows.items[p]!] = b;
  // With a single metric, the means of blocks are computed later, from the mapped means of their units (`mapBlocks`).
  const means = table?.mapped
    ? { ...weightsOfLists(rows, state.rowWeights), mean: new Float64Array(0) }
    : meansOfLists(rows, state);
  return { units: { count, of, rows, ...means, component, apart: joined(units.apart, inside) }, inside };
}

/**
 * The block of each unit, and the component of each block. A unit has no block (-1) if no other unit of its component is in its cluster.
 */
function numberBlocks({ links: { componentCount }, units, k, labels }: SweepState) {
  const { items, start } = listsByKey(units.component, componentCount);
  const clusterOf = (u: number): number => labels[units.rows.items[units.rows.start[u]!]!]!;
  const blockOf = new Int32Array(units.count).fill(-1);
  const component: number[] = [];
  const unitsIn = new Int32Array(k);
  const blockIn = new Int32Array(k);
  for (let c = 0; c < componentCount; c++) {
    if (start[c + 1]! - start[c]! < 2) continue;
    unitsIn.fill(0);
    blockIn.fill(-1);
    for (let p = start[c]!; p < start[c + 1]!; p++) unitsIn[clusterOf(items[p]!)]!++;
    for (let p = start[c]!; p < start[c + 1]!; p++) {
      const h = clusterOf(items[p]!);
      if (unitsIn[h]! < 2) continue;
      if (blockIn[h]! < 0) blockIn[h] = component.push(c) - 1;
      blockOf[items[p]!] = blockIn[h]!;
    }
  }
  return { blockOf, component: Int32Array.from(component) };
}

function joined({ start, items }: Lists, inside: Lists): Lists {
  const ends = new Int32Array(inside.start.length);
  const all: number[] = [];
  for (let b = 0; b + 1 < ends.length; b++) {
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      for (let q = start[u]!; q < start[u + 1]!; q++) all.push(items[q]!);
    }
    ends[b + 1] = all.length;
  }
  return { start: ends, items: Int32Array.from(all) };
}

/**
 * Means and scatters of blocks under the single metric. Most blocks never need them, so `prepare(b)` computes them for block b on request.
 */
function mapBlocks({ units, d }: SweepState, { units: blocks, inside }: Blocks, of: Mapped): Mapped {
  const mean = new Float64Array(blocks.count * d);
  const scatter = new Float64Array(blocks.count);
  const isKnown = new Uint8Array(blocks.count);
  const prepare = (b: number): void => {
    if (isKnown[b] === 1) return;
    isKnown[b] = 1;
    const at = b * d;
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      const share = units.weight[u]! / blocks.weight[b]!;
      for (let j = 0; j < d; j++) mean[at + j]! += share * of.mean[u * d + j]!;
    }
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const u = inside.items[p]!;
      scatter[b]! += of.scatter[u]! + units.weight[u]! * squareBetween(of.mean, u * d, mean, at, d);
    }
  };
  return { mean, scatter, prepare };
}

/**
 * The distance table of blocks. The cost of a block is the sum over its units. If the block is a whole component with moments, the cost
 * comes from the moments.
 */
function blockTable(state: SweepState, blocks: Blocks, table: Table): Table {
  const { links, moments, k } = state;
  const { units, inside } = blocks;
  const cost = new Float64Array(units.count * k);
  const nearest = new Int32Array(units.count);
  const isKnown = new Uint8Array(units.count);
  const ask = (b: number): void => {
    if (isKnown[b] === 1) return;
    isKnown[b] = 1;
    if (moments && placeOfWhole(moments, links, units, b) >= 0) {
      writeWhole(state, moments, units.component[b]!, cost, b * k);
      return;
    }
    for (let p = inside.start[b]!; p < inside.start[b + 1]!; p++) {
      const from = inside.items[p]! * k;
      table.ask(inside.items[p]!);
      for (let h = 0; h < k; h++) cost[b * k + h]! += table.cost[from + h]!;
    }
  };
  for (let b = 0; b < units.count; b++) {
    nearest[b] = commonNearest(table, inside, b);
    if (nearest[b]! >= 0) continue;
    ask(b);
    nearest[b] = leastOf(cost, b * k, k);
  }
  const costIn = (b: number, h: number): number => {
    ask(b);
    return cost[b * k + h]!;
  };
  return { nearest, cost, ask, costIn, mapped: table.mapped && mapBlocks(state, blocks, table.mapped) };
}

/** The common nearest cluster of all units of a block; -1 if the nearest clusters differ. */
function commonNearest({ nearest }: Table, { start, items }: Lists, b: number): number {
  const h = nearest[items[start[b]!]!]!;
  for (let p = start[b]!; p < start[b + 1]!; p++) if (nearest[items[p]!] !== h) return -1;
  return h;
}
