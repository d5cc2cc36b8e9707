/**
 * The E-step for lone components. As for other bound rows, a sweep over single rows in random order is followed by one over blocks,
 * and once nothing moves all are also placed afresh. No component matters to another, so each has its turn by itself; only those
 * that bounds do not settle go through sums over pairs.
 */
import type { Random } from "../../../../random/index.js";
import type { Steps } from "../../../../steps/index.js";
import { boundObjective } from "../assign/bound-objective.js";
import { BETTER, sweepAndBlocksSteps } from "../assign/bound-rows.js";
import { distanceTable } from "../assign/distance-table.js";
import { type EStep, type SweepState, sweepSteps } from "../assign/sweep.js";
import type { Links } from "../statements/links.js";
import { meansOfLists, type Units } from "../statements/moving-units.js";
import { bestWhole, isAtItsBest, placeTogether, rests, type Scene, shareOfPrices } from "./bounds.js";
import {
  clusterOfAll,
  type LargeComponents,
  type Placement,
  rowsOfComponents,
  SPLIT,
  UNPLACED,
  writeLabels,
} from "./large-components.js";

export interface LoneStep {
  readonly scene: Scene;
  readonly eStep: EStep;
  /** Whether rows move one by one only. */
  readonly faithful: boolean;
}

/** Places all lone components as if none were placed yet; rewrites the placement, and returns how many rows moved. */
export function* placeLoneSteps(step: LoneStep, placement: Placement, random: Random): Steps<number> {
  const fresh = { cluster: new Int32Array(placement.cluster.length).fill(UNPLACED), labels: placement.labels.slice() };
  yield* settleSteps(step, fresh, random);
  return adopt(step.scene.large, fresh, placement);
}

/** Moves that lower the objective; rewrites the placement, and returns how many rows or blocks moved. */
export function* improveLoneSteps(step: LoneStep, placement: Placement, random: Random): Steps<number> {
  const before = placement.cluster.slice();
  const moved = yield* settleSteps(step, placement, random);
  let whole = 0;
  placement.cluster.forEach((h, c) => {
    if (h < 0 || h === before[c]) return;
    writeLabels(step.scene.large, c, h, placement.labels);
    whole++;
  });
  return moved + whole;
}

/**
 * Places components afresh that could be better off, and takes that over where it is better. A component that is in one cluster has been in
 * the best one as a whole, so only those count that are split before or after.
 */
export function* afreshLoneSteps(step: LoneStep, placement: Placement, random: Random): Steps<number> {
  const { large } = step.scene;
  const cluster = placement.cluster.map((h, c) => (h >= 0 && isAtItsBest(step.scene, c, h) ? h : UNPLACED));
  if (!cluster.includes(UNPLACED)) return 0;
  const fresh = { cluster, labels: placement.labels.slice() };
  yield* settleSteps(step, fresh, random.split("first"));
  if (isSame(placement.cluster, cluster)) return 0;
  yield* settleSteps(step, fresh, random.split("second"));
  const open = Array.from(cluster.keys()).filter((c) => placement.cluster[c] === SPLIT || cluster[c] === SPLIT);
  if (open.length === 0) return 0;
  for (const c of open) if (cluster[c]! >= 0) writeLabels(large, c, cluster[c]!, fresh.labels);
  const before = boundObjective(sweepStateOf(step, open, placement.labels));
  if (!(boundObjective(sweepStateOf(step, open, fresh.labels)) < before - BETTER * Math.abs(before))) return 0;
  for (let c = 0; c < large.count; c++) if (!open.includes(c)) cluster[c] = placement.cluster[c]!;
  return adopt(large, fresh, placement);
}

/** Whether all components are whole, and in the same clusters. */
function isSame(a: Int32Array, b: Int32Array): boolean {
  return a.every((h, c) => h >= 0 && h === b[c]);
}

/** Takes a placement over; returns how many rows differ. */
function adopt(large: LargeComponents, fresh: Placement, placement: Placement): number {
  const { start, kernel } = large;
  let moved = 0;
  for (let c = 0; c < large.count; c++) {
    const h = fresh.cluster[c]!;
    if (h >= 0 && h === placement.cluster[c]) continue;
    placement.cluster[c] = h;
    for (let f = start[c]!; f < start[c + 1]!; f++) {
      const row = kernel.rows[f]!;
      const label = h >= 0 ? h : fresh.labels[row]!;
      if (placement.labels[row] !== label) moved++;
      placement.labels[row] = label;
    }
  }
  return moved;
}

/** A sweep over the rows of each component, then one over its blocks. Labels of those that bounds have settled are left as they were. */
function* settleSteps(step: LoneStep, placement: Placement, random: Random): Steps<number> {
  const { scene, faithful } = step;
  const { large } = scene;
  const { cluster, labels } = placement;
  const draws = random.split("crowds");
  const share = shareOfPrices(scene);
  const unsettled: number[] = [];
  const orders: Int32Array[] = [];
  for (let c = 0; c < large.count; c++) {
    const before = cluster[c]!;
    let h = before;
    if (before === UNPLACED) {
      const order = placesOf(large, c);
      h = placeTogether(scene, c, order, draws);
      if (h < 0) orders.push(order);
    } else if (before >= 0 && !rests(scene, c, before, share)) h = SPLIT;
    if (h < 0) {
      if (before !== UNPLACED) orders.push(shuffled(placesOf(large, c), draws));
      if (before !== SPLIT) writeLabels(large, c, before >= 0 ? before : -1, labels);
      unsettled.push(c);
    } else cluster[c] = faithful ? h : bestWhole(scene, c, h);
    if (c % 256 === 255) yield { phase: "iterating", done: c, total: large.count };
  }
  if (unsettled.length === 0) return 0;
  const state = sweepStateOf(step, unsettled, labels);
  const order = unitsAt(large, unsettled, orders);
  const moved = yield* faithful ? sweepSteps(state, order) : sweepAndBlocksSteps(state, order, draws);
  for (const c of unsettled) cluster[c] = clusterOfAll(large, c, labels);
  return moved;
}

function placesOf({ start }: LargeComponents, c: number): Int32Array {
  const places = new Int32Array(start[c + 1]! - start[c]!);
  for (let p = 0; p < places.length; p++) places[p] = start[c]! + p;
  return places;
}

function shuffled(items: Int32Array, random: Random): Int32Array {
  random.shuffle(items);
  return items;
}

/** From orders of places to one of the units that these rows are in `sweepStateOf`. */
function unitsAt(large: LargeComponents, unsettled: readonly number[], orders: readonly Int32Array[]): Int32Array {
  const units = new Int32Array(orders.reduce((sum, order) => sum + order.length, 0));
  let first = 0;
  unsettled.forEach((c, e) => {
    const order = orders[e]!;
    for (let p = 0; p < order.length; p++) units[first + p] = first + order[p]! - large.start[c]!;
    first += order.length;
  });
  return units;
}

/** Some lone components as a problem of their own, with every row a unit. */
function sweepStateOf({ scene: { large }, eStep }: LoneStep, chosen: readonly number[], labels: Int32Array): SweepState {
  const links = linksOfLone(large, chosen, labels.length);
  const { items } = links.members;
  const count = items.length;
  const of = new Int32Array(labels.length).fill(-1);
  const start = new Int32Array(count + 1);
  const component = new Int32Array(count);
  for (let u = 0; u < count; u++) {
    of[items[u]!] = u;
    start[u + 1] = u + 1;
    component[u] = links.component[items[u]!]!;
  }
  const rows = { start, items };
  const apart = { start: new Int32Array(count + 1), items: new Int32Array(0) };
  const units: Units = { count, of, rows, ...meansOfLists(rows, eStep.x, eStep.d), component, apart };
  const state = { ...eStep, links, units, labels, moments: null };
  return { ...state, table: distanceTable(state) };
}

/** The must-links of some lone components, and nothing else. */
export function linksOfLone(large: LargeComponents, chosen: readonly number[], n: number): Links {
  const members = rowsOfComponents(large, chosen);
  const component = new Int32Array(n).fill(-1);
  chosen.forEach((_, e) => {
    for (let p = members.start[e]!; p < members.start[e + 1]!; p++) component[members.items[p]!] = e;
  });
  const none = new Int32Array(0);
  const noLists = (count: number) => ({ start: new Int32Array(count + 1), items: none });
  const noWeights = new Float64Array(0);
  return {
    n,
    componentCount: chosen.length,
    groupCount: chosen.length,
    component,
    members,
    mustWeight: Float64Array.from(chosen, (c) => large.weight[c]!),
    edges: { start: new Int32Array(chosen.length + 1), other: none, weight: noWeights },
    cliques: { components: noLists(0), weight: noWeights, of: noLists(chosen.length) },
    pairs: { a: none, b: none, weight: noWeights, must: new Uint8Array(0), of: noLists(n) },
    hard: null,
    hasCannot: false,
    hasPenalties: true,
  };
}

/** The components whose rows are in more than one cluster. */
export function splitComponents({ cluster }: Placement): number[] {
  return Array.from(cluster.keys()).filter((c) => cluster[c] === SPLIT);
}
