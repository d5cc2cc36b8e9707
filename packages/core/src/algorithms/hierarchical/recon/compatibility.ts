/**
 * Decides whether a full hierarchy is still possible after a merge: TestCompatibility of liu2011 §4.2, with less work per test.
 *
 * The state is a tree over the current clusters: the result of the BUILD algorithm for the open triplets. A triplet ab|c is open while a
 * and b are in different clusters.
 *
 * Test of a merge of clusters i and j: let w be the lowest common ancestor of i and j. P is the child of w that contains i, and Q the child
 * that contains j. Above w the merge changes nothing. At w it joins P and Q to one component.
 * - If P and Q are the only children of w, this component is all of w. The merge is refused, unless P is i and Q is j.
 * - Otherwise the test searches for the component of {i, j} within P ∪ Q, then within that component, and so on. The merge is compatible if
 *   the search ends with i and j alone. It is refused if a component does not split any further. All other components stay consistent.
 *
 * The tree already contains most of these components. The test handles a union of nodes, called units. The union splits into the children
 * of the units. Two kinds of children are joined: the children that contain i and j, and the children that contain a and b of a triplet
 * ab|c with c in another unit. The largest unit is not scanned for triplets. So a test of a single cluster against a large branch costs
 * little more than a scan of the cluster's own triplets.
 *
 * Merging never splits a component. After a merge, at most the part of the tree below P and Q is rebuilt. If the search ends in a union
 * that does not split, the unit of i and the unit of j are stored as inseparable. Merges between clusters of these two units are refused
 * without a test, because no triplet ab|c has a in P and b in Q. The pair stays inseparable while clusters merge.
 */

import { constraintGraph, rowsOf } from "../../../colouring/graphs/graph.js";
import { type IncrementalColouring, keepColouring } from "../../../colouring/kept-colouring.js";
import type { Closure } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import { upTo } from "../../../linalg/indices.js";
import type { Triples } from "../../../model/constraint-set.js";
import { type InstanceId, idOf } from "../../../model/points.js";
import { rootOf } from "../../../structures/components.js";
import { type BuiltTree, buildTree, isBuilt } from "../../../triplets/build.js";

export interface Compatibility {
  carries(cluster: number): boolean;
  /** Whether a full hierarchy is possible if i and j merge next. Both i and j must be in open triplets. */
  compatible(i: number, j: number): boolean;
  /** Merges i and j, which must be compatible. Returns the number of the new cluster. */
  merge(i: number, j: number): number;
  readonly counts: { tests: number; work: number };
}

interface State {
  readonly tree: ShapedTree;
  /** By triplet ab|c: the current clusters of a, b and c. A triplet is done when a and b are the same cluster. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
  /** By cluster: the triplets ab|c in which the cluster is a or b (`pairs`), and the triplets in which the cluster is c (`outs`). */
  readonly pairs: number[][];
  readonly outs: number[][];
  readonly open: Int32Array;
  /**
   * Pairs of nodes, by serial number, whose union does not split. Merges between a cluster below one node and a cluster below the other
   * node are refused.
   */
  readonly inseparable: Set<number>;
  /**
   * Number of the last round in which something happened. `round`: a leaf was rebuilt. `unitIn`: a node was a unit. `joinedIn`: a node was
   * joined with another node.
   */
  readonly round: Int32Array;
  readonly unitIn: Int32Array;
  readonly joinedIn: Int32Array;
  /** Union-find parent of the nodes joined in this round. */
  readonly leader: Int32Array;
  rounds: number;
  readonly local: Int32Array;
  readonly counts: { tests: number; work: number };
}

/** Opens the test for triplets over clusters 0 … clusters - 1. Null if the triplets contradict each other. */
export function openCompatibility(clusters: number, relative: Pick<Triples, "a" | "b" | "c">): Compatibility | null {
  const built = buildTree({ leaves: clusters, ...relative });
  if (!isBuilt(built)) return null;
  const tree = openTree(clusters);
  graft(tree, tree.root, built, upTo(clusters));
  const state: State = {
    tree,
    a: relative.a.slice(),
    b: relative.b.slice(),
    c: relative.c.slice(),
    pairs: Array.from({ length: clusters }, () => []),
    outs: Array.from({ length: clusters }, () => []),
    open: new Int32Array(clusters),
    inseparable: new Set(),
    round: new Int32Array(clusters),
    unitIn: new Int32Array(tree.parent.length),
    joinedIn: new Int32Array(tree.parent.length),
    leader: new Int32Array(tree.parent.length),
    rounds: 0,
    local: new Int32Array(clusters),
    counts: { tests: 0, work: 0 },
  };
  for (let s = 0; s < state.a.length; s++) register(state, s);
  return {
    carries: (cluster) => state.open[cluster]! > 0,
    compatible: (i, j) => compatible(state, i, j),
    merge: (i, j) => merge(state, i, j),
    counts: state.counts,
  };
}

function register({ a, b, c, pairs, outs, open }: State, s: number): void {
  if (a[s] === b[s]) return;
  for (const end of [a[s]!, b[s]!]) pairs[end]!.push(s);
  outs[c[s]!]!.push(s);
  for (const cluster of [a[s]!, b[s]!, c[s]!]) open[cluster]!++;
}

/** The work of one step up the tree. The work of reading one list element is 1. */
const CLIMB = 8;

function compatible(state: State, i: number, j: number): boolean {
  const { tree, inseparable } = state;
  state.counts.tests++;
  state.counts.work += CLIMB * (tree.depth[i]! + tree.depth[j]!);
  const [p, q] = fork(tree, i, j);
  const w = tree.parent[p]!;
  const bothLeaves = isLeaf(tree, p) && isLeaf(tree, q);
  if (tree.degree[w] === 2) return bothLeaves;
  if (bothLeaves) return true;
  if (areInseparable(state, i, j, tree.depth[p]!)) return false;
  let units: readonly number[] = [p, q];
  for (let depth = tree.depth[p]!; ; depth++) {
    const group = groupOf(state, i, j, units, depth);
    if (group === null) {
      inseparable.add(pairKey(tree.serial[above(tree, i, depth)]!, tree.serial[above(tree, j, depth)]!));
      return false;
    }
    if (group.length === 2 && group.every((node) => isLeaf(tree, node))) return true;
    units = group;
  }
}

/** Whether two nodes that contain i and j are stored as inseparable. Checks only nodes of depth `from` or deeper. */
function areInseparable({ tree, inseparable }: State, i: number, j: number, from: number): boolean {
  const { depth, parent, serial } = tree;
  let [x, y] = [i, j];
  for (;;) {
    if (inseparable.has(pairKey(serial[x]!, serial[y]!))) return true;
    const deepest = Math.max(depth[x]!, depth[y]!);
    if (deepest === from) return false;
    if (depth[x] === deepest) x = parent[x]!;
    if (depth[y] === deepest) y = parent[y]!;
  }
}

function pairKey(p: number, q: number): number {
  return p < q ? p * 134217728 + q : q * 134217728 + p;
}

/**
 * Returns the children of the units that a merge of i and j joins to one component. Starts with the child that contains i and the child
 * that contains j, and follows the triplets from there. Null if the component contains all children.
 * units: the nodes whose union is searched. They are nodes of depth `depth`, or leaves above it.
 */
function groupOf(state: State, i: number, j: number, units: readonly number[], depth: number): readonly number[] | null {
  const { tree, unitIn } = state;
  const now = ++state.rounds;
  let children = 0;
  let largest = units[0]!;
  for (const unit of units) {
    unitIn[unit] = now;
    children += isLeaf(tree, unit) ? 1 : tree.degree[unit]!;
    if (tree.leaves[unit]! > tree.leaves[largest]!) largest = unit;
  }
  const joined: number[] = [];
  uniteChildren(state, above(tree, i, depth + 1), above(tree, j, depth + 1), joined);
  for (const unit of units) {
    if (unit === largest) continue;
    for (const leaf of leavesBelow(tree, unit)) uniteBy(state, leaf, unit, largest, depth, joined);
  }
  const top = rootOf(state.leader, joined[0]!);
  const group = joined.filter((node) => rootOf(state.leader, node) === top);
  return group.length === children ? null : group;
}

/**
 * Joins children of the units by the triplets of one leaf of `unit`. For a triplet ab|c with c in another unit, the child that contains a
 * is joined with the child that contains b. If c is in the same unit as a or b, all three are in this unit.
 */
function uniteBy(state: State, leaf: number, unit: number, largest: number, depth: number, joined: number[]): void {
  const { tree, unitIn, rounds, a, b, c, pairs, outs, counts } = state;
  const unitOf = (child: number): number => (tree.depth[child]! > depth ? tree.parent[child]! : child);
  counts.work += (outs[leaf]!.length + pairs[leaf]!.length + 1) * (tree.depth[leaf]! - depth + 1);
  for (const s of outs[leaf]!) {
    if (a[s] === b[s]) continue;
    const childA = above(tree, a[s]!, depth + 1);
    const unitA = unitOf(childA);
    if (unitA === unit || unitIn[unitA] !== rounds) continue;
    const childB = above(tree, b[s]!, depth + 1);
    if (childA !== childB && unitIn[unitOf(childB)] === rounds) uniteChildren(state, childA, childB, joined);
  }
  // Triplets with c in another small unit are handled when the leaves of that unit are scanned.
  for (const s of pairs[leaf]!) {
    if (a[s] === b[s] || unitOf(above(tree, c[s]!, depth + 1)) !== largest) continue;
    const childA = above(tree, a[s]!, depth + 1);
    const childB = above(tree, b[s]!, depth + 1);
    if (childA !== childB && unitIn[unitOf(childA)] === rounds && unitIn[unitOf(childB)] === rounds)
      uniteChildren(state, childA, childB, joined);
  }
}

function uniteChildren(state: State, x: number, y: number, joined: number[]): void {
  const { joinedIn, leader, rounds } = state;
  for (const node of [x, y]) {
    if (joinedIn[node] === rounds) continue;
    joinedIn[node] = rounds;
    leader[node] = -1;
    joined.push(node);
  }
  const [from, to] = [rootOf(leader, x), rootOf(leader, y)];
  if (from !== to) leader[from] = to;
}

/** Merges two clusters and their open triplets. The merged cluster keeps the number of the cluster that is in more triplets. */
function merge(state: State, i: number, j: number): number {
  const { pairs, outs, tree } = state;
  const weight = (cluster: number): number => pairs[cluster]!.length + outs[cluster]!.length;
  const [kept, gone] = weight(i) >= weight(j) ? [i, j] : [j, i];
  const iFree = state.open[i] === 0;
  if (iFree || state.open[j] === 0) dropFree(state, gone, kept, iFree ? i : j);
  else reshape(state, kept, gone);
  rename(state, kept, gone);
  // A merge makes entries of `inseparable` wrong for this cluster. With a new serial number, they do not apply to the merged cluster.
  tree.serial[kept] = tree.serials++;
  return kept;
}

/**
 * Merges two clusters if one of them, `free`, is in no open triplet. The other cluster stays where it is in the tree, under the number
 * `kept`.
 */
function dropFree({ tree }: State, gone: number, kept: number, free: number): void {
  detach(tree, free);
  tree.leaves[tree.root]!--;
  if (free === kept) replace(tree, gone, kept);
}

function reshape(state: State, kept: number, gone: number): void {
  const { tree } = state;
  const [p, q] = fork(tree, kept, gone);
  const w = tree.parent[p]!;
  const pLeaf = isLeaf(tree, p);
  const qLeaf = isLeaf(tree, q);
  if (pLeaf && qLeaf) {
    loseLeaf(tree, w);
    detach(tree, gone);
    if (tree.degree[w] === 1 && w !== tree.root) {
      detach(tree, kept);
      replace(tree, w, kept);
      tree.free.push(w);
    }
  } else if ((pLeaf && canReplace(state, kept, gone, q)) || (qLeaf && canReplace(state, gone, kept, p))) {
    const leaf = pLeaf ? kept : gone;
    loseLeaf(tree, w);
    detach(tree, leaf);
    if (leaf === kept) replace(tree, gone, kept);
  } else joinSiblings(state, kept, gone, p, q);
}

/**
 * Whether `leaf` can replace `partner`, a leaf below `other`, without further changes to the tree. Condition: for every triplet ab|c with c
 * = `leaf` and a, b below `other`, the node where a and b meet is not an ancestor of `partner`.
 */
function canReplace({ tree, a, b, c, outs, counts }: State, leaf: number, partner: number, other: number): boolean {
  const depth = tree.depth[other]!;
  counts.work += outs[leaf]!.length;
  return outs[leaf]!.every((s) => {
    if (a[s] === b[s] || c[s] !== leaf || above(tree, a[s]!, depth) !== other) return true;
    const meeting = tree.parent[fork(tree, a[s]!, b[s]!)[0]]!;
    return above(tree, partner, tree.depth[meeting]!) !== meeting;
  });
}

/**
 * Joins the siblings p and q to one node with the children of both. Some children are joined and rebuilt:
 * - the child that contains `kept` and the child that contains `gone`;
 * - for a triplet ab|c with c below the other sibling, the child that contains a and the child that contains b.
 */
function joinSiblings(state: State, kept: number, gone: number, p: number, q: number): void {
  const { tree } = state;
  const [big, small] = tree.leaves[p]! >= tree.leaves[q]! ? [p, q] : [q, p];
  const groups = joinedChildren(state, kept, gone, big, small);
  tree.leaves[big]! += tree.leaves[small]! - 1;
  detach(tree, small);
  if (isLeaf(tree, small)) attach(tree, big, small);
  else {
    for (let child = tree.firstChild[small]!; child !== -1; child = tree.firstChild[small]!) {
      detach(tree, child);
      attach(tree, big, child);
    }
    tree.free.push(small);
  }
  tree.serial[big] = tree.serials++;
  loseLeaf(tree, tree.parent[big]!);
  for (const children of groups) rebuild(state, kept, gone, big, children);
}

function joinedChildren(state: State, kept: number, gone: number, big: number, small: number): number[][] {
  const { tree, a, b, c, pairs, outs, counts } = state;
  const depth = tree.depth[big]!;
  const leader = new Map<number, number>();
  const find = (node: number): number => {
    let at = node;
    for (let up = leader.get(at); up !== undefined && up !== at; up = leader.get(at)) at = up;
    leader.set(node, at);
    return at;
  };
  const childOf = (leaf: number): number => above(tree, leaf, depth + 1);
  const unite = (x: number, y: number): void => {
    leader.set(find(childOf(x)), find(childOf(y)));
  };
  unite(kept, gone);
  for (const leaf of leavesBelow(tree, small)) {
    counts.work += outs[leaf]!.length + pairs[leaf]!.length;
    for (const s of outs[leaf]!) {
      if (a[s] !== b[s] && above(tree, a[s]!, depth) === big) unite(a[s]!, b[s]!);
    }
    for (const s of pairs[leaf]!) if (a[s] === leaf && above(tree, c[s]!, depth) === big) unite(a[s]!, b[s]!);
  }
  const groups = new Map<number, number[]>();
  for (const child of leader.keys()) {
    const head = find(child);
    if (groups.has(head)) groups.get(head)!.push(child);
    else groups.set(head, [child]);
  }
  return [...groups.values()].filter((children) => children.length > 1);
}

/** Joins some children of a node into one, rebuilt without the leaf `gone`. */
function rebuild(state: State, kept: number, gone: number, top: number, children: readonly number[]): void {
  const { tree, local, round, a, b, c, pairs, counts } = state;
  const leaves: number[] = [];
  for (const child of children) {
    detach(tree, child);
    dissolve(tree, child, leaves);
  }
  const now = ++state.rounds;
  const names: number[] = [];
  for (const leaf of leaves) {
    round[leaf] = now;
    local[leaf] = names.length;
    if (leaf !== gone) names.push(leaf);
  }
  if (round[gone] === now) local[gone] = local[kept]!;
  if (names.length === 1) {
    attach(tree, top, names[0]!);
    return;
  }
  const ends: [number[], number[], number[]] = [[], [], []];
  for (const leaf of leaves) {
    for (const s of pairs[leaf]!) {
      if (a[s] !== leaf || b[s] === leaf || round[c[s]!] !== now || round[b[s]!] !== now) continue;
      ends[0].push(local[leaf]!);
      ends[1].push(local[b[s]!]!);
      ends[2].push(local[c[s]!]!);
    }
  }
  const [ta, tb, tc] = ends.map((column) => Int32Array.from(column)) as [Int32Array, Int32Array, Int32Array];
  const built = buildTree({ leaves: names.length, a: ta, b: tb, c: tc });
  if (!isBuilt(built)) throw new Error("A merge that was not compatible was made.");
  const node = take(tree);
  attach(tree, top, node);
  graft(tree, node, built, Int32Array.from(names));
  // The work of BUILD: it reads a leaf once for each level above the leaf.
  for (const leaf of names) counts.work += CLIMB * (tree.depth[leaf]! - tree.depth[top]!);
  counts.work += ends[0].length;
}

/** Renames `gone` to `kept` in all triplets. A triplet ab|c is done if a and b are now one cluster. */
function rename(state: State, kept: number, gone: number): void {
  const { a, b, c, pairs, outs, open } = state;
  for (const s of pairs[gone]!) {
    if (a[s] === b[s]) continue;
    if (a[s] === gone) a[s] = kept;
    else b[s] = kept;
    if (a[s] !== b[s]) {
      pairs[kept]!.push(s);
      continue;
    }
    open[c[s]!]!--;
    open[kept]!--;
    open[gone]!--;
  }
  for (const s of outs[gone]!) {
    if (a[s] === b[s]) continue;
    c[s] = kept;
    outs[kept]!.push(s);
  }
  open[kept]! += open[gone]!;
  open[gone] = 0;
  pairs[kept] = pairs[kept]!.filter((s) => a[s] !== b[s]);
  pairs[gone] = [];
  outs[gone] = [];
}

/* The test whether k clusters can satisfy the cannot-links, labels and exclusive groups: a colouring, updated while clusters merge. */

export interface Colours {
  /** Null if no colouring is needed: no number of clusters is given, or no components must be apart. */
  readonly colouring: IncrementalColouring | null;
  /** By component: its vertex in the colouring, -1 for none. */
  readonly vertexOf: Int32Array;
}

/** The result if no number of clusters is given: no colouring is needed. */
export function noColours({ componentCount }: Closure): Colours {
  return { colouring: null, vertexOf: new Int32Array(componentCount).fill(-1) };
}

/**
 * Creates the colouring that tests whether k clusters can satisfy the constraints. Throws if they cannot, or if the work limit `effort` is
 * reached.
 */
export function coloursFor(closure: Closure, k: number, effort: number, ids: readonly InstanceId[] | undefined): Colours {
  const graph = constraintGraph(closure);
  if (graph.vertices === 0) return noColours(closure);
  const answer = keepColouring(graph, k, { effort });
  if (answer.status === "feasible") return { colouring: answer.kept, vertexOf: graph.vertexOf };
  if (answer.status === "undecided") {
    throw new CoterieError({
      code: "gave-up",
      message: `Whether ${k} clusters can keep all cannot-links was not decided within the effort of ${effort} nodes. Raise the effort, or ask for more clusters.`,
    });
  }
  const id = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const core = Array.from(answer.core.vertices, (v) => Array.from(rowsOf(graph, v), id));
  throw new CoterieError({ code: "infeasible", k, core });
}

/*
 * A tree that supports small changes. Each node has a linked list of children, a depth, and the number of leaves below it. Leaves are 0 …
 * leafCount - 1; numbers of inner nodes come from a free list.
 */

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

function openTree(leafCount: number): ShapedTree {
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

function isLeaf(tree: ShapedTree, node: number): boolean {
  return node < tree.leafCount;
}

/** Attaches a built tree below `top`: leaf l becomes leaf `names[l]` of this tree. Updates leaf counts only below `top`. */
function graft(tree: ShapedTree, top: number, built: BuiltTree, names: Int32Array): void {
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

function take(tree: ShapedTree): number {
  const node = tree.free.pop()!;
  tree.serial[node] = tree.serials++;
  tree.degree[node] = 0;
  tree.firstChild[node] = -1;
  return node;
}

function attach(tree: ShapedTree, parent: number, node: number): void {
  const first = tree.firstChild[parent]!;
  tree.parent[node] = parent;
  tree.depth[node] = tree.depth[parent]! + 1;
  tree.previous[node] = -1;
  tree.next[node] = first;
  if (first !== -1) tree.previous[first] = node;
  tree.firstChild[parent] = node;
  tree.degree[parent]!++;
}

function detach(tree: ShapedTree, node: number): void {
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
function replace(tree: ShapedTree, old: number, node: number): void {
  const parent = tree.parent[old]!;
  detach(tree, old);
  attach(tree, parent, node);
}

/** Appends the leaves below a node to `into`, and frees its inner nodes, including the node itself. */
function dissolve(tree: ShapedTree, top: number, into: number[]): void {
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

function leavesBelow(tree: ShapedTree, top: number): number[] {
  const found: number[] = [];
  const open = [top];
  while (open.length > 0) {
    const node = open.pop()!;
    if (isLeaf(tree, node)) found.push(node);
    else for (let child = tree.firstChild[node]!; child !== -1; child = tree.next[child]!) open.push(child);
  }
  return found;
}

function loseLeaf(tree: ShapedTree, from: number): void {
  for (let node = from; node !== -1; node = tree.parent[node]!) tree.leaves[node]!--;
}

function above(tree: ShapedTree, node: number, depth: number): number {
  while (tree.depth[node]! > depth) node = tree.parent[node]!;
  return node;
}

/** The two children of the node where i and j meet: the child that contains i, and the child that contains j. */
function fork(tree: ShapedTree, i: number, j: number): readonly [number, number] {
  const { parent, depth } = tree;
  let p = above(tree, i, depth[j]!);
  let q = above(tree, j, depth[p]!);
  while (parent[p] !== parent[q]) {
    p = parent[p]!;
    q = parent[q]!;
  }
  return [p, q];
}
