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
import { inducedGraph } from "./leaves.js";
import { connectedParts } from "./placement.js";
import { cheapestProven } from "./relax-exact.js";
import { type Breakable, breakingPrice, leastPrice, looksToPrice, priceAt } from "./relax-prices.js";
import { PLACING, spend, type Work } from "./work.js";

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
