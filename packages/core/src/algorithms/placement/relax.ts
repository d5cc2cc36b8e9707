/**
 * What to break where k clusters cannot keep everything apart: places for all units at the least price of what they break, and
 * among those at little cost.
 *
 * A unit with fewer than k neighbours always finds an open cluster, so such units are left out, again and again, and placed last:
 * only what is left can force anything. Each connected part of it is on its own. Where the solver knows a legal colouring of the
 * part, nothing of it is broken; else moves that are not undone for a while look for a cheap way, and branch and bound for a proof
 * that there is none cheaper.
 */
import { type Graph, graphOf } from "../../colouring/graphs/graph.js";
import { fillGreedily, peelCliques } from "../../colouring/graphs/reduce.js";
import { upTo } from "../../linalg/indices.js";
import type { Steps } from "../../steps/index.js";
import type { Lists } from "../../structures/components.js";
import { exactSteps, type Limits, smallParts } from "./exact.js";
import { improveSteps } from "./improve.js";
import { greedySteps, renameSteps } from "./legal.js";
import { connectedParts, openPlacement, type Placement, totalCost } from "./placement.js";
import { type Breakable, breakingPrice, leastPrice, looksToPrice, priceAt } from "./relax-prices.js";
import { PLACING, spend, type Work } from "./work.js";

/** More than any number of neighbours that is counted down to 1. */
const IN_A_CLIQUE = 2 ** 30;

/** Nodes of the exact search: parts of so many units are mostly decided in far fewer. */
const LIMITS: Limits = { mostMembers: 40, nodesPerPart: 2_000, nodesInAll: 100_000 };

const MOST_UNITS = 40;

const MOST_NODES = 20_000;

export interface Relaxed {
  readonly labels: Int32Array;
  /** The price of what is broken. */
  readonly price: number;
  /** Whether nothing cheaper would do. */
  readonly proven: boolean;
}

/** What the solver says of a part: a legal colouring, that there is none, or nothing. */
export type Verdict = Int32Array | "infeasible" | "undecided";

/** Turns of each unit without anything better, after which it is hopeless. */
const MOVES_PER_UNIT = 60;
/** Turns that a unit stays away from a place that it left. */
const TENURE = 6;

export function* relaxSteps(given: Breakable, solve: (part: Graph) => Steps<Verdict>, work: Work): Steps<Relaxed> {
  const { graph, k } = given;
  const { rest, removed } = peelCliques(graph, k);
  const labels = new Int32Array(graph.vertices).fill(-1);
  const core = inducedGraph(graph, rest);
  let proven = true;
  for (const part of connectedParts(core)) {
    const units = Int32Array.from(part, (v) => rest[v]!).sort();
    const verdict = yield* solve(inducedGraph(graph, units));
    if (typeof verdict !== "string") {
      units.forEach((u, i) => {
        labels[u] = verdict[i]!;
      });
      continue;
    }
    const price = yield* breakLittle(given, units, labels, work);
    // One broken constraint of the lowest price is as cheap as can be where something must be broken.
    const least = verdict === "infeasible" && price <= leastPrice(given, units);
    if (!least && !(yield* cheapestProven(given, units, labels, work))) proven = false;
  }
  fillGreedily(graph, removed.reverse(), k, labels);
  return { labels, price: breakingPrice(given, upTo(graph.vertices), labels), proven };
}

/** The graph without what a placement breaks: of several members of a clique in one cluster, all but the dearest leave it. */
export function withoutBroken({ graph, itemPrice }: Breakable, labels: Int32Array): Graph {
  const { vertices, links, cliques } = graph;
  const pairs: [number, number][] = [];
  for (let v = 0; v < vertices; v++) {
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      if (links.items[p]! > v && labels[links.items[p]!] !== labels[v]) pairs.push([v, links.items[p]!]);
    }
  }
  const sets = Array.from({ length: cliques.start.length - 1 }, (_, q) => {
    const dearest = new Map<number, number>();
    for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) {
      const cluster = labels[cliques.items[p]!]!;
      const known = dearest.get(cluster);
      if (known === undefined || itemPrice[p]! > itemPrice[known]!) dearest.set(cluster, p);
    }
    return [...dearest.values()].map((p) => cliques.items[p]!).sort((a, b) => a - b);
  });
  return graphOf(vertices, pairs, sets);
}

/**
 * Places for the units of a part that break little: each to where it breaks least beside those before it, then unit after unit to
 * where it breaks less. Where no unit does, one goes to the best place other than its own, and not back for a while. Returns the
 * price of the best that was met.
 */
function* breakLittle(given: Breakable, units: Int32Array, labels: Int32Array, work: Work): Steps<number> {
  const { k } = given;
  const until = new Map<number, number>();
  for (const u of units) labels[u] = leastHarm(given, labels, u, () => true).c;
  let price = breakingPrice(given, units, labels);
  let best = { price, labels: units.map((u) => labels[u]!) };
  const patience = MOVES_PER_UNIT * units.length;
  let idle = 0;
  for (let turn = 0, last = 0; best.price > 0 && turn < last + patience && work.left > 0; turn++) {
    const u = units[turn % units.length]!;
    const home = labels[u]!;
    if (spend(work, k * looksToPrice(given, u))) yield PLACING;
    labels[u] = -1;
    const before = priceAt(given, labels, u, home);
    const move = before > 0 && leastHarm(given, labels, u, (c) => c !== home && (until.get(u * k + c) ?? 0) <= turn);
    const kick = ++idle > units.length;
    labels[u] = move && (move.price < before || (kick && move.c >= 0)) ? move.c : home;
    if (!move || labels[u] === home) continue;
    idle = 0;
    until.set(u * k + home, turn + TENURE * units.length);
    price += move.price - before;
    if (price >= best.price - 1e-9) continue;
    best = { price, labels: units.map((v) => labels[v]!) };
    last = turn;
  }
  units.forEach((u, i) => {
    labels[u] = best.labels[i]!;
  });
  return breakingPrice(given, units, labels);
}

/** The cluster in which a unit breaks least, the cheapest of equals, and what that is; -1 and Infinity if none is open. */
function leastHarm(
  given: Breakable,
  labels: Int32Array,
  u: number,
  isOpen: (c: number) => boolean,
): { readonly c: number; readonly price: number } {
  const { k, costs } = given;
  let best = -1;
  let least = Infinity;
  for (let c = 0; c < k; c++) {
    if (!isOpen(c)) continue;
    const price = priceAt(given, labels, u, c);
    if (best >= 0 && (price > least || (price === least && costs[u * k + c]! >= costs[u * k + best]!))) continue;
    best = c;
    least = price;
  }
  return { c: best, price: least };
}

/*
 * A proof that nothing cheaper can be broken, or something cheaper, by branch and bound over the places of one connected part. The
 * bound: each unit without a place breaks at least the cheapest of what it would break with those that have one.
 */

interface Search {
  readonly given: Breakable;
  readonly units: Int32Array;
  /** Places under way; units without one have -1. */
  readonly labels: Int32Array;
  readonly best: Int32Array;
  bestPrice: number;
  bestCost: number;
  /** Whether costs count too; then clusters are not alike. */
  readonly costs: boolean;
  nodes: number;
}

/** Improves the places of a part; true if they are proven to be of the least price. */
function* cheapestProven(given: Breakable, units: Int32Array, labels: Int32Array, work: Work): Steps<boolean> {
  if (units.length > MOST_UNITS) return false;
  const order = byAttachment(given, units);
  for (const costs of [true, false]) {
    const search: Search = {
      given,
      units: order,
      labels: new Int32Array(labels.length).fill(-1),
      best: order.map((u) => labels[u]!),
      bestPrice: breakingPrice(given, units, labels),
      bestCost: order.reduce((sum, u) => sum + given.costs[u * given.k + labels[u]!]!, 0),
      costs,
      nodes: MOST_NODES,
    };
    branch(search, 0, 0, 0, 0);
    order.forEach((u, i) => {
      labels[u] = search.best[i]!;
    });
    const looks = order.reduce((sum, u) => sum + looksToPrice(given, u), 0);
    if (spend(work, (MOST_NODES - search.nodes) * looks)) yield PLACING;
    if (search.nodes > 0) return true;
    if (work.left <= 0) return false;
  }
  return false;
}

/** The unit with the most neighbours first, then always one with the most neighbours before it. */
function byAttachment({ graph }: Breakable, units: Int32Array): Int32Array {
  const { links, cliques, cliquesOf } = graph;
  const attached = new Map<number, number>(Array.from(units, (u) => [u, 0]));
  const left = new Set(units);
  const order: number[] = [];
  const degree = (u: number): number => looksAt(links.start, u) + looksAt(cliquesOf.start, u);
  while (left.size > 0) {
    let next = -1;
    for (const u of left) {
      const more = next === -1 ? 1 : attached.get(u)! - attached.get(next)! || degree(u) - degree(next);
      if (more > 0) next = u;
    }
    order.push(next);
    left.delete(next);
    const note = (v: number): void => {
      if (left.has(v)) attached.set(v, attached.get(v)! + 1);
    };
    for (let p = links.start[next]!; p < links.start[next + 1]!; p++) note(links.items[p]!);
    for (let q = cliquesOf.start[next]!; q < cliquesOf.start[next + 1]!; q++) {
      const clique = cliquesOf.items[q]!;
      for (let p = cliques.start[clique]!; p < cliques.start[clique + 1]!; p++) note(cliques.items[p]!);
    }
  }
  return Int32Array.from(order);
}

function looksAt(start: Int32Array, u: number): number {
  return start[u + 1]! - start[u]!;
}

function branch(search: Search, depth: number, price: number, cost: number, used: number): void {
  const { given, units, labels, best, costs } = search;
  const { k } = given;
  if (--search.nodes <= 0) return;
  if (depth === units.length) {
    search.bestPrice = price;
    search.bestCost = cost;
    units.forEach((u, i) => {
      best[i] = labels[u]!;
    });
    return;
  }
  const u = units[depth]!;
  const rest = leastOfRest(search, depth + 1);
  // Without costs clusters are alike: of the empty ones the first stands for all.
  const clusters = Array.from({ length: costs ? k : Math.min(k, used + 1) }, (_, c) => ({
    c,
    price: priceAt(given, labels, u, c),
  }));
  clusters.sort((a, b) => a.price - b.price || (costs ? given.costs[u * k + a.c]! - given.costs[u * k + b.c]! : 0) || a.c - b.c);
  for (const { c, price: more } of clusters) {
    const own = costs ? given.costs[u * k + c]! : 0;
    if (!isBetter(search, price + more + rest.price, cost + own + rest.cost)) continue;
    labels[u] = c;
    branch(search, depth + 1, price + more, cost + own, Math.max(used, c + 1));
    labels[u] = -1;
  }
}

/** Prices are compared with some slack, for sums of weights are rounded. */
function isBetter({ bestPrice, bestCost, costs }: Search, price: number, cost: number): boolean {
  const slack = 1e-9 * (1 + Math.abs(bestPrice));
  if (price < bestPrice - slack) return true;
  return costs && price <= bestPrice + slack && cost < bestCost - 1e-12 * (1 + Math.abs(bestCost));
}

/** What the units from a depth on break and cost at least. */
function leastOfRest({ given, units, labels, costs }: Search, from: number): { readonly price: number; readonly cost: number } {
  const { k } = given;
  let price = 0;
  let cost = 0;
  for (let i = from; i < units.length; i++) {
    const u = units[i]!;
    let least = Infinity;
    for (let c = 0; c < k && least > 0; c++) least = Math.min(least, priceAt(given, labels, u, c));
    price += least;
    if (!costs) continue;
    let cheapest = Infinity;
    for (let c = 0; c < k; c++) cheapest = Math.min(cheapest, given.costs[u * k + c]!);
    cost += cheapest;
  }
  return { price, cost };
}

/*
 * A cheap legal place for every vertex of a constraint graph: exactly the cheapest for small graphs, and for large ones what moves
 * and Kempe chains make of a greedy placement or of the solver's colouring.
 */

interface Places {
  readonly graph: Graph;
  readonly k: number;
  /** vertices × k. */
  readonly costs: Float64Array;
}

/**
 * Clusters of all vertices, none with a neighbour. `before` is a legal placement or null; where there is none and the greedy way
 * ends, `colouring` is asked for one. Null if that has none either.
 */
export function* cheapestSteps(
  { graph, k, costs }: Places,
  before: Int32Array | null,
  colouring: () => Steps<Int32Array | null>,
  work: Work,
): Steps<Int32Array | null> {
  const pruned = pruneLeaves(graph, k, costs);
  const { units } = pruned;
  const parts = smallParts(pruned.graph, LIMITS);
  const open = (labels: Int32Array | null): Placement => openPlacement(pruned.graph, units.length, k, pruned.costs, labels, null);
  const refine = function* (placement: Placement): Steps<Placement> {
    yield* improveSteps(placement, work);
    yield* exactSteps(placement, parts, LIMITS, work);
    return placement;
  };
  yield PLACING;
  const kept = before && (yield* refine(open(units.map((v) => before[v]!))));
  let fresh = open(null);
  if (!(yield* greedySteps(fresh, work))) {
    const known = kept ? null : yield* colouring();
    if (known) {
      fresh = open(null);
      yield* renameSteps(
        fresh,
        units.map((v) => known[v]!),
        work,
      );
    } else if (kept) fresh = kept;
    else return null;
  }
  if (fresh !== kept) yield* refine(fresh);
  const best = kept && totalCost(kept) <= totalCost(fresh) + kept.slack ? kept : fresh;
  return putLeaves(pruned, k, best.labels);
}

/*
 * Leaves of the constraint graph need no search. A unit with one neighbour takes the cheapest cluster that the neighbour leaves it,
 * so what it costs is known for each cluster of the neighbour, and is added to the neighbour's costs; then the leaf is left out,
 * and the next one may be a leaf in turn. Trees vanish altogether; what is left has cycles or cliques. Members of listed cliques
 * stay.
 */

interface Pruned {
  /** The graph between the units that are left, numbered anew in their order. */
  readonly graph: Graph;
  /** The unit of each vertex that is left, ascending. */
  readonly units: Int32Array;
  /** units × k, what the leaves add included. */
  readonly costs: Float64Array;
  /** Leaves in the order in which they were taken off. */
  readonly leaves: Int32Array;
  /** For each of them the neighbour that was left then, -1 for none. */
  readonly holders: Int32Array;
  /** All units × k, as they were when each was taken off. */
  readonly folded: Float64Array;
}

/** Takes off leaf after leaf. With one cluster an edge cannot be kept: k is at least 2 if there is one. */
export function pruneLeaves(graph: Graph, k: number, costs: Float64Array): Pruned {
  const { vertices, links, cliquesOf } = graph;
  const folded = costs.slice(0, vertices * k);
  const degree = Int32Array.from({ length: vertices }, (_, v) =>
    cliquesOf.start[v + 1]! > cliquesOf.start[v]! ? IN_A_CLIQUE : links.start[v + 1]! - links.start[v]!,
  );
  const gone = new Uint8Array(vertices);
  const leaves: number[] = [];
  const holders: number[] = [];
  for (let v = 0; v < vertices; v++) if (degree[v]! <= 1) leaves.push(v);
  for (let i = 0; i < leaves.length; i++) {
    const v = leaves[i]!;
    gone[v] = 1;
    holders[i] = -1;
    for (let p = links.start[v]!; p < links.start[v + 1]!; p++) {
      const u = links.items[p]!;
      if (gone[u] === 1) continue;
      holders[i] = u;
      fold(folded, k, v, u);
      if (--degree[u]! === 1) leaves.push(u);
    }
  }
  const units = Int32Array.from({ length: vertices }, (_, v) => v).filter((v) => gone[v] === 0);
  const left = new Float64Array(units.length * k);
  units.forEach((v, i) => {
    left.set(folded.subarray(v * k, (v + 1) * k), i * k);
  });
  return {
    graph: units.length === vertices ? graph : inducedGraph(graph, units),
    units,
    costs: left,
    leaves: Int32Array.from(leaves),
    holders: Int32Array.from(holders),
    folded,
  };
}

/** Adds to the costs of u what v costs at least beside it. */
function fold(costs: Float64Array, k: number, v: number, u: number): void {
  const first = cheapestBut(costs, k, v, -1);
  const second = cheapestBut(costs, k, v, first);
  for (let c = 0; c < k; c++) costs[u * k + c]! += costs[v * k + (c === first ? second : first)]!;
}

/** The cheapest cluster of a unit other than `taken`. */
function cheapestBut(costs: Float64Array, k: number, v: number, taken: number): number {
  let best = -1;
  for (let c = 0; c < k; c++) if (c !== taken && (best === -1 || costs[v * k + c]! < costs[v * k + best]!)) best = c;
  return best;
}

/** Clusters of all units from those of the units that are left: each leaf takes the cheapest that its neighbour leaves it. */
function putLeaves({ units, leaves, holders, folded }: Pruned, k: number, labels: Int32Array): Int32Array {
  const all = new Int32Array(units.length + leaves.length);
  units.forEach((v, i) => {
    all[v] = labels[i]!;
  });
  for (let i = leaves.length - 1; i >= 0; i--) {
    all[leaves[i]!] = cheapestBut(folded, k, leaves[i]!, holders[i]! < 0 ? -1 : all[holders[i]!]!);
  }
  return all;
}

/** The part of a graph between some vertices, ascending; cliques stay lists. */
function inducedGraph(graph: Graph, vertices: Int32Array): Graph {
  const place = new Int32Array(graph.vertices).fill(-1);
  vertices.forEach((v, i) => {
    place[v] = i;
  });
  const links = filterLists(graph.links, vertices, place);
  const everyClique = Int32Array.from({ length: graph.cliques.start.length - 1 }, (_, q) => q);
  const cliques = filterLists(graph.cliques, everyClique, place);
  const keptClique = new Int32Array(everyClique.length).fill(-1);
  let count = 0;
  everyClique.forEach((q) => {
    if (cliques.start[q + 1]! - cliques.start[q]! > 1) keptClique[q] = count++;
  });
  const large = everyClique.filter((q) => keptClique[q]! >= 0);
  return {
    vertices: vertices.length,
    links,
    cliques: filterLists(graph.cliques, large, place),
    cliquesOf: filterLists(graph.cliquesOf, vertices, keptClique),
  };
}

/** Some of the lists, without the items that have no new number, the others under theirs. */
function filterLists({ start, items }: Lists, wanted: Int32Array, number: Int32Array): Lists {
  const starts = new Int32Array(wanted.length + 1);
  let length = 0;
  wanted.forEach((list, i) => {
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) length++;
    starts[i + 1] = length;
  });
  const kept = new Int32Array(length);
  wanted.forEach((list, i) => {
    let to = starts[i]!;
    for (let p = start[list]!; p < start[list + 1]!; p++) if (number[items[p]!]! >= 0) kept[to++] = number[items[p]!]!;
  });
  return { start: starts, items: kept };
}
