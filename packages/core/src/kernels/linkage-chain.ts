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
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, LinkageState, PairKernels } from "./kernels.js";

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
export const plainChainLinkage: PairKernels["chainLinkage"] = (linkage, matrix, n, _arena, sizes) => {
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
};

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
export const plainHeapLinkage: PairKernels["heapLinkage"] = (linkage, matrix, n, _arena, sizes) => {
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
};

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

/**
 * The distance matrix of a running linkage. A row is only updated when it is read.
 *
 * The textbook update after a merge writes one row and one column; the column touches n cache lines and dominates the time. Here a
 * merge only writes the row of the new cluster. A log records merged and new clusters. Before a row is read, it copies the missed
 * entries from the rows of the clusters created since: for two clusters, the row of the younger cluster is correct.
 *
 * Columns of merged clusters contain Infinity. When a quarter of the columns is dead, a new layout without them starts; a row moves
 * to the new layout when it is next read, so no call ever visits the whole matrix. Slots keep their order in every layout, as the
 * tie rule requires.
 */
type Matrix = Float64Array | Float32Array;

type RowLinkage = "complete" | "average" | "weighted" | "ward" | "centroid" | "median";

/** Below this many clusters a new layout is not worth its overhead. */
const LEAST_LAYOUT = 64;

interface LazyRows {
  readonly n: number;
  /** `made`: raw merges made so far, of n - 1. `merges`: their numbers (lower slot, higher slot, height). */
  made: number;
  readonly merges: Float64Array;
  /** Number of members of the cluster in a slot; 0 once it has been merged into another. */
  readonly size: Int32Array;
  /** All slots below this one are merged away. */
  lowest: number;

  /** The current layout: its number, its number of columns, and the slot and cluster size of each column. */
  current: number;
  width: number;
  readonly slots: Int32Array;
  readonly columnSize: Float64Array;
  /** For every layout so far, the column of each slot. Layouts shrink by a quarter, so there are at most 3.5 ln n. */
  readonly columns: Int32Array[];
  /** The layout that the row of a slot uses. */
  readonly layout: Int32Array;

  /** The log: in entry t the cluster of `gone[t]` (-1: not in the current layout) was merged into the cluster of `kept[t]`. */
  logged: number;
  readonly gone: Int32Array;
  readonly kept: Int32Array;
  /** Log entry in which the cluster of a slot was created; -1 for a single row or a dead slot. */
  readonly birth: Int32Array;
  /** Number of log entries that the row of a slot has already applied. */
  readonly applied: Int32Array;
  /** Scratch for one call: matrix elements to copy, and their destinations. An array has at most 2³² elements. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

function openRows(d: Matrix, n: number, sizes: Int32Array = new Int32Array(n).fill(1)): LazyRows {
  for (let i = 0; i < n; i++) d[i * n + i] = Infinity;
  return {
    n,
    made: 0,
    merges: new Float64Array(3 * Math.max(0, n - 1)),
    size: sizes.slice(0, n),
    lowest: 0,
    current: 0,
    width: n,
    slots: Int32Array.from({ length: n }, (_, slot) => slot),
    columnSize: Float64Array.from(sizes.subarray(0, n)),
    columns: [Int32Array.from({ length: n }, (_, slot) => slot)],
    layout: new Int32Array(n),
    logged: 0,
    gone: new Int32Array(n),
    kept: new Int32Array(n),
    birth: new Int32Array(n).fill(-1),
    applied: new Int32Array(n),
    from: new Uint32Array(n),
    to: new Uint32Array(n),
  };
}

/** The column of a slot in the current layout. */
function columnOf(rows: LazyRows, slot: number): number {
  return rows.columns[rows.current]![slot]!;
}

/** The distance between the clusters of two slots, read from the row of the younger cluster. */
function distanceBetween(rows: LazyRows, d: Matrix, a: number, b: number): number {
  const [younger, older] = rows.birth[a]! > rows.birth[b]! ? [a, b] : [b, a];
  return d[younger * rows.n + rows.columns[rows.layout[younger]!]![older]!]!;
}

/** Moves the row of slot `a` to the current layout and updates it. */
function refresh(rows: LazyRows, d: Matrix, a: number): void {
  const { n, gone, kept, birth, columns, layout, logged, from, to } = rows;
  if (layout[a] !== rows.current) pack(rows, d, a);
  const row = a * n;
  const column = columns[rows.current]!;
  const applied = rows.applied[a]!;
  let count = 0;
  for (let t = applied; t < logged; t++) {
    const born = kept[t]!;
    from[count] = born * n + columns[layout[born]!]![a]!;
    to[count] = row + column[born]!;
    if (birth[born] === t) count++;
  }
  copyElements(d, from, to, count);
  for (let t = applied; t < logged; t++) {
    const dead = gone[t]!;
    if (dead >= 0) d[row + column[dead]!] = Infinity;
  }
  rows.applied[a] = logged;
}

/** Each element read is a cache miss: four reads at a time precede the writes, so that the reads overlap. */
function copyElements(d: Matrix, from: Uint32Array, to: Uint32Array, count: number): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const v0 = d[from[i]!]!;
    const v1 = d[from[i + 1]!]!;
    const v2 = d[from[i + 2]!]!;
    const v3 = d[from[i + 3]!]!;
    d[to[i]!] = v0;
    d[to[i + 1]!] = v1;
    d[to[i + 2]!] = v2;
    d[to[i + 3]!] = v3;
  }
  for (; i < count; i++) d[to[i]!] = d[from[i]!]!;
}

/** Columns only move left and keep their order, so a row is packed in place. */
function pack(rows: LazyRows, d: Matrix, a: number): void {
  const { slots, width } = rows;
  const from = rows.columns[rows.layout[a]!]!;
  const row = a * rows.n;
  for (let j = 0; j < width; j++) d[row + j] = d[row + from[slots[j]!]!]!;
  rows.layout[a] = rows.current;
}

/** The first column with the smallest distance in columns `from` … of an updated row; -1 if none is finite. */
function nearestColumn(rows: LazyRows, d: Matrix, a: number, from: number): number {
  const row = a * rows.n;
  const end = row + rows.width;
  let least = Infinity;
  let at = -1;
  for (let p = row + from; p < end; p++) {
    const value = d[p]!;
    if (value < least) {
      least = value;
      at = p - row;
    }
  }
  return at;
}

/**
 * Merges the clusters of slots x < y, whose rows are both updated, into slot y, and writes the row of the new cluster. The formulas
 * and their order of operations are SciPy's, so equal distances stay equal and ties are broken alike.
 */
function mergeRows(rows: LazyRows, d: Matrix, linkage: RowLinkage, x: number, y: number, height: number): void {
  const { n, width, size, columnSize } = rows;
  combine(linkage, d, x * n, y * n, width, height, size[x]!, size[y]!, columnSize);
  const columnX = columnOf(rows, x);
  const columnY = columnOf(rows, y);
  d[y * n + columnX] = Infinity;
  d[y * n + columnY] = Infinity;
  columnSize[columnY]! += columnSize[columnX]!;
  record(rows, x, y, height);
  rows.birth[x] = -1;
  rows.birth[y] = rows.logged;
  rows.gone[rows.logged] = x;
  rows.kept[rows.logged] = y;
  rows.logged++;
  rows.applied[y] = rows.logged;
}

/** Joins the two lowest slots at height Infinity, when no finite distance is left. */
function joinLowest(rows: LazyRows): void {
  const { size } = rows;
  while (size[rows.lowest] === 0) rows.lowest++;
  let next = rows.lowest + 1;
  while (size[next] === 0) next++;
  record(rows, rows.lowest, next, Infinity);
}

function record(rows: LazyRows, x: number, y: number, height: number): void {
  rows.merges.set([x, y, height], 3 * rows.made);
  rows.made++;
  rows.size[y]! += rows.size[x]!;
  rows.size[x] = 0;
}

/** Whether this number of live clusters gets a new layout. */
function beginsLayout(alive: number, width: number): boolean {
  return alive >= LEAST_LAYOUT && 4 * alive < 3 * width;
}

/** Starts a new layout if a quarter of the columns is dead, and removes the log entries of dead clusters. */
function tidy(rows: LazyRows): void {
  const { n, size, slots, columnSize } = rows;
  if (!beginsLayout(n - rows.made, rows.width)) return;
  const column = new Int32Array(n);
  let width = 0;
  for (let j = 0; j < rows.width; j++) {
    const slot = slots[j]!;
    if (size[slot] === 0) continue;
    column[slot] = width;
    slots[width] = slot;
    columnSize[width] = size[slot]!;
    width++;
  }
  rows.columns.push(column);
  rows.current++;
  rows.width = width;
  forgetDead(rows);
}

function forgetDead(rows: LazyRows): void {
  const { kept, gone, birth, applied, slots, width } = rows;
  const moved = new Int32Array(rows.logged + 1);
  let logged = 0;
  for (let t = 0; t < rows.logged; t++) {
    moved[t] = logged;
    const born = kept[t]!;
    if (birth[born] !== t) continue;
    birth[born] = logged;
    kept[logged] = born;
    gone[logged] = -1;
    logged++;
  }
  moved[rows.logged] = logged;
  for (let j = 0; j < width; j++) applied[slots[j]!] = moved[applied[slots[j]!]!]!;
  rows.logged = logged;
}

/** Row y becomes the distances to the union of x and y. Infinity on either side gives Infinity, never NaN. */
function combine(
  linkage: RowLinkage,
  d: Matrix,
  x: number,
  y: number,
  width: number,
  height: number,
  nx: number,
  ny: number,
  columnSize: Float64Array,
): void {
  const both = nx + ny;
  switch (linkage) {
    case "complete":
      for (let j = 0; j < width; j++) d[y + j] = Math.max(d[x + j]!, d[y + j]!);
      return;
    case "average":
      for (let j = 0; j < width; j++) d[y + j] = (nx * d[x + j]! + ny * d[y + j]!) / both;
      return;
    case "weighted":
      for (let j = 0; j < width; j++) d[y + j] = 0.5 * (d[x + j]! + d[y + j]!);
      return;
    case "ward":
      for (let j = 0; j < width; j++) {
        const nj = columnSize[j]!;
        const t = 1 / (both + nj);
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root((nj + nx) * t * dx * dx + (nj + ny) * t * dy * dy - nj * t * height * height);
      }
      return;
    case "centroid": {
      const between = (nx * ny * height * height) / both;
      for (let j = 0; j < width; j++) {
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root((nx * dx * dx + ny * dy * dy - between) / both);
      }
      return;
    }
    case "median": {
      const between = 0.25 * height * height;
      for (let j = 0; j < width; j++) {
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root(0.5 * (dx * dx + dy * dy) - between);
      }
    }
  }
}

/**
 * The distance from its square. The square is never below 0: the closest pair merged, so `height` is at most either distance.
 * Infinity - Infinity becomes Infinity.
 */
function root(square: number): number {
  return Number.isNaN(square) ? Infinity : Math.sqrt(square);
}
