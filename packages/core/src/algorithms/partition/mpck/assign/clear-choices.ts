/**
 * Units whose best cluster is clear without a sum over pairs. One in its nearest cluster that violates nothing is best there. One
 * of a component that lies elsewhere as a whole is held there if what it would gain is less than its must-links would cost: a row's
 * squared distances to a set of rows add up to no less than the set's scatter.
 */
import type { Bulk } from "../components/moments.js";
import { scatterUnder } from "../components/moments.js";
import type { Links } from "../statements/links.js";
import { type Slots, slotOf } from "../statements/tallies.js";
import type { Units } from "../statements/units.js";
import type { SweepState } from "./sweep.js";

/** What distances alone cost each unit in each cluster. */
export interface Table {
  /** k numbers for each unit. */
  readonly cost: Float64Array;
  /** The cluster of least cost for each unit; the lower number on ties. */
  readonly nearest: Int32Array;
}

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

export interface Holds {
  readonly table: Table;
  /** For each metric and component: the scatter of the whole component, 0 where that is not known. */
  readonly whole: Float64Array;
  /** The part of a broken must-link's price that is the squared distance under the metric of the cluster it points to. */
  readonly share: number;
}

export function holdsOf({ links, maps, d, bulk, penalty }: SweepState, table: Table, share: number): Holds {
  const { componentCount } = links;
  const whole = new Float64Array(componentCount * maps.maps.length);
  if (bulk && penalty === "metric") {
    maps.maps.forEach((_, g) => {
      for (let c = 0; c < componentCount; c++) whole[g * componentCount + c] = knownScatter(bulk, c, g, maps, d);
    });
  }
  return { table, whole, share };
}

function knownScatter(bulk: Bulk, c: number, g: number, maps: SweepState["maps"], d: number): number {
  return bulk.at[c]! < 0 ? 0 : scatterUnder(bulk, bulk.at[c]!, maps, g, d);
}

/** A hold must be stronger by this share, so that rounding never decides. */
const CLEARLY = 1 + 1e-9;

/** The best cluster of a unit that is in cluster `before`, -1 if it is nowhere yet; -1 if that takes more than a quick look. */
export function clearCluster(state: SweepState, slots: Slots, holds: Holds, u: number, before: number): number {
  return before < 0 ? clearPlace(state, slots, holds, u) : staysClearly(state, slots, holds, u, before) ? before : -1;
}

function staysClearly(state: SweepState, slots: Slots, holds: Holds, u: number, h: number): boolean {
  const { links, units, maps, penalty } = state;
  const isNearest = holds.table.nearest[u] === h;
  if (!isNearest && !isPlainRow(links, units, u)) return false;
  if (!violatesNothing(links, units, slots, u, h)) return false;
  if (isNearest) return true;
  const c = units.component[u]!;
  const s = slotOf(slots, c, h);
  const g = maps.maps.length > 1 ? h : 0;
  const squares =
    penalty === "cost" ? slots.count[s]! - 1 : Math.max(slots.scatter[s]!, holds.whole[g * links.componentCount + c]!);
  return isHeld(state, holds, u, h, squares);
}

/** The first rows of a component gather in their nearest cluster; with enough of them there, the others follow. */
function clearPlace(state: SweepState, slots: Slots, holds: Holds, u: number): number {
  const { links, units, penalty } = state;
  const { edges, cliques } = links;
  const c = units.component[u]!;
  if (!isPlainRow(links, units, u) || units.apart.start[u + 1]! > units.apart.start[u]!) return -1;
  if (edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!) return -1;
  let only = -1;
  for (let s = slots.start[c]!; s < slots.start[c + 1]!; s++) {
    if (slots.cluster[s]! < 0) continue;
    if (only >= 0) return -1;
    only = s;
  }
  if (only < 0) return holds.table.nearest[u]!;
  const h = slots.cluster[only]!;
  return holds.table.nearest[u] === h || isHeld(state, holds, u, h, (penalty === "cost" ? slots.count : slots.scatter)[only]!)
    ? h
    : -1;
}

/** Whether a unit is one row that no given pair has a weight of its own for. */
function isPlainRow({ pairs }: Links, { rows, size }: Units, u: number): boolean {
  const row = rows.items[rows.start[u]!]!;
  return size[u] === 1 && pairs.of.start[row] === pairs.of.start[row + 1];
}

function isHeld({ links, units, k }: SweepState, { table, share }: Holds, u: number, h: number, squares: number): boolean {
  const gain = table.cost[u * k + h]! - table.cost[u * k + table.nearest[u]!]!;
  return share * links.mustWeight[units.component[u]!]! * squares > CLEARLY * gain;
}

/** Whether no constraint of a unit in cluster h is violated, as far as a quick look can tell. */
function violatesNothing({ members, edges, cliques, pairs }: Links, units: Units, slots: Slots, u: number, h: number): boolean {
  const c = units.component[u]!;
  if (cliques.of.start[c + 1]! > cliques.of.start[c]!) return false;
  if (slots.count[slotOf(slots, c, h)] !== members.start[c + 1]! - members.start[c]!) return false;
  for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) if (slotOf(slots, edges.other[e]!, h) >= 0) return false;
  for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) {
    const row = units.rows.items[p]!;
    for (let e = pairs.of.start[row]!; e < pairs.of.start[row + 1]!; e++)
      if (pairs.must[pairs.of.items[e]! >> 1] === 0) return false;
  }
  return true;
}
