/**
 * From raw merges to a hierarchy, and from a hierarchy to labels.
 *
 * Linkage kernels give merges as (slot, slot, height) in the order they found them; a hierarchy is numbered as SciPy's linkage
 * matrix is: rows 0 … n-1, then n for the cluster of the first merge, and so on, the smaller number on the left.
 */

import type { ChainLinkage, HeapLinkage } from "../../../kernels/kernels.js";
import { upTo } from "../../../linalg/indices.js";
import type { Merge } from "../../../model/result.js";

/**
 * The hierarchy of a linkage: merges sorted by height, equal heights in the order they were found. Centroid and median linkage,
 * whose heights may fall, keep the order of merging.
 */
export function orderMerges(raw: Float64Array, n: number, linkage?: ChainLinkage | HeapLinkage | "single"): Merge[] {
  if (linkage === "centroid" || linkage === "median") return numberMerges(raw, n);
  const order = upTo(raw.length / 3);
  order.sort((a, b) => compare(raw[3 * a + 2]!, raw[3 * b + 2]!) || a - b);
  const sorted = new Float64Array(raw.length);
  order.forEach((merge, place) => {
    sorted.set(raw.subarray(3 * merge, 3 * merge + 3), 3 * place);
  });
  return numberMerges(sorted, n);
}

/** Not a difference: two forbidden merges are both at Infinity. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The hierarchy of merges that stand in their final order. */
function numberMerges(raw: Float64Array, n: number): Merge[] {
  const count = raw.length / 3;
  const parent = upTo(n + count);
  const size = new Int32Array(n + count).fill(1);
  const merges: Merge[] = [];
  for (let m = 0; m < count; m++) {
    const a = findRoot(parent, raw[3 * m]!);
    const b = findRoot(parent, raw[3 * m + 1]!);
    parent[a] = n + m;
    parent[b] = n + m;
    size[n + m] = size[a]! + size[b]!;
    merges.push([Math.min(a, b), Math.max(a, b), raw[3 * m + 2]!, size[n + m]!]);
  }
  return merges;
}

function findRoot(parent: Int32Array, cluster: number): number {
  let root = cluster;
  while (parent[root] !== root) root = parent[root]!;
  while (parent[cluster] !== root) {
    const next = parent[cluster]!;
    parent[cluster] = root;
    cluster = next;
  }
  return root;
}

/** Labels of the k clusters left after the first n - k merges, numbered from 0 by first appearance. */
export function cutToK(merges: readonly Merge[], n: number, k: number): Int32Array {
  return labelsAfter(merges, n, (m) => m < n - k);
}

/**
 * Labels of the clusters within which no merge is higher than `height`. Where heights fall (centroid, median), a merge counts as
 * high as the highest below it, so that a cluster is kept whole or not at all: SciPy's `fcluster` by distance.
 */
export function cutAtHeight(merges: readonly Merge[], n: number, height: number): Int32Array {
  const highest = new Float64Array(n + merges.length).fill(-Infinity);
  merges.forEach(([left, right, own], m) => {
    highest[n + m] = Math.max(own, highest[left]!, highest[right]!);
  });
  return labelsAfter(merges, n, (m) => highest[n + m]! <= height);
}

/** Labels after some merges. If a merge is made, those below it are: so the topmost merge made above a row names its cluster. */
export function labelsAfter(merges: readonly Merge[], n: number, made: (merge: number) => boolean): Int32Array {
  const top = upTo(n + merges.length);
  for (let m = merges.length - 1; m >= 0; m--) {
    if (!made(m)) continue;
    const [left, right] = merges[m]!;
    top[left] = top[n + m]!;
    top[right] = top[n + m]!;
  }
  const number = new Int32Array(n + merges.length).fill(-1);
  const labels = new Int32Array(n);
  let clusters = 0;
  for (let row = 0; row < n; row++) {
    const cluster = top[row]!;
    if (number[cluster] === -1) number[cluster] = clusters++;
    labels[row] = number[cluster]!;
  }
  return labels;
}

/** The number of the branch that each row is in, -1 for none. */
export function labelsOfBranches(branches: readonly number[], merges: readonly Merge[], n: number): Int32Array {
  const branch = new Int32Array(n + merges.length).fill(-1);
  branches.forEach((node, number) => {
    branch[node] = number;
  });
  for (let m = merges.length - 1; m >= 0; m--) {
    if (branch[n + m]! < 0) continue;
    const [left, right] = merges[m]!;
    branch[left] = branch[right] = branch[n + m]!;
  }
  return branch.slice(0, n);
}
