/**
 * Lowest common ancestor in a hierarchy: returns the number of the lowest merge that contains both rows; Infinity if no merge contains both
 * rows.
 *
 * Each node points to its parent. A heavy path connects each node with its larger child. Heavy paths limit a query to O(log n) jumps for
 * any shape of the tree.
 */
import type { Merge } from "../model/result.js";

export function meetingPlaces(n: number, merges: readonly Merge[]): (i: number, j: number) => number {
  const nodes = n + merges.length;
  const parent = new Int32Array(nodes).fill(-1);
  const size = new Int32Array(nodes).fill(1);
  const larger = new Int32Array(nodes).fill(-1);
  merges.forEach(([left, right], m) => {
    const node = n + m;
    parent[left] = parent[right] = node;
    size[node] = size[left]! + size[right]!;
    larger[node] = size[left]! >= size[right]! ? left : right;
  });
  // By node: the topmost node of its heavy path. Parents have higher numbers than children.
  const top = new Int32Array(nodes);
  for (let node = nodes - 1; node >= 0; node--) {
    const up = parent[node]!;
    top[node] = up >= 0 && larger[up] === node ? top[up]! : node;
  }
  return (i, j) => {
    while (top[i] !== top[j]) {
      if (top[i]! < top[j]!) i = parent[top[i]!]!;
      else j = parent[top[j]!]!;
      if (i < 0 || j < 0) return Infinity;
    }
    return Math.max(i, j);
  };
}
