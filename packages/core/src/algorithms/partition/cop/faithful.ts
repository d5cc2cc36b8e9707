/**
 * The assignment step as printed (Wagstaff et al. 2001, table 1): rows one after the other, each to the nearest centre that
 * breaks nothing, and no way back from a dead end. Only rows that a constraint touches are in the order; no other row can stand
 * in anybody's way.
 */
import { eachNeighbour } from "../../../colouring/graphs/graph.js";
import type { Points } from "../../../model/points.js";
import { squaredDistance, type Units } from "./units.js";

/** Clusters of the units, or the row that found none. */
export type FaithfulAnswer = { readonly labels: Int32Array } | { readonly deadEnd: number };

/** `order`: the rows of all units, each as its place in `units.rows.items`. */
export function assignFaithfully(
  { d, x }: Points,
  { count, graph, rows }: Units,
  centres: Float64Array,
  k: number,
  order: Int32Array,
): FaithfulAnswer {
  const unitAt = new Int32Array(rows.items.length);
  for (let u = 0; u < count; u++) unitAt.fill(u, rows.start[u]!, rows.start[u + 1]!);
  const labels = new Int32Array(count).fill(-1);
  const barredFor = new Int32Array(k).fill(-1);
  for (const place of order) {
    const u = unitAt[place]!;
    // A must-linked row is placed already: its cluster is the only one left, and no neighbour has come there since.
    if (labels[u]! >= 0) continue;
    if (u < graph.vertices) {
      eachNeighbour(graph, u, (v) => {
        if (labels[v]! >= 0) barredFor[labels[v]!] = u;
      });
    }
    const row = rows.items[place]!;
    let least = Infinity;
    for (let c = 0; c < k; c++) {
      if (barredFor[c] === u) continue;
      const distance = squaredDistance(x, row * d, centres, c * d, d);
      if (distance < least) {
        least = distance;
        labels[u] = c;
      }
    }
    if (labels[u] === -1) return { deadEnd: row };
  }
  return { labels };
}
