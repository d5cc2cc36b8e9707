/**
 * Where a large component goes, by bounds that take far less than its rows' sums over pairs.
 *
 * A row that leaves the others in cluster h pays its must-links and gains at most the way from h to its nearest cluster. Its
 * squared distances to a set of rows add up to no less than the set's scatter, so once that outweighs the largest gain of any
 * row, all that are in h stay and all that are still to be placed come there.
 */
import type { Random } from "../../../../random/index.js";
import { type LinearMaps, mapInto } from "../../../metric/linear-maps.js";
import { CLEARLY } from "../assign/clear-choices.js";
import { type LargeComponents, scattersUnder, sizeOf } from "./large-components.js";

/** Large components as one E-step finds them. */
export interface Scene {
  readonly large: LargeComponents;
  readonly x: Float64Array;
  readonly d: number;
  readonly k: number;
  readonly maps: LinearMaps;
  /** k × d, each centre in the space of its cluster's metric. */
  readonly centres: Float64Array;
  /** Whether a broken must-link costs its weight alone. */
  readonly plainCosts: boolean;
  /** The cluster of least distance for each row of a component, by place. */
  readonly nearest: Int32Array;
  /** `scattersUnder` of the metrics. */
  readonly scatters: Float64Array;
  readonly z: Float64Array;
}

export function sceneOf(scene: Omit<Scene, "scatters" | "z">): Scene {
  return { ...scene, scatters: scattersUnder(scene.large, scene.maps, scene.d), z: new Float64Array(scene.d) };
}

function metricOf({ maps }: Scene, h: number): number {
  return maps.maps.length > 1 ? h : 0;
}

/** The part of a broken must-link's price that is the squared distance under the metric of the cluster it points to. */
export function shareOfPrices({ maps, plainCosts }: Scene): number {
  return maps.maps.length > 1 && !plainCosts ? 0.5 : 1;
}

/** ‖x - μ_h‖² - log det A_h for d numbers of `from`, and leaves them mapped in z. */
function distanceTo(scene: Scene, from: Float64Array, p: number, h: number): number {
  const { maps, centres, d, z } = scene;
  const g = metricOf(scene, h);
  mapInto(maps, g, d, from, p, z, 0);
  let sum = -maps.logDets[g]!;
  for (let j = 0, q = h * d; j < d; j++) {
    const t = z[j]! - centres[q + j]!;
    sum += t * t;
  }
  return sum;
}

/** What the row at a place would gain by going from cluster h to its nearest. */
function gainOf(scene: Scene, f: number, h: number): number {
  const { large, x, d, nearest } = scene;
  if (nearest[f] === h) return 0;
  const p = large.kernel.rows[f]! * d;
  return distanceTo(scene, x, p, h) - distanceTo(scene, x, p, nearest[f]!);
}

/** The most that any row of a component would gain. */
function largestGain(scene: Scene, c: number, h: number): number {
  const { start } = scene.large;
  const { nearest } = scene;
  let most = 0;
  for (let f = start[c]!; f < start[c + 1]!; f++) {
    if (nearest[f] === h) continue;
    const gain = gainOf(scene, f, h);
    if (!(gain <= most)) most = gain;
  }
  return most;
}

/** Whether all rows of a component have cluster h as their nearest: then no placement is better. */
export function isAtItsBest({ large: { start }, nearest }: Scene, c: number, h: number): boolean {
  for (let f = start[c]!; f < start[c + 1]!; f++) if (nearest[f] !== h) return false;
  return true;
}

/** Whether no single row of a component that is in cluster h as a whole would leave it. `share`: see `shareOfPrices`. */
export function rests(scene: Scene, c: number, h: number, share: number): boolean {
  const { large, scatters, maps, plainCosts } = scene;
  const squares = plainCosts ? sizeOf(large, c) - 1 : scatters[c * maps.maps.length + metricOf(scene, h)]!;
  const most = largestGain(scene, c, h);
  return most === 0 || share * large.weight[c]! * squares > CLEARLY * most;
}

/** The cluster where distances cost a whole component least; it stays on ties. */
export function bestWhole(scene: Scene, c: number, before: number): number {
  const { large, scatters, maps, k, d } = scene;
  const size = sizeOf(large, c);
  const costIn = (h: number): number =>
    size * distanceTo(scene, large.mean, c * d, h) + scatters[c * maps.maps.length + metricOf(scene, h)]!;
  let [best, least] = [before, costIn(before)];
  for (let h = 0; h < k; h++) {
    const cost = h === before ? least : costIn(h);
    if (cost < least) [best, least] = [h, cost];
  }
  return best;
}

/** Rows that are gathered in one cluster: how many, their mean and scatter in the space of its metric. */
interface Gathered {
  count: number;
  readonly mean: Float64Array;
  scatter: number;
}

/**
 * Places the rows of a component one after the other, in the random order that `order` is brought into as far as needed (it holds the
 * component's places). Returns the cluster that they all go to, or -1 if one goes elsewhere, with `order` complete.
 */
export function placeTogether(scene: Scene, c: number, order: Int32Array, random: Random): number {
  const { large, nearest, d, plainCosts } = scene;
  const weight = large.weight[c]!;
  const gathered: Gathered = { count: 0, mean: new Float64Array(d), scatter: 0 };
  let h = -1;
  let most = 0;
  for (let t = 0; t < order.length; t++) {
    draw(order, t, random);
    const f = order[t]!;
    if (t === 0) {
      h = nearest[f]!;
      most = largestGain(scene, c, h);
    }
    const gain = gainOf(scene, f, h);
    if (gain !== 0 && !(weight * squaresTo(scene, gathered, f, h) > CLEARLY * gain)) {
      for (let rest = t + 1; rest < order.length; rest++) draw(order, rest, random);
      return -1;
    }
    gather(scene, gathered, f, h);
    if (most === 0 || weight * (plainCosts ? gathered.count : gathered.scatter) > CLEARLY * most) return h;
  }
  return h;
}

function draw(order: Int32Array, t: number, random: Random): void {
  const other = t + random.int(order.length - t);
  const item = order[t]!;
  order[t] = order[other]!;
  order[other] = item;
}

/** The row's squared distances to all that are gathered in cluster h; their number where costs are plain. */
function squaresTo(scene: Scene, { count, mean, scatter }: Gathered, f: number, h: number): number {
  const { large, x, d, z, maps, plainCosts } = scene;
  if (plainCosts) return count;
  mapInto(maps, metricOf(scene, h), d, x, large.kernel.rows[f]! * d, z, 0);
  let square = 0;
  for (let j = 0; j < d; j++) square += (z[j]! - mean[j]!) * (z[j]! - mean[j]!);
  return scatter + count * square;
}

function gather(scene: Scene, gathered: Gathered, f: number, h: number): void {
  const { large, x, d, z, maps } = scene;
  const before = gathered.count++;
  if (scene.plainCosts) return;
  mapInto(maps, metricOf(scene, h), d, x, large.kernel.rows[f]! * d, z, 0);
  let square = 0;
  for (let j = 0; j < d; j++) {
    const t = z[j]! - gathered.mean[j]!;
    square += t * t;
    gathered.mean[j]! += t / gathered.count;
  }
  gathered.scatter += (before / gathered.count) * square;
}
