/**
 * Reference for tests: single linkage of mutual reachability distances, computed from the definition over all pairs of rows. Slow and
 * simple.
 */
import { distanceBetween } from "../../../kernels/pairs.js";
import type { Points } from "../../../model/points.js";

/** Edge lengths of a minimum spanning tree, ascending, by Kruskal's algorithm over all pairs. */
export function edgeLengths({ n, d, x }: Points, minSamples: number): number[] {
  const between = distanceBetween("euclidean", x, n, d, null);
  const rows = Array.from({ length: n }, (_, i) => i);
  const k = Math.min(minSamples, n - 1);
  const core = rows.map((i) =>
    k === 0
      ? 0
      : rows
          .filter((j) => j !== i)
          .map((j) => between(i, j))
          .sort((a, b) => a - b)[k - 1]!,
  );
  const pairs = rows.flatMap((i) => rows.slice(i + 1).map((j) => [i, j, Math.max(between(i, j), core[i]!, core[j]!)] as const));
  pairs.sort((p, q) => p[2] - q[2]);
  const tree = rows.slice();
  const lengths: number[] = [];
  for (const [i, j, length] of pairs) {
    const [a, b] = [tree[i]!, tree[j]!];
    if (a === b) continue;
    lengths.push(length);
    for (const row of rows) if (tree[row] === a) tree[row] = b;
  }
  return lengths;
}
