/** What a placement breaks, and at what price. */
import type { Graph } from "../../colouring/graphs/graph.js";

/** A graph of which constraints can be broken. */
export interface Breakable {
  readonly graph: Graph;
  readonly k: number;
  /** For each entry of `graph.links.items`, what breaking that edge costs. */
  readonly linkPrice: Float64Array;
  /** For each entry of `graph.cliques.items`, what it costs that the member shares a cluster with a dearer one. */
  readonly itemPrice: Float64Array;
  /** vertices × k: what each vertex costs in each cluster; decides between placements of one price. */
  readonly costs: Float64Array;
}

/** What it adds to the price that v goes into cluster c beside the others, those of cluster -1 not counted. */
export function priceAt({ graph, linkPrice, itemPrice }: Breakable, labels: Int32Array, v: number, c: number): number {
  const { links, cliques, cliquesOf } = graph;
  let price = 0;
  for (let p = links.start[v]!; p < links.start[v + 1]!; p++) if (labels[links.items[p]!] === c) price += linkPrice[p]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    let own = 0;
    let dearest = 0;
    for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
      if (cliques.items[p] === v) own = itemPrice[p]!;
      else if (labels[cliques.items[p]!] === c && itemPrice[p]! > dearest) dearest = itemPrice[p]!;
    }
    price += Math.min(own, dearest);
  }
  return price;
}

/** The price of all that is broken between some vertices, ascending. */
export function breakingPrice(given: Breakable, vertices: Int32Array, labels: Int32Array): number {
  const placed = new Int32Array(labels.length).fill(-1);
  let price = 0;
  for (const v of vertices) {
    if (labels[v]! >= 0) price += priceAt(given, placed, v, labels[v]!);
    placed[v] = labels[v]!;
  }
  return price;
}

/** The lowest price of an edge or of a member of a clique between some vertices. */
export function leastPrice({ graph, linkPrice, itemPrice }: Breakable, vertices: Int32Array): number {
  const { links, cliques, cliquesOf } = graph;
  const inside = new Set(vertices);
  let least = Infinity;
  for (const v of vertices) {
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      if (inside.has(links.items[p]!)) least = Math.min(least, linkPrice[p]!);
    }
    for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
      const clique = cliquesOf.items[q]!;
      for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) {
        if (cliques.items[p] === v) least = Math.min(least, itemPrice[p]!);
      }
    }
  }
  return least;
}

/** Looks that it takes to price a vertex. */
export function looksToPrice({ graph: { links, cliques, cliquesOf } }: Breakable, v: number): number {
  let looks = 1 + links.start[v + 1]! - links.start[v]!;
  for (let q = cliquesOf.start[v]!; q < cliquesOf.start[v + 1]!; q++) {
    const clique = cliquesOf.items[q]!;
    looks += cliques.start[clique + 1]! - cliques.start[clique]!;
  }
  return looks;
}
