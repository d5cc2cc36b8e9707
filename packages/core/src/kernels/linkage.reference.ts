/**
 * The seven linkages by their definitions, in O(n³) or more. Repeatedly merges the two closest clusters, and computes every distance again
 * from the points. For tests on data without ties.
 */
import type { Linkage } from "./testing/linkage-cases.js";

/** A cluster: its rows, and the weight of each row in the cluster's centre. */
interface Cluster {
  readonly rows: readonly number[];
  readonly weights: readonly number[];
}

export interface ReferenceMerge {
  /** Rows of the new cluster, ascending. */
  readonly rows: readonly number[];
  readonly height: number;
}

type Table = readonly (readonly number[])[];

export function referenceLinkage(linkage: Linkage, points: Table): ReferenceMerge[] {
  let clusters: Cluster[] = points.map((_, row) => ({ rows: [row], weights: [1] }));
  const merges: ReferenceMerge[] = [];
  while (clusters.length > 1) {
    let best: { a: Cluster; b: Cluster; height: number } | null = null;
    for (const [i, a] of clusters.entries()) {
      for (const b of clusters.slice(i + 1)) {
        const height = between(linkage, points, a, b);
        if (best === null || height < best.height) best = { a, b, height };
      }
    }
    const { a, b, height } = best!;
    const merged = union(linkage, a, b);
    clusters = [...clusters.filter((cluster) => cluster !== a && cluster !== b), merged];
    merges.push({ rows: [...merged.rows].sort((p, q) => p - q), height });
  }
  return merges;
}

/** Weighted and median linkage give the two merged clusters the same weight. All other linkages weight them by their numbers of rows. */
function union(linkage: Linkage, a: Cluster, b: Cluster): Cluster {
  const halves = linkage === "weighted" || linkage === "median";
  const share = halves ? 0.5 : a.rows.length / (a.rows.length + b.rows.length);
  return {
    rows: [...a.rows, ...b.rows],
    weights: [...a.weights.map((w) => w * share), ...b.weights.map((w) => w * (1 - share))],
  };
}

function between(linkage: Linkage, points: Table, a: Cluster, b: Cluster): number {
  const pairs = a.rows.flatMap((p, i) =>
    b.rows.map((q, j) => ({ distance: euclidean(points[p]!, points[q]!), weight: a.weights[i]! * b.weights[j]! })),
  );
  switch (linkage) {
    case "single":
      return Math.min(...pairs.map(({ distance }) => distance));
    case "complete":
      return Math.max(...pairs.map(({ distance }) => distance));
    case "average":
    case "weighted":
      return pairs.reduce((sum, { distance, weight }) => sum + weight * distance, 0);
    case "centroid":
    case "median":
      return euclidean(middle(points, a), middle(points, b));
    case "ward": {
      const factor = (2 * a.rows.length * b.rows.length) / (a.rows.length + b.rows.length);
      return Math.sqrt(factor) * euclidean(middle(points, a), middle(points, b));
    }
  }
}

function middle(points: Table, { rows, weights }: Cluster): number[] {
  return points[0]!.map((_, f) => rows.reduce((sum, row, i) => sum + weights[i]! * points[row]![f]!, 0));
}

function euclidean(p: readonly number[], q: readonly number[]): number {
  return Math.sqrt(p.reduce((sum, value, f) => sum + (value - q[f]!) ** 2, 0));
}
