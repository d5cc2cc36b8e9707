/**
 * Makes a legal placement optimal in each small connected part of the constraint graph. Connected parts are independent, and most are
 * small. Branch and bound starts from the placement that local moves found. If a part needs too many nodes, it keeps the best placement so
 * far.
 */
import type { Graph } from "../../colouring/graphs/graph.js";
import type { Steps } from "../../steps/index.js";
import { connectedParts, isBarred, type Placement, put } from "./placement.js";
import { PLACING, spend, type Work } from "./work.js";

export interface Limits {
  readonly mostMembers: number;
  readonly nodesPerPart: number;
  readonly nodesInAll: number;
}

/** Limits for searches that a method repeats in every iteration. */
export const BRIEF: Limits = { mostMembers: 24, nodesPerPart: 400, nodesInAll: 40_000 };

/**
 * The connected parts that need an exact search. These are the parts with at most `mostMembers` units, except single cliques. For single
 * cliques, local moves are already optimal.
 */
export function smallParts(graph: Graph, { mostMembers }: Limits): readonly (readonly number[])[] {
  const { cliques, cliquesOf } = graph;
  return connectedParts(graph).filter(({ length, 0: first }) => {
    if (length > mostMembers) return false;
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

export function* exactSteps(
  placement: Placement,
  parts: readonly (readonly number[])[],
  { nodesPerPart, nodesInAll }: Limits,
  work: Work,
): Steps<void> {
  const { k, costs, labels } = placement;
  let left = nodesInAll;
  for (const members of parts) {
    if (left <= 0 || work.left <= 0) return;
    let cost = 0;
    let least = 0;
    for (const u of members) {
      cost += costs[u * k + labels[u]!]!;
      least += cheapest(placement, u, false);
    }
    if (cost <= least + placement.slack) continue;
    const best = Int32Array.from(members, (u) => labels[u]!);
    const search: Search = { placement, members, best, bestCost: cost, nodes: nodesPerPart };
    for (const u of members) put(placement, u, -1);
    branch(search, 0, 0);
    members.forEach((u, i) => {
      put(placement, u, best[i]!);
    });
    const nodes = nodesPerPart - Math.max(0, search.nodes);
    left -= nodes;
    if (spend(work, nodes * members.length * k)) yield PLACING;
  }
}

/**
 * The least cost of unit u over all clusters. With `open`, only clusters without a neighbour of u count. Infinity if there is no such
 * cluster.
 */
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
