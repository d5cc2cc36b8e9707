/**
 * A clustering of units under way, and the moves that keep it legal: a unit, a Kempe chain (the part around a unit of the graph
 * between two clusters, whose members change sides together), counted against costs and, where clusters have size bounds,
 * against the room that is left.
 */
import { degreeBound, eachNeighbour, type Graph } from "../../colouring/graphs/graph.js";

export interface Placement {
  /** Units 0 … graph.vertices - 1 have neighbours; those beyond have none. */
  readonly graph: Graph;
  readonly count: number;
  readonly k: number;
  /** count × k. */
  readonly costs: Float64Array;
  /** Cluster of each unit, -1 while it has none. */
  readonly labels: Int32Array;
  /** vertices × k: how often a neighbour is in each cluster, once for every edge and clique they share. */
  readonly barred: Int32Array;
  readonly loads: Loads | null;
  /** The last round of chains that each unit was in; `round` is the present one. */
  readonly seen: Int32Array;
  round: number;
  /** Flags the members of cliques that have no other neighbours: sharing out their clique is all that can be done for them. */
  readonly inLoneClique: Uint8Array;
  /** Differences of cost up to this are rounding. */
  readonly slack: number;
}

/** Rows per cluster, within bounds; `free` rows can fill up what is missing. */
export interface Loads {
  readonly sizes: Int32Array;
  readonly load: Int32Array;
  readonly least: number;
  readonly most: number;
  readonly free: number;
}

export type SizeBounds = Omit<Loads, "load">;

/** Opens a placement from labels, which are copied; null opens an empty one. */
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
    seen: new Int32Array(count),
    round: 0,
    inLoneClique: loneCliques(graph),
    slack: 1e-12 * largest,
  };
  if (labels) for (let u = 0; u < count; u++) if (labels[u]! >= 0) put(placement, u, labels[u]!);
  return placement;
}

function loneCliques({ vertices, links, cliques, cliquesOf }: Graph): Uint8Array {
  const flags = new Uint8Array(vertices);
  const isLone = (v: number): boolean =>
    links.start[v + 1] === links.start[v] && cliquesOf.start[v + 1]! - cliquesOf.start[v]! === 1;
  for (let q = 0; q + 1 < cliques.start.length; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    if (members.every(isLone)) for (const v of members) flags[v] = 1;
  }
  return flags;
}

/** Puts a unit into a cluster (-1: into none), legal or not. */
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

/** Rows above the bounds, and rows missing below them that free rows cannot make up; 0 is within. */
export function excess({ load, least, most, free }: Loads): number {
  let above = 0;
  let missing = 0;
  for (let c = 0; c < load.length; c++) {
    above += Math.max(0, load[c]! - most);
    missing += Math.max(0, least - load[c]!);
  }
  return above + Math.max(0, missing - free);
}

/** Change of `excess` if `amount` rows went from cluster a to b. */
export function excessChange(loads: Loads, a: number, b: number, amount: number): number {
  const before = excess(loads);
  loads.load[a]! -= amount;
  loads.load[b]! += amount;
  const after = excess(loads);
  loads.load[a]! += amount;
  loads.load[b]! -= amount;
  return after - before;
}

/** Whether a change is worth making: nearer to the bounds first, then cheaper. */
export function isBetter(placement: Placement, excessBy: number, costBy: number): boolean {
  return excessBy < 0 || (excessBy === 0 && costBy < -placement.slack);
}

/** The members of the chains of clusters a and b around some units, those first; without units seen in this round before. */
export function chainFrom({ graph, labels, seen, round }: Placement, a: number, b: number, from: readonly number[]): number[] {
  const chain: number[] = [];
  const take = (v: number): void => {
    if (seen[v] === round) return;
    seen[v] = round;
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

/** Neighbours of some units, and they themselves. */
export function looksAround(graph: Graph, units: readonly number[]): number {
  let looks = units.length;
  for (const u of units) if (u < graph.vertices) looks += degreeBound(graph, u);
  return looks;
}

/** Every member of a chain changes to the other of the two clusters. */
export function swapChain(placement: Placement, a: number, b: number, chain: readonly number[]): void {
  for (const u of chain) put(placement, u, placement.labels[u] === a ? b : a);
}

/** Units by degree, those that other units can crowd out first. */
export function degrees(graph: Graph, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, u) => (u < graph.vertices ? degreeBound(graph, u) : 0));
}

/** The vertices of each connected part of the graph, each breadth-first from its first. */
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
