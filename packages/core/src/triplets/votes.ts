/**
 * A binary tree that agrees with many of some clashing triplets ab|c, by votes: every triplet speaks for merging a with b
 * and against merging either with c; the pair of clusters with the best balance merges, as in the "best pair merge first"
 * of Wu (Constructing the maximum consensus tree from rooted triples. Journal of Combinatorial Optimization 8, 2004).
 *
 * Departs from it: the balance is (for - against) / (for + against + doubt), so that a single voice counts less than many.
 */
import type { Merge } from "../model/result.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../steps/budget.js";
import type { LeafTriplets } from "./build.js";

interface Votes {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
  readonly weight: Float64Array;
  readonly leaves: number;
  readonly doubt: number;
  /** Voices for and against a pair of clusters; a pair's key is lower · leaves + higher. */
  readonly pairs: Map<number, { pro: number; con: number; count: number }>;
  /** Pairs by balance, best on top; entries that a later vote has outdated are skipped. */
  readonly heap: { readonly key: number; readonly balance: number }[];
  readonly tripletsOf: number[][];
}

/** The merges of the tree of votes, numbered as a hierarchy's; they end when no triplet speaks for any. `doubt` is in mean weights. */
export function* voteMerges(
  { leaves, a, b, c }: LeafTriplets,
  weight: Float64Array,
  doubt: number,
  budget: Budget,
): Interruptible<Merge[]> {
  const mean = meanOfFinite(weight);
  const votes: Votes = {
    a: a.slice(),
    b: b.slice(),
    c: c.slice(),
    weight: weight.map((w) => (w === Infinity ? 1000 * mean : w)),
    leaves,
    doubt: doubt * mean,
    pairs: new Map(),
    heap: [],
    tripletsOf: Array.from({ length: leaves }, () => []),
  };
  for (let s = 0; s < a.length; s++) {
    for (const leaf of new Set([a[s]!, b[s]!, c[s]!])) votes.tripletsOf[leaf]!.push(s);
    if (isOpen(votes, s)) count(votes, s, 1);
  }
  const node = Int32Array.from({ length: leaves }, (_, leaf) => leaf);
  const merges: Merge[] = [];
  for (let key = bestPair(votes); key >= 0; key = bestPair(votes)) {
    chargeLooks(budget, VOTE_LOOKS * votes.tripletsOf[key % leaves]!.length);
    if (pauseDue(budget)) yield;
    const x = Math.floor(key / leaves);
    const y = key % leaves;
    const kept = joinClusters(votes, x, y);
    merges.push([node[x]!, node[y]!, 0, 0]);
    node[kept] = leaves + merges.length - 1;
  }
  return merges;
}

/** A triplet's voices taken back and counted anew, in looks. */
const VOTE_LOOKS = 200;

/** 1 if there is none. Divided before they are added: the sum may leave the range of doubles. */
function meanOfFinite(weight: Float64Array): number {
  let mean = 0;
  for (const w of weight) if (w < Infinity) mean += w / weight.length;
  return mean > 0 ? mean : 1;
}

function isOpen({ a, b, c }: Votes, s: number): boolean {
  return a[s] !== b[s] && a[s] !== c[s] && b[s] !== c[s];
}

/** Adds a triplet's three voices, or takes them back. */
function count(votes: Votes, s: number, sign: 1 | -1): void {
  const { a, b, c, weight } = votes;
  const w = sign * weight[s]!;
  vote(votes, a[s]!, b[s]!, w, 0, sign);
  vote(votes, a[s]!, c[s]!, 0, w, sign);
  vote(votes, b[s]!, c[s]!, 0, w, sign);
}

function vote(votes: Votes, x: number, y: number, pro: number, con: number, sign: number): void {
  const key = x < y ? x * votes.leaves + y : y * votes.leaves + x;
  const pair = votes.pairs.get(key) ?? { pro: 0, con: 0, count: 0 };
  pair.pro += pro;
  pair.con += con;
  pair.count += sign;
  if (pair.count === 0) {
    votes.pairs.delete(key);
    return;
  }
  votes.pairs.set(key, pair);
  if (pair.pro > 0) push(votes.heap, { key, balance: balanceOf(votes, pair) });
}

function balanceOf({ doubt }: Votes, { pro, con }: { readonly pro: number; readonly con: number }): number {
  return (pro - con) / (pro + con + doubt);
}

/** The pair of best balance, the lower key on ties; -1 when no triplet speaks for any. */
function bestPair(votes: Votes): number {
  const { heap, pairs } = votes;
  while (heap.length > 0) {
    const { key, balance } = pop(heap);
    const pair = pairs.get(key);
    if (pair && pair.pro > 0 && balanceOf(votes, pair) === balance) return key;
  }
  return -1;
}

/** Renames the cluster with fewer triplets; returns the one that stays. */
function joinClusters(votes: Votes, x: number, y: number): number {
  const { tripletsOf, a, b, c } = votes;
  const [kept, gone] = tripletsOf[x]!.length >= tripletsOf[y]!.length ? [x, y] : [y, x];
  for (const s of tripletsOf[gone]!) {
    if (!isOpen(votes, s)) continue;
    count(votes, s, -1);
    for (const column of [a, b, c]) if (column[s] === gone) column[s] = kept;
    if (!isOpen(votes, s)) continue;
    count(votes, s, 1);
    tripletsOf[kept]!.push(s);
  }
  tripletsOf[gone] = [];
  return kept;
}

type Entry = Votes["heap"][number];

function before(p: Entry, q: Entry): boolean {
  return p.balance > q.balance || (p.balance === q.balance && p.key < q.key);
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(entry, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry {
  const top = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return top;
}
