/** What distances to centres alone cost units, before any constraint counts. */
import { type LinearMaps, mapInto } from "../../../metric/linear-maps.js";
import { type ComponentMoments, placeOfWhole, scatterUnder } from "../constraints/component-moments.js";
import type { SweepState, Table } from "./state.js";

export function tableOf(cost: Float64Array, k: number): Table {
  const nearest = new Int32Array(cost.length / k);
  for (let u = 0; u < nearest.length; u++) {
    let [best, least] = [0, cost[u * k]!];
    for (let h = 1; h < k; h++) {
      if (cost[u * k + h]! >= least) continue;
      best = h;
      least = cost[u * k + h]!;
    }
    nearest[u] = best;
  }
  return { cost, nearest };
}

/** The scatter of each unit of several rows, under each metric. */
export function unitScatters({ links, units, x, d, maps, moments }: Omit<SweepState, "table">): Float64Array[] {
  const z = new Float64Array(d);
  const delta = new Float64Array(d);
  return maps.maps.map((_, g) => {
    const scatter = new Float64Array(units.count);
    for (let u = 0; u < units.count; u++) {
      if (units.size[u] === 1) continue;
      const place = moments ? placeOfWhole(moments, links, units, u) : -1;
      if (place >= 0) scatter[u] = scatterUnder(moments!, place, maps, g, d);
      if (place >= 0) continue;
      for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) {
        for (let j = 0; j < d; j++) delta[j] = x[units.rows.items[p]! * d + j]! - units.mean[u * d + j]!;
        mapInto(maps, g, d, delta, 0, z, 0);
        for (let j = 0; j < d; j++) scatter[u]! += z[j]! * z[j]!;
      }
    }
    return scatter;
  });
}

/** N·‖m - μ_h‖² + M - N·log det A_h for each cluster. */
export function writeDistances(
  size: number,
  u: number, // in: the unit
  z: Float64Array, // in: the unit's mean in the space of each metric
  centres: Float64Array,
  maps: LinearMaps,
  several: boolean,
  d: number,
  k: number,
  scatter: readonly Float64Array[],
  out: Float64Array,
  at: number,
): void {
  for (let h = 0; h < k; h++) {
    const g = several ? h : 0;
    let square = 0;
    for (let j = 0, p = g * d, q = h * d; j < d; j++) {
      const t = z[p + j]! - centres[q + j]!;
      square += t * t;
    }
    out[at + h] = size * (square - maps.logDets[g]!) + scatter[g]![u]!;
  }
}

/** Tables above this many numbers are not kept. */
const MOST_IN_TABLE = 8_000_000;

/** The table's costs under one metric for all clusters: all means are mapped, and the kernels do the rest. */
function costsUnderOne({ units, maps, centres, d, k, squares }: Omit<SweepState, "table">, scatter: Float64Array): Float64Array {
  const z = new Float64Array(units.count * d);
  for (let u = 0; u < units.count; u++) mapInto(maps, 0, d, units.mean, u * d, z, u * d);
  const logDet = maps.logDets[0]!;
  return squares(z, units.count, centres, k, d).map((square, p) => {
    const u = Math.floor(p / k);
    return units.size[u]! * (square - logDet) + scatter[u]!;
  });
}

/** What distances alone cost each unit in each cluster: the same for all sweeps of one E-step. Null if it would be too large. */
export function distanceTable(state: Omit<SweepState, "table">): Table | null {
  const { units, maps, centres, d, k } = state;
  if (units.count * k > MOST_IN_TABLE) return null;
  const several = maps.maps.length > 1;
  const scatter = unitScatters(state);
  if (!several) return tableOf(costsUnderOne(state, scatter[0]!), k);
  const z = new Float64Array(maps.maps.length * d);
  const table = new Float64Array(units.count * k);
  for (let u = 0; u < units.count; u++) {
    for (let g = 0; g < maps.maps.length; g++) mapInto(maps, g, d, units.mean, u * d, z, g * d);
    writeDistances(units.size[u]!, u, z, centres, maps, several, d, k, scatter, table, u * k);
  }
  return tableOf(table, k);
}

/** What distances cost all rows of a component together in each cluster. */
export function writeWhole(
  { links: { members }, maps, centres, d, k }: Omit<SweepState, "table">,
  moments: ComponentMoments,
  c: number,
  out: Float64Array,
  at: number,
): void {
  const place = moments.at[c]!;
  const z = new Float64Array(maps.maps.length * d);
  maps.maps.forEach((_, g) => {
    mapInto(maps, g, d, moments.mean, place * d, z, g * d);
  });
  const scatter = maps.maps.map((_, g) => Float64Array.of(scatterUnder(moments, place, maps, g, d)));
  writeDistances(members.start[c + 1]! - members.start[c]!, 0, z, centres, maps, maps.maps.length > 1, d, k, scatter, out, at);
}
