/**
 * A tree that supports small changes. Each node has a linked list of children, a depth, and the number of leaves below it. Leaves are 0 …
 * leafCount - 1; numbers of inner nodes come from a free list.
 */

import { upTo } from "../../../linalg/indices.js";
import type { BuiltTree } from "../../../triplets/build.js";

export interface ShapedTree {
  readonly leafCount: number;
  readonly root: number;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** Number of leaves below a node; 1 for a leaf. */
  readonly leaves: Int32Array;
  readonly degree: Int32Array;
  readonly firstChild: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** A unique number per node. It changes when a node number is reused. */
  readonly serial: Int32Array;
  serials: number;
  readonly free: number[];
}

/** A tree with only a root. `graft` attaches the leaves. */
export function openTree(leafCount: number): ShapedTree {
  // Every inner node except the root has at least two children, so there are fewer inner nodes than leaves.
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

/**
 * Attaches a built tree below `top`: its root becomes `top`, and its leaf l becomes our leaf `names[l]`. Updates leaf counts below `top`
 * only.
 */
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

/** A new inner node that is not attached yet. */
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

/** Puts `node`, which is not attached, in the place of `old`, and detaches `old`. */
export function replace(tree: ShapedTree, old: number, node: number): void {
  const parent = tree.parent[old]!;
  detach(tree, old);
  attach(tree, parent, node);
}

/** Appends the leaves below a node to `into`, and frees its inner nodes, including the node itself. */
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

/** Subtracts one leaf from this node and all nodes above it. */
export function loseLeaf(tree: ShapedTree, from: number): void {
  for (let node = from; node !== -1; node = tree.parent[node]!) tree.leaves[node]!--;
}

/** The node at the given depth on the path from this node to the root. */
export function above(tree: ShapedTree, node: number, depth: number): number {
  while (tree.depth[node]! > depth) node = tree.parent[node]!;
  return node;
}

/** Let w be the node where i and j meet: returns the child of w that contains i, and the child that contains j. */
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
