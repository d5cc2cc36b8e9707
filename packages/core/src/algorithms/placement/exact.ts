/**
 * The cheapest legal places, exactly, where that is cheap to know: connected parts of the constraint graph are independent of
 * each other, and most of them are small. Branch and bound in each, against the places that local moves found; a part that
 * takes too many nodes keeps the best found so far.
 */
import type { Graph } from "../../diagnose/graph.js";
import { connectedParts, isBarred, type Placement, put } from "./placement.js";

const MOST_MEMBERS = 24;
const NODES_PER_PART = 400;
const NODES_IN_ALL = 40_000;

/** Connected parts that are worth it; in a part that is one clique local moves are exact already. */
export function smallParts(graph: Graph): readonly (readonly number[])[] {
  const { cliques, cliquesOf } = graph;
  return connectedParts(graph).filter(({ length, 0: first }) => {
    if (length > MOST_MEMBERS) return false;
    for (let p = cliquesOf.start[first!]!; p < cliquesOf.start[first! + 1]!; p++) {
      const q = cliquesOf.items[p]!;
      if (length > 2 && cliques.start[q + 1]! - cliques.start[q]! === length) return false;
    }
    return true;
  });
}

interface Search {
  readonly placement: Placement;
  readonly members: readonly number[];
  readonly best: Int32Array;
  bestCost: number;
  nodes: number;
}

/** Makes the given parts as cheap as they can be, within a bound of work. */
export function placeExactly(placement: Placement, parts: readonly (readonly number[])[]): void {
  const { k, costs, labels } = placement;
  let left = NODES_IN_ALL;
  for (const members of parts) {
    if (left <= 0) return;
    let cost = 0;
    let least = 0;
    for (const u of members) {
      cost += costs[u * k + labels[u]!]!;
      least += cheapest(placement, u, false);
    }
    if (cost <= least + placement.slack) continue;
    const best = Int32Array.from(members, (u) => labels[u]!);
    const search: Search = { placement, members, best, bestCost: cost, nodes: NODES_PER_PART };
    for (const u of members) put(placement, u, -1);
    branch(search, 0, 0);
    members.forEach((u, i) => {
      put(placement, u, best[i]!);
    });
    left -= NODES_PER_PART - Math.max(0, search.nodes);
  }
}

/** What a unit costs at least: anywhere, or where no neighbour is; Infinity if that is nowhere. */
function cheapest(placement: Placement, u: number, open: boolean): number {
  const { k, costs } = placement;
  let least = Infinity;
  for (let c = 0; c < k; c++) {
    if (costs[u * k + c]! < least && !(open && isBarred(placement, u, c))) least = costs[u * k + c]!;
  }
  return least;
}

function branch(search: Search, depth: number, cost: number): void {
  const { placement, members, best } = search;
  const { k, costs, labels, slack } = placement;
  if (--search.nodes < 0) return;
  if (depth === members.length) {
    search.bestCost = cost;
    members.forEach((u, i) => {
      best[i] = labels[u]!;
    });
    return;
  }
  const u = members[depth]!;
  let rest = 0;
  for (let i = depth + 1; i < members.length; i++) rest += cheapest(placement, members[i]!, true);
  const order = Array.from({ length: k }, (_, c) => c).sort((b, c) => costs[u * k + b]! - costs[u * k + c]! || b - c);
  for (const c of order) {
    const next = cost + costs[u * k + c]!;
    if (next + rest >= search.bestCost - slack) return;
    if (isBarred(placement, u, c)) continue;
    put(placement, u, c);
    branch(search, depth + 1, next);
    put(placement, u, -1);
  }
}
