/**
 * The best cut of a hierarchy, which need not be at one height: the clusters of its condensed tree, one on each way from the root to a
 * cluster that splits no further, that keep the most constraint weight, and among those the most stable.
 *
 * Campello, Moulavi, Zimek, Sander 2013: A framework for semi-supervised and unsupervised optimal extraction of clusters from
 * hierarchies. By dynamic programming from the last clusters up: a cluster is taken whole, or as the best of its two parts.
 *
 * Departs from the paper: the paper adds up the share of kept constraints and stability, or takes one of them; here weight comes
 * first. The root, which would keep all must-links, is no cluster, as in the paper, unless one cluster is asked for, or it holds a must-link
 * component that may not be noise and nothing splits.
 */
import type { Merge } from "../../../model/result.js";
import { type CondensedTree, type Condensing, condensedTree } from "./condensed-tree.js";
import type { KeptWeights } from "./kept-weights.js";

export interface BestCut {
  /** Nodes of the hierarchy: rows 0 … n-1, then the merges. */
  readonly branches: readonly number[];
  /** Constraint weight, up to a constant, and stability. */
  readonly weight: number;
  readonly stability: number;
}

/** The best cut into any number of clusters. Empty if no part of the hierarchy splits into two large enough ones. */
export function bestCut(merges: readonly Merge[], n: number, kept: KeptWeights, condensing: Condensing): BestCut {
  const tree = condensedTree(merges, n, condensing);
  const { count, node, first, parts } = tree;
  const weight = Float64Array.from(node, (at) => kept.weight[at]!);
  const stability = tree.stability.slice();
  const whole = new Uint8Array(count).fill(1);
  for (let c = count - 1; c >= 0; c--) {
    if (parts[c] === 0) continue;
    const [w, s] = [sumOfParts(weight, tree, c), sumOfParts(stability, tree, c)];
    if (c > 0 && !isBetter(w, s, weight[c]!, stability[c]!, kept.tolerance)) continue;
    whole[c] = 0;
    weight[c] = w;
    stability[c] = s;
  }
  // Where all merges are equally high, as among equal rows, any clusters would be arbitrary.
  const isFlat = stability[0] === 0 && !kept.any;
  if ((count === 1 || isFlat) && !tree.bound) return { branches: [], weight: 0, stability: 0 };
  const branches: number[] = [];
  const open = [0];
  while (open.length > 0) {
    const c = open.pop()!;
    if (whole[c] === 1) branches.push(node[c]!);
    else for (let p = 0; p < parts[c]!; p++) open.push(first[c]! + p);
  }
  return { branches, weight: weight[0]!, stability: stability[0]! };
}

function sumOfParts(values: Float64Array, { first, parts }: CondensedTree, c: number): number {
  return values[first[c]!]! + (parts[c] === 2 ? values[first[c]! + 1]! : 0);
}

/** Clusters that are equally good are not taken apart. */
function isBetter(weight: number, stability: number, than: number, thanStability: number, tolerance: number): boolean {
  if (weight > than + tolerance) return true;
  return weight >= than - tolerance && stability > thanStability;
}

/** For 1, 2, … clusters below a cluster: the best weight and stability, and how many of them are in its first part, 0 for none. */
interface Counts {
  readonly weight: Float64Array;
  readonly stability: Float64Array;
  readonly inFirst: Int32Array;
}

export interface CutsByCount {
  /** The most clusters that there can be, or that were asked for. */
  readonly most: number;
  /** The best cut into so many, from 1 to `most`. */
  into(k: number): BestCut;
}

/** The best cuts into 1 to `k` clusters. */
export function bestCuts(merges: readonly Merge[], n: number, k: number, kept: KeptWeights, condensing: Condensing): CutsByCount {
  const tree = condensedTree(merges, n, condensing);
  const counts: Counts[] = new Array(tree.count);
  for (let c = tree.count - 1; c >= 0; c--) {
    const own = { weight: kept.weight[tree.node[c]!]!, stability: tree.stability[c]! };
    const parts = counts.slice(tree.first[c]!, tree.first[c]! + tree.parts[c]!);
    counts[c] = tree.parts[c] === 0 ? whole(own) : combine(own, parts, k, kept.tolerance);
  }
  return {
    most: counts[0]!.inFirst.length,
    into: (asked) => ({
      branches: descend(tree, counts, asked),
      weight: counts[0]!.weight[asked - 1]!,
      stability: counts[0]!.stability[asked - 1]!,
    }),
  };
}

interface Own {
  readonly weight: number;
  readonly stability: number;
}

function whole({ weight, stability }: Own): Counts {
  return { weight: Float64Array.of(weight), stability: Float64Array.of(stability), inFirst: Int32Array.of(0) };
}

/** One part, below a forbidden merge, counts as beside another of no clusters. */
const NO_PART: Counts = { weight: Float64Array.of(0), stability: Float64Array.of(0), inFirst: Int32Array.of(0) };

function combine(own: Own, [one, other]: readonly Counts[], k: number, tolerance: number): Counts {
  const rest = other ?? NO_PART;
  const least = other ? 1 : 0;
  const most = Math.min(k, one!.inFirst.length + (other?.inFirst.length ?? 0));
  const weight = new Float64Array(most).fill(-Infinity);
  const stability = new Float64Array(most).fill(-Infinity);
  const inFirst = new Int32Array(most);
  [weight[0], stability[0]] = [own.weight, own.stability];
  for (let p = 1; p <= one!.inFirst.length; p++) {
    for (let q = least; q - least < rest.inFirst.length && p + q <= most; q++) {
      const w = one!.weight[p - 1]! + rest.weight[q - least]!;
      const s = one!.stability[p - 1]! + rest.stability[q - least]!;
      const at = p + q - 1;
      if (!isBetter(w, s, weight[at]!, stability[at]!, tolerance)) continue;
      weight[at] = w;
      stability[at] = s;
      inFirst[at] = p;
    }
  }
  return { weight, stability, inFirst };
}

function descend({ node, first, parts }: CondensedTree, counts: readonly Counts[], k: number): number[] {
  const branches: number[] = [];
  const open: [cluster: number, count: number][] = [[0, k]];
  while (open.length > 0) {
    const [c, count] = open.pop()!;
    const inFirst = counts[c]!.inFirst[count - 1]!;
    if (inFirst === 0) branches.push(node[c]!);
    else {
      open.push([first[c]!, inFirst]);
      if (parts[c] === 2) open.push([first[c]! + 1, count - inFirst]);
    }
  }
  return branches;
}
