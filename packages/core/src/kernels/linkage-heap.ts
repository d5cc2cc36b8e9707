/**
 * Centroid and median linkage by a priority queue over nearest neighbours.
 *
 * Their heights may fall, so that the nearest-neighbour chain does not apply. Each cluster knows a candidate for its nearest
 * neighbour among the higher slots and a lower bound of that distance. The queue gives the least bound; if it is not the
 * candidate's present distance, that row is searched again, otherwise the pair merges.
 *
 * Müllner: Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011, figure 5.
 *
 * Among equal distances the shape of the queue decides: it is a binary heap that is built bottom-up, whose children move only
 * past a strictly greater parent, and of which the left child wins ties. So it is in SciPy, and so the answers agree.
 */
import type { Arena, F32, F64, HeapLinkage, LinkageState } from "./kernels.js";
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

interface Queue {
  /** Slots in heap order, the place of each slot in that order, and the lower bound of each slot. */
  readonly order: Int32Array;
  readonly place: Int32Array;
  readonly bound: Float64Array;
  length: number;
}

interface Search {
  readonly rows: LazyRows;
  readonly queue: Queue;
  /** Candidate for the nearest neighbour of a slot among the higher slots; -1 if none is at a finite distance. */
  readonly neighbour: Int32Array;
  /** Rows searched so far to fill the queue, of n - 1. */
  prepared: number;
}

/**
 * Opens the linkage. The first calls of `advance(most)` may only fill the queue, 4 · most + 4 rows each; `advance(n - 1)` on a new
 * state always finishes.
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

/** Searches up to `most` more rows for their nearest neighbours; true when the queue is ready. */
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

/** A queue of all slots but the last, which has no higher slot. */
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
