/**
 * Converts raw merges to a hierarchy, and a hierarchy to labels.
 *
 * Linkage kernels return raw merges (slot, slot, height) in the order in which they find them. A hierarchy is numbered like SciPy's
 * linkage matrix: 0 … n-1 are the rows, n is the cluster of the first merge, and so on. In each merge the smaller number is on the left.
 */

import type { ChainLinkage, HeapLinkage } from "../../../kernels/kernels.js";
import { upTo } from "../../../linalg/indices.js";
import type { Merge } from "../../../model/result.js";
import { forest, rootOf } from "../../../structures/components.js";

/**
 * Converts the raw merges of a linkage to a hierarchy. Merges are sorted by height, except for centroid and median linkage, where they keep
 * the order of merging.
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

/** Compares without subtraction: two forbidden merges are both at Infinity, and Infinity - Infinity is NaN. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberMerges(raw: Float64Array, n: number): Merge[] {
  const count = raw.length / 3;
  const parent = forest(n + count);
  const size = new Int32Array(n + count).fill(1);
  const merges: Merge[] = [];
  for (let m = 0; m < count; m++) {
    const a = rootOf(parent, raw[3 * m]!);
    const b = rootOf(parent, raw[3 * m + 1]!);
    parent[a] = n + m;
    parent[b] = n + m;
    size[n + m] = size[a]! + size[b]!;
    merges.push([Math.min(a, b), Math.max(a, b), raw[3 * m + 2]!, size[n + m]!]);
  }
  return merges;
}

/** Labels of the k clusters that remain after the first n - k merges. Clusters are numbered from 0, in order of their first row. */
export function cutToK(merges: readonly Merge[], n: number, k: number): Int32Array {
  return labelsAfter(merges, n, (m) => m < n - k);
}

/**
 * Labels of the clusters that contain no merge higher than `height`, as in SciPy's `fcluster` by distance. If heights can decrease
 * (centroid, median), each height is raised to the largest height below it.
 */
export function cutAtHeight(merges: readonly Merge[], n: number, height: number): Int32Array {
  const highest = new Float64Array(n + merges.length).fill(-Infinity);
  merges.forEach(([left, right, own], m) => {
    highest[n + m] = Math.max(own, highest[left]!, highest[right]!);
  });
  return labelsAfter(merges, n, (m) => highest[n + m]! <= height);
}

/** Labels after the merges for which `made` returns true. Rows with the same topmost merge of this kind are in one cluster. */
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

/** For each row, the index of the branch that contains the row; -1 if no branch contains it. */
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
