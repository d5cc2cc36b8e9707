/**
 * A tree that changes by small moves: nodes with a list of children each, their depth, and the leaves below them.
 * Leaves are 0 … leaves-1; inner nodes come from a stock of free numbers.
 */

import { upTo } from "../../../linalg/indices.js";
import type { BuiltTree } from "../../../triplets/build.js";

export interface ShapedTree {
  readonly leafCount: number;
  readonly root: number;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** Leaves below a node; 1 for a leaf. */
  readonly leaves: Int32Array;
  readonly degree: Int32Array;
  readonly firstChild: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** No two nodes ever have the same, however often a number is used again. */
  readonly serial: Int32Array;
  serials: number;
  readonly free: number[];
}

/** A tree of a root alone; leaves are hung in by `graft`. */
export function openTree(leafCount: number): ShapedTree {
  // Every inner node but the root has two children or more, so there are fewer of them than leaves.
  const nodes = 2 * leafCount + 1;
  const none = (): Int32Array => new Int32Array(nodes).fill(-1);
  const tree: ShapedTree = {
    leafCount,
    root: leafCount,
    parent: none(),
    depth: new Int32Array(nodes),
    leaves: new Int32Array(nodes).fill(1, 0, leafCount),
    degree: new Int32Array(nodes),
    firstChild: none(),
    next: none(),
    previous: none(),
    serial: upTo(nodes),
    serials: nodes,
    free: [],
  };
  for (let node = nodes - 1; node > leafCount; node--) tree.free.push(node);
  return tree;
}

export function isLeaf(tree: ShapedTree, node: number): boolean {
  return node < tree.leafCount;
}

/** Hangs a built tree, whose leaf l is our leaf `names[l]`, below `top`: its root becomes `top`. Counts leaves below `top` only. */
export function graft(tree: ShapedTree, top: number, built: BuiltTree, names: Int32Array): void {
  const count = names.length;
  const ours = new Int32Array(built.parent.length);
  ours.set(names);
  for (let node = count; node < ours.length; node++) {
    ours[node] = node === count ? top : take(tree);
    if (node > count) attach(tree, ours[built.parent[node]!]!, ours[node]!);
  }
  for (let leaf = 0; leaf < count; leaf++) attach(tree, ours[built.parent[leaf]!]!, names[leaf]!);
  for (let node = ours.length - 1; node >= count; node--) {
    let leaves = 0;
    for (let child = tree.firstChild[ours[node]!]!; child !== -1; child = tree.next[child]!) leaves += tree.leaves[child]!;
    tree.leaves[ours[node]!] = leaves;
  }
}

/** A new inner node without a place. */
export function take(tree: ShapedTree): number {
  const node = tree.free.pop()!;
  tree.serial[node] = tree.serials++;
  tree.degree[node] = 0;
  tree.firstChild[node] = -1;
  return node;
}

export function attach(tree: ShapedTree, parent: number, node: number): void {
  const first = tree.firstChild[parent]!;
  tree.parent[node] = parent;
  tree.depth[node] = tree.depth[parent]! + 1;
  tree.previous[node] = -1;
  tree.next[node] = first;
  if (first !== -1) tree.previous[first] = node;
  tree.firstChild[parent] = node;
  tree.degree[parent]!++;
}

export function detach(tree: ShapedTree, node: number): void {
  const parent = tree.parent[node]!;
  const before = tree.previous[node]!;
  const after = tree.next[node]!;
  if (before === -1) tree.firstChild[parent] = after;
  else tree.next[before] = after;
  if (after !== -1) tree.previous[after] = before;
  tree.degree[parent]!--;
  tree.parent[node] = -1;
}

/** Puts `node`, which has no place, where `old` is; `old` loses its place. */
export function replace(tree: ShapedTree, old: number, node: number): void {
  const parent = tree.parent[old]!;
  detach(tree, old);
  attach(tree, parent, node);
}

/** Leaves below a node; its inner nodes, itself included, are set free. */
export function dissolve(tree: ShapedTree, top: number, into: number[]): void {
  const open = [top];
  while (open.length > 0) {
    const node = open.pop()!;
    if (isLeaf(tree, node)) {
      into.push(node);
      continue;
    }
    for (let child = tree.firstChild[node]!; child !== -1; child = tree.next[child]!) open.push(child);
    tree.free.push(node);
  }
}

export function leavesBelow(tree: ShapedTree, top: number): number[] {
  const found: number[] = [];
  const open = [top];
  while (open.length > 0) {
    const node = open.pop()!;
    if (isLeaf(tree, node)) found.push(node);
    else for (let child = tree.firstChild[node]!; child !== -1; child = tree.next[child]!) open.push(child);
  }
  return found;
}

/** One leaf fewer below this node and all above it. */
export function loseLeaf(tree: ShapedTree, from: number): void {
  for (let node = from; node !== -1; node = tree.parent[node]!) tree.leaves[node]!--;
}

/** The node of the given depth on the way from here to the root. */
export function above(tree: ShapedTree, node: number, depth: number): number {
  while (tree.depth[node]! > depth) node = tree.parent[node]!;
  return node;
}

/** The two children, of the node where i and j meet, through which they are reached. */
export function fork(tree: ShapedTree, i: number, j: number): readonly [number, number] {
  const { parent, depth } = tree;
  let p = above(tree, i, depth[j]!);
  let q = above(tree, j, depth[p]!);
  while (parent[p] !== parent[q]) {
    p = parent[p]!;
    q = parent[q]!;
  }
  return [p, q];
}
