/**
 * The linkages in plain TypeScript. The faster kernels match this reference bit by bit. A merge costs O(n).
 *
 * Complete, average, weighted and Ward linkage use a nearest-neighbour chain. It starts at any cluster and steps to the nearest neighbour,
 * until two clusters are each other's nearest neighbour. These two clusters merge. In these linkages, a merged cluster is never closer to
 * another cluster than the nearer of its two parts was. So all earlier elements of the chain stay valid. The merges, sorted by height,
 * equal the merges of the greedy algorithm.
 *
 * Murtagh: A Survey of Recent Advances in Hierarchical Clustering Algorithms. The Computer Journal 26(4), 1983. Müllner: Modern
 * hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011.
 *
 * Ties are broken as in SciPy: a chain starts at the lowest slot (the row number under which a cluster is stored). Among equally near
 * neighbours, it takes the previous element of the chain, else the lowest slot.
 */
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, LinkageState, PairKernels } from "./kernels.js";

interface Chain {
  readonly rows: Rows;
  readonly links: Int32Array;
  length: number;
  /**
   * The first slot that can start a chain. The clusters of slots below it are merged away, or are at distance Infinity from all other
   * clusters.
   */
  first: number;
}

/** Starts the linkage. `advance(most)` reads at most 4 · most + 4 rows, so it can make fewer merges than `most`. */
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

/** Makes sure that the chain has an element. Returns false if no two clusters have a finite distance. */
function startChain(chain: Chain): boolean {
  if (chain.length > 0) return true;
  const { size, n } = chain.rows;
  while (chain.first < n && size[chain.first] === 0) chain.first++;
  if (chain.first === n) return false;
  chain.links[0] = chain.first;
  chain.length = 1;
  return true;
}

/** Reads a row. The chain then grows by the nearest neighbour of its last element, or its last two elements merge. */
function extend(chain: Chain, d: Matrix, linkage: ChainLinkage): void {
  const { rows, links } = chain;
  const last = links[chain.length - 1]!;
  const nearest = nearestSlot(rows, d, last, 0);
  if (nearest < 0) {
    chain.length = 0;
    chain.first++;
    return;
  }
  const height = d[last * rows.n + nearest]!;
  const before = chain.length > 1 ? links[chain.length - 2]! : -1;
  if (before >= 0 && d[last * rows.n + before] === height) {
    mergeRows(rows, d, linkage, Math.min(last, before), Math.max(last, before), height);
    chain.length -= 2;
  } else links[chain.length++] = nearest;
}

/*
 * Centroid and median linkage by a priority queue over nearest neighbours.
 *
 * The heights can decrease, so the nearest-neighbour chain is not valid. Each cluster stores a candidate for its nearest neighbour among
 * the higher slots, and a lower bound of the distance. The queue returns the smallest bound. If the bound differs from the candidate's
 * current distance, the row is searched again; otherwise the pair merges.
 *
 * Müllner: Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378, 2011, figure 5.
 *
 * The queue is a binary heap, built bottom-up as in SciPy. An element moves up only past a strictly greater parent, and the left child wins
 * ties. So ties are broken as in SciPy, and the results agree.
 */

interface Queue {
  /**
   * `order`: the slots as a binary heap. `place`: the position of each slot in `order`. `bound`: for each slot, the lower bound of the
   * distance to its nearest neighbour.
   */
  readonly order: Int32Array;
  readonly place: Int32Array;
  readonly bound: Float64Array;
  length: number;
}

interface Search {
  readonly rows: Rows;
  readonly queue: Queue;
  /** By slot: the candidate for its nearest neighbour among higher slots; -1 if no distance is finite. */
  readonly neighbour: Int32Array;
  /** How many of the first n - 1 rows were searched so far to fill the queue. */
  prepared: number;
}

/** Starts the linkage. The first calls of `advance(most)` fill the queue. */
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

/** Searches the nearest neighbours of up to `most` more rows. Returns true when the queue is filled. */
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

/** Finds the nearest neighbour of slot x among the higher slots and returns its distance. */
function findNeighbour(search: Search, d: Matrix, x: number): number {
  const { rows, neighbour } = search;
  const nearest = nearestSlot(rows, d, x, x + 1);
  neighbour[x] = nearest;
  return nearest < 0 ? Infinity : d[x * rows.n + nearest]!;
}

/** Moves the lower slot of the closest pair to the front of the queue and returns this slot; -1 if no finite distance is left. */
function nearestPair(search: Search, d: Matrix): number {
  const { rows, queue, neighbour } = search;
  for (;;) {
    const x = queue.order[0]!;
    const bound = queue.bound[x]!;
    if (bound === Infinity) return -1;
    if (bound === d[x * rows.n + neighbour[x]!]) return x;
    changeBound(queue, x, findNeighbour(search, d, x));
  }
}

function mergePair(search: Search, d: Matrix, linkage: HeapLinkage, x: number): void {
  const { rows, queue, neighbour } = search;
  const y = neighbour[x]!;
  const height = queue.bound[x]!;
  removeFirst(queue);
  mergeRows(rows, d, linkage, x, y, height);
  for (let z = 0; z < y; z++) {
    if (rows.size[z] === 0) continue;
    if (neighbour[z] === x) neighbour[z] = y;
    const distance = d[y * rows.n + z]!;
    if (distance < queue.bound[z]!) {
      neighbour[z] = y;
      changeBound(queue, z, distance);
    }
  }
  if (y < rows.n - 1) changeBound(queue, y, findNeighbour(search, d, y));
}

/** A queue of all slots except the last slot, which has no neighbour among higher slots. */
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
 * Prim's algorithm starts from slot 0. Each of its n - 1 steps adds the nearest outside slot to the tree and reads one row of the matrix. A
 * raw merge joins this slot to the slot added just before, not to its neighbour in the tree. So in this linkage, and in no other, the
 * cluster of a merge has no fixed slot.
 *
 * Sorted by height, both ways of joining give the same clusters (Rohlf: Hierarchical clustering using the minimum spanning tree. The
 * Computer Journal 16(1), 1973). Ties are broken as in SciPy.
 */

/** Starts the linkage. `advance(most)` makes exactly `most` merges, or all remaining merges if there are fewer. */
export function plainTreeLinkage(matrix: F64 | F32, n: number, _arena: Arena): LinkageState {
  const merges = new Float64Array(3 * Math.max(0, n - 1));
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

/*
 * The matrix of a running linkage. A new cluster takes the higher of the two slots. Its distances are written to the row and the column of
 * this slot. The lower slot is no longer used. The diagonal is Infinity, so that no cluster is near itself.
 */

type Matrix = Float64Array | Float32Array;

interface Rows {
  readonly n: number;
  /** `made`: number of merges so far, of n - 1. `merges`: three numbers for each merge: lower slot, higher slot, height. */
  made: number;
  readonly merges: Float64Array;
  /** Number of members of a slot's cluster; 0 after it was merged into another slot. */
  readonly size: Int32Array;
  /** All slots below this slot are merged away. */
  lowest: number;
}

function openRows(d: Matrix, n: number, sizes: Int32Array | undefined): Rows {
  for (let i = 0; i < n; i++) d[i * n + i] = Infinity;
  const size = sizes ? sizes.slice(0, n) : new Int32Array(n).fill(1);
  return { n, made: 0, merges: new Float64Array(3 * Math.max(0, n - 1)), size, lowest: 0 };
}

/** The first slot with the smallest distance to slot `a`, among the slots from `from` on; -1 if no distance is finite. */
function nearestSlot({ n, size }: Rows, d: Matrix, a: number, from: number): number {
  let least = Infinity;
  let nearest = -1;
  for (let z = from; z < n; z++) {
    if (size[z] === 0 || !(d[a * n + z]! < least)) continue;
    least = d[a * n + z]!;
    nearest = z;
  }
  return nearest;
}

function mergeRows(rows: Rows, d: Matrix, linkage: RowLinkage, x: number, y: number, height: number): void {
  const { n, size } = rows;
  const toUnion = distanceToUnion(linkage, height, size[x]!, size[y]!);
  for (let z = 0; z < n; z++) {
    if (size[z] === 0 || z === x || z === y) continue;
    d[y * n + z] = toUnion(d[x * n + z]!, d[y * n + z]!, size[z]!);
    d[z * n + y] = d[y * n + z]!;
  }
  record(rows, x, y, height);
}

/** Joins the two lowest slots at height Infinity, when no finite distance is left. */
function joinLowest(rows: Rows): void {
  const { size } = rows;
  while (size[rows.lowest] === 0) rows.lowest++;
  let next = rows.lowest + 1;
  while (size[next] === 0) next++;
  record(rows, rows.lowest, next, Infinity);
}

function record(rows: Rows, x: number, y: number, height: number): void {
  rows.merges.set([x, y, height], 3 * rows.made);
  rows.made++;
  rows.size[y]! += rows.size[x]!;
  rows.size[x] = 0;
}

type RowLinkage = ChainLinkage | HeapLinkage;

/**
 * The distance of a cluster of nz members to the union of two clusters of nx and ny members, from its distances dx and dy to them. The
 * formulas and their order of operations are SciPy's. So equal distances stay equal, and ties are broken as in SciPy. If dx or dy is
 * Infinity, the result is Infinity, never NaN.
 */
function distanceToUnion(
  linkage: RowLinkage,
  height: number,
  nx: number,
  ny: number,
): (dx: number, dy: number, nz: number) => number {
  const both = nx + ny;
  switch (linkage) {
    case "complete":
      return (dx, dy) => Math.max(dx, dy);
    case "average":
      return (dx, dy) => (nx * dx + ny * dy) / both;
    case "weighted":
      return (dx, dy) => 0.5 * (dx + dy);
    case "ward":
      return (dx, dy, nz) => {
        const t = 1 / (both + nz);
        return root((nz + nx) * t * dx * dx + (nz + ny) * t * dy * dy - nz * t * height * height);
      };
    case "centroid": {
      const between = (nx * ny * height * height) / both;
      return (dx, dy) => root((nx * dx * dx + ny * dy * dy - between) / both);
    }
    case "median": {
      const between = 0.25 * height * height;
      return (dx, dy) => root(0.5 * (dx * dx + dy * dy) - between);
    }
  }
}

/** The distance from its square, which only rounding can make negative. Infinity - Infinity becomes Infinity. */
function root(square: number): number {
  return Number.isNaN(square) ? Infinity : Math.sqrt(square);
}
