/**
 * Trees of rows that belong together into at most k clusters so that little is broken: those of the strongest ties first, each where
 * it breaks least, then single trees moved as long as that breaks less. It proves nothing, and ends with any set.
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import { type Forest, rootOf } from "../../structures/components.js";
import type { Ties } from "./ties.js";

/** Times that every tree may move. */
const MOST_ROUNDS = 20;
const ENTRY_LOOKS = 16;

/** The cluster of each element; -1 for a class that has none. Without k each tree is a cluster. */
export function* placeTrees(ties: Ties, trees: Forest, k: number | null, budget: Budget): Interruptible<Int32Array> {
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

interface State {
  readonly ties: Ties;
  readonly k: number;
  /** Roots of trees, the cluster of each, and the sum of its ties. */
  readonly tops: number[];
  readonly cluster: Int32Array;
  readonly strength: Float64Array;
  /** Whether a tree holds a class, and whether it lost it: there are no more classes than clusters. */
  readonly hasClass: Uint8Array;
  readonly lost: Uint8Array;
  /** The groups of each tree. */
  readonly groups: readonly (readonly number[])[];
  /** Trees of each group in each cluster that has any; and trees with a class in each cluster. */
  readonly crowd: Map<number, Map<number, number>>;
  readonly classes: Int32Array;
  /** Room for the cost of each cluster, and marks of those looked at last. */
  readonly cost: Float64Array;
  readonly mark: Int32Array;
  walk: number;
}

function looksAt({ ties, groups, crowd }: State, u: number): number {
  let entries = 1 + ties.near[u]!.size;
  for (const group of groups[u]!) entries += crowd.get(group)?.size ?? 0;
  return ENTRY_LOOKS * entries;
}

function openState(ties: Ties, root: Int32Array, k: number): State {
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

/** The cluster where a tree breaks least, `now` of equals, else the lowest. A class that finds every cluster taken is lost at first. */
function cheapest(state: State, u: number, first: boolean, now = -1): number {
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
  // Of the clusters that hold nothing of concern the lowest will do.
  for (let c = 0; c < k; c++) {
    if (mark[c] === state.walk || (choosy && classes[c]! > 0)) continue;
    consider(c);
    break;
  }
  for (const c of touched) cost[c] = 0;
  return best;
}

/** What the tree would break in each cluster that holds something it has a tie to; those clusters. */
function addCosts(state: State, u: number): number[] {
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

function place(state: State, u: number, c: number): void {
  change(state, u, c, 1);
  state.cluster[u] = c;
}

function take(state: State, u: number): void {
  change(state, u, state.cluster[u]!, -1);
  state.cluster[u] = -1;
}

function change({ hasClass, lost, groups, crowd, classes }: State, u: number, c: number, by: 1 | -1): void {
  if (hasClass[u] === 1 && lost[u] === 0) classes[c]! += by;
  for (const group of groups[u]!) {
    const held = crowd.get(group) ?? new Map<number, number>();
    crowd.set(group, held);
    const count = (held.get(c) ?? 0) + by;
    if (count === 0) held.delete(c);
    else held.set(c, count);
  }
}
