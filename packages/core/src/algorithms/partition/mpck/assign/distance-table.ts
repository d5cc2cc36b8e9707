/** What distances to centres alone cost units, before any constraint counts. */

import { type Metrics, mapAll, squareBetween } from "../../../metric/metrics.js";
import { type ComponentMoments, placeOfWhole, scatterUnder } from "../constraints/links.js";
import type { Mapped, SweepState, Table } from "./sweep.js";

/** A table of which all is known. */
function tableOf(cost: Float64Array, k: number, mapped: Mapped | null): Table {
  const nearest = new Int32Array(cost.length / k);
  for (let u = 0; u < nearest.length; u++) nearest[u] = leastOf(cost, u * k, k);
  return { nearest, cost, ask: () => {}, costIn: (u, h) => cost[u * k + h]!, mapped };
}

/** The place of the least of k costs, the lower one on ties. */
export function leastOf(cost: Float64Array, at: number, k: number): number {
  let best = 0;
  for (let h = 1; h < k; h++) if (cost[at + h]! < cost[at + best]!) best = h;
  return best;
}

/** The scatter of each unit of several rows, under each metric. */
export function unitScatters(state: Omit<SweepState, "table">): Float64Array[] {
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

/** N·‖m - μ_h‖² + M - N·log det A_h for each cluster, where N is what the unit weighs. */
export function writeDistances(
  weight: number,
  u: number, // in: the unit
  z: Float64Array, // in: the unit's mean in the space of each metric
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

/** Tables above this many numbers are not kept. */
const MOST_IN_TABLE = 8_000_000;

/** All units under the one metric. `room`: where mapped means may be written, if there is such a place. */
function mapUnits(state: Omit<SweepState, "table">, room: Float64Array | undefined): Mapped {
  const { units, metrics, d } = state;
  const scatter = scattersUnder(state, 0);
  if (metrics.maps.kind === "identity") return { mean: units.mean, scatter };
  const mean = room ?? new Float64Array(units.count * d);
  for (let u = 0; u < units.count; u++) metrics.all[0]!.map(units.mean, u * d, mean, u * d);
  return { mean, scatter };
}

/** All costs under one metric for all clusters: the kernels measure mapped means. */
function costsUnderOne({ units, metrics, centres, d, k, squares }: Omit<SweepState, "table">, mapped: Mapped): Float64Array {
  const cost = squares(mapped.mean, units.count, centres, k, d);
  const { logDet } = metrics.all[0]!;
  for (let u = 0; u < units.count; u++) {
    const [weight, scatter] = [units.weight[u]!, mapped.scatter[u]!];
    for (let p = u * k; p < (u + 1) * k; p++) cost[p] = weight * (cost[p]! - logDet) + scatter;
  }
  return cost;
}

/** What distances alone cost each unit in each cluster: the same for all sweeps of one E-step. Null if it would be too large. */
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

/** With more units than one in so many asked for, the kernels work out all costs at once. */
const FEW = 32;

/**
 * The same under one metric where kernels know the nearest clusters, which decide about most units: other costs are worked out
 * when they are asked for. Ties go by distances before the determinant counts.
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

/** What distances cost all rows of a component together in each cluster. */
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
