/**
 * A cheapest set of items that meets every one of some given sets, by branch and bound. The bound: sets that share no item each
 * cost at least their cheapest one. Items that meet more sets for their price are tried first; equals in the order given.
 */
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";

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

export function* hittingSet(sets: readonly (readonly number[])[], pricing: Pricing, budget: Budget): Interruptible<HittingSet> {
  const first = yield* greedy(sets, pricing, budget);
  const lowerBound = disjointBound(sets, () => true, pricing);
  const search: Search = { sets, pricing, budget, best: first, bestPrice: total(first, pricing), chosen: [], banned: new Set() };
  if (lowerBound < search.bestPrice) yield* branch(search, 0);
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

/** Looks at an item of a set: through lists of any length, several times as dear as one into an array of numbers. */
const LOOKS_PER_ITEM = 16;

function total(items: readonly number[], { price }: Pricing): number {
  return items.reduce((sum, item) => sum + price(item), 0);
}

function sizeOf(sets: readonly (readonly number[])[]): number {
  return sets.reduce((sum, set) => sum + set.length, 0);
}

function* branch(search: Search, price: number): Interruptible<void> {
  const { sets, pricing, budget, chosen, banned } = search;
  if (budget.left <= 0) return;
  const taken = new Set(chosen);
  const open = sets.filter((set) => !set.some((item) => taken.has(item)));
  budget.left--;
  chargeLooks(budget, LOOKS_PER_ITEM * (sets.length + sizeOf(open)));
  if (pauseDue(budget)) yield;
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
    yield* branch(search, price + pricing.price(item));
    chosen.pop();
    banned.add(item);
    tried.push(item);
    if (budget.left <= 0) break;
  }
  for (const item of tried) banned.delete(item);
}

function byWorth(items: readonly number[], open: readonly (readonly number[])[], { price, rank }: Pricing): number[] {
  const counts = countsOf(open);
  const worth = new Map(items.map((item) => [item, counts.get(item)! / price(item)]));
  return items.toSorted((a, b) => worth.get(b)! - worth.get(a)! || rank(a) - rank(b) || a - b);
}

/** In how many sets each item is. */
function countsOf(sets: readonly (readonly number[])[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const set of sets) for (const item of set) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
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
function* greedy(sets: readonly (readonly number[])[], pricing: Pricing, budget: Budget): Interruptible<number[]> {
  const counts = countsOf(sets);
  const chosen: number[] = [];
  let open = [...sets];
  while (open.length > 0) {
    chargeLooks(budget, LOOKS_PER_ITEM * (counts.size + open.length));
    if (pauseDue(budget)) yield;
    const item = mostMet(counts, pricing);
    chosen.push(item);
    const met = (set: readonly number[]): boolean => set.includes(item);
    for (const set of open.filter(met)) for (const other of set) lower(counts, other);
    open = open.filter((set) => !met(set));
  }
  return withoutSuperfluous(sets, chosen);
}

function lower(counts: Map<number, number>, item: number): void {
  const count = counts.get(item)! - 1;
  if (count === 0) counts.delete(item);
  else counts.set(item, count);
}

function mostMet(counts: ReadonlyMap<number, number>, { price, rank }: Pricing): number {
  let best = -1;
  for (const [item, count] of counts) {
    const gain = best === -1 ? 1 : count / price(item) - counts.get(best)! / price(best);
    const order = best === -1 ? 0 : rank(item) - rank(best) || item - best;
    if (gain > 0 || (gain === 0 && order < 0)) best = item;
  }
  return best;
}

/** Items chosen early go first, if those chosen later meet all their sets. */
function withoutSuperfluous(sets: readonly (readonly number[])[], chosen: readonly number[]): number[] {
  const setsOf = new Map<number, number[]>(chosen.map((item) => [item, []]));
  const hits = new Int32Array(sets.length);
  sets.forEach((set, s) => {
    for (const item of set) {
      if (!setsOf.has(item)) continue;
      setsOf.get(item)!.push(s);
      hits[s]!++;
    }
  });
  return chosen.filter((item) => {
    const own = setsOf.get(item)!;
    if (own.some((s) => hits[s] === 1)) return true;
    for (const s of own) hits[s]!--;
    return false;
  });
}
