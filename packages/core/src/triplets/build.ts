/**
 * BUILD: a tree that induces all given triplets ab|c, or a set of leaves that no tree can split.
 *
 * Aho, Sagiv, Szymanski, Ullman: Inferring a tree from lowest common ancestors. SIAM Journal on Computing 10(3), 1981. It is called OneTree
 * in liu2011 §4.1. Each node has a graph over its leaves. A triplet ab|c whose three leaves are below the node gives an edge ab. The
 * components of the graph become the children of the node. A single component means that the triplets are inconsistent.
 *
 * Departs from the paper: no recursion. Leaves and triplets of a node are contiguous in two arrays and are sorted by component in place. So
 * a triplet costs one step for each level on which its three leaves are still together.
 */
import { forest, join, rootOf } from "../structures/components.js";

/** Cost of a build in looks (see steps/budget.ts), for each leaf and for each triplet. */
export const BUILD_LOOKS = 32;

/** Triplets over the leaves 0 … leaves-1. */
export interface LeafTriplets {
  readonly leaves: number;
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
}

export interface BuiltTree {
  /** Parent of each node, -1 for the root. Order: leaves, root, then inner nodes after their parents. */
  readonly parent: Int32Array;
}

/** The failure of BUILD: leaves that no split separates, and the triplets over these leaves. */
export interface Stuck {
  readonly leaves: Int32Array;
  readonly triplets: Int32Array;
}

interface Work {
  readonly triplets: LeafTriplets;
  /** Leaves (`order`) and triplets (`numbers`). The leaves of a node are contiguous, and so are its triplets. */
  readonly order: Int32Array;
  readonly numbers: Int32Array;
  readonly sorted: Int32Array;
  readonly sortedNumbers: Int32Array;
  readonly trees: Int32Array;
  /**
   * `component`: the component of each leaf of the current node. `numberOf`: for each union-find root, the number of its component; -1
   * before numbering.
   */
  readonly component: Int32Array;
  readonly numberOf: Int32Array;
  readonly parent: Int32Array;
  nodes: number;
  /** Stack of nodes to split. Five entries for each node: from and to in `order`, from and to in `numbers`, node number. */
  readonly open: number[];
}

/** Builds the tree of the chosen triplets (default: all). Inner nodes are numbered in the order of the splits. */
export function buildTree(triplets: LeafTriplets, chosen?: Int32Array): BuiltTree | Stuck {
  const { leaves } = triplets;
  const numbers = chosen?.slice() ?? Int32Array.from(triplets.a, (_, s) => s);
  const work: Work = {
    triplets,
    order: Int32Array.from({ length: leaves }, (_, leaf) => leaf),
    numbers,
    sorted: new Int32Array(leaves),
    sortedNumbers: new Int32Array(numbers.length),
    trees: forest(leaves),
    component: new Int32Array(leaves),
    numberOf: new Int32Array(leaves).fill(-1),
    parent: new Int32Array(2 * leaves + 1).fill(-1),
    nodes: leaves + 1,
    open: [0, leaves, 0, numbers.length, leaves],
  };
  while (work.open.length > 0) {
    const stuck = split(work);
    if (stuck) return stuck;
  }
  return { parent: work.parent.slice(0, work.nodes) };
}

export function isBuilt(outcome: BuiltTree | Stuck): outcome is BuiltTree {
  return "parent" in outcome;
}

function split(work: Work): Stuck | null {
  const { order, numbers, open, parent } = work;
  const node = open.pop()!;
  const toS = open.pop()!;
  const fromS = open.pop()!;
  const to = open.pop()!;
  const from = open.pop()!;
  if (fromS === toS) {
    for (let p = from; p < to; p++) parent[order[p]!] = node;
    return null;
  }
  if (joinAll(work, from, to, fromS, toS) === to - from - 1) {
    return { leaves: order.slice(from, to), triplets: numbers.slice(fromS, toS) };
  }
  const starts = sortLeaves(work, from, to);
  const startsS = sortTriplets(work, fromS, toS, starts.length - 1);
  for (let part = 0; part + 1 < starts.length; part++) {
    const size = starts[part + 1]! - starts[part]!;
    if (size === 1) {
      parent[order[starts[part]!]!] = node;
      continue;
    }
    parent[work.nodes] = node;
    open.push(starts[part]!, starts[part + 1]!, startsS[part]!, startsS[part + 1]!, work.nodes++);
  }
  return null;
}

function joinAll({ triplets, order, numbers, trees }: Work, from: number, to: number, fromS: number, toS: number): number {
  for (let p = from; p < to; p++) trees[order[p]!] = -1;
  let joined = 0;
  for (let s = fromS; s < toS; s++) {
    if (join(trees, triplets.a[numbers[s]!]!, triplets.b[numbers[s]!]!)) joined++;
  }
  return joined;
}

function sortLeaves({ order, sorted, trees, component, numberOf }: Work, from: number, to: number): number[] {
  const sizes: number[] = [];
  for (let p = from; p < to; p++) {
    const root = rootOf(trees, order[p]!);
    if (numberOf[root] === -1) {
      numberOf[root] = sizes.length;
      sizes.push(0);
    }
    const part = numberOf[root]!;
    component[order[p]!] = part;
    sizes[part]!++;
  }
  const { starts, next } = runningStarts(sizes, from);
  for (let p = from; p < to; p++) {
    numberOf[order[p]!] = -1;
    sorted[next[component[order[p]!]!]!++] = order[p]!;
  }
  order.set(sorted.subarray(from, to), from);
  return starts;
}

/** Groups triplets by component. Leaves out triplets whose leaves are in several components: they are satisfied. */
function sortTriplets({ triplets, numbers, sortedNumbers, component }: Work, from: number, to: number, parts: number) {
  const { a, c } = triplets;
  const sizes = new Array<number>(parts).fill(0);
  let kept = from;
  for (let p = from; p < to; p++) {
    const s = numbers[p]!;
    const part = component[a[s]!]!;
    if (part !== component[c[s]!]) continue;
    sizes[part]!++;
    numbers[kept++] = s;
  }
  const { starts, next } = runningStarts(sizes, from);
  for (let p = from; p < kept; p++) sortedNumbers[next[component[a[numbers[p]!]!]!]!++] = numbers[p]!;
  numbers.set(sortedNumbers.subarray(from, kept), from);
  return starts;
}

function runningStarts(sizes: readonly number[], from: number): { readonly starts: number[]; readonly next: number[] } {
  const starts = [from];
  for (const size of sizes) starts.push(starts.at(-1)! + size);
  return { starts, next: starts.slice() };
}
