/**
 * Complete, average, weighted and Ward linkage by a nearest-neighbour chain.
 *
 * From any cluster, step to its nearest neighbour until two clusters are each other's nearest, and merge them. For these
 * linkages a merge never brings clusters closer to the others than they were, so the rest of the chain stays valid, and the
 * merges, sorted by height, are those of the greedy algorithm.
 *
 * Murtagh: A Survey of Recent Advances in Hierarchical Clustering Algorithms. The Computer Journal 26(4), 1983.
 * Müllner: Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011.
 *
 * Ties fall as in SciPy: a chain begins at the lowest slot, prefers the cluster it came from, then the lowest slot.
 */
import type { Arena, ChainLinkage, F32, F64, LinkageState } from "./kernels.js";
import {
  columnOf,
  joinLowest,
  type LazyRows,
  type Matrix,
  mergeRows,
  nearestColumn,
  openRows,
  refresh,
  tidy,
} from "./linkage-rows.js";

interface Chain {
  readonly rows: LazyRows;
  readonly links: Int32Array;
  length: number;
  /** No slot below this one can begin a chain: it is dead, or at Infinity from all others. */
  first: number;
}

/**
 * Opens the linkage. A call of `advance(most)` reads at most 4 · most + 4 rows, so it may return before it has made `most`
 * merges; `advance(n - 1)` on a new state always finishes.
 */
export function plainChainLinkage(
  linkage: ChainLinkage,
  matrix: F64 | F32,
  n: number,
  _arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  const rows = openRows(matrix.view(), n, sizes);
  const chain: Chain = { rows, links: new Int32Array(n + 1), length: 0, first: 0 };
  return {
    advance(most) {
      const d = matrix.view();
      const goal = Math.min(n - 1, rows.made + most);
      for (let reads = 4 * most + 4; reads > 0 && rows.made < goal && startChain(chain); reads--) extend(chain, d, linkage);
      while (chain.first === n && rows.made < goal) joinLowest(rows);
      return rows.made;
    },
    merges: () => rows.merges.slice(0, 3 * rows.made),
  };
}

/** Makes sure that the chain has a link; false if no cluster has a finite distance to another. */
function startChain(chain: Chain): boolean {
  if (chain.length > 0) return true;
  const { size, n } = chain.rows;
  while (chain.first < n && size[chain.first] === 0) chain.first++;
  if (chain.first === n) return false;
  chain.links[0] = chain.first;
  chain.length = 1;
  return true;
}

/** Reads one row: the chain grows by the nearest neighbour of its last link, or its last two links merge. */
function extend(chain: Chain, d: Matrix, linkage: ChainLinkage): void {
  const { rows, links } = chain;
  const last = links[chain.length - 1]!;
  refresh(rows, d, last);
  const column = nearestColumn(rows, d, last, 0);
  if (column < 0) {
    chain.length = 0;
    chain.first++;
    return;
  }
  const height = d[last * rows.n + column]!;
  if (chain.length > 1) {
    const before = links[chain.length - 2]!;
    if (d[last * rows.n + columnOf(rows, before)] === height) {
      // Its row may have been read before merges further along the chain.
      refresh(rows, d, before);
      mergeRows(rows, d, linkage, Math.min(last, before), Math.max(last, before), height);
      tidy(rows);
      chain.length -= 2;
      return;
    }
  }
  links[chain.length++] = rows.slots[column]!;
}
