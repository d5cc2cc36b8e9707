/**
 * A large consistent part of clashing triplets ab|c, by weight: the maximum triplet consistency problem, which is NP-hard.
 *
 * A tree of votes is improved leaf by leaf; what it induces is taken, and then every other triplet, in order of weight, with
 * which BUILD still succeeds. For small sets a search then proves the best answer or finds it: it takes a
 * minimal clash, of which one must go, and tries each; disjoint clashes bound what must still be dropped.
 */
import { scaleOf } from "../constraints/weights.js";
import {
  type Budget,
  budgetOf,
  chargeLooks,
  type EffortOptions,
  giveBack,
  type Interruptible,
  pauseDue,
  share,
} from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { BUILD_LOOKS, type BuiltTree, buildTree, isBuilt, type LeafTriplets } from "./build.js";
import { climbedTriplets } from "./climb.js";
import { searchConflict } from "./conflict.js";
import { voteMerges } from "./votes.js";

export type LargestOptions = EffortOptions;

export interface LargestConsistent {
  /** Triplets by number, ascending. */
  readonly kept: Int32Array;
  readonly dropped: Int32Array;
  /** Whether no consistent part is heavier. */
  readonly exact: boolean;
  /** A clash among triplets of weight Infinity, which may not be dropped; then nothing is kept. */
  readonly hardConflict: Int32Array | null;
}

/** How much a few voices count less than many, in the trees of votes. */
const DOUBTS = [0, 1, 4];
/** Each climb may take this part of what is left. */
const CLIMBS = 3;
/** Above this many triplets a proof is out of reach. */
const MOST_FOR_PROOF = 400;

export function largestConsistent(triplets: LeafTriplets, weight: Float64Array, options: LargestOptions = {}): LargestConsistent {
  return drain(searchLargest(triplets, weight, budgetOf(options)));
}

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
  const elected: Int32Array[] = [];
  for (const doubt of DOUBTS) {
    const merges = yield* voteMerges(triplets, weight, doubt, budget);
    const climbing = share(budget, budget.left / CLIMBS);
    elected.push(union(hard, yield* climbedTriplets(triplets, weight, merges, climbing)));
    giveBack(budget, climbing);
  }
  const starts = elected.filter((voted) => isBuilt(buildTree(triplets, voted)));
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

/** The sum without the hard ones, which every answer has. */
function weightOf(numbers: Int32Array, weight: Float64Array): number {
  let sum = 0;
  for (const s of numbers) if (weight[s]! < Infinity) sum += weight[s]!;
  return sum;
}

/**
 * Takes candidates in their order, as long as all stay consistent and the budget lasts; then only what the tree induces. What the present tree induces is taken, and what a node of
 * two parts denies is dropped, without a test; the rest is tested in batches, whose size follows the success.
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

function meet({ parent, depth }: TreeView, p: number, q: number): number {
  while (p !== q) {
    if (depth[p]! >= depth[q]!) p = parent[p]!;
    else q = parent[q]!;
  }
  return p;
}

interface Search {
  readonly triplets: LeafTriplets;
  readonly weight: Float64Array;
  /** 0: may go, 1: dropped on this branch, 2: stays on this branch. */
  readonly state: Uint8Array;
  best: Int32Array;
  leastCost: number;
  readonly budget: Budget;
}

/** The best answer there is, if the effort suffices to prove it; else the best one seen. */
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
  if (yield* isHopeless(search, present, first, cost)) return;
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

/** Whether disjoint clashes already cost as much as the best answer: each takes at least its lightest triplet. */
function* isHopeless(search: Search, present: Int32Array, first: Int32Array, cost: number): Interruptible<boolean> {
  let left = present;
  for (let clash: Int32Array | null = first; clash; clash = yield* clashIn(search, left)) {
    let lightest = Infinity;
    for (const s of clash) if (search.state[s] === 0) lightest = Math.min(lightest, search.weight[s]!);
    cost += lightest;
    // Sums of weights in different orders differ by rounding: a tie must not pass for a gain.
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
