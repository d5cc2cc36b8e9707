/**
 * The condensed tree of a hierarchy: its branches of at least some rows, as clusters that live, shrink and split.
 *
 * From the root down, a merge of two large branches ends a cluster and begins two. Where only one branch is large, the cluster goes
 * on as that one, and the rows of the other fall out of it. What a cluster holds is the whole branch that it began with. A merge that
 * a constraint forbids ends a cluster always, so that what is below it can be had without it.
 *
 * Campello, Moulavi, Zimek, Sander 2013, and McInnes, Healy, Astels 2017 for the name.
 */
import type { Merge } from "../../../model/result.js";

/**
 * How long rows stay in a cluster is measured in heights (`lifetime`), or in 1 / height (`density`), which for distances of mutual
 * reachability is HDBSCAN*'s.
 */
export type Scale = "lifetime" | "density";

export interface Condensing {
  /** Rows of the smallest cluster. */
  readonly minClusterSize: number;
  readonly scale: Scale;
  /** The first merges that are never undone: those inside must-link components of a method that keeps them. */
  readonly firm: number;
  /** For branches below a forbidden merge, the height at which they would merge if nothing were forbidden. */
  readonly ends?: ReadonlyMap<number, number>;
}

/** Clusters are numbered from the root, 0; each before the parts that it splits into, which stand side by side. */
export interface CondensedTree {
  readonly count: number;
  /** The node of the hierarchy that a cluster began with. */
  readonly node: Int32Array;
  /** The first of the clusters that a cluster splits into, and how many there are: none, two, or below a forbidden merge one. */
  readonly first: Int32Array;
  readonly parts: Uint8Array;
  /** Over the rows of a cluster, how long they stay in it, summed up. */
  readonly stability: Float64Array;
  /** Whether the root holds rows that may not be noise. */
  readonly bound: boolean;
}

export function condensedTree(
  merges: readonly Merge[],
  n: number,
  { minClusterSize, scale, firm, ends }: Condensing,
): CondensedTree {
  const nodes = n + merges.length;
  const level = levelsOf(merges, n, scale, firm);
  const bound = boundNodes(merges, n, firm);
  const isLarge = (node: number): boolean => (node < n ? 1 : merges[node - n]![3]) >= minClusterSize || bound[node] === 1;
  const most = 2 * n;
  const node = new Int32Array(most);
  const first = new Int32Array(most).fill(-1);
  const parts = new Uint8Array(most);
  const stability = new Float64Array(most);
  const birth = new Float64Array(most);
  const clusterOf = new Int32Array(nodes).fill(-1);
  node[0] = nodes - 1;
  clusterOf[nodes - 1] = 0;
  birth[0] = scale === "density" ? 0 : level[nodes - 1]!;
  let count = 1;
  for (let at = nodes - 1; at >= 0; at--) {
    const cluster = clusterOf[at]!;
    if (cluster < 0) continue;
    const stay = level[at]! - birth[cluster]!;
    if (at < n + firm) {
      stability[cluster]! += stay * (at < n ? 1 : merges[at - n]![3]);
      continue;
    }
    const [left, right, height, size] = merges[at - n]!;
    const [onLeft, onRight] = [isLarge(left), isLarge(right)];
    if (onLeft !== onRight && height < Infinity) {
      const [large, small] = onLeft ? [left, right] : [right, left];
      stability[cluster]! += stay * (small < n ? 1 : merges[small - n]![3]);
      clusterOf[large] = cluster;
      continue;
    }
    stability[cluster]! += stay * size;
    first[cluster] = count;
    for (const child of [left, right]) {
      if (!(child === left ? onLeft : onRight)) continue;
      const end = ends?.get(child);
      node[count] = child;
      birth[count] = end === undefined ? level[at]! : Math.min(level[child]!, -end);
      parts[cluster]!++;
      clusterOf[child] = count++;
    }
  }
  return {
    count,
    node: node.slice(0, count),
    first: first.slice(0, count),
    parts: parts.slice(0, count),
    stability: stability.slice(0, count),
    bound: bound[nodes - 1] === 1,
  };
}

/**
 * Where each node stands on the scale, rising from the root down. A merge counts as high as the highest below it; one that a constraint
 * forbids, as high as the highest that none does. At height 0 a density counts as twice that of the smallest height above 0.
 */
function levelsOf(merges: readonly Merge[], n: number, scale: Scale, firm: number): Float64Array {
  const height = new Float64Array(n + merges.length);
  let [least, most] = [Infinity, 0];
  for (const [, , own] of merges) {
    if (own === Infinity) continue;
    if (own > most) most = own;
    if (own > 0 && own < least) least = own;
  }
  merges.forEach(([left, right, own], m) => {
    if (m >= firm) height[n + m] = Math.max(Math.min(own, most), height[left]!, height[right]!);
  });
  if (scale === "lifetime") return height.map((value) => -value);
  return height.map((value) => 1 / (value > 0 ? value : least / 2));
}

/** Nodes with a must-link component of several rows below them. */
function boundNodes(merges: readonly Merge[], n: number, firm: number): Uint8Array {
  const bound = new Uint8Array(n + merges.length);
  merges.forEach(([left, right], m) => {
    bound[n + m] = m < firm ? 1 : bound[left]! | bound[right]!;
  });
  return bound;
}
