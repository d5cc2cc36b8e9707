/** Centroid and median linkage by a priority queue: the twin of `linkage-heap.ts` in `@coterie/core`, with the same queue. */
import { changeBound, fillQueue, Queue, removeFirst } from "./queue";
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

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
class Search {
  rows: Rows;
  queue: Queue;
  /** Words, one per slot: a candidate for the nearest neighbour among the higher slots; -1 if none is at a finite distance. */
  neighbour: usize;
  /** Copies of bound (doubles) and neighbour (words) by column of the current layout, for passes by vectors. */
  columnBound: usize;
  columnNeighbour: usize;
  /** Rows searched so far to fill the queue, of n - 1. */
  prepared: i32;
}

/** Bytes of state that a search over n rows needs. */
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

/** Makes up to `most` merges; the first calls may only fill the queue. Returns the number made so far. */
export function heapAdvance(state: usize, linkage: i32, most: i32): i32 {
  const search = changetype<Search>(state);
  return search.rows.single ? advance<f32>(search, linkage, most) : advance<f64>(search, linkage, most);
}

function advance<T>(search: Search, linkage: i32, most: i32): i32 {
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

/** Finds the nearest neighbour among the higher slots and returns its distance. */
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

/** The lower slot of the closest pair, now first in the queue; -1 if no finite distance is left. */
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

/** Candidates that were x become y. */
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

/** Lower slots to which the new cluster of slot y is nearer than their bound take it as their candidate. */
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

/** A new layout has begun. */
function copyByColumn(search: Search): void {
  const rows = search.rows;
  for (let j = 0; j < rows.width; j++) {
    const slot = word(rows.slots, j);
    setWord(search.columnNeighbour, j, word(search.neighbour, slot));
    store<f64>(search.columnBound + ((<usize>j) << 3), load<f64>(search.queue.bound + ((<usize>slot) << 3)));
  }
}
