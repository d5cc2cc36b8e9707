/**
 * A placement assigns clusters to units. A unit is a row or a must-link component. A placement is legal if no two units that must be apart
 * share a cluster.
 *
 * A move changes one unit, or swaps a Kempe chain: connected units of two clusters. Moves are compared by cost. With size bounds, they are
 * first compared by the distance of the sizes from the bounds.
 */
import { degreeBound, eachNeighbour, type Graph } from "../../colouring/graphs/graph.js";

export interface Placement {
  /** Edges join units that must be apart. Units 0 … graph.vertices - 1 are the vertices. All other units have no neighbours. */
  readonly graph: Graph;
  readonly count: number;
  readonly k: number;
  /** count × k: the cost of each unit in each cluster. */
  readonly costs: Float64Array;
  /** The cluster of each unit, or -1. */
  readonly labels: Int32Array;
  /**
   * vertices × k: number of neighbours of each unit in each cluster. A unit may only enter clusters with 0. A neighbour counts once per
   * shared edge or clique.
   */
  readonly barred: Int32Array;
  readonly loads: Loads | null;
  /**
   * `round`: number of the current round. `visited`: the last round in which a search reached the unit. Each chain is tested once per
   * round.
   */
  readonly visited: Int32Array;
  round: number;
  /** 1 for the members of isolated cliques: they have no neighbours outside the clique. Such a clique needs only one optimal assignment. */
  readonly inIsolatedClique: Uint8Array;
  /** Cost differences up to this value are rounding errors. */
  readonly slack: number;
}

/**
 * Sizes of clusters and their bounds.
 *
 * - sizes: number of rows of each unit
 * - load: number of rows in each cluster
 * - least, most: bounds for each cluster
 * - free: number of unconstrained rows, which can fill small clusters
 */
export interface Loads {
  readonly sizes: Int32Array;
  readonly load: Int32Array;
  readonly least: number;
  readonly most: number;
  readonly free: number;
}

export type SizeBounds = Omit<Loads, "load">;

/** Makes a placement from a copy of `labels`, or an empty placement if `labels` is null. */
export function openPlacement(
  graph: Graph,
  count: number,
  k: number,
  costs: Float64Array,
  labels: Int32Array | null,
  bounds: SizeBounds | null,
): Placement {
  let largest = 0;
  for (let p = 0; p < costs.length; p++) largest = Math.max(largest, Math.abs(costs[p]!));
  const placement: Placement = {
    graph,
    count,
    k,
    costs,
    labels: new Int32Array(count).fill(-1),
    barred: new Int32Array(graph.vertices * k),
    loads: bounds && { ...bounds, load: new Int32Array(k) },
    visited: new Int32Array(count),
    round: 0,
    inIsolatedClique: isolatedCliques(graph),
    slack: 1e-12 * largest,
  };
  if (labels) for (let u = 0; u < count; u++) if (labels[u]! >= 0) put(placement, u, labels[u]!);
  return placement;
}

function isolatedCliques({ vertices, links, cliques, cliquesOf }: Graph): Uint8Array {
  const flags = new Uint8Array(vertices);
  const isIsolated = (v: number): boolean =>
    links.start[v + 1] === links.start[v] && cliquesOf.start[v + 1]! - cliquesOf.start[v]! === 1;
  for (let q = 0; q + 1 < cliques.start.length; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    if (members.every(isIsolated)) for (const v of members) flags[v] = 1;
  }
  return flags;
}

/** Moves unit u into cluster c; -1 removes it from its cluster. Does not check whether the placement stays legal. */
export function put({ graph, k, labels, barred, loads }: Placement, u: number, c: number): void {
  const before = labels[u]!;
  if (before === c) return;
  labels[u] = c;
  if (loads && before >= 0) loads.load[before]! -= loads.sizes[u]!;
  if (loads && c >= 0) loads.load[c]! += loads.sizes[u]!;
  if (u >= graph.vertices) return;
  eachNeighbour(graph, u, (v) => {
    if (before >= 0) barred[v * k + before]!--;
    if (c >= 0) barred[v * k + c]!++;
  });
}

export function isBarred({ graph, k, barred }: Placement, u: number, c: number): boolean {
  return u < graph.vertices && barred[u * k + c]! > 0;
}

export function totalCost({ count, k, costs, labels }: Placement): number {
  let sum = 0;
  for (let u = 0; u < count; u++) sum += costs[u * k + labels[u]!]!;
  return sum;
}

/**
 * How far the sizes are from their bounds, in rows; 0 if all bounds are met. Clusters that are too large count their surplus. Clusters that
 * are too small count the rows that they still need after all free rows are used.
 */
export function excess({ load, least, most, free }: Loads): number {
  let above = 0;
  let missing = 0;
  for (let c = 0; c < load.length; c++) {
    above += Math.max(0, load[c]! - most);
    missing += Math.max(0, least - load[c]!);
  }
  return above + Math.max(0, missing - free);
}

/** The change of `excess` if `amount` rows move from cluster a to cluster b. */
export function excessChange(loads: Loads, a: number, b: number, amount: number): number {
  const before = excess(loads);
  loads.load[a]! -= amount;
  loads.load[b]! += amount;
  const after = excess(loads);
  loads.load[a]! += amount;
  loads.load[b]! -= amount;
  return after - before;
}

/**
 * Whether a move helps. It must lower the excess of the sizes, or lower the cost at the same excess. The arguments are changes of excess
 * and cost.
 */
export function isBetter(placement: Placement, excessBy: number, costBy: number): boolean {
  return excessBy < 0 || (excessBy === 0 && costBy < -placement.slack);
}

/**
 * The units that must swap clusters a and b together with the units `from` (a Kempe chain). Leaves out units that were already visited in
 * this round.
 */
export function chainFrom({ graph, labels, visited, round }: Placement, a: number, b: number, from: readonly number[]): number[] {
  const chain: number[] = [];
  const take = (v: number): void => {
    if (visited[v] === round) return;
    visited[v] = round;
    chain.push(v);
  };
  from.forEach(take);
  for (let i = 0; i < chain.length; i++) {
    if (chain[i]! >= graph.vertices) continue;
    eachNeighbour(graph, chain[i]!, (v) => {
      if (labels[v] === a || labels[v] === b) take(v);
    });
  }
  return chain;
}

export function readsAround(graph: Graph, units: readonly number[]): number {
  let reads = units.length;
  for (const u of units) if (u < graph.vertices) reads += degreeBound(graph, u);
  return reads;
}

export function swapChain(placement: Placement, a: number, b: number, chain: readonly number[]): void {
  for (const u of chain) put(placement, u, placement.labels[u] === a ? b : a);
}

export function degrees(graph: Graph, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, u) => (u < graph.vertices ? degreeBound(graph, u) : 0));
}

export function connectedParts(graph: Graph): number[][] {
  const seen = new Uint8Array(graph.vertices);
  const parts: number[][] = [];
  for (let first = 0; first < graph.vertices; first++) {
    if (seen[first] === 1) continue;
    const members = [first];
    seen[first] = 1;
    for (let i = 0; i < members.length; i++) {
      eachNeighbour(graph, members[i]!, (v) => {
        if (seen[v] === 0) members.push(v);
        seen[v] = 1;
      });
    }
    parts.push(members);
  }
  return parts;
}
