/**
 * A cheapest set of items that meets every one of some given sets, by branch and bound. The bound: sets that share no item each
 * cost at least their cheapest one. Items that meet more sets for their price are tried first; equals in the order given.
 */
import type { Budget } from "./budget.js";

const SETS_PER_NODE = 10;

export interface HittingSet {
  /** Items, ascending. */
  readonly items: readonly number[];
  readonly price: number;
  /** No hitting set is cheaper than this. */
  readonly lowerBound: number;
}

export interface Pricing {
  price(item: number): number;
  /** Smaller first among items that are otherwise as good. */
  rank(item: number): number;
}

export function hittingSet(sets: readonly (readonly number[])[], pricing: Pricing, budget: Budget): HittingSet {
  const first = greedy(sets, pricing);
  const lowerBound = disjointBound(sets, () => true, pricing);
  const search: Search = { sets, pricing, budget, best: first, bestPrice: total(first, pricing), chosen: [], banned: new Set() };
  if (lowerBound < search.bestPrice) branch(search, 0);
  const price = search.bestPrice;
  return {
    items: search.best.toSorted((a, b) => a - b),
    price,
    lowerBound: budget.left > 0 ? price : Math.min(price, lowerBound),
  };
}

interface Search {
  readonly sets: readonly (readonly number[])[];
  readonly pricing: Pricing;
  readonly budget: Budget;
  best: readonly number[];
  bestPrice: number;
  readonly chosen: number[];
  /** Items that were tried before at a node above: what they lead to is known. */
  readonly banned: Set<number>;
}

function total(items: readonly number[], { price }: Pricing): number {
  return items.reduce((sum, item) => sum + price(item), 0);
}

function branch(search: Search, price: number): void {
  const { sets, pricing, budget, chosen, banned } = search;
  if (budget.left <= 0) return;
  const open = sets.filter((set) => !set.some((item) => chosen.includes(item)));
  // A node costs as much as the sets that it looks at.
  budget.left -= 1 + open.length / SETS_PER_NODE;
  if (open.length === 0) {
    if (price < search.bestPrice) {
      search.best = [...chosen];
      search.bestPrice = price;
    }
    return;
  }
  if (price + disjointBound(open, (item) => !banned.has(item), pricing) >= search.bestPrice) return;
  const choices = open.map((set) => set.filter((item) => !banned.has(item)));
  const narrowest = choices.reduce((a, b) => (b.length < a.length ? b : a));
  const tried: number[] = [];
  for (const item of byWorth(narrowest, open, pricing)) {
    chosen.push(item);
    branch(search, price + pricing.price(item));
    chosen.pop();
    banned.add(item);
    tried.push(item);
    if (budget.left <= 0) break;
  }
  for (const item of tried) banned.delete(item);
}

function byWorth(items: readonly number[], open: readonly (readonly number[])[], { price, rank }: Pricing): number[] {
  const worth = new Map(items.map((item) => [item, open.filter((set) => set.includes(item)).length / price(item)]));
  return items.toSorted((a, b) => worth.get(b)! - worth.get(a)! || rank(a) - rank(b) || a - b);
}

/** Sets that share no allowed item, few items first: the sum of their cheapest. Infinite if a set has none left. */
function disjointBound(sets: readonly (readonly number[])[], allowed: (item: number) => boolean, { price }: Pricing): number {
  const taken = new Set<number>();
  let bound = 0;
  for (const set of sets.toSorted((a, b) => a.length - b.length)) {
    const left = set.filter(allowed);
    if (left.length === 0) return Infinity;
    if (left.some((item) => taken.has(item))) continue;
    bound += left.reduce((least, item) => Math.min(least, price(item)), Infinity);
    for (const item of left) taken.add(item);
  }
  return bound;
}

/** Again and again the item that meets the most open sets for its price; at the end what turned out superfluous goes. */
function greedy(sets: readonly (readonly number[])[], pricing: Pricing): number[] {
  const chosen: number[] = [];
  let open = [...sets];
  while (open.length > 0) {
    const counts = new Map<number, number>();
    for (const set of open) for (const item of set) counts.set(item, (counts.get(item) ?? 0) + 1);
    let best = -1;
    for (const [item, count] of counts) {
      const gain = best === -1 ? 1 : count / pricing.price(item) - counts.get(best)! / pricing.price(best);
      const order = best === -1 ? 0 : pricing.rank(item) - pricing.rank(best) || item - best;
      if (gain > 0 || (gain === 0 && order < 0)) best = item;
    }
    chosen.push(best);
    open = open.filter((set) => !set.includes(best));
  }
  let needed: readonly number[] = chosen;
  for (const item of chosen) {
    const others = needed.filter((other) => other !== item);
    if (sets.every((set) => set.some((other) => others.includes(other)))) needed = others;
  }
  return [...needed];
}
