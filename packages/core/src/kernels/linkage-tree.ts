/**
 * Single linkage by a minimum spanning tree.
 *
 * Prim's algorithm from slot 0: the tree takes in the nearest outside slot, n - 1 times, and reads each row of the matrix once.
 * A raw merge joins that slot to the one taken in before it, not to its neighbour in the tree: sorted by height, both give the
 * same clusters (Rohlf: Hierarchical clustering using the minimum spanning tree. The Computer Journal 16(1), 1973), and this
 * way ties fall as in SciPy. Only here does the cluster of a merge not keep to one slot.
 */
import type { Arena, F32, F64, LinkageState } from "./kernels.js";

/** Opens the linkage; `advance(most)` makes exactly `most` merges while there are any. */
export function plainTreeLinkage(matrix: F64 | F32, n: number, _arena: Arena): LinkageState {
  const merges = new Float64Array(3 * Math.max(0, n - 1));
  /** Distance of each outside slot to the tree. */
  const distance = new Float64Array(n).fill(Infinity);
  const inside = new Uint8Array(n);
  let made = 0;
  let last = 0;

  function takeNearest(d: Float64Array | Float32Array): void {
    const row = last * n;
    let least = Infinity;
    let nearest = -1;
    inside[last] = 1;
    for (let i = 0; i < n; i++) {
      if (inside[i] === 1) continue;
      if (d[row + i]! < distance[i]!) distance[i] = d[row + i]!;
      if (distance[i]! < least) {
        least = distance[i]!;
        nearest = i;
      }
    }
    if (nearest < 0) nearest = inside.indexOf(0);
    merges.set([last, nearest, least], 3 * made);
    made++;
    last = nearest;
  }

  return {
    advance(most) {
      const d = matrix.view();
      const goal = Math.min(n - 1, made + most);
      while (made < goal) takeNearest(d);
      return made;
    },
    merges: () => merges.slice(0, 3 * made),
  };
}
