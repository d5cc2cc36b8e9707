/**
 * The three searches for the next merge. They give the same merges as linkages.ts in `@coterie/core`: a nearest-neighbour chain for
 * complete, average, weighted and Ward linkage, a priority queue for centroid and median linkage, and a minimum spanning tree for single
 * linkage. Each search stores its state in memory that the TypeScript side provides.
 */
import {
  columnOf,
  distanceBetween,
  entry,
  joinLowest,
  mergeRows,
  nearestColumn,
  openRows,
  Rows,
  refresh,
  rowOf,
  rowsBytes,
  setWord,
  tidy,
  word,
} from "./rows";
import { lowerAndFind } from "./scan";

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
export class Chain {
  rows: Rows;
  /** Array of i32: the slots of the chain. */
  links: usize;
  length: i32;
  /** No slot below this slot can start a chain. */
  first: i32;
}

function linksBytes(n: i32): usize {
  return (((<usize>n) << 2) + 67) & ~63;
}

export function chainBytes(n: i32): usize {
  return 64 + linksBytes(n) + rowsBytes(n);
}

export function chainOpen(state: usize, matrix: usize, merges: usize, n: i32, single: i32, sizes: usize): void {
  const chain = changetype<Chain>(state);
  chain.links = state + 64;
  chain.rows = openRows(chain.links + linksBytes(n), matrix, merges, n, single, sizes);
  chain.length = 0;
  chain.first = 0;
}

/** Makes up to `most` merges, reading at most 4 · most + 4 rows. Returns the number of merges made so far. */
export function chainAdvance(state: usize, linkage: i32, most: i32): i32 {
  const chain = changetype<Chain>(state);
  return chain.rows.single ? advanceChain<f32>(chain, linkage, most) : advanceChain<f64>(chain, linkage, most);
}

function advanceChain<T>(chain: Chain, linkage: i32, most: i32): i32 {
  const rows = chain.rows;
  const goal = min(rows.n - 1, rows.made + most);
  for (let reads = 4 * most + 4; reads > 0 && rows.made < goal && startChain(chain); reads--) extend<T>(chain, linkage);
  while (chain.first == rows.n && rows.made < goal) joinLowest(rows);
  return rows.made;
}

/** Ensures that the chain has a link. Returns false if no two clusters have a finite distance. */
export function startChain(chain: Chain): bool {
  if (chain.length > 0) return true;
  const rows = chain.rows;
  while (chain.first < rows.n && word(rows.size, chain.first) == 0) chain.first++;
  if (chain.first == rows.n) return false;
  setWord(chain.links, 0, chain.first);
  chain.length = 1;
  return true;
}

/** Reads one row: the chain grows by the nearest neighbour of its last link, or its last two links merge. */
function extend<T>(chain: Chain, linkage: i32): void {
  const rows = chain.rows;
  const last = word(chain.links, chain.length - 1);
  refresh<T>(rows, last);
  const column = nearestColumn<T>(rows, last, 0);
  if (column < 0) {
    chain.length = 0;
    chain.first++;
    return;
  }
  const row = rowOf(rows, last);
  const height = entry<T>(row, column);
  if (chain.length > 1) {
    const before = word(chain.links, chain.length - 2);
    if (entry<T>(row, columnOf(rows, before)) == height) {
      // The row of this slot can have been read before later merges, so it can be outdated.
      refresh<T>(rows, before);
      mergeRows<T>(rows, linkage, min(last, before), max(last, before), height);
      tidy(rows);
      chain.length -= 2;
      return;
    }
  }
  setWord(chain.links, chain.length++, word(rows.slots, column));
}

/* The priority queue. It orders slots by a lower bound of the distance to their nearest candidate. */

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
class Search {
  rows: Rows;
  queue: Queue;
  /** Array of i32, one entry per slot: a candidate for the nearest neighbour among the higher slots; -1 if none has a finite distance. */
  neighbour: usize;
  /** Copies of `bound` (f64) and `neighbour` (i32), ordered by column of the current layout, so that SIMD instructions can scan them. */
  columnBound: usize;
  columnNeighbour: usize;
  /** How many of the first n - 1 rows were searched so far to fill the queue. */
  prepared: i32;
}

export function heapBytes(n: i32): usize {
  return 128 + <usize>n * 32 + 64 + rowsBytes(n);
}

export function heapOpen(state: usize, matrix: usize, merges: usize, n: i32, single: i32, sizes: usize): void {
  const search = changetype<Search>(state);
  const count = <usize>n;
  const queue = changetype<Queue>(state + 64);
  search.queue = queue;
  queue.bound = state + 128;
  search.columnBound = queue.bound + count * 8;
  queue.order = search.columnBound + count * 8;
  queue.place = queue.order + count * 4;
  search.neighbour = queue.place + count * 4;
  search.columnNeighbour = search.neighbour + count * 4;
  queue.length = n - 1;
  search.rows = openRows((search.columnNeighbour + count * 4 + 63) & ~63, matrix, merges, n, single, sizes);
  search.prepared = 0;
}

/** Makes up to `most` merges; the first calls can spend their time on filling the queue. Returns the number of merges made so far. */
export function heapAdvance(state: usize, linkage: i32, most: i32): i32 {
  const search = changetype<Search>(state);
  return search.rows.single ? advanceHeap<f32>(search, linkage, most) : advanceHeap<f64>(search, linkage, most);
}

function advanceHeap<T>(search: Search, linkage: i32, most: i32): i32 {
  const rows = search.rows;
  if (!prepare<T>(search, 4 * most + 4)) return 0;
  const goal = min(rows.n - 1, rows.made + most);
  while (rows.made < goal) {
    const x = nearestPair<T>(search);
    if (x < 0) joinLowest(rows);
    else mergePair<T>(search, linkage, x);
  }
  return rows.made;
}

function prepare<T>(search: Search, most: i32): bool {
  const last = search.rows.n - 1;
  if (search.prepared >= last) return true;
  const end = min(last, search.prepared + most);
  for (; search.prepared < end; search.prepared++) {
    const x = search.prepared;
    const bound = findNeighbour<T>(search, x);
    store<f64>(search.queue.bound + ((<usize>x) << 3), bound);
    store<f64>(search.columnBound + ((<usize>x) << 3), bound);
  }
  if (end < last) return false;
  fillQueue(search.queue);
  return true;
}

function findNeighbour<T>(search: Search, x: i32): f64 {
  const rows = search.rows;
  refresh<T>(rows, x);
  const column = nearestColumn<T>(rows, x, columnOf(rows, x) + 1);
  setNeighbour(search, x, column < 0 ? -1 : word(rows.slots, column));
  return column < 0 ? Infinity : entry<T>(rowOf(rows, x), column);
}

function setNeighbour(search: Search, x: i32, neighbour: i32): void {
  setWord(search.neighbour, x, neighbour);
  setWord(search.columnNeighbour, columnOf(search.rows, x), neighbour);
}

function setBound(search: Search, x: i32, bound: f64): void {
  store<f64>(search.columnBound + ((<usize>columnOf(search.rows, x)) << 3), bound);
  changeBound(search.queue, x, bound);
}

/** The lower slot of the closest pair, which is now first in the queue; -1 if no finite distance is left. */
function nearestPair<T>(search: Search): i32 {
  const queue = search.queue;
  while (true) {
    const x = word(queue.order, 0);
    const bound = load<f64>(queue.bound + ((<usize>x) << 3));
    if (bound == Infinity) return -1;
    if (bound == distanceBetween<T>(search.rows, x, word(search.neighbour, x))) return x;
    setBound(search, x, findNeighbour<T>(search, x));
  }
}

function mergePair<T>(search: Search, linkage: i32, x: i32): void {
  const rows = search.rows;
  const y = word(search.neighbour, x);
  const height = load<f64>(search.queue.bound + ((<usize>x) << 3));
  removeFirst(search.queue);
  refresh<T>(rows, x);
  refresh<T>(rows, y);
  mergeRows<T>(rows, linkage, x, y, height);
  renameNeighbours(search, x, y);
  lowerBounds<T>(search, y);
  if (y < rows.n - 1) setBound(search, y, findNeighbour<T>(search, y));
  if (tidy(rows)) copyByColumn(search);
}

function renameNeighbours(search: Search, x: i32, y: i32): void {
  const end = columnOf(search.rows, x);
  const sought = i32x4.splat(x);
  const neighbours = search.columnNeighbour;
  let j = 0;
  for (; j + 4 <= end; j += 4) {
    if (!v128.any_true(i32x4.eq(v128.load(neighbours + ((<usize>j) << 2)), sought))) continue;
    for (let i = j; i < j + 4; i++) renameOne(search, i, x, y);
  }
  for (; j < end; j++) renameOne(search, j, x, y);
}

function renameOne(search: Search, column: i32, x: i32, y: i32): void {
  if (word(search.columnNeighbour, column) != x) return;
  setWord(search.columnNeighbour, column, y);
  setWord(search.neighbour, word(search.rows.slots, column), y);
}

/** For lower slots: if the new cluster in slot y is nearer than the slot's bound, it becomes the slot's candidate. */
function lowerBounds<T>(search: Search, y: i32): void {
  const rows = search.rows;
  const row = rowOf(rows, y);
  const bounds = search.columnBound;
  const end = columnOf(rows, y);
  let j = 0;
  for (; j + 2 <= end; j += 2) {
    const from = row + ((<usize>j) << alignof<T>());
    const pair = sizeof<T>() == 8 ? v128.load(from) : f64x2.promote_low_f32x4(v128.load64_zero(from));
    if (!v128.any_true(f64x2.lt(pair, v128.load(bounds + ((<usize>j) << 3))))) continue;
    lowerOne<T>(search, row, j, y);
    lowerOne<T>(search, row, j + 1, y);
  }
  if (j < end) lowerOne<T>(search, row, j, y);
}

function lowerOne<T>(search: Search, row: usize, column: i32, y: i32): void {
  const distance = entry<T>(row, column);
  if (!(distance < load<f64>(search.columnBound + ((<usize>column) << 3)))) return;
  const slot = word(search.rows.slots, column);
  setNeighbour(search, slot, y);
  setBound(search, slot, distance);
}

function copyByColumn(search: Search): void {
  const rows = search.rows;
  for (let j = 0; j < rows.width; j++) {
    const slot = word(rows.slots, j);
    setWord(search.columnNeighbour, j, word(search.neighbour, slot));
    store<f64>(search.columnBound + ((<usize>j) << 3), load<f64>(search.queue.bound + ((<usize>slot) << 3)));
  }
}

/*
 * The binary heap of slots, ordered by the lower bound of each slot. Among equal bounds the shape of the heap decides, so it must have
 * the same shape as in `@coterie/core`.
 */

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
class Queue {
  /** Arrays of i32: slots in heap order, and the position of each slot in this order. */
  order: usize;
  place: usize;
  /** Array of f64: the bound of each slot. */
  bound: usize;
  length: i32;
}

function boundOf(queue: Queue, slot: i32): f64 {
  return load<f64>(queue.bound + ((<usize>slot) << 3));
}

/** Puts all slots into the queue. The bounds and the length of the queue must be set before. */
function fillQueue(queue: Queue): void {
  for (let slot = 0; slot < queue.length; slot++) put(queue, slot, slot);
  for (let place = (queue.length >> 1) - 1; place >= 0; place--) siftDown(queue, place);
}

function removeFirst(queue: Queue): void {
  queue.length--;
  const first = word(queue.order, 0);
  put(queue, 0, word(queue.order, queue.length));
  put(queue, queue.length, first);
  siftDown(queue, 0);
}

function changeBound(queue: Queue, slot: i32, bound: f64): void {
  const lower = bound < boundOf(queue, slot);
  store<f64>(queue.bound + ((<usize>slot) << 3), bound);
  if (lower) siftUp(queue, word(queue.place, slot));
  else siftDown(queue, word(queue.place, slot));
}

function put(queue: Queue, place: i32, slot: i32): void {
  setWord(queue.order, place, slot);
  setWord(queue.place, slot, place);
}

function siftUp(queue: Queue, at: i32): void {
  const slot = word(queue.order, at);
  const bound = boundOf(queue, slot);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = word(queue.order, above);
    if (!(boundOf(queue, parent) > bound)) break;
    put(queue, at, parent);
    at = above;
  }
  put(queue, at, slot);
}

function siftDown(queue: Queue, at: i32): void {
  const slot = word(queue.order, at);
  const bound = boundOf(queue, slot);
  while (true) {
    let below = 2 * at + 1;
    if (below >= queue.length) break;
    if (below + 1 < queue.length && boundOf(queue, word(queue.order, below + 1)) < boundOf(queue, word(queue.order, below)))
      below++;
    const child = word(queue.order, below);
    if (!(bound > boundOf(queue, child))) break;
    put(queue, at, child);
    at = below;
  }
  put(queue, at, slot);
}

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
class Tree {
  matrix: usize;
  merges: usize;
  /** Array of matrix elements: the distance of each slot to the tree, NaN once the slot is in the tree. */
  distances: usize;
  n: i32;
  made: i32;
  last: i32;
  /** 1 if the matrix is in single precision. */
  single: i32;
}

export function treeBytes(n: i32): usize {
  return 64 + ((<usize>n) << 3);
}

export function treeOpen(state: usize, matrix: usize, merges: usize, n: i32, single: i32): void {
  const tree = changetype<Tree>(state);
  tree.matrix = matrix;
  tree.merges = merges;
  tree.distances = state + 64;
  tree.n = n;
  tree.made = 0;
  tree.last = 0;
  tree.single = single;
  for (let i: usize = 0; i < <usize>n; i++) {
    if (single) store<f32>(tree.distances + (i << 2), Infinity);
    else store<f64>(tree.distances + (i << 3), Infinity);
  }
}

/** Makes `most` merges, or all remaining merges. Returns the number of merges made so far. The parameter for the linkage is unused. */
export function treeAdvance(state: usize, _linkage: i32, most: i32): i32 {
  const tree = changetype<Tree>(state);
  const goal = min(tree.n - 1, tree.made + most);
  while (tree.made < goal) {
    if (tree.single) takeNearest<f32>(tree);
    else takeNearest<f64>(tree);
  }
  return tree.made;
}

function takeNearest<T>(tree: Tree): void {
  const distances = tree.distances;
  store<T>(distances + ((<usize>tree.last) << alignof<T>()), <T>NaN);
  const row = tree.matrix + ((<usize>tree.last * <usize>tree.n) << alignof<T>());
  const found = lowerAndFind<T>(distances, row, tree.n);
  const nearest = <i32>((found - distances) >> alignof<T>());
  const merge = tree.merges + <usize>tree.made * 24;
  store<f64>(merge, <f64>tree.last);
  store<f64>(merge, <f64>nearest, 8);
  store<f64>(merge, <f64>load<T>(found), 16);
  tree.made++;
  tree.last = nearest;
}
