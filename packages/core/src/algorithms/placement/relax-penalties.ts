/** Penalties of violated constraints in a placement. */
import type { Graph } from "../../colouring/graphs/graph.js";

/** A graph whose constraints can be violated, with penalties. */
export interface PenalisedGraph {
  readonly graph: Graph;
  readonly k: number;
  /** For each entry of `graph.links.items`: the penalty of violating this edge. */
  readonly linkPenalty: Float64Array;
  /** For each entry of `graph.cliques.items`: the penalty if the member shares a cluster with a member of higher penalty. */
  readonly itemPenalty: Float64Array;
  /** vertices × k: the cost of each vertex in each cluster. Decides between placements of equal penalty. */
  readonly costs: Float64Array;
}

/** The penalty that vertex v adds in cluster c, given the vertices that are placed. Vertices with cluster -1 do not count. */
export function penaltyAt({ graph, linkPenalty, itemPenalty }: PenalisedGraph, labels: Int32Array, v: number, c: number): number {
  const { links, cliques, cliquesOf } = graph;
  let penalty = 0;
  for (let p = links.start[v]!; p < links.start[v + 1]!; p++) if (labels[links.items[p]!] === c) penalty += linkPenalty[p]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    let own = 0;
    let highest = 0;
    for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
      if (cliques.items[p] === v) own = itemPenalty[p]!;
      else if (labels[cliques.items[p]!] === c && itemPenalty[p]! > highest) highest = itemPenalty[p]!;
    }
    penalty += Math.min(own, highest);
  }
  return penalty;
}

/** The total penalty of all violations between some vertices. `vertices`: ascending. */
export function totalPenalty(given: PenalisedGraph, vertices: Int32Array, labels: Int32Array): number {
  const placed = new Int32Array(labels.length).fill(-1);
  let penalty = 0;
  for (const v of vertices) {
    if (labels[v]! >= 0) penalty += penaltyAt(given, placed, v, labels[v]!);
    placed[v] = labels[v]!;
  }
  return penalty;
}

/** The lowest penalty of an edge or of a clique member between some vertices. */
export function leastPenalty({ graph, linkPenalty, itemPenalty }: PenalisedGraph, vertices: Int32Array): number {
  const { links, cliques, cliquesOf } = graph;
  const inside = new Set(vertices);
  let least = Infinity;
  for (const v of vertices) {
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      if (inside.has(links.items[p]!)) least = Math.min(least, linkPenalty[p]!);
    }
    for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
      const clique = cliquesOf.items[q]!;
      for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
        if (cliques.items[p] === v) least = Math.min(least, itemPenalty[p]!);
      }
    }
  }
  return least;
}

/** Graph entries read to compute the penalty of a vertex. */
export function penaltyReads({ graph: { links, cliques, cliquesOf } }: PenalisedGraph, v: number): number {
  let reads = 1 + links.start[v + 1]! - links.start[v]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    reads += cliques.start[clique + 1]! - cliques.start[clique]!;
  }
  return reads;
}
