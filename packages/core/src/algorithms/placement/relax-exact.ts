/**
 * A proof that nothing cheaper can be broken, or something cheaper, by branch and bound over the places of one connected part. The
 * bound: each unit without a place breaks at least the cheapest of what it would break with those that have one.
 */
import type { Steps } from "../../steps/index.js";
import { type Breakable, breakingPrice, looksToPrice, priceAt } from "./relax-prices.js";
import { PLACING, spend, type Work } from "./work.js";

const MOST_UNITS = 40;
const MOST_NODES = 20_000;

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
export function* cheapestProven(given: Breakable, units: Int32Array, labels: Int32Array, work: Work): Steps<boolean> {
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
