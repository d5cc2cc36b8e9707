/**
 * Computes the shape of a dendrogram and its cuts; other modules draw it. Nodes are numbered as in SciPy: rows from 0, then merges from n.
 * Positions along the leaves are counted in leaves: leaf i is at i + 0.5, and a merge is in the middle between its two children.
 */
import { colourOf } from "./shapes.js";

/** A merge of two nodes. Its height is null or infinite if a constraint forbids the merge. */
export type MergeRow = readonly [left: number, right: number, height: number | null, size: number];

export interface Tip {
  readonly node: number;
  /** Number of rows: 1 for a tip that is a row, more for a tip that is a subtree, drawn as a triangle. */
  readonly size: number;
  /** The cluster of all rows of the tip; -1 if they are in no cluster, MIXED if they are in several clusters. */
  readonly cluster: number;
}

export interface Branch {
  readonly merge: number;
  /** left, right: positions of the two children of this merge along the leaves. */
  readonly left: number;
  readonly right: number;
  readonly leftNode: number;
  readonly rightNode: number;
  readonly cluster: number;
}

export interface DendrogramLayout {
  readonly n: number;
  readonly merges: readonly MergeRow[];
  readonly tips: readonly Tip[];
  readonly branches: readonly Branch[];
  readonly place: Float64Array;
  /** The height of a node: 0 for a row; null for a merge that a constraint forbids. */
  heightOf(node: number): number | null;
  readonly highest: number;
  readonly forbidden: readonly number[];
}

export const MIXED = -2;

/** Computes the layout of the last `shown` merges, by default of all. A subtree below these merges becomes a single tip. */
export function layOut(merges: readonly MergeRow[], labels: ArrayLike<number>, shown: number = merges.length): DendrogramLayout {
  const n = merges.length + 1;
  const cluster = clustersBelow(merges, labels, n);
  const first = n + Math.max(0, n - 1 - shown);
  const heightOf = (node: number) => {
    if (node < n) return 0;
    const height = merges[node - n]![2];
    return height === null || !Number.isFinite(height) ? null : Math.max(0, height);
  };
  const tips: Tip[] = [];
  const forbidden: number[] = [];
  const place = new Float64Array(2 * n - 1);
  // Use an explicit stack instead of recursion, because a tree can be as deep as its number of rows.
  const stack = [2 * n - 2];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node >= first && node >= n) {
      const [left, right] = merges[node - n]!;
      stack.push(right, left);
    } else {
      place[node] = tips.length + 0.5;
      if (heightOf(node) === null) forbidden.push(node);
      tips.push({ node, size: node < n ? 1 : merges[node - n]![3], cluster: cluster[node]! });
    }
  }
  const branches: Branch[] = [];
  let highest = 0;
  for (let node = first; node < 2 * n - 1; node++) {
    const [leftNode, rightNode] = merges[node - n]!;
    const left = place[leftNode]!;
    const right = place[rightNode]!;
    place[node] = (left + right) / 2;
    branches.push({ merge: node, left, right, leftNode, rightNode, cluster: cluster[node]! });
    const height = heightOf(node);
    if (height === null) forbidden.push(node);
    else highest = Math.max(highest, height);
  }
  for (const { node } of tips) highest = Math.max(highest, heightOf(node) ?? 0);
  return { n, merges, tips, branches, place, heightOf, highest, forbidden: forbidden.sort((a, b) => a - b) };
}

function clustersBelow(merges: readonly MergeRow[], labels: ArrayLike<number>, n: number): Int32Array {
  const cluster = new Int32Array(2 * n - 1);
  for (let i = 0; i < n; i++) cluster[i] = Math.max(-1, labels[i] ?? -1);
  merges.forEach(([left, right], m) => {
    cluster[n + m] = cluster[left] === cluster[right] ? cluster[left]! : MIXED;
  });
  return cluster;
}

/**
 * The range of heights in which a horizontal line cuts the tree into these `k` clusters. `below` is the highest merge below the line.
 * `above` is the lowest merge above the line; null if it is forbidden. Undefined if no horizontal line gives these clusters: heights
 * decrease, or a merge below the line joins two clusters.
 */
export function cutBetween(
  merges: readonly MergeRow[],
  labels: ArrayLike<number>,
  k: number,
): { below: number; above: number | null } | undefined {
  const n = merges.length + 1;
  if (k < 2 || k > n) return undefined;
  const cluster = clustersBelow(merges, labels, n);
  let below = 0;
  let above = Number.POSITIVE_INFINITY;
  for (let m = 0; m < n - 1; m++) {
    const height = merges[m]![2] ?? Number.POSITIVE_INFINITY;
    if (m < n - k) {
      if (cluster[n + m] === MIXED || height === Number.POSITIVE_INFINITY) return undefined;
      below = Math.max(below, height);
    } else {
      if (cluster[n + m] !== MIXED) return undefined;
      above = Math.min(above, height);
    }
  }
  if (above < below) return undefined;
  return { below, above: Number.isFinite(above) ? above : null };
}

/** The clusters that are drawn fainter. If neighbouring clusters have the same colour, every second cluster is fainter. */
export function faintClusters(tips: readonly Tip[]): ReadonlySet<number> {
  const faint = new Set<number>();
  const seen = new Set<number>();
  let before: number | undefined;
  for (const { cluster } of tips) {
    if (cluster < 0 || cluster === before) continue;
    const alike = before !== undefined && colourOf(before) === colourOf(cluster);
    if (!seen.has(cluster) && alike && !faint.has(before!)) faint.add(cluster);
    seen.add(cluster);
    before = cluster;
  }
  return faint;
}

export function runs(
  tips: readonly Tip[],
): { readonly from: number; readonly to: number; readonly cluster: number; readonly rows: number }[] {
  const found: { from: number; to: number; cluster: number; rows: number }[] = [];
  tips.forEach(({ cluster, size }, at) => {
    const last = found.at(-1);
    if (last && last.cluster === cluster) {
      last.to = at + 1;
      last.rows += size;
    } else found.push({ from: at, to: at + 1, cluster, rows: size });
  });
  return found;
}

/* Converts between heights and pixels. Heights are drawn on a square-root scale, which gives more space to the crowded lower part. */

/** Returns a function from a height to its distance from the leaves, in pixels. The highest merge has the distance `length`. */
export function levelOf(highest: number, length: number): (height: number) => number {
  return (height) => (highest > 0 ? length * Math.sqrt(Math.max(0, height) / highest) : 0);
}

/** The height that is drawn at the distance `level` from the leaves. It is at least 0 and at most the height of the highest merge. */
export function heightAt(highest: number, length: number, level: number): number {
  return (Math.max(0, Math.min(length, level)) / length) ** 2 * highest;
}

/** Round heights for the labels of the axis, at least 34 pixels apart: the highest first, 0 last. */
export function heightTicks(highest: number, level: (height: number) => number): number[] {
  if (!(highest > 0 && highest < Number.POSITIVE_INFINITY)) return [0];
  const chosen: number[] = [];
  const power = Math.floor(Math.log10(highest));
  for (const [exponent, leads] of [
    [power, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    [power - 1, [5, 2, 1]],
  ] as const) {
    for (const lead of leads) {
      const value = Number(`${lead}e${exponent}`);
      const last = chosen.at(-1);
      const isApart = last === undefined || level(last) - level(value) >= 34;
      if (value <= highest && isApart && level(value) >= 30) chosen.push(value);
    }
  }
  return [...chosen, 0];
}

/* A cut into k clusters undoes the last k - 1 merges, which leaves k branches. */

/** The smallest number of clusters that a cut can give. It is above 1 if constraints forbid merges. */
export function leastClusters({ n, merges, heightOf }: DendrogramLayout): number {
  return Math.max(1, n - merges.filter((_, m) => heightOf(n + m) !== null).length);
}

/**
 * For each node, the branch that contains the node after a cut into k clusters. A branch is named by its highest node. -1 for nodes above
 * the cut.
 */
export function branchesAt({ n, merges }: DendrogramLayout, k: number): Int32Array {
  const kept = Math.max(0, n - Math.max(1, k));
  const branch = new Int32Array(n + merges.length).fill(-1);
  const isChild = new Uint8Array(n + merges.length);
  for (let m = 0; m < kept; m++) {
    isChild[merges[m]![0]] = 1;
    isChild[merges[m]![1]] = 1;
  }
  for (let node = n + kept - 1; node >= 0; node--) {
    if (!isChild[node]) branch[node] = node;
    if (node < n) continue;
    const [left, right] = merges[node - n]!;
    branch[left] = branch[node]!;
    branch[right] = branch[node]!;
  }
  return branch;
}

export function bandOf({ n, heightOf, highest }: DendrogramLayout, k: number): readonly [below: number, above: number] {
  const below = k < n ? (heightOf(2 * n - k - 1) ?? 0) : 0;
  return [below, k === 1 ? highest * 1.08 : (heightOf(2 * n - k) ?? highest)];
}

export function clustersAt(layout: DendrogramLayout, height: number): number {
  const { n, merges, heightOf } = layout;
  const joined = merges.filter((_, m) => (heightOf(n + m) ?? Number.POSITIVE_INFINITY) <= height).length;
  return Math.max(leastClusters(layout), n - joined);
}

export function meetHeight({ n, merges, heightOf, highest }: DendrogramLayout, a: number, b: number): number {
  const parent = new Int32Array(n + merges.length).fill(-1);
  merges.forEach(([left, right], m) => {
    parent[left] = n + m;
    parent[right] = n + m;
  });
  const above = new Set<number>();
  for (let node = a; node >= 0; node = parent[node]!) above.add(node);
  for (let node = b; node >= 0; node = parent[node]!) if (above.has(node) && node >= n) return heightOf(node) ?? highest;
  return highest;
}

export interface Cut {
  readonly k: number;
  readonly from: number;
  readonly to: number;
  /** The sizes of the two branches that the next merge would join; null if no merge is possible. */
  readonly joins: readonly [number, number] | null;
}

/** The first 200 possible cuts, with the fewest clusters first. Further cuts differ only by a few rows. */
export function cutsOf(layout: DendrogramLayout): readonly Cut[] {
  const { n, merges, heightOf } = layout;
  const least = leastClusters(layout);
  const sizeOf = (node: number) => (node < n ? 1 : merges[node - n]![3]);
  return Array.from({ length: Math.min(200, n - least + 1) }, (_, i) => {
    const k = least + i;
    const [from, to] = bandOf(layout, k);
    const next = k > 1 && heightOf(2 * n - k) !== null ? merges[n - k] : undefined;
    return { k, from, to, joins: next ? [sizeOf(next[0]), sizeOf(next[1])] : null };
  });
}

/** Chooses a cluster for the name and colour of each branch: the cluster of most of its rows. Each cluster is used only once. */
export function clustersOfBranches(branch: Int32Array, clusters: Int32Array, n: number): ReadonlyMap<number, number> {
  const votes = new Map<number, Map<number, number>>();
  for (let row = 0; row < n; row++) {
    const own = votes.get(branch[row]!) ?? new Map<number, number>();
    votes.set(branch[row]!, own);
    own.set(clusters[row]!, (own.get(clusters[row]!) ?? 0) + 1);
  }
  const wishes = [...votes].flatMap(([node, own]) => [...own].map(([cluster, count]) => ({ node, cluster, count })));
  wishes.sort((a, b) => b.count - a.count);
  const given = new Map<number, number>();
  const taken = new Set<number>();
  for (const { node, cluster } of wishes) {
    if (given.has(node) || taken.has(cluster) || cluster < 0) continue;
    given.set(node, cluster);
    taken.add(cluster);
  }
  let free = 0;
  for (const node of votes.keys()) {
    if (given.has(node)) continue;
    while (taken.has(free)) free++;
    given.set(node, free);
    taken.add(free);
  }
  return given;
}
