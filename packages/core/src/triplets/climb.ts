/**
 * A binary tree made to agree with more triplets ab|c: each leaf in turn is taken out and put back where most of its
 * triplets hold, until nothing is gained.
 *
 * Where a leaf x may go is an edge above some node v. x b|c holds if v is below the child of meet(b,c) that leads to b, or that
 * child itself; b c|x fails if v is strictly below meet(b,c). So each triplet adds to, or takes from, whole subtrees, and one
 * walk down the tree adds all of that up.
 */
import type { Merge } from "../model/result.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../steps/budget.js";
import type { LeafTriplets } from "./build.js";

interface BinaryTree {
  readonly leaves: number;
  root: number;
  readonly parent: Int32Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly depth: Int32Array;
  /** Nodes in the order of the last walk, parents first. */
  readonly order: Int32Array;
  walked: number;
}

const MOST_ROUNDS = 12;
/** What it takes to find where two leaves meet, and for each leaf to walk through the tree twice, in looks. */
const MEET_LOOKS = 16;
const WALK_LOOKS = 8;

/** The triplets, by number, that the improved tree induces, however little the budget allows. The merges may leave several parts. */
export function* climbedTriplets(
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

/** Takes a leaf out and puts it back at the best edge; true if that is another one. */
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
  const home = siblingOf(tree, leaf);
  putInPlaceOf(tree, spare, home);
  walk(tree);
  score.fill(0);
  for (const s of own) speak(tree, triplets, s, leaf, weight[s]!, score);
  let best = home;
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
  return best !== home;
}

/** Writes what a triplet about the leaf says, for the edges above all nodes of some subtrees, to the tops of these. */
function speak(tree: BinaryTree, { a, b, c }: LeafTriplets, s: number, leaf: number, w: number, score: Float64Array): void {
  const [i, j, o] = [a[s]!, b[s]!, c[s]!];
  if (i === j || i === o || j === o) return;
  const voice = w === Infinity ? Number.MAX_SAFE_INTEGER : w;
  if (o === leaf) {
    const top = meet(tree, i, j);
    score[tree.left[top]!]! -= voice;
    score[tree.right[top]!]! -= voice;
    return;
  }
  const partner = i === leaf ? j : i;
  const top = meet(tree, partner, o);
  let child = partner;
  while (tree.parent[child] !== top) child = tree.parent[child]!;
  score[child]! += voice;
}

function siblingOf({ parent, left, right }: BinaryTree, node: number): number {
  const up = parent[node]!;
  return left[up] === node ? right[up]! : left[up]!;
}

/** `node` takes the place of `old` below old's parent, or as the root. */
function putInPlaceOf(tree: BinaryTree, old: number, node: number): void {
  const up = tree.parent[old]!;
  tree.parent[node] = up;
  if (up === -1) tree.root = node;
  else if (tree.left[up] === old) tree.left[up] = node;
  else tree.right[up] = node;
}

function meet({ parent, depth }: BinaryTree, p: number, q: number): number {
  while (p !== q) {
    if (depth[p]! >= depth[q]!) p = parent[p]!;
    else q = parent[q]!;
  }
  return p;
}

/** The depths and the order of all nodes. */
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

/** The tree of some merges; parts that they leave are joined one after the other. */
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
