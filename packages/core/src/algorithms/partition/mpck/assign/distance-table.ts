/** The cost of units in each cluster by distances to the centres only, without penalties. */

import { type Metrics, mapAll, squareBetween } from "../../../metric/metrics.js";
import { type ComponentMoments, placeOfWhole, scatterUnder } from "../constraints/links.js";
import type { Mapped, SweepState, Table } from "./sweep.js";

/** A table with all costs known. */
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

/** N·‖m - μ_h‖² + M - N·log det A_h for each cluster h, where N is the unit's weight, m its mean and M its scatter. */
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

/** Larger tables are not built. */
const MOST_IN_TABLE = 8_000_000;

/** All units mapped by the single metric. `room`: buffer for the mapped means. */
function mapUnits(state: Omit<SweepState, "table">, room: Float64Array | undefined): Mapped {
  const { units, metrics, d } = state;
  const scatter = scattersUnder(state, 0);
  if (metrics.maps.kind === "identity") return { mean: units.mean, scatter };
  const mean = room ?? new Float64Array(units.count * d);
  for (let u = 0; u < units.count; u++) metrics.all[0]!.map(units.mean, u * d, mean, u * d);
  return { mean, scatter };
}

/** All costs under a single metric: the kernels measure the mapped means. */
function costsUnderOne({ units, metrics, centres, d, k, squares }: Omit<SweepState, "table">, mapped: Mapped): Float64Array {
  const cost = squares(mapped.mean, units.count, centres, k, d);
  const { logDet } = metrics.all[0]!;
  for (let u = 0; u < units.count; u++) {
    const [weight, scatter] = [units.weight[u]!, mapped.scatter[u]!];
    for (let p = u * k; p < (u + 1) * k; p++) cost[p] = weight * (cost[p]! - logDet) + scatter;
  }
  return cost;
}

/** The cost of each unit in each cluster by distances only, valid for all sweeps of one E-step. Null if the table would be too large. */
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

/** Once more than 1 in FEW units has been asked for, the kernels compute all costs at once. */
const FEW = 32;

/**
 * Like `distanceTable`, for a single metric and known nearest clusters. These decide about most units, so costs are computed
 * only when asked for. Ties between clusters are broken by distance, before the log determinant is added.
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

/** The cost of a whole component in each cluster, by distances only. */
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
