/**
 * Finds large cliques. The size of a clique is a lower bound of the number of colours. A clique of more than k vertices proves that k
 * colours are too few.
 *
 * Vertices are taken in smallest-last order (Matula and Beck 1983: repeatedly remove a vertex of smallest degree), so each vertex has few
 * later neighbours. Branch and bound finds the largest clique among these neighbours. The upper bound is a greedy colouring (Tomita and
 * Seki 2003).
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "./adjacency.js";

export interface CliqueFound {
  readonly clique: Int32Array;
  /** True if no clique is larger, or if the clique has the requested size. False if the budget was spent first. */
  readonly largest: boolean;
}

/** Finds the largest clique. Stops early at a clique with `enough` vertices. If the budget is spent, returns the best clique found. */
export function* findClique(graph: Adjacency, budget: Budget, enough = Infinity): Interruptible<CliqueFound> {
  const { n, start, items } = graph;
  if (n === 0) return { clique: new Int32Array(0), largest: true };
  const order = smallestLast(graph);
  const place = new Int32Array(n);
  order.forEach((v, i) => {
    place[v] = i;
  });
  const search: Search = { budget, enough, best: [order[n - 1]!], chosen: [], bits: new Uint32Array(0), words: 0, members: [] };
  for (let i = n - 1; i >= 0 && search.best.length < enough; i--) {
    if (budget.left <= 0) return { clique: Int32Array.from(search.best).sort(), largest: false };
    const v = order[i]!;
    const later: number[] = [];
    for (let p = start[v]!; p < start[v + 1]!; p++) if (place[items[p]!]! > i) later.push(items[p]!);
    if (later.length < search.best.length) continue;
    openPart(search, graph, later);
    search.chosen = [v];
    yield* branch(
      search,
      later.map((_, at) => at),
    );
  }
  return { clique: Int32Array.from(search.best).sort(), largest: budget.left > 0 || search.best.length >= enough };
}

/** Smallest-last order: repeatedly removes a vertex of smallest degree, the lowest index on ties. */
export function smallestLast({ n, start, items }: Adjacency): Int32Array {
  const degree = Int32Array.from({ length: n }, (_, v) => start[v + 1]! - start[v]!);
  const buckets: number[][] = [];
  for (let v = n - 1; v >= 0; v--) {
    while (buckets.length <= degree[v]!) buckets.push([]);
    buckets[degree[v]!]!.push(v);
  }
  const order = new Int32Array(n);
  const removed = new Uint8Array(n);
  let least = 0;
  for (let i = 0; i < n; ) {
    const v = buckets[least]!.pop();
    if (v === undefined) {
      least++;
      continue;
    }
    // A vertex can have entries in several buckets. An entry made before the vertex's degree decreased is outdated.
    if (removed[v] === 1 || degree[v] !== least) continue;
    removed[v] = 1;
    order[i++] = v;
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      const other = items[p]!;
      if (removed[other] === 1) continue;
      buckets[--degree[other]!]!.push(other);
    }
    if (least > 0) least--;
  }
  return order;
}

interface Search {
  readonly budget: Budget;
  readonly enough: number;
  best: number[];
  chosen: number[];
  /** The adjacency matrix of `members` in bits: a row of `words` 32-bit words for each member. */
  bits: Uint32Array;
  words: number;
  members: readonly number[];
}

function openPart(search: Search, { n, start, items }: Adjacency, members: readonly number[]): void {
  const at = new Map(members.map((v, i) => [v, i]));
  search.words = (members.length + 31) >> 5;
  search.bits = new Uint32Array(members.length * search.words);
  search.members = members;
  members.forEach((v, i) => {
    if (v >= n) return;
    chargeLooks(search.budget, start[v + 1]! - start[v]!);
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      const j = at.get(items[p]!);
      if (j !== undefined) search.bits[i * search.words + (j >> 5)]! |= 1 << (j & 31);
    }
  });
}

function joined({ bits, words }: Search, i: number, j: number): boolean {
  return ((bits[i * words + (j >> 5)]! >>> (j & 31)) & 1) === 1;
}

function* branch(search: Search, candidates: readonly number[]): Interruptible<void> {
  if (search.chosen.length > search.best.length) search.best = [...search.chosen];
  if (candidates.length === 0 || search.best.length >= search.enough || search.budget.left <= 0) return;
  search.budget.left--;
  chargeLooks(search.budget, candidates.length * candidates.length);
  if (pauseDue(search.budget)) yield;
  const { order, bound } = greedyClasses(search, candidates);
  for (let i = order.length - 1; i >= 0; i--) {
    if (search.chosen.length + bound[i]! <= search.best.length) return;
    search.chosen.push(search.members[order[i]!]!);
    yield* branch(
      search,
      order.slice(0, i).filter((j) => joined(search, order[i]!, j)),
    );
    search.chosen.pop();
    if (search.best.length >= search.enough || search.budget.left <= 0) return;
  }
}

/**
 * Orders candidates by the classes of a greedy colouring. `bound[i]`: number of classes among the first i + 1 candidates. No clique of
 * these candidates is larger.
 */
function greedyClasses(search: Search, candidates: readonly number[]): { readonly order: number[]; readonly bound: number[] } {
  const classes: number[][] = [];
  for (const v of candidates) {
    const free = classes.find((members) => !members.some((other) => joined(search, v, other)));
    if (free) free.push(v);
    else classes.push([v]);
  }
  return { order: classes.flat(), bound: classes.flatMap((members, c) => members.map(() => c + 1)) };
}
