/**
 * Maximum triplet consistency (NP-hard): finds a consistent subset of inconsistent triplets ab|c with a large total weight.
 *
 * A tree is built by votes of the triplets, then improved leaf by leaf. The triplets that this tree induces are kept. Then every other
 * triplet is added, in order of weight, if BUILD still succeeds.
 *
 * For small sets, branch and bound then searches for a better answer, or proves that there is none. One triplet of every minimal conflict
 * must be dropped, so each triplet of a conflict becomes a branch. Disjoint conflicts give the lower bound.
 */
import { scaleOf } from "../constraints/weights.js";
import type { Merge } from "../model/result.js";
import type { Budget, EffortOptions, Interruptible } from "../steps/budget.js";
import { budgetOf, chargeLooks, giveBack, pauseDue, share } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { type Heap, popLeast, push } from "../structures/heap.js";
import { BUILD_LOOKS, type BuiltTree, buildTree, isBuilt, type LeafTriplets } from "./build.js";
import { searchConflict } from "./conflict.js";

export type LargestOptions = EffortOptions;

export interface LargestConsistent {
  /** Indices of triplets, ascending. */
  readonly kept: Int32Array;
  readonly dropped: Int32Array;
  /** Whether it is proven that no consistent subset is heavier. */
  readonly exact: boolean;
  /** A conflict among triplets of weight Infinity, which cannot be dropped; `kept` is then empty. */
  readonly hardConflict: Int32Array | null;
}

export function largestConsistent(triplets: LeafTriplets, weight: Float64Array, options: LargestOptions = {}): LargestConsistent {
  return drain(searchLargest(triplets, weight, budgetOf(options)));
}

/** Values of `doubt` for which vote trees are built. With a larger value, pairs with few votes weigh less. */
const DOUBTS = [0, 1, 4];
/** Each local search gets 1 / CLIMBS of the remaining effort. */
const CLIMBS = 3;
/** Maximum number of triplets for which a proof is attempted. */
const MOST_FOR_PROOF = 400;

export function* searchLargest(triplets: LeafTriplets, given: Float64Array, budget: Budget): Interruptible<LargestConsistent> {
  const scale = scaleOf(given);
  const weight = given.map((w) => w * scale);
  const all = Int32Array.from(triplets.a.keys());
  if (isBuilt(buildTree(triplets))) return { kept: all, dropped: new Int32Array(0), exact: true, hardConflict: null };
  const hard = all.filter((s) => weight[s] === Infinity);
  const firm = buildTree(triplets, hard);
  if (!isBuilt(firm)) {
    return {
      kept: new Int32Array(0),
      dropped: all,
      exact: true,
      hardConflict: (yield* searchConflict(triplets, firm, budget)).places,
    };
  }
  const byWeight = all.slice().sort((s, t) => weight[t]! - weight[s]! || s - t);
  const voted: Int32Array[] = [];
  for (const doubt of DOUBTS) {
    const merges = yield* voteMerges(triplets, weight, doubt, budget);
    const climbing = share(budget, budget.left / CLIMBS);
    voted.push(union(hard, yield* climbedTriplets(triplets, weight, merges, climbing)));
    giveBack(budget, climbing);
  }
  const starts = voted.filter((chosen) => isBuilt(buildTree(triplets, chosen)));
  starts.sort((s, t) => weightOf(t, weight) - weightOf(s, weight));
  let best = yield* extend(triplets, starts[0] ?? hard, byWeight, budget);
  let exact = false;
  if (all.length <= MOST_FOR_PROOF) ({ kept: best, exact } = yield* prove(triplets, weight, best, budget));
  const isKept = new Uint8Array(all.length);
  for (const s of best) isKept[s] = 1;
  return { kept: all.filter((s) => isKept[s] === 1), dropped: all.filter((s) => isKept[s] === 0), exact, hardConflict: null };
}

function union(s: Int32Array, t: Int32Array): Int32Array {
  return Int32Array.from(new Set([...s, ...t]));
}

/** The total weight of these triplets. It leaves out hard triplets, because every answer contains all of them. */
function weightOf(numbers: Int32Array, weight: Float64Array): number {
  let sum = 0;
  for (const s of numbers) if (weight[s]! < Infinity) sum += weight[s]!;
  return sum;
}

/**
 * Extends a consistent set with candidates, in their order, as long as the set stays consistent. If the current tree induces a candidate,
 * it is taken without a test. If a binary node of the tree contradicts a candidate, it is dropped without a test. All other candidates are
 * tested in batches, and the batch size grows after each success. When the budget is spent, only induced candidates are taken.
 */
function* extend(triplets: LeafTriplets, start: Int32Array, candidates: Int32Array, budget: Budget): Interruptible<Int32Array> {
  const taken = new Set(start);
  const kept = Array.from(start);
  let view = viewOf(buildTree(triplets, start) as BuiltTree, triplets.leaves);
  let size = 8;
  let at = 0;
  while (at < candidates.length) {
    const batch: number[] = [];
    let end = at;
    for (; end < candidates.length && batch.length < size; end++) {
      const s = candidates[end]!;
      if (taken.has(s)) continue;
      const verdict = judge(view, triplets, s);
      if (verdict === "open" && budget.left > 0) batch.push(s);
      else if (verdict === "induced") {
        taken.add(s);
        kept.push(s);
      }
    }
    chargeLooks(budget, BUILD_LOOKS * (end - at + (batch.length === 0 ? 0 : kept.length + triplets.leaves)));
    if (pauseDue(budget)) yield;
    const outcome = batch.length === 0 ? null : buildTree(triplets, Int32Array.from([...kept, ...batch]));
    if (outcome === null || isBuilt(outcome)) {
      for (const s of batch) {
        taken.add(s);
        kept.push(s);
      }
      if (outcome) view = viewOf(outcome, triplets.leaves);
      size *= 2;
      at = end;
    } else if (batch.length === 1) at = end;
    else size = Math.max(1, batch.length >> 2);
  }
  return Int32Array.from(kept);
}

interface TreeView {
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly degree: Int32Array;
}

function viewOf({ parent }: BuiltTree, leaves: number): TreeView {
  const depth = new Int32Array(parent.length);
  const degree = new Int32Array(parent.length);
  const place = (node: number): void => {
    depth[node] = depth[parent[node]!]! + 1;
    degree[parent[node]!]!++;
  };
  for (let node = leaves + 1; node < parent.length; node++) place(node);
  for (let leaf = 0; leaf < leaves; leaf++) place(leaf);
  return { parent, depth, degree };
}

function judge(view: TreeView, { a, b, c }: LeafTriplets, s: number): "induced" | "denied" | "open" {
  const pair = meet(view, a[s]!, b[s]!);
  if (view.depth[meet(view, pair, c[s]!)]! < view.depth[pair]!) return "induced";
  return view.degree[pair] === 2 ? "denied" : "open";
}

function meet({ parent, depth }: Pick<TreeView, "parent" | "depth">, p: number, q: number): number {
  while (p !== q) {
    if (depth[p]! >= depth[q]!) p = parent[p]!;
    else q = parent[q]!;
  }
  return p;
}

interface Search {
  readonly triplets: LeafTriplets;
  readonly weight: Float64Array;
  /** State of each triplet: 0: undecided, 1: dropped on this branch, 2: kept on this branch. */
  readonly state: Uint8Array;
  best: Int32Array;
  leastCost: number;
  readonly budget: Budget;
}

/**
 * Branch and bound that starts with the answer `first`. Returns the best answer found. `exact`: whether it is proven that no answer is
 * better.
 */
function* prove(
  triplets: LeafTriplets,
  weight: Float64Array,
  first: Int32Array,
  budget: Budget,
): Interruptible<{ readonly kept: Int32Array; readonly exact: boolean }> {
  const total = weightOf(Int32Array.from(triplets.a.keys()), weight);
  const state = Uint8Array.from(weight, (w) => (w === Infinity ? 2 : 0));
  const search: Search = { triplets, weight, state, best: first, leastCost: total - weightOf(first, weight), budget };
  yield* branch(search, 0);
  return { kept: search.best, exact: budget.left > 0 };
}

function* branch(search: Search, cost: number): Interruptible<void> {
  const { state, weight } = search;
  const present = Int32Array.from(state.keys()).filter((s) => state[s] !== 1);
  const first = yield* clashIn(search, present);
  if (first === null) {
    if (cost < search.leastCost) {
      search.best = present;
      search.leastCost = cost;
    }
    return;
  }
  if (yield* isBounded(search, present, first, cost)) return;
  const choices = Array.from(first).filter((s) => state[s] === 0);
  choices.sort((s, t) => weight[s]! - weight[t]! || s - t);
  for (const s of choices) {
    if (search.budget.left <= 0) break;
    state[s] = 1;
    if (cost + weight[s]! < search.leastCost) yield* branch(search, cost + weight[s]!);
    state[s] = 2;
  }
  for (const s of choices) state[s] = 0;
}

/** Whether the lower bound from disjoint conflicts reaches the cost of the best answer. A conflict costs at least its lightest triplet. */
function* isBounded(search: Search, present: Int32Array, first: Int32Array, cost: number): Interruptible<boolean> {
  let left = present;
  for (let clash: Int32Array | null = first; clash; clash = yield* clashIn(search, left)) {
    let lightest = Infinity;
    for (const s of clash) if (search.state[s] === 0) lightest = Math.min(lightest, search.weight[s]!);
    cost += lightest;
    // Sums of weights in different orders differ by rounding errors. The factor prevents a tie from counting as an improvement.
    if (cost >= search.leastCost * (1 - 1e-12) || search.budget.left <= 0) return true;
    const gone = new Set(clash);
    left = left.filter((s) => !gone.has(s));
  }
  return false;
}

function* clashIn({ triplets, budget }: Search, present: Int32Array): Interruptible<Int32Array | null> {
  chargeLooks(budget, BUILD_LOOKS * (present.length + triplets.leaves));
  if (pauseDue(budget)) yield;
  const outcome = buildTree(triplets, present);
  return isBuilt(outcome) ? null : (yield* searchConflict(triplets, outcome, budget)).places;
}

/*
 * Local search on a binary tree: each leaf is removed and reinserted at the edge where most of its triplets are satisfied, until nothing
 * improves.
 *
 * A leaf x can be inserted at the edge above any node v. Let m be the node where b and c meet. x b|c is satisfied if v is in the subtree of
 * the child of m that contains b. b c|x is violated if v is strictly below m. So each triplet adds to or subtracts from the score of whole
 * subtrees, and one walk down the tree sums the scores.
 */

interface BinaryTree {
  readonly leaves: number;
  root: number;
  readonly parent: Int32Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly depth: Int32Array;
  readonly order: Int32Array;
  walked: number;
}

/** Maximum number of rounds of the local search over all leaves. */
const MOST_ROUNDS = 12;
/**
 * Costs in looks (see steps/budget.ts). MEET_LOOKS: cost of finding where two leaves meet. WALK_LOOKS: cost per leaf of walking through the
 * tree twice.
 */
const MEET_LOOKS = 16;
const WALK_LOOKS = 8;

function* climbedTriplets(
  triplets: LeafTriplets,
  weight: Float64Array,
  merges: readonly Merge[],
  budget: Budget,
): Interruptible<Int32Array> {
  const { leaves, a, b, c } = triplets;
  const tree = treeOf(leaves, merges);
  const tripletsOf: number[][] = Array.from({ length: leaves }, () => []);
  for (let s = 0; s < a.length; s++) for (const leaf of [a[s]!, b[s]!, c[s]!]) tripletsOf[leaf]!.push(s);
  const holds = (s: number): boolean => tree.depth[meet(tree, a[s]!, b[s]!)]! > tree.depth[meet(tree, a[s]!, c[s]!)]!;
  const score = new Float64Array(tree.parent.length);
  walk(tree);
  for (let round = 0, moved = true; moved && round < MOST_ROUNDS && budget.left > 0; round++) {
    moved = false;
    for (let leaf = 0; leaf < leaves && budget.left > 0; leaf++) {
      chargeLooks(budget, MEET_LOOKS * tripletsOf[leaf]!.length);
      if (pauseDue(budget)) yield;
      if (leaves < 3 || tripletsOf[leaf]!.every(holds)) continue;
      chargeLooks(budget, WALK_LOOKS * leaves);
      if (replant(tree, triplets, weight, tripletsOf[leaf]!, leaf, score)) moved = true;
    }
  }
  return Int32Array.from(a.keys()).filter(holds);
}

/** Removes a leaf and reinserts it at the best edge. Returns true if the edge changed. */
function replant(
  tree: BinaryTree,
  triplets: LeafTriplets,
  weight: Float64Array,
  own: readonly number[],
  leaf: number,
  score: Float64Array,
): boolean {
  const { parent, order } = tree;
  const spare = parent[leaf]!;
  const oldSibling = siblingOf(tree, leaf);
  putInPlaceOf(tree, spare, oldSibling);
  walk(tree);
  score.fill(0);
  for (const s of own) addScore(tree, triplets, s, leaf, weight[s]!, score);
  let best = oldSibling;
  for (let p = 0; p < tree.walked; p++) {
    const v = order[p]!;
    if (v !== tree.root) score[v]! += score[parent[v]!]!;
  }
  for (let p = 0; p < tree.walked; p++) if (score[order[p]!]! > score[best]!) best = order[p]!;
  putInPlaceOf(tree, best, spare);
  tree.left[spare] = best;
  tree.right[spare] = leaf;
  parent[best] = parent[leaf] = spare;
  walk(tree);
  return best !== oldSibling;
}

/** Adds a triplet's weight to the scores at the tops of subtrees. A score counts for all edges in the subtree. */
function addScore(tree: BinaryTree, { a, b, c }: LeafTriplets, s: number, leaf: number, w: number, score: Float64Array): void {
  const [i, j, o] = [a[s]!, b[s]!, c[s]!];
  if (i === j || i === o || j === o) return;
  const value = w === Infinity ? Number.MAX_SAFE_INTEGER : w;
  if (o === leaf) {
    const top = meet(tree, i, j);
    score[tree.left[top]!]! -= value;
    score[tree.right[top]!]! -= value;
    return;
  }
  const partner = i === leaf ? j : i;
  const top = meet(tree, partner, o);
  let child = partner;
  while (tree.parent[child] !== top) child = tree.parent[child]!;
  score[child]! += value;
}

function siblingOf({ parent, left, right }: BinaryTree, node: number): number {
  const up = parent[node]!;
  return left[up] === node ? right[up]! : left[up]!;
}

/** Puts `node` in the place of `old`, below old's parent or as the root. */
function putInPlaceOf(tree: BinaryTree, old: number, node: number): void {
  const up = tree.parent[old]!;
  tree.parent[node] = up;
  if (up === -1) tree.root = node;
  else if (tree.left[up] === old) tree.left[up] = node;
  else tree.right[up] = node;
}

function walk(tree: BinaryTree): void {
  const { left, right, depth, order, leaves } = tree;
  order[0] = tree.root;
  depth[tree.root] = 0;
  let end = 1;
  for (let p = 0; p < end; p++) {
    const node = order[p]!;
    if (node < leaves) continue;
    for (const child of [left[node]!, right[node]!]) {
      depth[child] = depth[node]! + 1;
      order[end++] = child;
    }
  }
  tree.walked = end;
}

function treeOf(leaves: number, merges: readonly Merge[]): BinaryTree {
  const nodes = Math.max(1, 2 * leaves - 1);
  const none = (): Int32Array => new Int32Array(nodes).fill(-1);
  const tree: BinaryTree = {
    leaves,
    root: nodes - 1,
    parent: none(),
    left: none(),
    right: none(),
    depth: none(),
    order: new Int32Array(nodes),
    walked: 0,
  };
  let next = leaves;
  const join = (p: number, q: number): void => {
    tree.left[next] = p;
    tree.right[next] = q;
    tree.parent[p] = tree.parent[q] = next++;
  };
  for (const [p, q] of merges) join(p, q);
  const tops = Array.from({ length: next }, (_, node) => node).filter((node) => tree.parent[node] === -1);
  for (let top = tops.shift()!; tops.length > 0; top = next - 1) join(top, tops.shift()!);
  return tree;
}

/*
 * Vote tree: a binary tree that agrees with many of the inconsistent triplets ab|c. Every triplet votes for merging a with b, and against
 * merging c with a or b. The pair of clusters with the best balance is merged, as in "best pair merge first" (Wu: Constructing the
 * maximum consensus tree from rooted triples. Journal of Combinatorial Optimization 8, 2004).
 *
 * Departs from the paper: the balance is (pro - con) / (pro + con + doubt), so a pair with a single vote has a lower balance than a pair
 * with many equal votes.
 */

interface Votes {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
  readonly weight: Float64Array;
  readonly leaves: number;
  readonly doubt: number;
  /** Votes for and against merging a pair of clusters; key: lower · leaves + higher. */
  readonly pairs: Map<number, { pro: number; con: number; count: number }>;
  /** Keys of pairs in the order of their balance, best pair first. Some entries are outdated by later votes. */
  readonly heap: Heap;
  readonly tripletsOf: number[][];
}

/** Cost in looks (see steps/budget.ts) to remove the votes of a triplet and count them again. */
const VOTE_LOOKS = 200;

/** The merges of the vote tree, until no triplet votes for a pair. `doubt`: see `Votes`. */
function* voteMerges(
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
    heap: { keys: [], items: [] },
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

/** Mean of the finite weights; 1 if there are none. It divides before adding, because the sum can exceed the range of doubles. */
function meanOfFinite(weight: Float64Array): number {
  let mean = 0;
  for (const w of weight) if (w < Infinity) mean += w / weight.length;
  return mean > 0 ? mean : 1;
}

function isOpen({ a, b, c }: Votes, s: number): boolean {
  return a[s] !== b[s] && a[s] !== c[s] && b[s] !== c[s];
}

/** Adds (1) or removes (-1) the three votes of a triplet. */
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
  if (pair.pro > 0) push(votes.heap, -balanceOf(votes, pair), key);
}

function balanceOf({ doubt }: Votes, { pro, con }: { readonly pro: number; readonly con: number }): number {
  return (pro - con) / (pro + con + doubt);
}

/** The pair with the best balance, the lower key on ties; -1 if no triplet votes for any pair. */
function bestPair(votes: Votes): number {
  const { heap, pairs } = votes;
  while (heap.items.length > 0) {
    const balance = -heap.keys[0]!;
    const key = popLeast(heap);
    const pair = pairs.get(key);
    if (pair && pair.pro > 0 && balanceOf(votes, pair) === balance) return key;
  }
  return -1;
}

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
