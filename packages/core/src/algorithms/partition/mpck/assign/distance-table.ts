/** What distances to centres alone cost units, before any constraint counts. */
import { type LinearMaps, mapInto } from "../../../metric/linear-maps.js";
import { type ComponentMoments, placeOfWhole, scatterUnder } from "../constraints/component-moments.js";
import type { Mapped, SweepState, Table } from "./state.js";

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
  return state.maps.maps.map((_, g) => scattersUnder(state, g));
}

function scattersUnder({ links, units, x, d, maps, moments }: Omit<SweepState, "table">, g: number): Float64Array {
  const z = new Float64Array(d);
  const delta = new Float64Array(d);
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

/** All units under the one metric. `room`: where mapped means may be written, if there is such a place. */
function mapUnits(state: Omit<SweepState, "table">, room: Float64Array | undefined): Mapped {
  const { units, maps, d } = state;
  const scatter = scattersUnder(state, 0);
  if (maps.kind === "identity") return { mean: units.mean, scatter };
  const mean = room ?? new Float64Array(units.count * d);
  for (let u = 0; u < units.count; u++) mapInto(maps, 0, d, units.mean, u * d, mean, u * d);
  return { mean, scatter };
}

/** All costs under one metric for all clusters: the kernels measure mapped means. */
function costsUnderOne({ units, maps, centres, d, k, squares }: Omit<SweepState, "table">, mapped: Mapped): Float64Array {
  const cost = squares(mapped.mean, units.count, centres, k, d);
  const logDet = maps.logDets[0]!;
  for (let u = 0; u < units.count; u++) {
    const [size, scatter] = [units.size[u]!, mapped.scatter[u]!];
    for (let p = u * k; p < (u + 1) * k; p++) cost[p] = size * (cost[p]! - logDet) + scatter;
  }
  return cost;
}

/** What distances alone cost each unit in each cluster: the same for all sweeps of one E-step. Null if it would be too large. */
export function distanceTable(state: Omit<SweepState, "table">): Table | null {
  const { units, maps, centres, d, k } = state;
  if (units.count * k > MOST_IN_TABLE) return null;
  if (maps.maps.length === 1) {
    const mapped = mapUnits(state, undefined);
    return tableOf(costsUnderOne(state, mapped), k, mapped);
  }
  const scatter = unitScatters(state);
  const z = new Float64Array(maps.maps.length * d);
  const table = new Float64Array(units.count * k);
  for (let u = 0; u < units.count; u++) {
    for (let g = 0; g < maps.maps.length; g++) mapInto(maps, g, d, units.mean, u * d, z, g * d);
    writeDistances(units.size[u]!, u, z, centres, maps, true, d, k, scatter, table, u * k);
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
  const { units, maps, centres, d, k } = state;
  const mapped = mapUnits(state, room);
  const cost = new Float64Array(units.count * k);
  const isKnown = new Uint8Array(units.count);
  const logDet = maps.logDets[0]!;
  let asked = 0;
  const costIn = (u: number, h: number): number => {
    if (isKnown[u] === 1) return cost[u * k + h]!;
    let square = 0;
    for (let j = 0, p = u * d, q = h * d; j < d; j++) {
      const t = mapped.mean[p + j]! - centres[q + j]!;
      square += t * t;
    }
    return units.size[u]! * (square - logDet) + mapped.scatter[u]!;
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
