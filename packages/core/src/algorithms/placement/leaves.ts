/**
 * Leaves of the constraint graph need no search. A unit with one neighbour takes the cheapest cluster that the neighbour leaves it,
 * so what it costs is known for each cluster of the neighbour, and is added to the neighbour's costs; then the leaf is left out,
 * and the next one may be a leaf in turn. Trees vanish altogether; what is left has cycles or cliques. Members of listed cliques
 * stay.
 */

import type { Graph } from "../../colouring/graphs/graph.js";
import type { Lists } from "../../structures/components.js";

export interface Pruned {
  /** The graph between the units that are left, numbered anew in their order. */
  readonly graph: Graph;
  /** The unit of each vertex that is left, ascending. */
  readonly units: Int32Array;
  /** units × k, what the leaves add included. */
  readonly costs: Float64Array;
  /** Leaves in the order in which they were taken off. */
  readonly leaves: Int32Array;
  /** For each of them the neighbour that was left then, -1 for none. */
  readonly holders: Int32Array;
  /** All units × k, as they were when each was taken off. */
  readonly folded: Float64Array;
}

/** Takes off leaf after leaf. With one cluster an edge cannot be kept: k is at least 2 if there is one. */
export function pruneLeaves(graph: Graph, k: number, costs: Float64Array): Pruned {
  const { vertices, links, cliquesOf } = graph;
  const folded = costs.slice(0, vertices * k);
  const degree = Int32Array.from({ length: vertices }, (_, v) =>
    cliquesOf.start[v + 1]! > cliquesOf.start[v]! ? IN_A_CLIQUE : links.start[v + 1]! - links.start[v]!,
  );
  const gone = new Uint8Array(vertices);
  const leaves: number[] = [];
  const holders: number[] = [];
  for (let v = 0; v < vertices; v++) if (degree[v]! <= 1) leaves.push(v);
  for (let i = 0; i < leaves.length; i++) {
    const v = leaves[i]!;
    gone[v] = 1;
    holders[i] = -1;
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      const u = links.items[p]!;
      if (gone[u] === 1) continue;
      holders[i] = u;
      fold(folded, k, v, u);
      if (--degree[u]! === 1) leaves.push(u);
    }
  }
  const units = Int32Array.from({ length: vertices }, (_, v) => v).filter((v) => gone[v] === 0);
  const left = new Float64Array(units.length * k);
  units.forEach((v, i) => {
    left.set(folded.subarray(v * k, (v + 1) * k), i * k);
  });
  return {
    graph: units.length === vertices ? graph : inducedGraph(graph, units),
    units,
    costs: left,
    leaves: Int32Array.from(leaves),
    holders: Int32Array.from(holders),
    folded,
  };
}

/** More than any number of neighbours that is counted down to 1. */
const IN_A_CLIQUE = 2 ** 30;

/** Adds to the costs of u what v costs at least beside it. */
function fold(costs: Float64Array, k: number, v: number, u: number): void {
  const first = cheapestBut(costs, k, v, -1);
  const second = cheapestBut(costs, k, v, first);
  for (let c = 0; c < k; c++) costs[u * k + c]! += costs[v * k + (c === first ? second : first)]!;
}

/** The cheapest cluster of a unit other than `taken`. */
function cheapestBut(costs: Float64Array, k: number, v: number, taken: number): number {
  let best = -1;
  for (let c = 0; c < k; c++) if (c !== taken && (best === -1 || costs[v * k + c]! < costs[v * k + best]!)) best = c;
  return best;
}

/** Clusters of all units from those of the units that are left: each leaf takes the cheapest that its neighbour leaves it. */
export function putLeaves({ units, leaves, holders, folded }: Pruned, k: number, labels: Int32Array): Int32Array {
  const all = new Int32Array(units.length + leaves.length);
  units.forEach((v, i) => {
    all[v] = labels[i]!;
  });
  for (let i = leaves.length - 1; i >= 0; i--) {
    all[leaves[i]!] = cheapestBut(folded, k, leaves[i]!, holders[i]! < 0 ? -1 : all[holders[i]!]!);
  }
  return all;
}

/** The part of a graph between some vertices, ascending; cliques stay lists. */
export function inducedGraph(graph: Graph, vertices: Int32Array): Graph {
  const place = new Int32Array(graph.vertices).fill(-1);
  vertices.forEach((v, i) => {
    place[v] = i;
  });
  const links = filterLists(graph.links, vertices, place);
  const everyClique = Int32Array.from({ length: graph.cliques.start.length - 1 }, (_, q) => q);
  const cliques = filterLists(graph.cliques, everyClique, place);
  const keptClique = new Int32Array(everyClique.length).fill(-1);
  let count = 0;
  everyClique.forEach((q) => {
    if (cliques.start[q + 1]! - cliques.start[q]! > 1) keptClique[q] = count++;
  });
  const large = everyClique.filter((q) => keptClique[q]! >= 0);
  return {
    vertices: vertices.length,
    links,
    cliques: filterLists(graph.cliques, large, place),
    cliquesOf: filterLists(graph.cliquesOf, vertices, keptClique),
  };
}

/** Some of the lists, without the items that have no new number, the others under theirs. */
function filterLists({ start, items }: Lists, wanted: Int32Array, number: Int32Array): Lists {
  const starts = new Int32Array(wanted.length + 1);
  let length = 0;
  wanted.forEach((list, i) => {
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) length++;
    starts[i + 1] = length;
  });
  const kept = new Int32Array(length);
  wanted.forEach((list, i) => {
    let to = starts[i]!;
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) kept[to++] = number[items[p]!]!;
  });
  return { start: starts, items: kept };
}
