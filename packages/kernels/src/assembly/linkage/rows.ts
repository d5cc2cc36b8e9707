/**
 * The rows of a running linkage. Each row is updated only when it is read, and gives the same bits as `linkages.ts` in `@coterie/core`.
 * The state is in one block of memory, so nothing remains allocated after a call.
 *
 * A merge is the birth of a new cluster. A row that was not updated misses its distances to the clusters born since. Each of these
 * distances is in the row of another cluster, so reading it touches another cache line and memory page. To avoid this, after every 16
 * births (a batch) the 16 new rows are copied side by side, column by column. The copy is stored in the 16 rows that became free in these
 * merges. So a row finds all distances of a batch in one place.
 *
 * A layout assigns slots to columns. When many slots are dead, a new layout without them begins, and rows are packed when they are next
 * read.
 */
import { firstLeast, interleave } from "./scan";
import { combineRows } from "./update";

/** With fewer clusters than this, a new layout saves less than it costs. */
const LEAST_LAYOUT: i32 = 64;

/** BATCH: number of births in a batch. BATCH_SHIFT: shifting the number of a birth to the right by this gives the number of its batch. */
const BATCH: i32 = 16;
const BATCH_SHIFT: i32 = 4;

/** Batches of narrower rows are not copied, because such rows are in the cache anyway. */
const LEAST_BATCH_WIDTH: i32 = 512;

/** If a row needs more batches than this, the whole row is fetched into the cache first. */
const FEW_BATCHES: i32 = 4;

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
export class Rows {
  matrix: usize;
  /** Array of f64: (lower slot, higher slot, height) of each raw merge. */
  merges: usize;
  /** Array of f64: the cluster size of each column of the current layout. */
  columnSize: usize;
  /**
   * Arrays of i32, one entry per slot. `size`: number of members, 0 after the cluster was merged away. `layout`: layout of the row.
   * `birth`: number of the cluster's birth, -1 for an original row. `seen`: number of births that the row already includes.
   */
  size: usize;
  layout: usize;
  birth: usize;
  seen: usize;
  /** Array of i32: the slot of each column of the current layout. */
  slots: usize;
  /** Array of i32: for every layout so far, the column of each slot. */
  columns: usize;
  /** Arrays of i32, one entry per birth: birth t merged the cluster of slot gone[t] into slot kept[t]. */
  gone: usize;
  kept: usize;
  /**
   * Arrays of i32, one entry per birth: the columns of gone[t] and kept[t] in the current layout. `goneColumn` is valid only from birth
   * `earlier` on.
   */
  goneColumn: usize;
  keptColumn: usize;
  /**
   * Arrays of i32, one entry per batch. `live`: one bit per birth, 1 while its cluster exists. `copied`: the layout of the batch's copy,
   * -1 if there is no copy.
   */
  live: usize;
  copied: usize;
  /** Arrays of i32, valid for one call: the batches that a row needs, and the addresses where it finds them. */
  needed: usize;
  places: usize;
  n: i32;
  made: i32;
  lowest: i32;
  current: i32;
  width: i32;
  births: i32;
  earlier: i32;
  /** Bytes between the starts of two matrix rows. */
  stride: usize;
  /** 1 if the matrix is in single precision. */
  single: i32;
}

export function word(array: usize, i: i32): i32 {
  return load<i32>(array + ((<usize>i) << 2));
}

export function setWord(array: usize, i: i32, value: i32): void {
  store<i32>(array + ((<usize>i) << 2), value);
}

export function rowsBytes(n: i32): usize {
  return roundUp(offsetof<Rows>()) + ((<usize>n) << 3) + (<usize>(9 + layouts(n)) * <usize>n + 4 * batches(n)) * 4;
}

function batches(n: i32): usize {
  return (<usize>n >> BATCH_SHIFT) + 1;
}

function roundUp(bytes: usize): usize {
  return (bytes + 63) & ~63;
}

function layouts(n: i32): i32 {
  let count = 1;
  for (let width = n; width > LEAST_LAYOUT; width = (3 * width) / 4) count++;
  return count + 1;
}

/** Opens the state of a linkage. `sizes`: address of one i32 for each row, its number of members; 0 if each row is one member. */
export function openRows(state: usize, matrix: usize, merges: usize, n: i32, single: i32, sizes: usize): Rows {
  const rows = changetype<Rows>(state);
  const words = (<usize>n) << 2;
  let next = state + roundUp(offsetof<Rows>());
  rows.matrix = matrix;
  rows.merges = merges;
  rows.columnSize = next;
  next += (<usize>n) << 3;
  rows.size = next;
  rows.layout = next + words;
  rows.birth = next + 2 * words;
  rows.seen = next + 3 * words;
  rows.slots = next + 4 * words;
  rows.gone = next + 5 * words;
  rows.kept = next + 6 * words;
  rows.goneColumn = next + 7 * words;
  rows.keptColumn = next + 8 * words;
  rows.columns = next + 9 * words;
  rows.live = rows.columns + <usize>layouts(n) * words;
  rows.copied = rows.live + 4 * batches(n);
  rows.needed = rows.copied + 4 * batches(n);
  rows.places = rows.needed + 4 * batches(n);
  rows.n = n;
  rows.width = n;
  rows.single = single;
  rows.stride = (<usize>n) << (single ? 2 : 3);
  rows.made = 0;
  rows.lowest = 0;
  rows.current = 0;
  rows.births = 0;
  rows.earlier = 0;
  for (let i = 0; i < n; i++) {
    const size = sizes ? word(sizes, i) : 1;
    store<f64>(rows.columnSize + ((<usize>i) << 3), <f64>size);
    setWord(rows.size, i, size);
    setWord(rows.layout, i, 0);
    setWord(rows.birth, i, -1);
    setWord(rows.seen, i, 0);
    setWord(rows.slots, i, i);
    setWord(rows.columns, i, i);
    const diagonal = matrix + <usize>i * rows.stride;
    if (single) store<f32>(diagonal + ((<usize>i) << 2), Infinity);
    else store<f64>(diagonal + ((<usize>i) << 3), Infinity);
  }
  return rows;
}

export function rowOf(rows: Rows, slot: i32): usize {
  return rows.matrix + <usize>slot * rows.stride;
}

function bytesOf<T>(columns: i32): usize {
  return (<usize>columns) << alignof<T>();
}

function columnsOf(rows: Rows, layout: i32): usize {
  return rows.columns + ((<usize>layout * <usize>rows.n) << 2);
}

export function columnOf(rows: Rows, slot: i32): i32 {
  return word(columnsOf(rows, rows.current), slot);
}

export function entry<T>(row: usize, column: i32): f64 {
  return <f64>load<T>(row + bytesOf<T>(column));
}

export function distanceBetween<T>(rows: Rows, a: i32, b: i32): f64 {
  const first = word(rows.birth, a) > word(rows.birth, b);
  const younger = first ? a : b;
  const older = first ? b : a;
  return <f64>load<T>(cellOf<T>(rows, younger, older));
}

/** Converts the row of slot `a` to the current layout and updates it. */
export function refresh<T>(rows: Rows, a: i32): void {
  if (word(rows.layout, a) != rows.current) pack<T>(rows, a);
  const births = rows.births;
  const seen = word(rows.seen, a);
  if (seen == births) return;
  takeBirths<T>(rows, a, seen);
  const row = rowOf(rows, a);
  const dead = rows.goneColumn;
  for (let t = max(seen, rows.earlier); t < births; t++) store<T>(row + bytesOf<T>(word(dead, t)), <T>Infinity);
  setWord(rows.seen, a, births);
}

/** Writes the distances of row `a` to the clusters born since `seen` that still exist. */
function takeBirths<T>(rows: Rows, a: i32, seen: i32): void {
  const count = findBatches<T>(rows, a, seen >> BATCH_SHIFT);
  const row = rowOf(rows, a);
  if (count > FEW_BATCHES) touch(row, row + bytesOf<T>(rows.width));
  const live = rows.live;
  const needed = rows.needed;
  const places = rows.places;
  for (let i = 0; i < count; i++) {
    const batch = word(needed, i);
    const place = <usize>word(places, i);
    const first = batch << BATCH_SHIFT;
    let bits = word(live, batch);
    if (first < seen) bits &= -1 << (seen - first);
    const columns = rows.keptColumn + ((<usize>first) << 2);
    if (place) {
      for (; bits; bits &= bits - 1) {
        const birth = ctz(bits);
        store<T>(row + bytesOf<T>(word(columns, birth)), load<T>(place + bytesOf<T>(birth)));
      }
    } else {
      for (; bits; bits &= bits - 1) {
        const birth = ctz(bits);
        store<T>(row + bytesOf<T>(word(columns, birth)), load<T>(cellOf<T>(rows, word(rows.kept, first + birth), a)));
      }
    }
  }
}

/** Reads a row from start to end, so that it is in the cache. Otherwise the scattered writes that follow would fetch it line by line. */
function touch(start: usize, end: usize): void {
  for (let line = start; line < end; line += 64) load<i32>(line);
}

/**
 * Lists the batches, from `batch` on, in which a cluster still exists, and the address of row `a`'s part in their copies (0 for a batch
 * without a copy). Each address is read here once: without writes in between, the processor fetches many of them at the same time.
 */
function findBatches<T>(rows: Rows, a: i32, batch: i32): i32 {
  const end = (rows.births + BATCH - 1) >> BATCH_SHIFT;
  const perRow = rows.n >> BATCH_SHIFT;
  const words = (<usize>rows.n) << 2;
  const columnsOfA = rows.columns + ((<usize>a) << 2);
  const live = rows.live;
  const copied = rows.copied;
  const needed = rows.needed;
  const places = rows.places;
  const gone = rows.gone;
  const matrix = rows.matrix;
  const stride = rows.stride;
  let count = 0;
  let known = -1;
  let part = BATCH;
  let offset: usize = 0;
  for (; batch < end; batch++) {
    if (!word(live, batch)) continue;
    const layout = word(copied, batch);
    if (layout != known) {
      known = layout;
      const column = layout < 0 ? 0 : load<i32>(columnsOfA + <usize>layout * words);
      part = layout < 0 ? BATCH : column / perRow;
      offset = bytesOf<T>(column - part * perRow) << BATCH_SHIFT;
    }
    let place: usize = 0;
    if (part < BATCH) {
      place = matrix + <usize>word(gone, (batch << BATCH_SHIFT) + part) * stride + offset;
      load<i32>(place);
      load<i32>(place, (sizeof<T>() << BATCH_SHIFT) - 4);
    }
    setWord(needed, count, batch);
    setWord(places, count, <i32>place);
    count++;
  }
  return count;
}

/** The address of the distance to slot `a` in the row of slot `born`, in the layout of that row. */
function cellOf<T>(rows: Rows, born: i32, a: i32): usize {
  return rowOf(rows, born) + bytesOf<T>(word(columnsOf(rows, word(rows.layout, born)), a));
}

/** Copies a complete batch into the rows that became free in its merges. */
function copyBatch<T>(rows: Rows, batch: i32): void {
  const first = batch << BATCH_SHIFT;
  const perRow = rows.n >> BATCH_SHIFT;
  for (let i = 0; i < BATCH; i++) {
    const born = word(rows.kept, first + i);
    if (word(rows.birth, born) == first + i && word(rows.layout, born) != rows.current) pack<T>(rows, born);
    setWord(rows.places, i, <i32>rowOf(rows, born));
  }
  for (let part = 0; part < BATCH && part * perRow < rows.width; part++) {
    const columns = min(perRow, rows.width - part * perRow);
    interleave<T>(rows.places, bytesOf<T>(part * perRow), columns, rowOf(rows, word(rows.gone, first + part)));
  }
  setWord(rows.copied, batch, rows.current);
}

/** Packs a row for the current layout, in place. This works because columns only move left and keep their order. */
function pack<T>(rows: Rows, a: i32): void {
  const row = rowOf(rows, a);
  const from = columnsOf(rows, word(rows.layout, a));
  const slots = rows.slots;
  const width = rows.width;
  for (let j = 0; j < width; j++) {
    store<T>(row + bytesOf<T>(j), load<T>(row + bytesOf<T>(word(from, word(slots, j)))));
  }
  setWord(rows.layout, a, rows.current);
}

/** The first column with the smallest distance in an up-to-date row, from column `from` on; -1 if no distance is finite. */
export function nearestColumn<T>(rows: Rows, a: i32, from: i32): i32 {
  const row = rowOf(rows, a);
  const found = firstLeast<T>(row + bytesOf<T>(from), row + bytesOf<T>(rows.width));
  return found ? <i32>((found - row) >> alignof<T>()) : -1;
}

/** Merges the clusters of slots x < y into slot y, and writes the row of the new cluster. Both rows must be up to date. */
export function mergeRows<T>(rows: Rows, linkage: i32, x: i32, y: i32, height: f64): void {
  const row = rowOf(rows, y);
  const nx = <f64>word(rows.size, x);
  const ny = <f64>word(rows.size, y);
  combineRows<T>(linkage, rowOf(rows, x), row, rows.width, height, nx, ny, rows.columnSize);
  const columnX = columnOf(rows, x);
  const columnY = columnOf(rows, y);
  store<T>(row + bytesOf<T>(columnX), <T>Infinity);
  store<T>(row + bytesOf<T>(columnY), <T>Infinity);
  store<f64>(rows.columnSize + ((<usize>columnY) << 3), nx + ny);
  record(rows, x, y, height);
  die(rows, x);
  die(rows, y);
  setWord(rows.seen, y, rows.births + 1);
  bear<T>(rows, x, y);
}

function die(rows: Rows, slot: i32): void {
  const birth = word(rows.birth, slot);
  if (birth < 0) return;
  const batch = birth >> BATCH_SHIFT;
  setWord(rows.live, batch, word(rows.live, batch) & ~(1 << (birth & (BATCH - 1))));
  setWord(rows.birth, slot, -1);
}

/** Records the birth of a new cluster in slot y. The row of slot x becomes free. */
function bear<T>(rows: Rows, x: i32, y: i32): void {
  const birth = rows.births++;
  const batch = birth >> BATCH_SHIFT;
  const bit = birth & (BATCH - 1);
  setWord(rows.birth, y, birth);
  setWord(rows.gone, birth, x);
  setWord(rows.kept, birth, y);
  setWord(rows.goneColumn, birth, columnOf(rows, x));
  setWord(rows.keptColumn, birth, columnOf(rows, y));
  if (bit == 0) setWord(rows.copied, batch, -1);
  setWord(rows.live, batch, (bit == 0 ? 0 : word(rows.live, batch)) | (1 << bit));
  if (bit == BATCH - 1 && rows.width >= LEAST_BATCH_WIDTH) copyBatch<T>(rows, batch);
}

/** Joins the two lowest slots at height Infinity; used when no finite distance is left. */
export function joinLowest(rows: Rows): void {
  while (word(rows.size, rows.lowest) == 0) rows.lowest++;
  let next = rows.lowest + 1;
  while (word(rows.size, next) == 0) next++;
  record(rows, rows.lowest, next, Infinity);
}

function record(rows: Rows, x: i32, y: i32, height: f64): void {
  const merge = rows.merges + <usize>rows.made * 24;
  store<f64>(merge, <f64>x);
  store<f64>(merge, <f64>y, 8);
  store<f64>(merge, height, 16);
  rows.made++;
  setWord(rows.size, y, word(rows.size, x) + word(rows.size, y));
  setWord(rows.size, x, 0);
}

/** Begins a new layout if a quarter of the columns belongs to merged-away clusters; returns true if so. */
export function tidy(rows: Rows): bool {
  const alive = rows.n - rows.made;
  if (alive < LEAST_LAYOUT || 4 * alive >= 3 * rows.width) return false;
  rows.current++;
  const column = columnsOf(rows, rows.current);
  let width = 0;
  for (let j = 0; j < rows.width; j++) {
    const slot = word(rows.slots, j);
    const size = word(rows.size, slot);
    if (size == 0) continue;
    setWord(column, slot, width);
    setWord(rows.slots, width, slot);
    store<f64>(rows.columnSize + ((<usize>width) << 3), <f64>size);
    width++;
  }
  rows.width = width;
  rows.earlier = rows.births;
  for (let t = 0; t < rows.births; t++) setWord(rows.keptColumn, t, word(column, word(rows.kept, t)));
  return true;
}
