/**
 * Complete, average, weighted and Ward linkage by a nearest-neighbour chain.
 *
 * From any cluster, step to its nearest neighbour until two clusters are each other's nearest neighbour, and merge them. For these
 * linkages a merge never brings the new cluster closer to other clusters than its parts were, so the rest of the chain stays valid,
 * and the merges, sorted by height, equal those of the greedy algorithm.
 *
 * Murtagh: A Survey of Recent Advances in Hierarchical Clustering Algorithms. The Computer Journal 26(4), 1983.
 * Müllner: Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011.
 *
 * Ties are broken as in SciPy: a chain starts at the lowest slot, prefers the cluster it came from, then the lowest slot.
 */
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, LinkageState } from "./kernels.js";
import {
  columnOf,
  distanceBetween,
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
  /** No slot below this one can start a chain: each is merged away, or at distance Infinity from all others. */
  first: number;
}

/**
 * Opens the linkage. A call of `advance(most)` reads at most 4 · most + 4 rows, so it can return before it has made `most` merges;
 * `advance(n - 1)` on a new state always finishes.
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

/** Ensures that the chain has an element; returns false if no cluster has a finite distance to another. */
function startChain(chain: Chain): boolean {
  if (chain.length > 0) return true;
  const { size, n } = chain.rows;
  while (chain.first < n && size[chain.first] === 0) chain.first++;
  if (chain.first === n) return false;
  chain.links[0] = chain.first;
  chain.length = 1;
  return true;
}

/** Reads one row: the chain grows by the nearest neighbour of its last element, or its last two elements merge. */
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
      // This row can be older than merges further along the chain.
      refresh(rows, d, before);
      mergeRows(rows, d, linkage, Math.min(last, before), Math.max(last, before), height);
      tidy(rows);
      chain.length -= 2;
      return;
    }
  }
  links[chain.length++] = rows.slots[column]!;
}

/*
 * Centroid and median linkage by a priority queue over nearest neighbours.
 *
 * The heights can decrease, so the nearest-neighbour chain is not valid. Each cluster stores a candidate for its nearest neighbour
 * among the higher slots, and a lower bound of the distance. The queue returns the smallest bound. If the bound differs from the
 * candidate's current distance, the row is searched again; otherwise the pair merges.
 *
 * Müllner: Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011, figure 5.
 *
 * Ties are broken by the structure of the queue, as in SciPy: a binary heap built bottom-up, whose elements move only past a
 * strictly greater parent, and whose left child wins ties. So the results agree with SciPy.
 */

interface Queue {
  /** Slots in heap order, the position of each slot in this order, and the lower bound of each slot. */
  readonly order: Int32Array;
  readonly place: Int32Array;
  readonly bound: Float64Array;
  length: number;
}

interface Search {
  readonly rows: LazyRows;
  readonly queue: Queue;
  /** Candidate for the nearest neighbour of a slot among the higher slots; -1 if none has a finite distance. */
  readonly neighbour: Int32Array;
  /** Number of rows searched so far to fill the queue, of n - 1. */
  prepared: number;
}

/**
 * Opens the linkage. The first calls of `advance(most)` can spend their time filling the queue, 4 · most + 4 rows each; `advance(n
 * - 1)` on a new state always finishes.
 */
export function plainHeapLinkage(
  linkage: HeapLinkage,
  matrix: F64 | F32,
  n: number,
  _arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  const rows = openRows(matrix.view(), n, sizes);
  const search: Search = { rows, queue: openQueue(n), neighbour: new Int32Array(n).fill(-1), prepared: 0 };
  return {
    advance(most) {
      const d = matrix.view();
      if (!prepare(search, d, 4 * most + 4)) return 0;
      const goal = Math.min(n - 1, rows.made + most);
      while (rows.made < goal) {
        const x = nearestPair(search, d);
        if (x < 0) joinLowest(rows);
        else mergePair(search, d, linkage, x);
      }
      return rows.made;
    },
    merges: () => rows.merges.slice(0, 3 * rows.made),
  };
}

/** Searches up to `most` more rows for their nearest neighbours; returns true when the queue is ready. */
function prepare(search: Search, d: Matrix, most: number): boolean {
  const { rows, queue } = search;
  const last = rows.n - 1;
  if (search.prepared >= last) return true;
  const end = Math.min(last, search.prepared + most);
  for (; search.prepared < end; search.prepared++) queue.bound[search.prepared] = findNeighbour(search, d, search.prepared);
  if (end < last) return false;
  for (let place = (last >> 1) - 1; place >= 0; place--) siftDown(queue, place);
  return true;
}

/** Finds the nearest neighbour among the higher slots and returns its distance. */
function findNeighbour(search: Search, d: Matrix, x: number): number {
  const { rows, neighbour } = search;
  refresh(rows, d, x);
  const column = nearestColumn(rows, d, x, columnOf(rows, x) + 1);
  neighbour[x] = column < 0 ? -1 : rows.slots[column]!;
  return column < 0 ? Infinity : d[x * rows.n + column]!;
}

/** The lower slot of the closest pair, now first in the queue; -1 if no finite distance is left. */
function nearestPair(search: Search, d: Matrix): number {
  const { rows, queue, neighbour } = search;
  for (;;) {
    const x = queue.order[0]!;
    const bound = queue.bound[x]!;
    if (bound === Infinity) return -1;
    if (bound === distanceBetween(rows, d, x, neighbour[x]!)) return x;
    changeBound(queue, x, findNeighbour(search, d, x));
  }
}

function mergePair(search: Search, d: Matrix, linkage: HeapLinkage, x: number): void {
  const { rows, queue, neighbour } = search;
  const y = neighbour[x]!;
  const height = queue.bound[x]!;
  removeFirst(queue);
  refresh(rows, d, x);
  refresh(rows, d, y);
  mergeRows(rows, d, linkage, x, y, height);

  const { slots, size } = rows;
  const row = y * rows.n;
  const end = columnOf(rows, y);
  for (let j = 0; j < end; j++) {
    const z = slots[j]!;
    if (size[z] === 0) continue;
    if (neighbour[z] === x) neighbour[z] = y;
    const distance = d[row + j]!;
    if (distance < queue.bound[z]!) {
      neighbour[z] = y;
      changeBound(queue, z, distance);
    }
  }
  if (y < rows.n - 1) changeBound(queue, y, findNeighbour(search, d, y));
  tidy(rows);
}

/** A queue of all slots except the last, which has no higher slot. */
function openQueue(n: number): Queue {
  const order = Int32Array.from({ length: n }, (_, slot) => slot);
  return { order, place: order.slice(), bound: new Float64Array(n), length: n - 1 };
}

function removeFirst(queue: Queue): void {
  queue.length--;
  swap(queue, 0, queue.length);
  siftDown(queue, 0);
}

function changeBound(queue: Queue, slot: number, bound: number): void {
  const lower = bound < queue.bound[slot]!;
  queue.bound[slot] = bound;
  if (lower) siftUp(queue, queue.place[slot]!);
  else siftDown(queue, queue.place[slot]!);
}

function siftUp({ order, place, bound }: Queue, at: number): void {
  const slot = order[at]!;
  const value = bound[slot]!;
  while (at > 0) {
    const parent = order[(at - 1) >> 1]!;
    if (!(bound[parent]! > value)) break;
    order[at] = parent;
    place[parent] = at;
    at = (at - 1) >> 1;
  }
  order[at] = slot;
  place[slot] = at;
}

function siftDown({ order, place, bound, length }: Queue, at: number): void {
  const slot = order[at]!;
  const value = bound[slot]!;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= length) break;
    if (child + 1 < length && bound[order[child + 1]!]! < bound[order[child]!]!) child++;
    const below = order[child]!;
    if (!(value > bound[below]!)) break;
    order[at] = below;
    place[below] = at;
    at = child;
  }
  order[at] = slot;
  place[slot] = at;
}

function swap({ order, place }: Queue, a: number, b: number): void {
  const atA = order[a]!;
  const atB = order[b]!;
  order[a] = atB;
  order[b] = atA;
  place[atB] = a;
  place[atA] = b;
}

/*
 * Single linkage by a minimum spanning tree.
 *
 * Prim's algorithm from slot 0: n - 1 times, the tree adds the nearest outside slot, and reads each row of the matrix once. A raw
 * merge joins this slot to the slot added just before it, not to its neighbour in the tree. Sorted by height, both give the same
 * clusters (Rohlf: Hierarchical clustering using the minimum spanning tree. The Computer Journal 16(1), 1973), and ties are broken
 * as in SciPy. In this linkage only, the cluster of a merge has no fixed slot.
 */

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
