/** Units that need no look in a sweep: in their nearest cluster, with nothing violated, no other cluster can cost less. */
import type { Links } from "./links.js";
import { type Slots, slotOf } from "./slots.js";
import type { Units } from "./units.js";

/** The cluster of least distance cost for each unit, from their table; the lower number on ties. */
export function nearestClusters(table: Float64Array, count: number, k: number): Int32Array {
  const nearest = new Int32Array(count);
  for (let u = 0; u < count; u++) {
    for (let h = 1; h < k; h++) if (table[u * k + h]! < table[u * k + nearest[u]!]!) nearest[u] = h;
  }
  return nearest;
}

/** Whether no constraint of a unit in cluster h is violated, as far as a quick look can tell. */
export function violatesNothing(
  { members, edges, cliques, pairs }: Links,
  units: Units,
  slots: Slots,
  u: number,
  h: number,
): boolean {
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
