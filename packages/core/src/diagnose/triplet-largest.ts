/**
 * A large consistent part of clashing statements ab|c, by weight: the maximum triplet consistency problem, which is NP-hard.
 *
 * A tree of votes is improved leaf by leaf; what it induces is taken, and then every other statement, in order of weight, with
 * which BUILD still succeeds. For small sets a search then proves the best answer or finds it: it takes a
 * minimal clash, of which one must go, and tries each; disjoint clashes bound what must still be dropped.
 */
import { type BuiltTree, buildTree, isBuilt, type LeafTriplets } from "./triplet-build.js";
import { climbedTriplets } from "./triplet-climb.js";
import { minimalConflict } from "./triplet-conflict.js";
import { voteMerges } from "./triplet-votes.js";

export interface LargestOptions {
  /** Work budget of the search for a proof, in leaves and statements looked at. */
  readonly effort?: number;
}

export interface LargestConsistent {
  /** Statements by number, ascending. */
  readonly kept: Int32Array;
  readonly dropped: Int32Array;
  /** Whether no consistent part is heavier. */
  readonly exact: boolean;
  /** A clash among statements of weight Infinity, which may not be dropped; then nothing is kept. */
  readonly hardConflict: Int32Array | null;
}

/** How much a few voices count less than many, in the trees of votes. */
const DOUBTS = [0, 1, 4];
const EFFORT = 1_000_000;
/** Above this many statements a proof is out of reach. */
const MOST_FOR_PROOF = 400;

export function largestConsistent(
  triplets: LeafTriplets,
  weight: Float64Array,
  { effort = EFFORT }: LargestOptions = {},
): LargestConsistent {
  const all = Int32Array.from(triplets.a.keys());
  if (isBuilt(buildTree(triplets))) return { kept: all, dropped: new Int32Array(0), exact: true, hardConflict: null };
  const hard = all.filter((s) => weight[s] === Infinity);
  const firm = buildTree(triplets, hard);
  if (!isBuilt(firm)) {
    return { kept: new Int32Array(0), dropped: all, exact: true, hardConflict: minimalConflict(triplets, firm) };
  }
  const byWeight = all.slice().sort((s, t) => weight[t]! - weight[s]! || s - t);
  const elected = DOUBTS.map((doubt) => union(hard, climbedTriplets(triplets, weight, voteMerges(triplets, weight, doubt))));
  const starts = elected.filter((voted) => isBuilt(buildTree(triplets, voted)));
  starts.sort((s, t) => weightOf(t, weight) - weightOf(s, weight));
  let best = extend(triplets, starts[0] ?? hard, byWeight);
  let exact = false;
  if (all.length <= MOST_FOR_PROOF) ({ kept: best, exact } = prove(triplets, weight, best, effort));
  const isKept = new Uint8Array(all.length);
  for (const s of best) isKept[s] = 1;
  return { kept: all.filter((s) => isKept[s] === 1), dropped: all.filter((s) => isKept[s] === 0), exact, hardConflict: null };
}

function union(s: Int32Array, t: Int32Array): Int32Array {
  return Int32Array.from(new Set([...s, ...t]));
}

/** The sum without the hard ones, which every answer has. */
function weightOf(statements: Int32Array, weight: Float64Array): number {
  let sum = 0;
  for (const s of statements) if (weight[s]! < Infinity) sum += weight[s]!;
  return sum;
}

/**
 * Takes candidates in their order, as long as all stay consistent. What the present tree induces is taken, and what a node of
 * two parts denies is dropped, without a test; the rest is tested in batches, whose size follows the success.
 */
function extend(triplets: LeafTriplets, start: Int32Array, candidates: Int32Array): Int32Array {
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
      if (verdict === "open") batch.push(s);
      else if (verdict === "induced") {
        taken.add(s);
        kept.push(s);
      }
    }
    const outcome = batch.length === 0 ? null : buildTree(triplets, Int32Array.from([...kept, ...batch]));
    if (outcome === null || isBuilt(outcome)) {
      for (const s of batch) taken.add(s);
      kept.push(...batch);
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
  work: number;
  readonly effort: number;
}

/** The best answer there is, if the effort suffices to prove it; else the best one seen. */
function prove(triplets: LeafTriplets, weight: Float64Array, first: Int32Array, effort: number) {
  const total = weightOf(Int32Array.from(triplets.a.keys()), weight);
  const state = Uint8Array.from(weight, (w) => (w === Infinity ? 2 : 0));
  const search: Search = { triplets, weight, state, best: first, leastCost: total - weightOf(first, weight), work: 0, effort };
  branch(search, 0);
  return { kept: search.best, exact: search.work < effort };
}

function branch(search: Search, cost: number): void {
  const { state, weight } = search;
  const present = Int32Array.from(state.keys()).filter((s) => state[s] !== 1);
  const first = clashIn(search, present);
  if (first === null) {
    if (cost < search.leastCost) {
      search.best = present;
      search.leastCost = cost;
    }
    return;
  }
  if (isHopeless(search, present, first, cost)) return;
  const choices = Array.from(first).filter((s) => state[s] === 0);
  choices.sort((s, t) => weight[s]! - weight[t]! || s - t);
  for (const s of choices) {
    if (search.work >= search.effort) break;
    state[s] = 1;
    if (cost + weight[s]! < search.leastCost) branch(search, cost + weight[s]!);
    state[s] = 2;
  }
  for (const s of choices) state[s] = 0;
}

/** Whether disjoint clashes already cost as much as the best answer: each takes at least its lightest statement. */
function isHopeless(search: Search, present: Int32Array, first: Int32Array, cost: number): boolean {
  let left = present;
  for (let clash: Int32Array | null = first; clash; clash = clashIn(search, left)) {
    let lightest = Infinity;
    for (const s of clash) if (search.state[s] === 0) lightest = Math.min(lightest, search.weight[s]!);
    cost += lightest;
    // Sums of weights in different orders differ by rounding: a tie must not pass for a gain.
    if (cost >= search.leastCost * (1 - 1e-12) || search.work >= search.effort) return true;
    const gone = new Set(clash);
    left = left.filter((s) => !gone.has(s));
  }
  return false;
}

function clashIn(search: Search, present: Int32Array): Int32Array | null {
  const { triplets } = search;
  search.work += present.length + triplets.leaves;
  const outcome = buildTree(triplets, present);
  if (isBuilt(outcome)) return null;
  return minimalConflict(triplets, outcome, (work) => {
    search.work += work;
  });
}
