/**
 * The E-step for constrained rows: one sweep of greedy moves (iterated conditional modes), in random order. Each unit moves to the cluster
 * with the least cost, given the current clusters of all other units. On ties it stays. Units that are not placed yet violate no
 * constraint.
 *
 * Penalties: "cost" as in equation 1 (weights), "metric" as in equation 6 (weights times f_M and f_C), or "none". All sums over implied
 * pairs come from tallies. A tally is the count, mean and scatter of the rows of one component or clique in one cluster (links.ts). For a
 * unit of N rows with mean m and scatter M, and a tally:
 *
 *     Σ ‖x - y‖² = count·M + N·scatter + N·count·‖m - mean‖²
 */
import type { Kernels } from "../../../kernels/index.js";
import type { Step } from "../../../steps/index.js";
import { type Metrics, mapAll, squareBetween } from "../../metric/metrics.js";
import {
  addTo,
  type ComponentMoments,
  emptyTallies,
  type Links,
  placeOfWhole,
  removeFrom,
  scatterUnder,
  type Tallies,
  tallyOf,
  type Units,
} from "./links.js";

/** Margin for comparisons of bounds, so that rounding errors decide nothing. */
export const CLEARLY = 1 + 1e-9;

/** The data of one sweep; only the tallies are used after the sweep. */
export interface Sweep extends SweepState {
  readonly tallies: Tallies;
  /** For each metric: the scatter of each unit. */
  readonly scatter: readonly Float64Array[];
  /** The mean of the current unit, mapped by each metric, from index `at`. With a single metric: the mapped means of all units. */
  readonly z: Float64Array;
  at: number;
  readonly cost: Float64Array;
  readonly own: Float64Array;
  readonly barred: Uint8Array;
  /** With several metrics: the mean of each component, and its scatter under each metric. */
  readonly totals: { readonly mean: Float64Array; readonly scatter: Float64Array } | null;
  readonly scratch: Float64Array;
  /**
   * By crowded component (see links.ts) and cluster: the number of rows in the cluster that have a cannot-link to the component. Null
   * unless the penalty is "cost".
   */
  readonly apartIn: Float64Array | null;
}

const UNITS_A_STEP = 2048;

/** Moves each unit to its best cluster, once, in the given order. Returns how many units changed their cluster. */
export function* sweepSteps(sweep: Sweep, order: Int32Array): Generator<Step, number, void> {
  const { table, penalty, totals } = sweep;
  const holds = table && penalty !== "none" ? holdsOf(sweep, table, totals ? 0.5 : 1) : null;
  let moved = 0;
  for (let from = 0; from < order.length; from += UNITS_A_STEP) {
    moved += moveUnits(sweep, holds, order.subarray(from, from + UNITS_A_STEP));
    yield { phase: "iterating", done: from, total: order.length };
  }
  return moved;
}

function moveUnits(work: Sweep, holds: Holds | null, order: Int32Array): number {
  const { units, labels, tallies } = work;
  let moved = 0;
  for (let o = 0; o < order.length; o++) {
    const u = order[o]!;
    const before = labels[units.rows.items[units.rows.start[u]!]!]!;
    const clear = holds ? clearCluster(work, tallies, holds, u, before) : -1;
    if (clear >= 0 && clear === before) continue;
    if (clear < 0) mapUnit(work, u);
    if (before >= 0) shift(work, u, before, removeFrom);
    const now = clear < 0 ? bestCluster(work, u, before) : clear;
    shift(work, u, now, addTo);
    if (now === before) continue;
    moved++;
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) labels[units.rows.items[p]!] = now;
  }
  return moved;
}

/** tallies: tallies of the current labels, if already known. */
export function openSweep(state: SweepState, tallies: Tallies | null = null): Sweep {
  const { links, units, metrics, d, k, penalty, labels, table } = state;
  const mapped = table?.mapped ?? null;
  const none = { ...links, componentCount: 0, groupCount: 0 };
  const sweep: Sweep = {
    ...state,
    tallies: tallies ?? emptyTallies(penalty === "none" ? none : links, k, penalty === "metric" ? d : 0, mapped !== null),
    scatter: mapped ? [mapped.scatter] : unitScatters(state),
    z: mapped ? mapped.mean : new Float64Array(metrics.all.length * d),
    at: 0,
    cost: new Float64Array(k),
    own: new Float64Array(k),
    barred: new Uint8Array(k),
    totals: splitsPrices(state) ? totalsOf(state) : null,
    scratch: new Float64Array(d),
    apartIn: penalty === "cost" && links.crowded ? new Float64Array(links.crowded.count * k) : null,
  };
  if (tallies && sweep.apartIn) countTallied(sweep, tallies);
  if (tallies || penalty === "none") return sweep;
  for (let u = 0; u < units.count; u++) {
    const h = labels[units.rows.items[units.rows.start[u]!]!]!;
    if (h >= 0) shift(sweep, u, h, addTo);
  }
  return sweep;
}

function countTallied(sweep: Sweep, { start, cluster, count }: Tallies): void {
  for (let c = 0; c < sweep.links.componentCount; c++)
    for (let s = start[c]!; s < start[c + 1]!; s++) if (cluster[s]! >= 0) countApart(sweep, c, cluster[s]!, count[s]!);
}

/** Updates `apartIn` after rows of component c moved. rows: number of rows that entered cluster h, negative for rows that left it. */
function countApart({ links: { crowded }, apartIn, k }: Sweep, c: number, h: number, rows: number): void {
  if (!apartIn) return;
  const { start, items } = crowded!.neighbours;
  for (let e = start[c]!; e < start[c + 1]!; e++) apartIn[items[e]! * k + h]! += rows;
}

/**
 * Whether the penalty of a must-link has two halves, one under the metric of each of the two clusters. This is the case with several
 * metrics if every row has a cluster.
 */
function splitsPrices({ metrics, penalty, units: { rows }, labels }: SweepState): boolean {
  return metrics.several && penalty === "metric" && rows.items.every((row) => labels[row]! >= 0);
}

/** The mean of each component, and its scatter under each metric. Used with several metrics. */
function totalsOf({ links, x, d, metrics, moments }: SweepState): Sweep["totals"] {
  const { componentCount, members } = links;
  const count = metrics.all.length;
  const mean = new Float64Array(componentCount * d);
  const scatter = new Float64Array(componentCount * count);
  for (let c = 0; c < componentCount; c++) {
    const size = members.start[c + 1]! - members.start[c]!;
    if (size < 2) continue;
    const place = moments?.at[c] ?? -1;
    if (place >= 0) {
      mean.set(moments!.mean.subarray(place * d, (place + 1) * d), c * d);
      for (let g = 0; g < count; g++) scatter[c * count + g] = scatterUnder(moments!, place, metrics, g);
      continue;
    }
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      for (let j = 0; j < d; j++) mean[c * d + j]! += x[members.items[p]! * d + j]! / size;
    }
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      for (let s = c * count; s < (c + 1) * count; s++)
        scatter[s] = metrics.all[s - c * count]!.square(x, members.items[p]! * d, mean, c * d, scatter[s]);
    }
  }
  return { mean, scatter };
}

/** Maps the unit's mean by each metric, or only by metric `only`. */
function mapUnit(work: Sweep, u: number, only = -1): void {
  const { metrics, units, d, z, table } = work;
  work.at = table?.mapped ? u * d : 0;
  table?.mapped?.prepare?.(u);
  if (table?.mapped) return;
  if (only < 0) mapAll(metrics, units.mean, u * d, z);
  else metrics.all[only]!.map(units.mean, u * d, z, only * d);
}

/** Applies `how` to the tallies of a unit in cluster h. addTo adds the unit, removeFrom removes it. */
function shift(work: Sweep, u: number, h: number, how: typeof addTo): void {
  const { links, units, tallies, scatter, metrics, d, z, penalty } = work;
  if (penalty === "none") return;
  const g = metrics.of(h);
  if (penalty === "metric") mapUnit(work, u, g);
  const at = work.at + g * d;
  const size = units.size[u]!;
  const c = units.component[u]!;
  how(tallies, c, h, size, z, at, scatter[g]![u]!);
  countApart(work, c, h, how === addTo ? size : -size);
  for (let { start, items } = links.cliques.of, e = start[c]!; e < start[c + 1]!; e++) {
    how(tallies, links.componentCount + items[e]!, h, size, z, at, scatter[g]![u]!);
  }
}

function bestCluster(work: Sweep, u: number, before: number): number {
  const { k, cost, barred, penalty } = work;
  distanceCosts(work, u);
  if (penalty !== "none") {
    mustCosts(work, u);
    edgeCosts(work, u);
    cliqueCosts(work, u);
    pairCosts(work, u);
  }
  barClusters(work, u);
  let best = before;
  for (let h = 0; h < k; h++) {
    if (barred[h] === 1) continue;
    if (best < 0 || cost[h]! < cost[best]!) best = h;
  }
  return best;
}

function distanceCosts({ units, centres, metrics, scatter, z, k, cost, table }: Sweep, u: number): void {
  if (table) {
    table.ask(u);
    for (let h = 0, p = u * k; h < k; h++) cost[h] = table.cost[p + h]!;
  } else writeDistances(units.weight[u]!, u, z, centres, metrics, k, scatter, cost, 0);
}

/**
 * The sum Σ ‖x - y‖² between the rows x of a unit and the rows y of a tally, under the metric of the tally's cluster. With the penalty
 * "cost": the number of these pairs.
 */
function between(work: Sweep, u: number, s: number): number {
  const { tallies, z, d, units, scatter, metrics, penalty } = work;
  const size = units.size[u]!;
  const count = tallies.count[s]!;
  if (penalty === "cost") return size * count;
  const g = metrics.of(tallies.cluster[s]!);
  const square = squareBetween(z, work.at + g * d, tallies.mean[s]!, tallies.at[s]!, d);
  return count * scatter[g]![u]! + size * tallies.scatter[s]! + size * count * square;
}

function mustCosts(work: Sweep, u: number): void {
  const { links, units, tallies, cost, own, k } = work;
  const c = units.component[u]!;
  const weight = links.mustWeight[c]!;
  if (weight === 0) return;
  own.fill(0);
  let all = 0;
  for (let s = tallies.start[c]!; s < tallies.start[c + 1]!; s++) {
    if (tallies.cluster[s]! < 0) continue;
    const sum = between(work, u, s);
    own[tallies.cluster[s]!] = sum;
    all += sum;
  }
  if (all === 0) return;
  for (let h = 0; h < k; h++) {
    const rest = all - own[h]!;
    cost[h]! += work.totals ? 0.5 * weight * (rest + restUnder(work, u, c, h) - own[h]!) : weight * rest;
  }
}

/** The sum Σ ‖x - y‖² between the rows of the unit and all other rows of its component, under the metric of cluster h. */
function restUnder(
  { totals, units, links, scatter, metrics, scratch, d, z, at }: Sweep,
  u: number,
  c: number,
  h: number,
): number {
  const size = units.size[u]!;
  const all = links.members.start[c + 1]! - links.members.start[c]!;
  metrics.all[h]!.map(totals!.mean, c * d, scratch, 0);
  const square = squareBetween(z, at + h * d, scratch, 0, d);
  const inside = 2 * size * scatter[h]![u]!;
  return all * scatter[h]![u]! + size * totals!.scatter[c * metrics.all.length + h]! + size * all * square - inside;
}

/** The penalty of violated cannot-links in cluster h. pairs: number of cannot-links. squares: sum of their squared distances. */
function broken({ penalty, metrics, farthest }: Sweep, h: number, pairs: number, squares: number): number {
  return penalty === "cost" ? pairs : Math.max(0, pairs * farthest[metrics.of(h)]! - squares);
}

function edgeCosts(work: Sweep, u: number): void {
  const { links, units, tallies, cost } = work;
  const { edges } = links;
  const c = units.component[u]!;
  const crowded = work.apartIn ? links.crowded!.place[c]! : -1;
  if (crowded >= 0) {
    const price = links.crowded!.weight * units.size[u]!;
    for (let h = 0; h < work.k; h++) cost[h]! += price * work.apartIn![crowded * work.k + h]!;
    return;
  }
  for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) {
    if (edges.weight[e] === 0) continue;
    for (let b = edges.other[e]!, s = tallies.start[b]!; s < tallies.start[b + 1]!; s++) {
      const h = tallies.cluster[s]!;
      if (h >= 0) cost[h]! += edges.weight[e]! * broken(work, h, units.size[u]! * tallies.count[s]!, between(work, u, s));
    }
  }
}

/** Adds the penalties of the cliques of a unit to the cost of each cluster. Pairs inside the component of the unit are left out. */
function cliqueCosts(work: Sweep, u: number): void {
  const { links, units, tallies, cost } = work;
  const { of, weight } = links.cliques;
  const c = units.component[u]!;
  for (let e = of.start[c]!; e < of.start[c + 1]!; e++) {
    const group = links.componentCount + of.items[e]!;
    for (let s = tallies.start[group]!; s < tallies.start[group + 1]!; s++) {
      const h = tallies.cluster[s]!;
      if (h < 0) continue;
      const t = tallyOf(tallies, c, h);
      const rows = tallies.count[s]! - (t < 0 ? 0 : tallies.count[t]!);
      if (rows === 0) continue;
      const squares = between(work, u, s) - (t < 0 ? 0 : between(work, u, t));
      cost[h]! += weight[of.items[e]!]! * broken(work, h, units.size[u]! * rows, squares);
    }
  }
}

/** Adds the costs of pairs that have a weight of their own. A pair inside the unit is visited from both rows, so each visit counts half. */
function pairCosts(work: Sweep, u: number): void {
  const { links, units, labels, cost, k } = work;
  const { pairs } = links;
  for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) {
    const i = units.rows.items[p]!;
    for (let e = pairs.of.start[i]!; e < pairs.of.start[i + 1]!; e++) {
      const s = pairs.of.items[e]! >> 1;
      const j = pairs.a[s] === i ? pairs.b[s]! : pairs.a[s]!;
      const weight = pairs.weight[s]!;
      if (units.of[j] === u && pairs.must[s] === 1) continue;
      if (units.of[j] === u) {
        for (let h = 0; h < k; h++) cost[h]! += 0.5 * weight * broken(work, h, 1, squareUnder(work, i, j, h));
        continue;
      }
      const there = labels[j]!;
      if (there < 0) continue;
      if (pairs.must[s] === 0) cost[there]! += weight * broken(work, there, 1, squareUnder(work, i, j, there));
      else addBrokenMustLink(work, i, j, there, weight);
    }
  }
}

function addBrokenMustLink(work: Sweep, i: number, j: number, there: number, weight: number): void {
  const { cost, k, metrics } = work;
  const theirs = squareUnder(work, i, j, there);
  for (let h = 0; h < k; h++) {
    if (h !== there) cost[h]! += metrics.several ? 0.5 * weight * (theirs + squareUnder(work, i, j, h)) : weight * theirs;
  }
}

/** ‖x_i - x_j‖² under the metric of cluster h; 1 if the penalty is "cost". */
function squareUnder({ x, d, metrics, penalty }: Sweep, i: number, j: number, h: number): number {
  return penalty === "cost" ? 1 : metrics.all[metrics.of(h)]!.square(x, i * d, x, j * d);
}

function barClusters({ units: { apart }, labels, barred }: Sweep, u: number): void {
  barred.fill(0);
  for (let p = apart.start[u]!; p < apart.start[u + 1]!; p++) {
    const h = labels[apart.items[p]!]!;
    if (h >= 0) barred[h] = 1;
  }
}

/** The penalty of a violated constraint: none, its weight (equation 1), or its weight times f_M or f_C (equation 6). */
export type Penalty = "none" | "cost" | "metric";

/** The data that all moves of one E-step share: rows, centres and metrics. */
export interface EStep {
  readonly penalty: Penalty;
  readonly x: Float64Array;
  readonly rowWeights?: Float64Array | undefined;
  readonly d: number;
  readonly k: number;
  readonly metrics: Metrics;
  /** The centres, k × d. Each centre is mapped by the metric of its cluster. */
  readonly centres: Float64Array;
  readonly farthest: Float64Array;
  readonly squares: Kernels["squares"];
}

export interface Mapped {
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
  /** Computes mean and scatter of unit u on request. If `prepare` is given, it must be called before unit u is read. */
  readonly prepare?: (u: number) => void;
}

/** The cost of each unit in each cluster by distances only, without penalties. */
export interface Table {
  /** The nearest cluster of each unit: least cost, the lower number on ties. */
  readonly nearest: Int32Array;
  /** Costs, units × k. The costs of a unit are valid only after `ask`. */
  readonly cost: Float64Array;
  /** Computes the costs of a unit in all clusters, if they are not known yet. */
  readonly ask: (u: number) => void;
  readonly costIn: (u: number, h: number) => number;
  /** The units mapped by the single metric; null with several metrics. */
  readonly mapped: Mapped | null;
}

export interface SweepState extends EStep {
  readonly links: Links;
  readonly units: Units;
  /** The cluster of each row, -1 for none. The sweep updates the labels. */
  readonly labels: Int32Array;
  /** The distance table of the units; null if it would be too large. */
  readonly table: Table | null;
  readonly moments: ComponentMoments | null;
}

/*
 * Shortcuts: units whose best cluster is clear without a sum over pairs.
 *
 * A unit in its nearest cluster that violates nothing stays there. If all rows of a component are in cluster h, a row of it stays if its
 * largest possible gain is less than the penalty of its must-links. The penalty has a lower bound: the squared distances of a row to a set
 * of rows add up to at least the scatter of the set.
 */

interface Holds {
  readonly table: Table;
  /** By metric and component: the scatter of the component; 0 if unknown. */
  readonly whole: Float64Array;
  /** The share of a must-link penalty under the metric of the current cluster: ½ with several metrics, else 1. */
  readonly share: number;
}

function holdsOf({ links, metrics, moments, penalty }: SweepState, table: Table, share: number): Holds {
  const { componentCount } = links;
  const whole = new Float64Array(componentCount * metrics.all.length);
  if (moments && penalty === "metric") {
    moments.at.forEach((place, c) => {
      if (place < 0) return;
      metrics.all.forEach((_, g) => {
        whole[g * componentCount + c] = scatterUnder(moments, place, metrics, g);
      });
    });
  }
  return { table, whole, share };
}

/** The best cluster of a unit, if a quick check finds it; else -1. before: the current cluster, -1 for none. */
function clearCluster(state: SweepState, tallies: Tallies, holds: Holds, u: number, before: number): number {
  return before < 0 ? clearPlace(state, tallies, holds, u) : staysClearly(state, tallies, holds, u, before) ? before : -1;
}

function staysClearly(state: SweepState, tallies: Tallies, holds: Holds, u: number, h: number): boolean {
  const { links, units, metrics, penalty } = state;
  const isNearest = holds.table.nearest[u] === h;
  if (!isNearest && !isPlainRow(links, units, u)) return false;
  if (!violatesNothing(links, units, tallies, u, h)) return false;
  if (isNearest) return true;
  const c = units.component[u]!;
  const s = tallyOf(tallies, c, h);
  const g = metrics.of(h);
  const squares =
    penalty === "cost" ? tallies.count[s]! - 1 : Math.max(tallies.scatter[s]!, holds.whole[g * links.componentCount + c]!);
  return isHeld(state, holds, u, h, squares);
}

/**
 * The best cluster of an unplaced unit, if it is clear; else -1. It is the nearest cluster, or the only cluster with rows of its component.
 */
function clearPlace(state: SweepState, tallies: Tallies, holds: Holds, u: number): number {
  const { links, units, penalty } = state;
  const { cliques } = links;
  const c = units.component[u]!;
  if (!isPlainRow(links, units, u) || units.apart.start[u + 1]! > units.apart.start[u]!) return -1;
  if (cliques.of.start[c + 1]! > cliques.of.start[c]!) return -1;
  let only = -1;
  for (let s = tallies.start[c]!; s < tallies.start[c + 1]!; s++) {
    if (tallies.cluster[s]! < 0) continue;
    if (only >= 0) return -1;
    only = s;
  }
  const nearest = holds.table.nearest[u]!;
  const h = only < 0 ? nearest : tallies.cluster[only]!;
  if (meetsNeighbour(links, tallies, c, h)) return -1;
  if (h === nearest) return h;
  return isHeld(state, holds, u, h, (penalty === "cost" ? tallies.count : tallies.scatter)[only]!) ? h : -1;
}

/** Whether cluster h has rows with a cannot-link to component c. */
function meetsNeighbour({ edges }: Links, tallies: Tallies, c: number, h: number): boolean {
  for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) if (tallyOf(tallies, edges.other[e]!, h) >= 0) return true;
  return false;
}

/** Whether unit u is a single row, and no pair with a weight of its own contains this row. */
function isPlainRow({ pairs }: Links, { rows, size }: Units, u: number): boolean {
  const row = rows.items[rows.start[u]!]!;
  return size[u] === 1 && pairs.of.start[row] === pairs.of.start[row + 1];
}

function isHeld({ links, units }: SweepState, { table, share }: Holds, u: number, h: number, squares: number): boolean {
  const gain = table.costIn(u, h) - table.costIn(u, table.nearest[u]!);
  return share * links.mustWeight[units.component[u]!]! * squares > CLEARLY * gain;
}

/** Whether a unit in cluster h certainly violates no constraint. This is only a quick check: false can also mean unknown. */
function violatesNothing(links: Links, units: Units, tallies: Tallies, u: number, h: number): boolean {
  const { members, cliques, pairs } = links;
  const c = units.component[u]!;
  if (cliques.of.start[c + 1]! > cliques.of.start[c]!) return false;
  if (tallies.count[tallyOf(tallies, c, h)] !== members.start[c + 1]! - members.start[c]!) return false;
  if (meetsNeighbour(links, tallies, c, h)) return false;
  for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) {
    const row = units.rows.items[p]!;
    for (let e = pairs.of.start[row]!; e < pairs.of.start[row + 1]!; e++)
      if (pairs.must[pairs.of.items[e]! >> 1] === 0) return false;
  }
  return true;
}

function tableOf(cost: Float64Array, k: number, mapped: Mapped | null): Table {
  const nearest = new Int32Array(cost.length / k);
  for (let u = 0; u < nearest.length; u++) nearest[u] = leastOf(cost, u * k, k);
  return { nearest, cost, ask: () => {}, costIn: (u, h) => cost[u * k + h]!, mapped };
}

/** The index of the smallest of k costs; the lower index on ties. */
export function leastOf(cost: Float64Array, at: number, k: number): number {
  let best = 0;
  for (let h = 1; h < k; h++) if (cost[at + h]! < cost[at + best]!) best = h;
  return best;
}

/** Under each metric, the scatter of each unit; 0 for units of one row. */
function unitScatters(state: Omit<SweepState, "table">): Float64Array[] {
  return state.metrics.all.map((_, g) => scattersUnder(state, g));
}

function scattersUnder({ links, units, x, d, rowWeights, metrics, moments }: Omit<SweepState, "table">, g: number): Float64Array {
  const scatter = new Float64Array(units.count);
  for (let u = 0; u < units.count; u++) {
    if (units.size[u] === 1) continue;
    const place = moments ? placeOfWhole(moments, links, units, u) : -1;
    if (place >= 0) scatter[u] = scatterUnder(moments!, place, metrics, g);
    if (place >= 0) continue;
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) {
      const row = units.rows.items[p]!;
      if (rowWeights) scatter[u]! += rowWeights[row]! * metrics.all[g]!.square(x, row * d, units.mean, u * d);
      else scatter[u] = metrics.all[g]!.square(x, row * d, units.mean, u * d, scatter[u]);
    }
  }
  return scatter;
}

/**
 * Writes the cost of a unit in each cluster h, without penalties: N·‖m - μ_h‖² + M - N·log det A_h. N: weight of the unit. m: its mean. M:
 * its scatter.
 */
function writeDistances(
  weight: number,
  u: number, // the unit
  z: Float64Array, // the mean of the unit, mapped into the space of each metric
  centres: Float64Array,
  { all, of, d }: Metrics,
  k: number,
  scatter: readonly Float64Array[],
  out: Float64Array,
  at: number,
): void {
  for (let h = 0; h < k; h++) {
    const g = of(h);
    out[at + h] = weight * (squareBetween(z, g * d, centres, h * d, d) - all[g]!.logDet) + scatter[g]![u]!;
  }
}

/** Maximum number of entries of a table of costs. Without a table, each cost is computed when it is needed. */
const MOST_IN_TABLE = 8_000_000;

/** The means and scatters of all units under the single metric. room: buffer for the mapped means. */
function mapUnits(state: Omit<SweepState, "table">, room: Float64Array | undefined): Mapped {
  const { units, metrics, d } = state;
  const scatter = scattersUnder(state, 0);
  if (metrics.maps.kind === "identity") return { mean: units.mean, scatter };
  const mean = room ?? new Float64Array(units.count * d);
  for (let u = 0; u < units.count; u++) metrics.all[0]!.map(units.mean, u * d, mean, u * d);
  return { mean, scatter };
}

/** The cost of each unit in each cluster under a single metric. The kernels compute the distances between mapped means and centres. */
function costsUnderOne({ units, metrics, centres, d, k, squares }: Omit<SweepState, "table">, mapped: Mapped): Float64Array {
  const cost = squares(mapped.mean, units.count, centres, k, d);
  const { logDet } = metrics.all[0]!;
  for (let u = 0; u < units.count; u++) {
    const [weight, scatter] = [units.weight[u]!, mapped.scatter[u]!];
    for (let p = u * k; p < (u + 1) * k; p++) cost[p] = weight * (cost[p]! - logDet) + scatter;
  }
  return cost;
}

/** The cost of each unit in each cluster, without penalties. Valid for all sweeps of one E-step. Null if the table would be too large. */
export function distanceTable(state: Omit<SweepState, "table">): Table | null {
  const { units, metrics, centres, d, k } = state;
  if (units.count * k > MOST_IN_TABLE) return null;
  if (!metrics.several) {
    const mapped = mapUnits(state, undefined);
    return tableOf(costsUnderOne(state, mapped), k, mapped);
  }
  const scatter = unitScatters(state);
  const z = new Float64Array(metrics.all.length * d);
  const table = new Float64Array(units.count * k);
  for (let u = 0; u < units.count; u++) {
    mapAll(metrics, units.mean, u * d, z);
    writeDistances(units.weight[u]!, u, z, centres, metrics, k, scatter, table, u * k);
  }
  return tableOf(table, k, null);
}

/** After requests for more than 1 / FEW of the units, the kernels compute the costs of all units. */
const FEW = 32;

/**
 * Like `distanceTable`, but costs are computed on request. Needs a single metric and known nearest clusters. For most units the nearest
 * cluster already decides, so their other costs are never needed.
 */
export function tableOnDemand(state: Omit<SweepState, "table">, nearest: Int32Array, room: Float64Array): Table {
  const { units, metrics, centres, d, k } = state;
  const mapped = mapUnits(state, room);
  const cost = new Float64Array(units.count * k);
  const isKnown = new Uint8Array(units.count);
  const { logDet } = metrics.all[0]!;
  let asked = 0;
  const costIn = (u: number, h: number): number => {
    if (isKnown[u] === 1) return cost[u * k + h]!;
    return units.weight[u]! * (squareBetween(mapped.mean, u * d, centres, h * d, d) - logDet) + mapped.scatter[u]!;
  };
  const ask = (u: number): void => {
    if (isKnown[u] === 1) return;
    if (++asked * FEW > units.count) {
      cost.set(costsUnderOne(state, mapped));
      isKnown.fill(1);
      return;
    }
    for (let h = 0; h < k; h++) cost[u * k + h] = costIn(u, h);
    isKnown[u] = 1;
  };
  return { nearest, cost, ask, costIn, mapped };
}

/** For each cluster, writes the cost of placing the whole component c there, without penalties. moments: mean and scatter of c. */
export function writeWhole(
  { links: { members }, metrics, centres, d, k }: Omit<SweepState, "table">,
  moments: ComponentMoments,
  c: number,
  out: Float64Array,
  at: number,
): void {
  const place = moments.at[c]!;
  const z = new Float64Array(metrics.all.length * d);
  mapAll(metrics, moments.mean, place * d, z);
  const scatter = metrics.all.map((_, g) => Float64Array.of(scatterUnder(moments, place, metrics, g)));
  writeDistances(members.start[c + 1]! - members.start[c]!, 0, z, centres, metrics, k, scatter, out, at);
}
