/**
 * Finds a first legal placement: no two units that must be apart (neighbours) share a cluster. A cluster is barred for a unit if it
 * contains a neighbour of the unit, otherwise open. The next unit is always the unit with the most barred clusters, as in DSATUR (Brélaz
 * 1979). It goes to its cheapest open cluster.
 *
 * If a unit has no open cluster, a swap of Kempe chains between two clusters can open one. If no swap helps, the exact search of `diagnose`
 * runs. It finds a colouring or proves that no legal placement exists. The colours are then matched to the centres.
 */

import { type Colouring, colour } from "../../colouring/colouring.js";
import { type ConstraintGraph, degreeBound, eachNeighbour, rowsOf } from "../../colouring/graphs/graph.js";
import { CoterieError } from "../../errors.js";
import { type InstanceId, idOf } from "../../model/points.js";
import { drain, type Steps } from "../../steps/index.js";
import { type Heap, popLeast, push } from "../../structures/heap.js";
import { matchingSteps } from "./matching.js";
import { chainFrom, connectedParts, degrees, isBarred, type Placement, put, readsAround, swapChain } from "./placement.js";
import { openWork, PLACING, spend, type Work } from "./work.js";

/** Places every unit that has no cluster yet. If a unit has no open cluster, returns false, and the placement is incomplete. */
export function placeGreedily(placement: Placement): boolean {
  return drain(greedySteps(placement, openWork(Infinity)));
}

/** `placeGreedily` as steps. Also returns false when no work is left. */
export function* greedySteps(placement: Placement, work: Work): Steps<boolean> {
  const { graph, count, k, labels, barred } = placement;
  const rank = rankByDegree(placement);
  const saturation = new Int32Array(graph.vertices);
  const queue: Heap = { keys: [], items: [] };
  const queueUp = (u: number): void => push(queue, rank[u]! - (saturation[u] ?? 0) * count, u);
  for (let v = 0; v < graph.vertices; v++) {
    for (let c = 0; c < k; c++) if (barred[v * k + c]! > 0) saturation[v]!++;
  }
  for (let u = 0; u < count; u++) if (labels[u]! < 0) queueUp(u);
  while (queue.items.length > 0) {
    const u = popLeast(queue);
    if (labels[u]! >= 0) continue;
    let c = cheapestOpen(placement, u);
    if (c === -1) c = yield* openCluster(placement, u, work);
    if (c === -1) return false;
    put(placement, u, c);
    if (u >= graph.vertices) continue;
    if (spend(work, k + degreeBound(graph, u))) yield PLACING;
    // The queue is slightly outdated, because swapped chains bar clusters without updating it. The placement is legal in any order.
    eachNeighbour(graph, u, (v) => {
      if (labels[v]! >= 0 || barred[v * k + c]! !== 1) return;
      saturation[v]!++;
      queueUp(v);
    });
  }
  return true;
}

/**
 * The order of placing: most neighbours first. Ties: largest difference between the costs of the cheapest and the second cheapest cluster,
 * then lowest index. Returns the position of each unit.
 */
function rankByDegree({ graph, count, k, costs }: Placement): Int32Array {
  const degree = degrees(graph, count);
  const regret = Float64Array.from({ length: count }, (_, u) => {
    let first = Infinity;
    let second = Infinity;
    for (let c = 0; c < k; c++) {
      const cost = costs[u * k + c]!;
      if (cost < first) [first, second] = [cost, first];
      else if (cost < second) second = cost;
    }
    return second === Infinity ? 0 : second - first;
  });
  const order = degree.map((_, u) => u).sort((u, v) => degree[v]! - degree[u]! || regret[v]! - regret[u]! || u - v);
  const rank = new Int32Array(count);
  order.forEach((u, place) => {
    rank[u] = place;
  });
  return rank;
}

/** The cheapest cluster without a neighbour of unit u, or -1. With size bounds, clusters that stay within the upper bound come first. */
function cheapestOpen(placement: Placement, u: number): number {
  const { k, costs, loads } = placement;
  let best = -1;
  let bestFits = false;
  for (let c = 0; c < k; c++) {
    if (isBarred(placement, u, c)) continue;
    const fits = !loads || loads.load[c]! + loads.sizes[u]! <= loads.most;
    if (best === -1 || (fits && !bestFits) || (fits === bestFits && costs[u * k + c]! < costs[u * k + best]!)) {
      best = c;
      bestFits = fits;
    }
  }
  return best;
}

/**
 * Opens a cluster for unit u: a Kempe chain moves the neighbours of u out of the cluster. Makes the cheapest such swap and returns the
 * cluster. Returns -1 if no swap opens a cluster.
 */
function* openCluster(placement: Placement, u: number, work: Work): Steps<number> {
  const { graph, k, costs, labels } = placement;
  const around: number[][] = Array.from({ length: k }, () => []);
  eachNeighbour(graph, u, (v) => {
    if (labels[v]! >= 0) around[labels[v]!]!.push(v);
  });
  let best: { readonly a: number; readonly b: number; readonly chain: readonly number[] } | null = null;
  let least = Infinity;
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < k; b++) {
      if (a === b) continue;
      placement.round++;
      const chain = chainFrom(placement, a, b, around[a]!);
      if (spend(work, readsAround(graph, chain))) yield PLACING;
      if (work.left <= 0) return -1;
      if (around[b]!.some((v) => placement.visited[v] === placement.round)) continue;
      let cost = costs[u * k + a]!;
      for (const v of chain) cost += costs[v * k + (labels[v] === a ? b : a)]! - costs[v * k + labels[v]!]!;
      if (cost < least) {
        least = cost;
        best = { a, b, chain };
      }
    }
  }
  if (best === null) return -1;
  swapChain(placement, best.a, best.b, best.chain);
  return best.a;
}

/**
 * Finds a legal cluster for each vertex by exact search. Throws if the search proves that there is none, or if it reaches `effort` nodes.
 */
export function decideExactly(
  graph: ConstraintGraph,
  k: number,
  effort: number,
  ids: readonly InstanceId[] | undefined,
): Int32Array {
  const answer: Colouring = colour(graph, k, { effort });
  if (answer.status === "feasible") return answer.colouring;
  if (answer.status === "undecided") {
    throw new CoterieError({
      code: "gave-up",
      message: `The search for a legal clustering with ${k} clusters gave up after ${effort} nodes, without a proof that there is none; allow more effort, or more clusters.`,
    });
  }
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const core = Array.from(answer.core.vertices, (v) => Array.from(rowsOf(graph, v), name));
  throw new CoterieError({ code: "infeasible", k, core });
}

export function matchToCentres(placement: Placement, colouring: Int32Array): void {
  drain(renameSteps(placement, colouring, openWork(Infinity)));
}

/**
 * Turns colours into clusters. In each connected part, it assigns the colours to clusters at the least total cost. When no work is left,
 * colour c becomes cluster c.
 */
export function* renameSteps(placement: Placement, colouring: Int32Array, work: Work): Steps<void> {
  const { k, costs } = placement;
  const row = new Int32Array(k).fill(-1);
  for (const members of connectedParts(placement.graph)) {
    const used = [...new Set(members.map((u) => colouring[u]!))].sort((a, b) => a - b);
    used.forEach((colour, i) => {
      row[colour] = i;
    });
    const sums = new Float64Array(used.length * k);
    for (const u of members) for (let c = 0; c < k; c++) sums[row[colouring[u]!]! * k + c]! += costs[u * k + c]!;
    if (spend(work, members.length * k)) yield PLACING;
    const centreOf = yield* matchingSteps(sums, used.length, k, work);
    for (const u of members) put(placement, u, centreOf ? centreOf[row[colouring[u]!]!]! : colouring[u]!);
  }
}
