/**
 * Units whose best cluster is clear without a sum over pairs. One in its nearest cluster that violates nothing is best there. One
 * of a component that lies elsewhere as a whole is held there if what it would gain is less than its must-links would cost: a row's
 * squared distances to a set of rows add up to no less than the set's scatter.
 */
import { scatterUnder } from "../constraints/component-moments.js";
import type { Links } from "../constraints/links.js";
import type { Units } from "../constraints/moving-units.js";
import { type Tallies, tallyOf } from "../constraints/tallies.js";
import { CLEARLY, type SweepState, type Table } from "./state.js";

export interface Holds {
  readonly table: Table;
  /** For each metric and component: the scatter of the whole component, 0 where that is not known. */
  readonly whole: Float64Array;
  /** The part of a broken must-link's price that is the squared distance under the metric of the cluster it points to. */
  readonly share: number;
}

export function holdsOf({ links, metrics, moments, penalty }: SweepState, table: Table, share: number): Holds {
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

/** The best cluster of a unit that is in cluster `before`, -1 if it is nowhere yet; -1 if that takes more than a quick look. */
export function clearCluster(state: SweepState, tallies: Tallies, holds: Holds, u: number, before: number): number {
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

/** The first rows of a component gather in their nearest cluster; with enough of them there, the others follow. */
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

/** Whether rows are in cluster h that a cannot-link keeps apart from component c. */
function meetsNeighbour({ edges }: Links, tallies: Tallies, c: number, h: number): boolean {
  for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) if (tallyOf(tallies, edges.other[e]!, h) >= 0) return true;
  return false;
}

/** Whether a unit is one row that no given pair has a weight of its own for. */
function isPlainRow({ pairs }: Links, { rows, size }: Units, u: number): boolean {
  const row = rows.items[rows.start[u]!]!;
  return size[u] === 1 && pairs.of.start[row] === pairs.of.start[row + 1];
}

function isHeld({ links, units }: SweepState, { table, share }: Holds, u: number, h: number, squares: number): boolean {
  const gain = table.costIn(u, h) - table.costIn(u, table.nearest[u]!);
  return share * links.mustWeight[units.component[u]!]! * squares > CLEARLY * gain;
}

/** Whether no constraint of a unit in cluster h is violated, as far as a quick look can tell. */
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
