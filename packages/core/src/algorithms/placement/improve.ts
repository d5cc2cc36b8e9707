/**
 * Makes a legal placement cheaper and keeps it legal. Three kinds of moves, until none helps:
 *
 * - Kempe chains: in the graph between two clusters, each connected part may change sides on its own. One pass over a pair of
 *   clusters judges all its parts; a part of one unit is a plain move, one of two a swap.
 * - Ejections: a unit goes where it wants, and the neighbours that it meets there go each to the cheapest cluster open to them.
 * - Cliques: the members of an exclusive group or labelling share out the clusters that others leave them, at the least cost.
 *
 * Under size bounds every move must also bring the sizes nearer to the bounds, or not farther; parts of a pair are then also
 * exchanged two at a time.
 */
import { degreeBound, eachNeighbour } from "../../colouring/graphs/graph.js";
import { drain, type Steps } from "../../steps/index.js";
import { matchingSteps } from "./matching.js";
import { chainFrom, excess, excessChange, isBarred, isBetter, looksAround, type Placement, put, swapChain } from "./placement.js";
import { openWork, PLACING, spend, type Work } from "./work.js";

/** Rounds over all moves; each strictly lowers the cost, and few placements need more than five. */
const MOST_ROUNDS = 100;

/** Neighbours that a unit may drive out at once: more are hardly ever worth it. */
const MOST_EJECTED = 8;

/** Improves until no move helps; returns whether anything moved. */
export function improve(placement: Placement): boolean {
  return drain(improveSteps(placement, openWork(Infinity)));
}

/** The same step by step, until no move helps or the work is spent. */
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

/** Pairs of clusters in order, those that somebody would like to change between. */
function* improvePairs(placement: Placement, work: Work): Steps<boolean> {
  const { k } = placement;
  const wishes = wishesOf(placement, false);
  if (spend(work, placement.count * k)) yield PLACING;
  let moved = false;
  for (const pair of [...wishes.keys()].sort((p, q) => p - q)) {
    if (work.left <= 0) return moved;
    const a = Math.floor(pair / k);
    moved = (yield* improvePair(placement, a, pair - a * k, wishes.get(pair)!, work)) || moved;
  }
  return moved;
}

/** For each pair of clusters, the units in one that would cost less in the other: a chain without any cannot save cost. */
function wishesOf({ count, k, costs, labels, inLoneClique }: Placement, withLone: boolean): Map<number, number[]> {
  const wishes = new Map<number, number[]>();
  for (let u = 0; u < count; u++) {
    if (!withLone && inLoneClique[u] === 1) continue;
    const home = labels[u]!;
    const cost = costs[u * k + home]!;
    for (let c = 0; c < k; c++) {
      if (costs[u * k + c]! >= cost) continue;
      const pair = Math.min(c, home) * k + Math.max(c, home);
      const list = wishes.get(pair);
      if (list) list.push(u);
      else wishes.set(pair, [u]);
    }
  }
  return wishes;
}

/** Lets every part of the graph between two clusters change sides that saves cost by it. */
function* improvePair(placement: Placement, a: number, b: number, wishes: readonly number[], work: Work): Steps<boolean> {
  let moved = false;
  placement.round++;
  for (const u of wishes) {
    // Others may have moved since the wish was noted, and a part that changed sides is done.
    if ((placement.labels[u] !== a && placement.labels[u] !== b) || placement.seen[u] === placement.round) continue;
    if (work.left <= 0) return moved;
    const members = chainFrom(placement, a, b, [u]);
    if (spend(work, looksAround(placement.graph, members))) yield PLACING;
    if (changeOf(placement, a, b, members) >= -placement.slack) continue;
    swapChain(placement, a, b, members);
    moved = true;
  }
  return moved;
}

/** What it costs that all members of a chain change sides. */
function changeOf({ k, costs, labels }: Placement, a: number, b: number, members: readonly number[]): number {
  let cost = 0;
  for (const v of members) cost += costs[v * k + (labels[v] === a ? b : a)]! - costs[v * k + labels[v]!]!;
  return cost;
}

interface Part {
  readonly members: readonly number[];
  /** What it costs that they change sides, and how many rows then go from a to b. */
  readonly cost: number;
  readonly amount: number;
}

/** Within size bounds: all pairs of clusters while sizes are wrong; else those that somebody would like to change between, for nothing else can save cost. */
function* fitPairs(placement: Placement, work: Work): Steps<boolean> {
  const { k, count } = placement;
  const wishes = excess(placement.loads!) > 0 ? null : wishesOf(placement, true);
  if (spend(work, count * k)) yield PLACING;
  let moved = false;
  for (let a = 0; a < k; a++) {
    for (let b = a + 1; b < k; b++) {
      if (wishes && !wishes.has(a * k + b)) continue;
      if (work.left <= 0) return moved;
      moved = fitPair(placement, a, b) || moved;
      if (spend(work, count)) yield PLACING;
    }
  }
  return moved;
}

/** Within size bounds: one part at a time, then two. */
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
  const { count, labels, loads, seen } = placement;
  const round = ++placement.round;
  const parts: Part[] = [];
  for (let u = 0; u < count; u++) {
    if ((labels[u] !== a && labels[u] !== b) || seen[u] === round) continue;
    const members = chainFrom(placement, a, b, [u]);
    let amount = 0;
    for (const v of members) amount += labels[v] === a ? loads!.sizes[v]! : -loads!.sizes[v]!;
    parts.push({ members, cost: changeOf(placement, a, b, members), amount });
  }
  return parts;
}

/** Swaps two parts at once while that helps: for each number of rows only the cheapest part left is worth a look. */
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
  const { graph, k, costs, labels, loads, inLoneClique } = placement;
  const isTight = loads !== null && excess(loads) > 0;
  let moved = false;
  for (let u = 0; u < graph.vertices; u++) {
    if (!loads && inLoneClique[u] === 1) continue;
    if (work.left <= 0) return moved;
    let looks = k;
    for (let c = 0; c < k; c++) {
      // What the neighbours do is hardly worth it unless u gains, or the sizes do.
      if (c === labels[u] || (!isTight && costs[u * k + c]! >= costs[u * k + labels[u]!]!)) continue;
      looks += degreeBound(graph, u);
      if (eject(placement, u, c)) moved = true;
    }
    if (spend(work, looks)) yield PLACING;
  }
  return moved;
}

/** Puts u into cluster c and its neighbours there elsewhere, if all that is for the better; else leaves all as it was. */
function eject(placement: Placement, u: number, c: number): boolean {
  const { graph, k, costs, labels, loads } = placement;
  const home = labels[u]!;
  const met: number[] = [];
  placement.round++;
  eachNeighbour(graph, u, (v) => {
    if (labels[v] !== c || placement.seen[v] === placement.round) return;
    placement.seen[v] = placement.round;
    met.push(v);
  });
  if (met.length > MOST_EJECTED) return false;
  let cost = costs[u * k + c]! - costs[u * k + home]!;
  const before = loads ? excess(loads) : 0;
  // With u away, its old cluster may be open to those that it meets; among themselves they are not apart, being in one cluster.
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

/** Lone cliques are the same in every round after the first. */
function* shareOutCliques(placement: Placement, withLone: boolean, work: Work): Steps<boolean> {
  const { cliques } = placement.graph;
  let moved = false;
  for (let q = 0; q + 1 < cliques.start.length; q++) {
    if (!withLone && placement.inLoneClique[cliques.items[cliques.start[q]!]!] === 1) continue;
    if (work.left <= 0) return moved;
    moved = (yield* shareOut(placement, cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!), work)) || moved;
  }
  return moved;
}

/** Gives each member of a clique a cluster that outsiders leave open, together at the least cost. */
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
