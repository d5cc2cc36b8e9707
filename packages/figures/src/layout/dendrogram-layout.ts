/** Where the branches of a dendrogram go, in slots along the leaves and shares of the height; drawing comes after. */

/** Rows 0 … n-1, then merges from n; a null or infinite height is a merge that a constraint forbids. */
export type MergeRow = readonly [left: number, right: number, height: number | null, size: number];

export interface Tip {
  readonly node: number;
  /** Rows below; more than one where a subtree is drawn as a triangle. */
  readonly size: number;
  /** Cluster of all rows below, -1 for none, MIXED where they differ. */
  readonly cluster: number;
}

export interface Branch {
  readonly merge: number;
  /** Places of the two children and of this merge along the leaves, in slots. */
  readonly left: number;
  readonly right: number;
  readonly leftNode: number;
  readonly rightNode: number;
  readonly cluster: number;
}

export interface DendrogramLayout {
  readonly n: number;
  readonly tips: readonly Tip[];
  readonly branches: readonly Branch[];
  /** Height of a node: 0 for a row, null where forbidden. */
  heightOf(node: number): number | null;
  readonly highest: number;
  /** Forbidden merges that are drawn, as branches or as the tops of tips, in merge order. */
  readonly forbidden: readonly number[];
}

export const MIXED = -2;

/** All merges, or the last `shown` of them with the subtrees below as tips. */
export function layOut(merges: readonly MergeRow[], labels: ArrayLike<number>, shown: number): DendrogramLayout {
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
  const place = new Map<number, number>();
  const stack = [2 * n - 2];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node >= first && node >= n) {
      const [left, right] = merges[node - n]!;
      stack.push(right, left);
    } else {
      place.set(node, tips.length + 0.5);
      if (heightOf(node) === null) forbidden.push(node);
      tips.push({ node, size: node < n ? 1 : merges[node - n]![3], cluster: cluster[node]! });
    }
  }
  const branches: Branch[] = [];
  let highest = 0;
  for (let node = first; node < 2 * n - 1; node++) {
    const [leftNode, rightNode] = merges[node - n]!;
    const left = place.get(leftNode)!;
    const right = place.get(rightNode)!;
    place.set(node, (left + right) / 2);
    branches.push({ merge: node, left, right, leftNode, rightNode, cluster: cluster[node]! });
    const height = heightOf(node);
    if (height === null) forbidden.push(node);
    else highest = Math.max(highest, height);
  }
  for (const { node } of tips) highest = Math.max(highest, heightOf(node) ?? 0);
  return { n, tips, branches, heightOf, highest, forbidden: forbidden.sort((a, b) => a - b) };
}

/** For every node, the cluster that all its rows share, or MIXED. */
function clustersBelow(merges: readonly MergeRow[], labels: ArrayLike<number>, n: number): Int32Array {
  const cluster = new Int32Array(2 * n - 1);
  for (let i = 0; i < n; i++) cluster[i] = Math.max(-1, labels[i] ?? -1);
  merges.forEach(([left, right], m) => {
    cluster[n + m] = cluster[left] === cluster[right] ? cluster[left]! : MIXED;
  });
  return cluster;
}

/**
 * The heights between which a level line cuts the tree into `k` clusters: the highest merge below and the lowest above (null
 * where that one is forbidden). Undefined where no level line gives them: heights that fall, or merges across clusters below.
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

/**
 * The clusters that are drawn fainter: those that stand beside a cluster of the same colour, every second one of several. `colourOf`
 * tells the colour of a cluster.
 */
export function faintClusters(tips: readonly Tip[], colourOf: (cluster: number) => string): ReadonlySet<number> {
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

/** Neighbouring tips of one cluster: where to draw its bar. */
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
