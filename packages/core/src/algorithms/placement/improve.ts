/**
 * Lowers the cost of a legal placement and keeps it legal. A unit is a row or a must-link component. Two units are neighbours if they must
 * be apart. Three kinds of moves repeat until no move lowers the cost:
 *
 * - Kempe chains: connected units of two clusters swap clusters together. A chain of one unit is a plain move, a chain of two units is a
 *   swap.
 * - Ejections: a unit moves to another cluster. Each of its neighbours in that cluster moves to its own cheapest open cluster. A cluster is
 *   open for a unit if it contains none of the unit's neighbours.
 * - Cliques: the members of a clique are reassigned together at the least cost, to clusters without a neighbour from outside. A clique is
 *   an exclusive group, or units with labels of different classes.
 *
 * With size bounds, no move may increase the distance of the sizes from the bounds. Then pairs of chains are also swapped together.
 */
import { degreeBound, eachNeighbour } from "../../colouring/graphs/graph.js";
import { drain, type Steps } from "../../steps/index.js";
import { matchingSteps } from "./matching.js";
import { chainFrom, excess, excessChange, isBarred, isBetter, type Placement, put, readsAround, swapChain } from "./placement.js";
import { openWork, PLACING, spend, type Work } from "./work.js";

/** Maximum number of rounds over all moves. Each round lowers the cost. Few placements need more than five rounds. */
const MOST_ROUNDS = 100;

/** Maximum number of neighbours in one ejection. Larger ejections almost never help. */
const MOST_EJECTED = 8;

/** Improves the placement until no move helps. Returns whether any unit moved. */
export function improve(placement: Placement): boolean {
  return drain(improveSteps(placement, openWork(Infinity)));
}

/** `improve` as steps. Stops when no move helps or no work is left. */
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

/** Swaps Kempe chains between all pairs of clusters, in order. Skips a pair if no unit gets cheaper in the other cluster. */
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
 * For each pair of clusters: the units that are cheaper in the other cluster of the pair. Only a chain with such a unit can lower the cost.
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
    // Skips units that an earlier swap moved to a third cluster, and units of a chain that was already tested in this round.
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
  /**
   * `cost`: the change of the total cost if the members swap clusters. `amount`: the rows that move from a to b, minus the rows that move
   * from b to a.
   */
  readonly cost: number;
  readonly amount: number;
}

/**
 * For placements with size bounds. While sizes are out of bounds, tests all pairs of clusters. Otherwise tests only pairs with a unit that
 * is cheaper in the other cluster.
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

/** Swaps single parts between clusters a and b, then two parts at a time. For placements with size bounds. */
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

/** Swaps two parts at the same time while this helps. If several parts move the same number of rows, only the cheapest of them is tried. */
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
      // An ejection almost never helps if u does not get cheaper. It is then only tried while the sizes are out of bounds.
      if (c === labels[u] || (!isTight && costs[u * k + c]! >= costs[u * k + labels[u]!]!)) continue;
      reads += degreeBound(graph, u);
      if (eject(placement, u, c)) moved = true;
    }
    if (spend(work, reads)) yield PLACING;
  }
  return moved;
}

/**
 * Moves unit u into cluster c, and the neighbours of u in c to other clusters. If this neither lowers the cost nor brings sizes closer to
 * their bounds, undoes the moves. Returns whether the moves stay.
 */
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
  // Removes u from its old cluster first, so that its neighbours can move there. The neighbours share cluster c, so they are not neighbours
  // of each other.
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

/**
 * Reassigns the members of each clique. Isolated cliques need one assignment, which is optimal and never changes. So they take part only in
 * the first round, with `withIsolated`.
 */
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
