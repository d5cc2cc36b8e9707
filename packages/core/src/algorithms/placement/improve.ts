/**
 * Lowers the cost of a legal placement and keeps it legal. It makes three kinds of moves until no move lowers the cost:
 *
 * - Kempe chains: in the subgraph of two clusters, each connected part can swap clusters independently. One pass over a pair of clusters
 *   tests all its parts. A part of one unit is a plain move, a part of two units is a swap.
 * - Ejections: a unit moves to another cluster, and each of its neighbours there moves to the cheapest cluster without one of its own
 *   neighbours.
 * - Cliques: the members of an exclusive group or labelling are reassigned to the clusters that other units leave open, at the least
 *   cost.
 *
 * With size bounds, no move may increase the distance of the sizes from the bounds. Then pairs of parts are also swapped together.
 */
import { degreeBound, eachNeighbour } from "../../colouring/graphs/graph.js";
import { drain, type Steps } from "../../steps/index.js";
import { matchingSteps } from "./matching.js";
import { chainFrom, excess, excessChange, isBarred, isBetter, type Placement, put, readsAround, swapChain } from "./placement.js";
import { openWork, PLACING, spend, type Work } from "./work.js";

/** Maximum number of rounds over all moves. Each round strictly lowers the cost, and few placements need more than five. */
const MOST_ROUNDS = 100;

/** Maximum number of neighbours that one ejection moves. Larger ejections almost never help. */
const MOST_EJECTED = 8;

/** Improves the placement until no move helps. Returns whether any unit moved. */
export function improve(placement: Placement): boolean {
  return drain(improveSteps(placement, openWork(Infinity)));
}

/** `improve` as steps. Stops when no move helps or the work is spent. */
export function* improveSteps(placement: Placement, work: Work): Steps<boolean> {
  let moved = false;
  for (let round = 0; round < MOST_ROUNDS && work.left > 0; round++) {
    let better = false;
    if (placement.loads) better = yield* fitPairs(placement, work);
    else {
      better = yield* shareOutCliques(placement, round === 0, work);
      better = (yield* improvePairs(placement, work)) || better;
    }
    better = (yield* ejectAll(placement, work)) || better;
    if (!better) return moved;
    moved = true;
  }
  return moved;
}

/** Tests pairs of clusters in order. Skips a pair if no unit of either cluster would cost less in the other cluster. */
function* improvePairs(placement: Placement, work: Work): Steps<boolean> {
  const { k } = placement;
  const candidates = candidatesOf(placement, false);
  if (spend(work, placement.count * k)) yield PLACING;
  let moved = false;
  for (const pair of [...candidates.keys()].sort((p, q) => p - q)) {
    if (work.left <= 0) return moved;
    const a = Math.floor(pair / k);
    moved = (yield* improvePair(placement, a, pair - a * k, candidates.get(pair)!, work)) || moved;
  }
  return moved;
}

/**
 * For each pair of clusters: the units of the first cluster that would cost less in the second cluster. Only chains with such a unit can
 * help.
 */
function candidatesOf({ count, k, costs, labels, inIsolatedClique }: Placement, withIsolated: boolean): Map<number, number[]> {
  const candidates = new Map<number, number[]>();
  for (let u = 0; u < count; u++) {
    if (!withIsolated && inIsolatedClique[u] === 1) continue;
    const home = labels[u]!;
    const cost = costs[u * k + home]!;
    for (let c = 0; c < k; c++) {
      if (costs[u * k + c]! >= cost) continue;
      const pair = Math.min(c, home) * k + Math.max(c, home);
      const list = candidates.get(pair);
      if (list) list.push(u);
      else candidates.set(pair, [u]);
    }
  }
  return candidates;
}

function* improvePair(placement: Placement, a: number, b: number, candidates: readonly number[], work: Work): Steps<boolean> {
  let moved = false;
  placement.round++;
  for (const u of candidates) {
    // Skips units that an earlier swap moved, and parts that were tested before.
    if ((placement.labels[u] !== a && placement.labels[u] !== b) || placement.visited[u] === placement.round) continue;
    if (work.left <= 0) return moved;
    const members = chainFrom(placement, a, b, [u]);
    if (spend(work, readsAround(placement.graph, members))) yield PLACING;
    if (changeOf(placement, a, b, members) >= -placement.slack) continue;
    swapChain(placement, a, b, members);
    moved = true;
  }
  return moved;
}

function changeOf({ k, costs, labels }: Placement, a: number, b: number, members: readonly number[]): number {
  let cost = 0;
  for (const v of members) cost += costs[v * k + (labels[v] === a ? b : a)]! - costs[v * k + labels[v]!]!;
  return cost;
}

interface Part {
  readonly members: readonly number[];
  /** `cost`: the change of cost if the members swap clusters. `amount`: the number of rows that then move from a to b. */
  readonly cost: number;
  readonly amount: number;
}

/**
 * With size bounds: while the size of a cluster is out of bounds, tests all pairs of clusters. After that, tests only pairs with a unit
 * that costs less in the other cluster.
 */
function* fitPairs(placement: Placement, work: Work): Steps<boolean> {
  const { k, count } = placement;
  const candidates = excess(placement.loads!) > 0 ? null : candidatesOf(placement, true);
  if (spend(work, count * k)) yield PLACING;
  let moved = false;
  for (let a = 0; a < k; a++) {
    for (let b = a + 1; b < k; b++) {
      if (candidates && !candidates.has(a * k + b)) continue;
      if (work.left <= 0) return moved;
      moved = fitPair(placement, a, b) || moved;
      if (spend(work, count)) yield PLACING;
    }
  }
  return moved;
}

/** With size bounds: swaps single parts between clusters a and b, then two parts at a time. */
function fitPair(placement: Placement, a: number, b: number): boolean {
  let moved = false;
  const left: Part[] = [];
  for (const part of partsOf(placement, a, b)) {
    if (isBetter(placement, excessChange(placement.loads!, a, b, part.amount), part.cost)) {
      swapChain(placement, a, b, part.members);
      moved = true;
    } else left.push(part);
  }
  return exchangeParts(placement, a, b, left) || moved;
}

function partsOf(placement: Placement, a: number, b: number): Part[] {
  const { count, labels, loads, visited } = placement;
  const round = ++placement.round;
  const parts: Part[] = [];
  for (let u = 0; u < count; u++) {
    if ((labels[u] !== a && labels[u] !== b) || visited[u] === round) continue;
    const members = chainFrom(placement, a, b, [u]);
    let amount = 0;
    for (const v of members) amount += labels[v] === a ? loads!.sizes[v]! : -loads!.sizes[v]!;
    parts.push({ members, cost: changeOf(placement, a, b, members), amount });
  }
  return parts;
}

/** Swaps two parts together while this lowers the cost. Of parts with equally many rows, tries only the cheapest. */
function exchangeParts(placement: Placement, a: number, b: number, parts: readonly Part[]): boolean {
  const loads = placement.loads!;
  const byAmount = new Map<number, Part[]>();
  for (const part of parts) {
    const list = byAmount.get(part.amount);
    if (list) list.push(part);
    else byAmount.set(part.amount, [part]);
  }
  const lists = [...byAmount.values()];
  for (const list of lists) list.sort((p, q) => q.cost - p.cost);
  let moved = false;
  for (;;) {
    const best = bestExchange(placement, lists, (amount) => excessChange(loads, a, b, amount));
    if (best === null) return moved;
    for (const list of best) swapChain(placement, a, b, list.pop()!.members);
    moved = true;
  }
}

function bestExchange(
  placement: Placement,
  lists: readonly Part[][],
  change: (amount: number) => number,
): readonly [Part[], Part[]] | null {
  let best: readonly [Part[], Part[]] | null = null;
  let bestChange = 0;
  let bestCost = 0;
  for (const first of lists) {
    for (const second of lists) {
      const p = first.at(-1);
      const q = first === second ? first.at(-2) : second.at(-1);
      if (!p || !q) continue;
      const cost = p.cost + q.cost;
      const by = change(p.amount + q.amount);
      if (!isBetter(placement, by, cost) || by > bestChange || (by === bestChange && cost >= bestCost)) continue;
      [best, bestChange, bestCost] = [[first, second], by, cost];
    }
  }
  return best;
}

function* ejectAll(placement: Placement, work: Work): Steps<boolean> {
  const { graph, k, costs, labels, loads, inIsolatedClique } = placement;
  const isTight = loads !== null && excess(loads) > 0;
  let moved = false;
  for (let u = 0; u < graph.vertices; u++) {
    if (!loads && inIsolatedClique[u] === 1) continue;
    if (work.left <= 0) return moved;
    let reads = k;
    for (let c = 0; c < k; c++) {
      // An ejection almost never helps unless u itself gets cheaper, or the sizes come closer to their bounds.
      if (c === labels[u] || (!isTight && costs[u * k + c]! >= costs[u * k + labels[u]!]!)) continue;
      reads += degreeBound(graph, u);
      if (eject(placement, u, c)) moved = true;
    }
    if (spend(work, reads)) yield PLACING;
  }
  return moved;
}

/** Moves u into cluster c, and its neighbours in c elsewhere, if this lowers the total cost; else restores the placement. */
function eject(placement: Placement, u: number, c: number): boolean {
  const { graph, k, costs, labels, loads } = placement;
  const home = labels[u]!;
  const met: number[] = [];
  placement.round++;
  eachNeighbour(graph, u, (v) => {
    if (labels[v] !== c || placement.visited[v] === placement.round) return;
    placement.visited[v] = placement.round;
    met.push(v);
  });
  if (met.length > MOST_EJECTED) return false;
  let cost = costs[u * k + c]! - costs[u * k + home]!;
  const before = loads ? excess(loads) : 0;
  // Removes u first: its neighbours in c can then move to its old cluster. They share cluster c, so no cannot-link separates them.
  put(placement, u, -1);
  const moves: [number, number][] = [];
  for (const v of met) {
    let best = -1;
    for (let e = 0; e < k; e++) {
      if (e !== c && !isBarred(placement, v, e) && (best === -1 || costs[v * k + e]! < costs[v * k + best]!)) best = e;
    }
    cost += best === -1 ? Infinity : costs[v * k + best]! - costs[v * k + c]!;
    if (cost === Infinity) break;
    moves.push([v, best]);
  }
  if (moves.length < met.length) {
    put(placement, u, home);
    return false;
  }
  for (const [v, e] of moves) put(placement, v, e);
  put(placement, u, c);
  if (isBetter(placement, loads ? excess(loads) - before : 0, cost)) return true;
  put(placement, u, -1);
  for (const [v] of moves) put(placement, v, c);
  put(placement, u, home);
  return false;
}

/** Isolated cliques are assigned optimally in the first round. They never change again. */
function* shareOutCliques(placement: Placement, withIsolated: boolean, work: Work): Steps<boolean> {
  const { cliques } = placement.graph;
  let moved = false;
  for (let q = 0; q + 1 < cliques.start.length; q++) {
    if (!withIsolated && placement.inIsolatedClique[cliques.items[cliques.start[q]!]!] === 1) continue;
    if (work.left <= 0) return moved;
    moved = (yield* shareOut(placement, cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!), work)) || moved;
  }
  return moved;
}

function* shareOut(placement: Placement, members: Int32Array, work: Work): Steps<boolean> {
  const { k, costs, labels } = placement;
  const homes = members.map((u) => labels[u]!);
  if (members.every((u, i) => isCheapest(placement, u, homes[i]!))) return false;
  for (const u of members) put(placement, u, -1);
  const open = new Float64Array(members.length * k);
  members.forEach((u, i) => {
    for (let c = 0; c < k; c++) open[i * k + c] = isBarred(placement, u, c) ? Infinity : costs[u * k + c]!;
  });
  const shared = (yield* matchingSteps(open, members.length, k, work)) ?? homes;
  let gain = 0;
  members.forEach((u, i) => {
    gain += costs[u * k + homes[i]!]! - costs[u * k + shared[i]!]!;
  });
  const better = gain > placement.slack;
  members.forEach((u, i) => {
    put(placement, u, better ? shared[i]! : homes[i]!);
  });
  return better;
}

function isCheapest({ k, costs }: Placement, u: number, c: number): boolean {
  for (let e = 0; e < k; e++) if (costs[u * k + e]! < costs[u * k + c]!) return false;
  return true;
}
