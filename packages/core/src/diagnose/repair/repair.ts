/**
 * Repairs a constraint set: drops constraints so that the rest has no contradictions and k clusters can satisfy it. The price of the
 * dropped constraints is as low as possible.
 *
 * The dropped constraints must hit every conflict, so they are a minimum-cost hitting set. The conflicts need not be known in advance
 * (implicit hitting set: Karp 2010; Davies and Bacchus 2011). Each round finds the cheapest set of constraints that hits all known
 * conflicts. If the remaining constraints still fail, they show new conflicts. If they do not fail, the hitting set is the answer. In each
 * round, the cost of the hitting set is a lower bound for every repair.
 *
 * If this takes more than half of the effort, a heuristic computes a clustering with few violations. The constraints that this clustering
 * violates are dropped.
 *
 * The price of a constraint is its weight, scaled so that sums stay finite. The price of a constraint of weight Infinity exceeds the sum of
 * all finite prices. The price of an exclusive group exceeds the sum of all other prices. So these constraints are dropped only if nothing
 * else is enough.
 */

import { groupSizes } from "../../constraints/component-graph.js";
import { NO_TRIPLES } from "../../constraints/sets.js";
import { constrainedRows, constraintsAmong } from "../../constraints/some-rows.js";
import { pricesOf } from "../../constraints/weights.js";
import { badOption } from "../../errors.js";
import type { ConstraintSet, Links } from "../../model/constraint-set.js";
import type { Budget, EffortOptions, Interruptible } from "../../steps/budget.js";
import { budgetOf, chargeLooks, giveBack, pauseDue, share } from "../../steps/budget.js";
import { drain } from "../../steps/steps.js";
import { type Forest, forest, join, type Lists, listsByKey, rootOf } from "../../structures/components.js";
import { type Heap, popLeast, push } from "../../structures/heap.js";
import { type Conflict, checkWithout, type Reason, reasonsFor } from "./conflict.js";
import { brokenItems, type Given, type GivenKind, givenItems, itemAt, weightOf } from "./given.js";

export interface DroppedConstraint {
  readonly kind: GivenKind;
  /** Index among the constraints of this kind; for an exclusive group, the index of its column. */
  readonly index: number;
  readonly rows: readonly number[];
  /** The class of a label; the column and the value of a group. */
  readonly names?: readonly string[];
  readonly weight: number;
  readonly because: Reason;
}

export interface Repair {
  readonly dropped: readonly DroppedConstraint[];
  /** `price`: sum of the prices of the dropped constraints. `lowerBound`: no repair costs less. */
  readonly price: number;
  readonly lowerBound: number;
  /** Whether it is proven that no repair is cheaper. */
  readonly optimal: boolean;
  /** Prices of a constraint of weight Infinity and of an exclusive group. */
  readonly prices: { readonly hard: number; readonly group: number };
}

/** `k`: number of clusters; null to remove contradictions only. The remaining constraints are always satisfiable. */
export function repair(set: ConstraintSet, k: number | null, options: EffortOptions = {}): Repair {
  return drain(searchRepair(set, k, budgetOf(options)));
}

export function* searchRepair(set: ConstraintSet, k: number | null, budget: Budget): Interruptible<Repair> {
  if (k !== null && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number, 1 or more");
  // Rows without constraints are left out, because they would only make every check slower.
  const pairs = { ...set, relative: NO_TRIPLES };
  const rows = constrainedRows(pairs);
  const given = givenItems(constraintsAmong(pairs, rows));
  const { pricing, prices } = pricingOf(given);
  const state: State = { given, k, pricing, conflicts: [], nodes: budget.left / CHECKS };
  const half = share(budget, budget.left / 2);
  const { items, lowerBound } = yield* cheapestHit(state, half);
  giveBack(budget, half);
  const dropped = items ?? (yield* brokenByClustering(state, budget));
  const reasons = yield* reasonsFor(state, dropped, budget);
  const price = [...reasons.keys()].reduce((sum, item) => sum + pricing.price(item), 0);
  const whole = givenItems(set);
  const explained = [...reasons].map(([item, because]) => describeItem(whole, item, inRows(because, rows)));
  return { dropped: explained, price, lowerBound, optimal: price <= lowerBound * (1 + ROUNDING), prices };
}

/** Sums of the same prices in different orders differ by at most this relative rounding error. */
const ROUNDING = 1e-12;
/** A single check whether k clusters suffice may use 1 / CHECKS of the effort. */
const CHECKS = 50;

interface State {
  readonly given: Given;
  readonly k: number | null;
  readonly pricing: Pricing;
  readonly conflicts: Conflict[];
  readonly nodes: number;
}

function pricingOf(given: Given): { readonly pricing: Pricing; readonly prices: Repair["prices"] } {
  const weights = Float64Array.from({ length: given.groups }, (_, item) => weightOf(given, itemAt(given, item)));
  const { prices, hard } = pricesOf(weights);
  const hardCount = weights.reduce((sum, weight) => sum + (weight === Infinity ? 1 : 0), 0);
  const group = hard * (hardCount + 1);
  const price = (item: number): number => (item >= given.groups ? group : prices[item]!);
  // On ties, labels of one class come together: dropping one whole class is better than dropping parts of several classes.
  const rank = (item: number): number =>
    item >= given.labels && item < given.groups ? given.set.labels.code[item - given.labels]! : -1;
  return { pricing: { price, rank }, prices: { hard, group } };
}

/** The exact method gives up if there are more conflicts than this. */
const MOST_CONFLICTS = 2_000;

/** The cheapest repair, and a lower bound for the price of every repair. `items` is null if the effort is not enough. */
function* cheapestHit(
  state: State,
  budget: Budget,
): Interruptible<{ readonly items: readonly number[] | null; readonly lowerBound: number }> {
  let lowerBound = 0;
  for (;;) {
    const sets = state.conflicts.map(({ items }) => items);
    const hit = yield* hittingSet(sets, state.pricing, budget);
    lowerBound = Math.max(lowerBound, hit.lowerBound);
    const outcome = yield* gatherConflicts(state, hit, budget);
    if (outcome === "holds") return { items: hit.items, lowerBound };
    if (outcome === "gave up" || budget.left <= 0 || state.conflicts.length > MOST_CONFLICTS) return { items: null, lowerBound };
  }
}

/**
 * Drops the hitting set and checks the remaining constraints. Each conflict found is dropped before the next check, so the new conflicts
 * are disjoint. Returns "holds" if there is no conflict, "more" if there are new conflicts, and "gave up" if the effort was too small.
 */
function* gatherConflicts(state: State, hit: HittingSet, budget: Budget): Interruptible<"holds" | "more" | "gave up"> {
  const { given, k, nodes } = state;
  const aside = new Set(hit.items);
  for (let first = true; ; first = false) {
    if (budget.left <= 0) return "gave up";
    const { status, conflicts } = yield* checkWithout(given, aside, k, { smaller: true, nodes }, budget);
    if (status === "consistent") return first ? "holds" : "more";
    if (status === "undecided") return first ? "gave up" : "more";
    for (const conflict of conflicts) {
      state.conflicts.push(conflict);
      for (const item of conflict.items) aside.add(item);
    }
  }
}

/**
 * The constraints that a heuristic clustering violates. The first clustering has any number of clusters, so it violates only contradictory
 * constraints. If dropping these constraints is not enough, the second clustering has k clusters.
 */
function* brokenByClustering({ given, k, pricing, nodes }: State, budget: Budget): Interruptible<readonly number[]> {
  const ties = tiesOf(given, k, pricing.price);
  const most = share(budget, budget.left / 2);
  const trees = yield* contract(ties, most);
  giveBack(budget, most);
  const contradictory = brokenItems(given, yield* placeTrees(ties, trees, null, budget));
  const { status } = yield* checkWithout(given, new Set(contradictory), k, { smaller: false, nodes }, budget);
  if (status === "consistent") return contradictory;
  return brokenItems(given, yield* placeTrees(ties, trees, k, budget));
}

function describeItem(given: Given, item: number, because: Reason): DroppedConstraint {
  const { set } = given;
  const { kind, index } = itemAt(given, item);
  const weight = weightOf(given, { kind, index });
  if (kind === "label") {
    return { kind, index, rows: [set.labels.row[index]!], names: [set.labels.names[set.labels.code[index]!]!], weight, because };
  }
  if (kind === "exclusive") {
    const { column, codes, names } = set.exclusive[index]!;
    const { code } = given.group[item - given.groups]!;
    const rows = Array.from(codes.keys()).filter((row) => codes[row] === code);
    return { kind, index, rows, names: [column, names[code] ?? String(code)], weight, because };
  }
  const links = kind === "must-link" ? set.mustLinks : set.cannotLinks;
  return { kind, index, rows: [links.a[index]!, links.b[index]!], weight, because };
}

function inRows(because: Reason, rows: Int32Array): Reason {
  if (because.kind === "undecided") return because;
  if (because.kind === "core")
    return { kind: "core", components: because.components.map((members) => members.map((i) => rows[i]!)) };
  const { contradiction } = because;
  const [p, q] = contradiction.rows;
  return {
    kind: "contradiction",
    contradiction: { ...contradiction, rows: [rows[p]!, rows[q]!], path: contradiction.path.map((i) => rows[i]!) },
  };
}

/*
 * Finds a minimum-cost hitting set by branch and bound. A hitting set contains at least one item of each given set. Lower bound: for
 * disjoint sets, the sum of their cheapest items. Items that hit the most sets per price are tried first; `rank` decides ties.
 */

interface HittingSet {
  readonly items: readonly number[];
  readonly price: number;
  /** No hitting set is cheaper than this. */
  readonly lowerBound: number;
}

interface Pricing {
  price(item: number): number;
  /** Decides between items of equal value: the item with the smaller rank is first. */
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
  /** Items that are excluded below this node. Another branch has already tried all solutions with these items. */
  readonly banned: Set<number>;
}

function total(items: readonly number[], { price }: Pricing): number {
  return items.reduce((sum, item) => sum + price(item), 0);
}

/**
 * Cost of reading an item, in looks (see steps/budget.ts). It is high, because reading a list of lists is several times slower than reading
 * a typed array.
 */
const LOOKS_PER_ITEM = 16;

function* branch(search: Search, price: number): Interruptible<void> {
  const { sets, pricing, budget, chosen, banned } = search;
  if (budget.left <= 0) return;
  const taken = new Set(chosen);
  const open = sets.filter((set) => !set.some((item) => taken.has(item)));
  budget.left--;
  chargeLooks(budget, LOOKS_PER_ITEM * (sets.length + open.reduce((sum, set) => sum + set.length, 0)));
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

function countsOf(sets: readonly (readonly number[])[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const set of sets) for (const item of set) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/**
 * Lower bound of the price: for disjoint sets, the sum of the prices of their cheapest allowed items. Infinity if a set has no allowed
 * item.
 */
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

/** Greedy hitting set. Repeatedly takes the item that hits the most open sets per price. Then removes redundant items. */
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

/*
 * Assigns trees of rows to at most k clusters with few violations. The rows of a tree stay together. Trees with the strongest ties (see
 * `Ties`) are placed first, each tree in the cluster where it violates least. Then single trees move while this reduces the violations.
 * This is a heuristic: it proves nothing, and always returns a result.
 */

/** Maximum number of rounds in which each tree can move. */
const MOST_ROUNDS = 20;

/** The cluster of each row and class; -1 for a class without a cluster. If k is null, each tree is a cluster. */
function* placeTrees(ties: Ties, trees: Forest, k: number | null, budget: Budget): Interruptible<Int32Array> {
  const root = Int32Array.from({ length: ties.elements }, (_, u) => rootOf(trees, u));
  const state = openState(ties, root, Math.min(k ?? 1, ties.elements));
  if (k === null || k >= state.tops.length) return root;
  const order = state.tops.toSorted((u, v) => state.strength[v]! - state.strength[u]! || u - v);
  for (const u of order) {
    chargeLooks(budget, looksAt(state, u));
    if (pauseDue(budget)) yield;
    place(state, u, cheapest(state, u, true));
  }
  for (let round = 0, moved = true; moved && round < MOST_ROUNDS && budget.left > 0; round++) {
    moved = false;
    for (const u of order) {
      chargeLooks(budget, looksAt(state, u));
      if (pauseDue(budget)) yield;
      const before = state.cluster[u]!;
      take(state, u);
      const better = cheapest(state, u, false, before);
      place(state, u, better);
      moved ||= better !== before;
    }
  }
  return root.map((top, u) => (u >= ties.rows && state.lost[top] === 1 ? -1 : state.cluster[top]!));
}

interface SoftState {
  readonly ties: Ties;
  readonly k: number;
  /**
   * `tops`: the roots of the trees. `cluster`: for each root, the cluster of its tree. `strength`: for each root, the sum of the absolute
   * values of all ties of the tree.
   */
  readonly tops: number[];
  readonly cluster: Int32Array;
  readonly strength: Float64Array;
  /** By tree. `hasClass`: 1 if the tree contains a class. `lost`: 1 if this class has no cluster of its own. */
  readonly hasClass: Uint8Array;
  readonly lost: Uint8Array;
  readonly groups: readonly (readonly number[])[];
  /**
   * `crowd`: for each exclusive group, a map from clusters to the number of trees with a row of the group. `classes`: for each cluster, the
   * number of trees with a class.
   */
  readonly crowd: Map<number, Map<number, number>>;
  readonly classes: Int32Array;
  /** Work space of `cheapest`. `cost`: the cost of each cluster. `mark`: equal to `walk` for clusters that have a cost. */
  readonly cost: Float64Array;
  readonly mark: Int32Array;
  walk: number;
}

/** Cost in looks (see steps/budget.ts) of an entry of a Map of ties or groups. */
const ENTRY_LOOKS = 16;

function looksAt({ ties, groups, crowd }: SoftState, u: number): number {
  let entries = 1 + ties.near[u]!.size;
  for (const group of groups[u]!) entries += crowd.get(group)?.size ?? 0;
  return ENTRY_LOOKS * entries;
}

function openState(ties: Ties, root: Int32Array, k: number): SoftState {
  const { elements, rows, near, groupsOf } = ties;
  const hasClass = new Uint8Array(elements);
  const strength = new Float64Array(elements);
  const groups: number[][] = Array.from({ length: elements }, () => []);
  const tops: number[] = [];
  root.forEach((top, u) => {
    if (top === u) {
      tops.push(u);
      for (const tie of near[u]!.values()) strength[u]! += Math.abs(tie);
    }
    if (u >= rows) hasClass[top] = 1;
    else for (let p = groupsOf.start[u]!; p < groupsOf.start[u + 1]!; p++) groups[top]!.push(groupsOf.items[p]!);
  });
  return {
    ties,
    k,
    tops,
    cluster: new Int32Array(elements).fill(-1),
    strength,
    hasClass,
    lost: new Uint8Array(elements),
    groups,
    crowd: new Map(),
    classes: new Int32Array(k),
    cost: new Float64Array(k),
    mark: new Int32Array(k),
    walk: 0,
  };
}

/** The cluster where tree u violates the least; on ties its present cluster `now`, then the lowest cluster. */
function cheapest(state: SoftState, u: number, first: boolean, now = -1): number {
  const { k, hasClass, lost, classes, cost, mark } = state;
  const choosy = hasClass[u] === 1 && lost[u] === 0 && classes.includes(0);
  if (first && hasClass[u] === 1 && !choosy) lost[u] = 1;
  const touched = addCosts(state, u);
  let best = now;
  const consider = (c: number): void => {
    if (choosy && classes[c]! > 0) return;
    const less = best === -1 ? -1 : cost[c]! - cost[best]!;
    if (less < 0 || (less === 0 && best !== now && c < best)) best = c;
  };
  for (const c of touched) consider(c);
  // All clusters outside `touched` cost 0, so testing the lowest of them is enough.
  for (let c = 0; c < k; c++) {
    if (mark[c] === state.walk || (choosy && classes[c]! > 0)) continue;
    consider(c);
    break;
  }
  for (const c of touched) cost[c] = 0;
  return best;
}

/** Adds the cost of tree u in each cluster with a tie or a shared group. Returns these clusters; all other clusters cost 0. */
function addCosts(state: SoftState, u: number): number[] {
  const { ties, cluster, groups, crowd, cost, mark } = state;
  const walk = ++state.walk;
  const touched: number[] = [];
  const add = (c: number, more: number): void => {
    if (mark[c] !== walk) touched.push(c);
    mark[c] = walk;
    cost[c]! += more;
  };
  for (const [other, tie] of ties.near[u]!) if (cluster[other]! >= 0) add(cluster[other]!, -tie);
  for (const group of groups[u]!) for (const c of crowd.get(group)?.keys() ?? []) add(c, ties.groupPrice);
  return touched;
}

function place(state: SoftState, u: number, c: number): void {
  change(state, u, c, 1);
  state.cluster[u] = c;
}

function take(state: SoftState, u: number): void {
  change(state, u, state.cluster[u]!, -1);
  state.cluster[u] = -1;
}

function change({ hasClass, lost, groups, crowd, classes }: SoftState, u: number, c: number, by: 1 | -1): void {
  if (hasClass[u] === 1 && lost[u] === 0) classes[c]! += by;
  for (const group of groups[u]!) {
    const held = crowd.get(group) ?? new Map<number, number>();
    crowd.set(group, held);
    const count = (held.get(c) ?? 0) + by;
    if (count === 0) held.delete(c);
    else held.set(c, count);
  }
}

/*
 * Decides which rows to keep together with few violations, for large and contradictory sets. Greedy additive edge contraction (Keuper et
 * al., Efficient decomposition of image and mesh graphs by lifted multicuts, ICCV 2015). Repeatedly merges the two elements with the
 * strongest positive tie and adds their ties to other elements. Stops when no positive tie is left.
 *
 * Two classes never merge. Two rows of the same exclusive group never merge.
 */

/** Merges elements to a union-find forest; ties are stored at the roots. Ends early if the budget is spent. */
function* contract(ties: Ties, budget: Budget): Interruptible<Forest> {
  const { elements, near, rows } = ties;
  const trees = forest(elements);
  const groups = groupSets(ties);
  const hasClass = Uint8Array.from({ length: elements }, (_, u) => (u >= rows ? 1 : 0));
  const heap: Heap = { keys: [], items: [] };
  for (let u = 0; u < elements; u++) {
    for (const [v, tie] of near[u]!) if (v > u && tie > 0) push(heap, -tie, u * elements + v);
  }
  while (heap.keys.length > 0 && budget.left > 0) {
    const tie = -heap.keys[0]!;
    const pair = popLeast(heap);
    const [u, v] = [Math.floor(pair / elements), pair % elements];
    chargeLooks(budget, ENTRY_LOOKS);
    if (pauseDue(budget)) yield;
    if (trees[u]! >= 0 || trees[v]! >= 0 || near[u]!.get(v) !== tie) continue;
    if ((hasClass[u] === 1 && hasClass[v] === 1) || shareGroup(groups[u], groups[v])) continue;
    join(trees, u, v);
    const kept = rootOf(trees, u);
    const gone = kept === u ? v : u;
    chargeLooks(budget, ENTRY_LOOKS * near[gone]!.size);
    hasClass[kept] = hasClass[u]! | hasClass[v]!;
    groups[kept] = union(groups[u], groups[v]);
    groups[gone] = undefined;
    moveTies(ties, heap, kept, gone);
  }
  return trees;
}

type Groups = Set<number> | undefined;

function groupSets({ elements, rows, groupsOf: { start, items } }: Ties): Groups[] {
  return Array.from({ length: elements }, (_, u) =>
    u < rows && start[u + 1]! > start[u]! ? new Set(items.subarray(start[u]!, start[u + 1]!)) : undefined,
  );
}

function shareGroup(a: Groups, b: Groups): boolean {
  if (!a || !b) return false;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const group of few) if (many.has(group)) return true;
  return false;
}

function union(a: Groups, b: Groups): Groups {
  if (!a || !b) return a ?? b;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const group of few) many.add(group);
  return many;
}

function moveTies({ near, elements }: Ties, heap: Heap, kept: number, gone: number): void {
  const from = near[gone]!;
  const to = near[kept]!;
  to.delete(gone);
  from.delete(kept);
  for (const [other, tie] of from) {
    const sum = (to.get(other) ?? 0) + tie;
    to.set(other, sum);
    near[other]!.delete(gone);
    near[other]!.set(kept, sum);
    if (sum > 0) push(heap, -sum, Math.min(kept, other) * elements + Math.max(kept, other));
  }
  from.clear();
}

/*
 * Converts a constraint set to signed ties between rows. A tie is positive if constraints join two rows, and negative if constraints
 * separate two rows. A label ties its row to its class; classes are extra elements after the rows. Exclusive groups stay lists and are not
 * expanded.
 */

interface Ties {
  readonly rows: number;
  /** Number of rows plus number of classes. */
  readonly elements: number;
  /**
   * By pair of elements, in both directions: the price of the constraints that join the pair minus the price of the constraints that
   * separate it.
   */
  readonly near: Map<number, number>[];
  readonly groupsOf: Lists;
  readonly groupPrice: number;
}

/**
 * The ties of a constraint set. Exclusive groups of more than k rows are left out, because no clustering with k clusters satisfies them.
 */
function tiesOf(given: Given, k: number | null, price: (item: number) => number): Ties {
  const { set } = given;
  const elements = set.n + set.labels.names.length;
  // Most rows of exclusive groups have no tie; they share one empty map.
  const near = new Array<Map<number, number>>(elements).fill(NO_TIES);
  const add = (u: number, v: number, more: number): void => {
    if (near[u] === NO_TIES) near[u] = new Map();
    near[u]!.set(v, (near[u]!.get(v) ?? 0) + more);
  };
  const tie = (u: number, v: number, more: number): void => {
    add(u, v, more);
    add(v, u, more);
  };
  const tieAll = ({ a, b }: Pick<Links, "a" | "b">, first: number, sign: number): void => {
    for (let s = 0; s < a.length; s++) tie(a[s]!, b[s]!, sign * price(first + s));
  };
  tieAll(set.mustLinks, 0, 1);
  tieAll(set.cannotLinks, given.cannotLinks, -1);
  tieAll({ a: set.labels.row, b: set.labels.code.map((code) => set.n + code) }, given.labels, 1);
  const groupPrice = given.group.length > 0 ? price(given.groups) : 0;
  return { rows: set.n, elements, near, groupsOf: groupsOfRows(given, k), groupPrice };
}

const NO_TIES = new Map<number, number>();

function groupsOfRows(given: Given, k: number | null): Lists {
  const { set, groupItem } = given;
  const rows: number[] = [];
  const items: number[] = [];
  set.exclusive.forEach((grouping, column) => {
    const sizes = groupSizes(grouping);
    grouping.codes.forEach((code, row) => {
      const item = code < 0 ? -1 : groupItem[column]![code]!;
      if (item < 0 || (k !== null && sizes[code]! > k)) return;
      rows.push(row);
      items.push(item);
    });
  });
  const places = listsByKey(Int32Array.from(rows), set.n);
  return { start: places.start, items: places.items.map((p) => items[p]!) };
}
