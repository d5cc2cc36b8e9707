/** Shortens paths: min-plus products, and detours over a few rows. */
import { Lanes } from "./tiles";

/*
 * Computes matrix[i][j] = min(matrix[i][j], left[i][c] + right[c][j]) in register tiles of 4 rows by 4 doubles or 8 single-precision
 * numbers. The right matrix is also passed in packed form: its columns are divided into groups that fill 32 bytes, and each group stores
 * its 32 bytes of every row, row after row.
 */

/** Bytes of packed columns that stay in the cache while the rows of the matrix are processed. */
const PANEL_BYTES = 131072;

export function packColumns(right: usize, line: usize, m: i32, packed: usize): void {
  for (let column: usize = 0; column + 32 <= line; column += 32) {
    let p = right + column;
    for (let c = 0; c < m; c++) {
      v128.store(packed, v128.load(p));
      v128.store(packed, v128.load(p, 16), 16);
      p += line;
      packed += 32;
    }
  }
}

export function minPlus64(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  minPlus<f64>(matrix, left, right, packed, n, m, from, to);
}

export function minPlus32(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  minPlus<f32>(matrix, left, right, packed, n, m, from, to);
}

function minPlus<T>(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  const wide = 32 / <i32>sizeof<T>();
  const panel = max(1, PANEL_BYTES / (max(m, 1) << 5)) * wide;
  for (let j = 0; j < n; j += panel) {
    const end = min(j + panel, n);
    for (let i = from; i < to; i += 4) minPlusRows<T>(matrix, left, right, packed, n, m, i, to - 1, j, end, false);
  }
}

/** Computes the upper half of a symmetric product, and writes each entry on both sides of the diagonal. */
export function minPlusBoth64(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  minPlusBoth<f64>(matrix, left, right, packed, n, m, from, to);
}

export function minPlusBoth32(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  minPlusBoth<f32>(matrix, left, right, packed, n, m, from, to);
}

function minPlusBoth<T>(matrix: usize, left: usize, right: usize, packed: usize, n: i32, m: i32, from: i32, to: i32): void {
  const wide = 32 / <i32>sizeof<T>();
  for (let i = from; i < to; i += 4) besideDiagonal<T>(matrix, left, right, n, m, i, min(i + 4, to), clear(i, wide));
  const panel = max(1, PANEL_BYTES / (max(m, 1) << 5)) * wide;
  for (let j = (clear(from, wide) / panel) * panel; j < n; j += panel) {
    const end = min(j + panel, n);
    for (let i = from; i < to; i += 4) {
      const start = max(j, clear(i, wide));
      if (start >= end) break;
      minPlusRows<T>(matrix, left, right, packed, n, m, i, to - 1, start, end, true);
    }
  }
}

/** The first group of columns that is completely right of the diagonal for four rows from i on. */
function clear(i: i32, wide: i32): i32 {
  return ((i + 3 + wide) / wide) * wide;
}

/** Processes the single cells of rows from … to-1 between the diagonal and column `end`. */
function besideDiagonal<T>(matrix: usize, left: usize, right: usize, n: i32, m: i32, from: i32, to: i32, end: i32): void {
  const size = sizeof<T>();
  const line = <usize>n * size;
  const leftRow = <usize>m * size;
  const last = min(end, n);
  for (let i = from; i < to; i++) {
    for (let j = i + 1; j < last; j++) {
      const cell = matrix + <usize>i * line + <usize>j * size;
      minPlusCell<T>(cell, left + <usize>i * leftRow, right + <usize>j * size, leftRow, line);
    }
    mirror<T>(matrix, n, i, i + 1, i + 1, last);
  }
}

/** Copies columns start … end-1 of rows from … to-1 to the other side of the diagonal. */
function mirror<T>(matrix: usize, n: i32, from: i32, to: i32, start: i32, end: i32): void {
  const size = sizeof<T>();
  const line = <usize>n * size;
  let read = matrix + <usize>from * line + <usize>start * size;
  let write = matrix + <usize>start * line + <usize>from * size;
  const rows = to - from;
  for (let j = start; j < end; j++) {
    for (let r = 0; r < rows; r++) store<T>(write + <usize>r * size, load<T>(read + <usize>r * line));
    read += size;
    write += line;
  }
}

/** Updates columns j … end-1 of four rows from i on. With fewer rows left, row `last` is repeated, which changes nothing. */
function minPlusRows<T>(
  matrix: usize,
  left: usize,
  right: usize,
  packed: usize,
  n: i32,
  m: i32,
  i: i32,
  last: i32,
  j: i32,
  end: i32,
  both: bool,
): void {
  const size = sizeof<T>();
  const line = <usize>n * size;
  const leftRow = <usize>m * size;
  const i1 = min(i + 1, last);
  const i2 = min(i + 2, last);
  const i3 = min(i + 3, last);
  const q0 = left + <usize>i * leftRow;
  const q1 = left + <usize>i1 * leftRow - q0;
  const q2 = left + <usize>i2 * leftRow - q0;
  const q3 = left + <usize>i3 * leftRow - q0;
  const stop = q0 + leftRow;
  const o0 = matrix + <usize>i * line;
  const o1 = matrix + <usize>i1 * line;
  const o2 = matrix + <usize>i2 * line;
  const o3 = matrix + <usize>i3 * line;
  const wide = 32 / <i32>size;
  for (; j + wide <= end; j += wide) {
    const column = <usize>j * size;
    let a = v128.load(o0 + column),
      b = v128.load(o0 + column, 16);
    let c = v128.load(o1 + column),
      d = v128.load(o1 + column, 16);
    let e = v128.load(o2 + column),
      f = v128.load(o2 + column, 16);
    let g = v128.load(o3 + column),
      h = v128.load(o3 + column, 16);
    let p = packed + <usize>(j / wide) * ((<usize>m) << 5);
    for (let q = q0; q < stop; q += size) {
      const low = v128.load(p);
      const high = v128.load(p, 16);
      let s = Splat.load<T>(q);
      a = v128.pmin<T>(a, v128.add<T>(low, s));
      b = v128.pmin<T>(b, v128.add<T>(high, s));
      s = Splat.load<T>(q + q1);
      c = v128.pmin<T>(c, v128.add<T>(low, s));
      d = v128.pmin<T>(d, v128.add<T>(high, s));
      s = Splat.load<T>(q + q2);
      e = v128.pmin<T>(e, v128.add<T>(low, s));
      f = v128.pmin<T>(f, v128.add<T>(high, s));
      s = Splat.load<T>(q + q3);
      g = v128.pmin<T>(g, v128.add<T>(low, s));
      h = v128.pmin<T>(h, v128.add<T>(high, s));
      p += 32;
    }
    // Most tiles do not change. Then writing them and their mirror images is skipped.
    if (
      !differs(o0 + column, a, b) &&
      !differs(o1 + column, c, d) &&
      !differs(o2 + column, e, f) &&
      !differs(o3 + column, g, h)
    ) {
      continue;
    }
    Lanes.put(o0 + column, a, b);
    Lanes.put(o1 + column, c, d);
    Lanes.put(o2 + column, e, f);
    Lanes.put(o3 + column, g, h);
    if (both) mirror<T>(matrix, n, i, i3 + 1, j, j + wide);
  }
  if (j >= end) return;
  for (let r = i; r <= i3; r++) {
    const leftOf = left + <usize>r * leftRow;
    for (let column = j; column < end; column++) {
      minPlusCell<T>(matrix + <usize>r * line + <usize>column * size, leftOf, right + <usize>column * size, leftRow, line);
    }
  }
  if (both) mirror<T>(matrix, n, i, i3 + 1, j, end);
}

/** Whether the 32 bytes in memory differ from these two vectors. */
function differs(at: usize, low: v128, high: v128): bool {
  return v128.any_true(v128.or(v128.xor(v128.load(at), low), v128.xor(v128.load(at, 16), high)));
}

function minPlusCell<T>(to: usize, left: usize, right: usize, leftRow: usize, line: usize): void {
  let best = load<T>(to);
  for (const stop = left + leftRow; left < stop; left += sizeof<T>()) {
    const sum = <T>(load<T>(left) + load<T>(right));
    if (sum < best) best = sum;
    right += line;
  }
  store<T>(to, best);
}

class Splat {
  @inline
  static load<T>(from: usize): v128 {
    return sizeof<T>() == 8 ? v128.load64_splat(from) : v128.load32_splat(from);
  }
}

/*
 * Shortens row i of a matrix by the entries of its list: row[j] = min(row[j], length + over[middle][j]). An entry says that a path of
 * this length leads from row i to the row `middle`. Only columns that come after row i in a given order change. The order is divided into
 * panels of 64 columns. Neighbours in the order have similar distances, so most entries cannot shorten any path in a panel. Two tests
 * detect such entries:
 *
 * - An entry is compared with the first entry of the list. The path to its middle row is longer by an excess. In the panel it can recover
 *   at most its gain, the largest over[first][j] - over[middle][j]. Adjacent rows mostly have the same first entry, so they share these
 *   gains.
 * - The entry's smallest length in the panel is compared with the largest number of the row in the panel.
 */

const PANEL = 64;

/**
 * Packs m rows panel by panel in the given order; the last panel is filled up with Infinity. Also writes the smallest number of each row
 * in each panel.
 */
export function packDetours64(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  packDetours<f64>(over, n, m, order, packed, least);
}

export function packDetours32(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  packDetours<f32>(over, n, m, order, packed, least);
}

/** Processes one row after the other. A row then stays in the cache while its columns are picked. */
function packDetours<T>(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  const size = sizeof<T>();
  for (let c = 0; c < m; c++) {
    const row = over + <usize>c * <usize>n * size;
    for (let panel = 0; panel < n; panel += PANEL) {
      const at = <usize>(panel / PANEL) * <usize>m + <usize>c;
      let smallest = <T>Infinity;
      for (let j = 0; j < PANEL; j++) {
        let value = <T>Infinity;
        if (panel + j < n) value = load<T>(row + <usize>load<i32>(order + ((<usize>(panel + j)) << 2)) * size);
        if (value < smallest) smallest = value;
        store<T>(packed + (at * PANEL + <usize>j) * size, value);
      }
      store<T>(least + at * size, smallest);
    }
  }
}

/** The fields of a task. src/pairs.ts writes the same fields in the same order. */
@unmanaged
class Task {
  matrix: usize;
  n: i32;
  m: i32;
  /** `order`: the row at each position of the order. `places`: the position of each row. */
  order: usize;
  places: usize;
  packed: usize;
  least: usize;
  /** Aligns the next field to eight bytes. */
  pad: i32;
  /** The largest finite length in `over`. */
  most: f64;
  start: usize;
  middle: usize;
  length: usize;
  /** Work space for each range of `grain` rows: see `Room`. */
  room: usize;
  first: i32;
  grain: i32;
}

/** Work space of a range: its rows, a batch of entries that pass the tests, and gain and excess of each middle row. */
@unmanaged
class Room {
  rows: usize;
  batch: usize;
  gains: usize;
  excess: usize;
}

export function roomOfDetours(n: i32, m: i32, grain: i32, size: i32): usize {
  const width = (n + PANEL - 1) & ~(PANEL - 1);
  const bytes =
    offsetof<Room>() + <usize>grain * <usize>width * <usize>size + <usize>m * (16 + (1 + <usize>grain) * <usize>size) + 16;
  return (bytes + 15) & ~15;
}

export function mostOf64(over: usize, count: i32): f64 {
  return mostOf<f64>(over, count);
}

export function mostOf32(over: usize, count: i32): f64 {
  return mostOf<f32>(over, count);
}

function mostOf<T>(over: usize, count: i32): f64 {
  let most = <T>0;
  for (let p = 0; p < count; p++) {
    const value = load<T>(over + <usize>p * sizeof<T>());
    if (value < <T>Infinity && value > most) most = value;
  }
  return <f64>most;
}

export function detours64(task: usize, from: i32, to: i32): void {
  shorten<f64>(changetype<Task>(task), from, to);
}

export function detours32(task: usize, from: i32, to: i32): void {
  shorten<f32>(changetype<Task>(task), from, to);
}

/** Processes the rows of a range panel by panel, so that a panel stays in the cache. */
function shorten<T>(task: Task, from: i32, to: i32): void {
  const room = roomAt<T>(task, from);
  const width = (task.n + PANEL - 1) & ~(PANEL - 1);
  for (let p = from; p < to; p++) gather<T>(task, p, rowAt<T>(task, room, p - from), width);
  for (let begin = from; begin < to; ) {
    const end = endOfAlike(task, begin, to);
    leastExcess<T>(task, room, begin, end, begin - from);
    begin = end;
  }
  for (let panel = from & ~(PANEL - 1); panel < width; panel += PANEL) {
    for (let begin = from; begin < to; ) {
      const end = endOfAlike(task, begin, to);
      if (firstOf(task, begin) >= 0) shortenAlike<T>(task, room, from, begin, min(end, panel + PANEL), panel);
      begin = end;
    }
  }
  for (let p = from; p < to; p++) scatter<T>(task, p, rowAt<T>(task, room, p - from));
}

/** The end of the consecutive rows that have the same first entry as the row at position `begin`. */
function endOfAlike(task: Task, begin: i32, to: i32): i32 {
  const first = firstOf(task, begin);
  let end = begin + 1;
  while (end < to && firstOf(task, end) == first) end++;
  return end;
}

function roomAt<T>(task: Task, from: i32): Room {
  const size = sizeof<T>();
  const at = task.room + <usize>((from - task.first) / task.grain) * roomOfDetours(task.n, task.m, task.grain, <i32>size);
  const room = changetype<Room>(at);
  const width = <usize>((task.n + PANEL - 1) & ~(PANEL - 1));
  room.rows = (at + offsetof<Room>() + 15) & ~15;
  room.batch = room.rows + <usize>task.grain * width * size;
  room.gains = room.batch + 16 * <usize>task.m;
  room.excess = room.gains + size * <usize>task.m;
  return room;
}

function rowAt<T>(task: Task, room: Room, row: i32): usize {
  const width = <usize>((task.n + PANEL - 1) & ~(PANEL - 1));
  return room.rows + <usize>row * width * sizeof<T>();
}

function listOf(task: Task, p: i32): i32 {
  return load<i32>(task.start + ((<usize>(p - task.first)) << 2));
}

/** The middle row of the first entry of a row's list; -1 if the list is empty. */
function firstOf(task: Task, p: i32): i32 {
  const begin = listOf(task, p);
  return begin == listOf(task, p + 1) ? -1 : load<i32>(task.middle + ((<usize>begin) << 2));
}

/** Copies a row into the given order, filled up with 0. The matrix row is read from left to right, because it is not in the cache. */
function gather<T>(task: Task, p: i32, row: usize, width: i32): void {
  const size = sizeof<T>();
  const n = task.n;
  const cells = task.matrix + <usize>load<i32>(task.order + ((<usize>p) << 2)) * <usize>n * size;
  for (let j = 0; j < n; j++) {
    store<T>(row + <usize>load<i32>(task.places + ((<usize>j) << 2)) * size, load<T>(cells + <usize>j * size));
  }
  for (let q = n; q < width; q++) store<T>(row + <usize>q * size, 0);
}

function scatter<T>(task: Task, p: i32, row: usize): void {
  const size = sizeof<T>();
  const n = task.n;
  const cells = task.matrix + <usize>load<i32>(task.order + ((<usize>p) << 2)) * <usize>n * size;
  for (let j = 0; j < n; j++) {
    const q = load<i32>(task.places + ((<usize>j) << 2));
    if (q > p) store<T>(cells + <usize>j * size, load<T>(row + <usize>q * size));
  }
}

/** Processes one panel for the rows begin … end-1, which have the same first entry. */
function shortenAlike<T>(task: Task, room: Room, from: i32, begin: i32, end: i32, panel: i32): void {
  if (begin >= end) return;
  gainsOf<T>(task, room, firstOf(task, begin), begin - from, panel);
  for (let p = begin; p < end; p++) shortenPanel<T>(task, room, rowAt<T>(task, room, p - from), panel, p);
}

/** A lower bound of the excess: how much longer the path of an entry is than the path of the first entry. It allows for rounding. */
function excessOf<T>(length: T, first: T, most: T): T {
  const slack = sizeof<T>() == 8 ? <T>(1.0 / 2251799813685248.0) : <T>(1.0 / 2097152.0);
  return length - first - (length + first + most) * slack;
}

/**
 * For each middle row, the smallest excess of its entries in the lists of rows begin … end-1; Infinity if no list contains it. Stored in
 * line `line` of `room.excess`.
 */
function leastExcess<T>(task: Task, room: Room, begin: i32, end: i32, line: i32): void {
  const size = sizeof<T>();
  const least = room.excess + <usize>line * <usize>task.m * size;
  for (let c = 0; c < task.m; c++) store<T>(least + <usize>c * size, <T>Infinity);
  for (let p = begin; p < end; p++) {
    const from = listOf(task, p);
    const first = load<T>(task.length + <usize>from * size);
    for (let t = from; t < listOf(task, p + 1); t++) {
      const at = least + <usize>load<i32>(task.middle + ((<usize>t) << 2)) * size;
      const excess = excessOf<T>(load<T>(task.length + <usize>t * size), first, <T>task.most);
      if (excess < load<T>(at)) store<T>(at, excess);
    }
  }
}

/** The gain of each of the m middle rows against the first entry in a panel. It is not computed for entries that no row can use. */
function gainsOf<T>(task: Task, room: Room, first: i32, line: i32, panel: i32): void {
  const size = sizeof<T>();
  const bytes = <usize>PANEL * size;
  const packed = task.packed + <usize>(panel / PANEL) * <usize>task.m * bytes;
  const mine = packed + <usize>first * bytes;
  const least = room.excess + <usize>line * <usize>task.m * size;
  for (let c = 0; c < task.m; c++) {
    const excess = load<T>(least + <usize>c * size);
    const gain = excess < <T>Infinity ? gainOf<T>(mine, packed + <usize>c * bytes) : <T>-Infinity;
    store<T>(room.gains + <usize>c * size, excess < gain ? gain : <T>-Infinity);
  }
}

/** The largest difference between the numbers of two panels. If both numbers are infinite, the difference is ignored. */
function gainOf<T>(mine: usize, other: usize): T {
  const end = mine + <usize>PANEL * sizeof<T>();
  let a = v128.splat<T>(<T>-Infinity);
  let b = a;
  for (; mine < end; mine += 32, other += 32) {
    a = v128.pmax<T>(a, v128.sub<T>(v128.load(mine), v128.load(other)));
    b = v128.pmax<T>(b, v128.sub<T>(v128.load(mine, 16), v128.load(other, 16)));
  }
  return largestLane<T>(v128.pmax<T>(a, b));
}

function shortenPanel<T>(task: Task, room: Room, row: usize, panel: i32, p: i32): void {
  const size = sizeof<T>();
  const bytes = <usize>PANEL * size;
  const at = <usize>(panel / PANEL) * <usize>task.m;
  const cells = row + <usize>panel * size;
  const packed = task.packed + at * bytes;
  const least = task.least + at * size;
  const begin = listOf(task, p);
  const end = listOf(task, p + 1);
  const first = load<T>(task.length + <usize>begin * size);
  store<usize>(room.batch, packed + <usize>load<i32>(task.middle + ((<usize>begin) << 2)) * bytes);
  store<T>(room.batch, first, 8);
  takeBatch<T>(cells, room.batch, 1);
  const largest = largestOf<T>(cells);
  let count: usize = 0;
  for (let t = begin + 1; t < end; t++) {
    const length = load<T>(task.length + <usize>t * size);
    const middle = <usize>load<i32>(task.middle + ((<usize>t) << 2));
    // The entry is always stored, but counted only if it can help. This avoids a branch that the processor could not predict.
    store<usize>(room.batch + (count << 4), packed + middle * bytes);
    store<T>(room.batch + (count << 4), length, 8);
    const gains = excessOf<T>(length, first, <T>task.most) < load<T>(room.gains + middle * size);
    const shorter = <T>(length + load<T>(least + middle * size)) < largest;
    count += <usize>(<i32>gains & <i32>shorter);
  }
  if (count > 0) takeBatch<T>(cells, room.batch, <i32>count);
}

function largestOf<T>(cells: usize): T {
  const end = cells + <usize>PANEL * sizeof<T>();
  let a = v128.load(cells);
  let b = v128.load(cells, 16);
  for (let p = cells + 32; p < end; p += 32) {
    a = v128.pmax<T>(a, v128.load(p));
    b = v128.pmax<T>(b, v128.load(p, 16));
  }
  return largestLane<T>(v128.pmax<T>(a, b));
}

function largestLane<T>(a: v128): T {
  if (sizeof<T>() == 8) return max<T>(<T>f64x2.extract_lane(a, 0), <T>f64x2.extract_lane(a, 1));
  const low = max<T>(<T>f32x4.extract_lane(a, 0), <T>f32x4.extract_lane(a, 1));
  return max<T>(low, max<T>(<T>f32x4.extract_lane(a, 2), <T>f32x4.extract_lane(a, 3)));
}

/** Applies the entries of a batch to a panel. 128 bytes of the panel at a time stay in registers. */
function takeBatch<T>(cells: usize, batch: usize, count: i32): void {
  const bytes = <usize>PANEL * sizeof<T>();
  const stop = batch + ((<usize>count) << 4);
  for (let column: usize = 0; column < bytes; column += 128) {
    const to = cells + column;
    let a = v128.load(to),
      b = v128.load(to, 16),
      c = v128.load(to, 32),
      d = v128.load(to, 48);
    let e = v128.load(to, 64),
      f = v128.load(to, 80),
      g = v128.load(to, 96),
      h = v128.load(to, 112);
    for (let entry = batch; entry < stop; entry += 16) {
      const p = load<usize>(entry) + column;
      const s = sizeof<T>() == 8 ? v128.load64_splat(entry, 8) : v128.load32_splat(entry, 8);
      a = v128.pmin<T>(a, v128.add<T>(v128.load(p), s));
      b = v128.pmin<T>(b, v128.add<T>(v128.load(p, 16), s));
      c = v128.pmin<T>(c, v128.add<T>(v128.load(p, 32), s));
      d = v128.pmin<T>(d, v128.add<T>(v128.load(p, 48), s));
      e = v128.pmin<T>(e, v128.add<T>(v128.load(p, 64), s));
      f = v128.pmin<T>(f, v128.add<T>(v128.load(p, 80), s));
      g = v128.pmin<T>(g, v128.add<T>(v128.load(p, 96), s));
      h = v128.pmin<T>(h, v128.add<T>(v128.load(p, 112), s));
    }
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
    v128.store(to, e, 64);
    v128.store(to, f, 80);
    v128.store(to, g, 96);
    v128.store(to, h, 112);
  }
}

export function lesserOfBoth64(matrix: usize, n: i32, from: i32, to: i32): void {
  lesserOfBoth<f64>(matrix, n, from, to);
}

export function lesserOfBoth32(matrix: usize, n: i32, from: i32, to: i32): void {
  lesserOfBoth<f32>(matrix, n, from, to);
}

/** Number of rows and columns that are compared together. Both sides of the diagonal then stay in the cache. */
const TILE = 32;

function lesserOfBoth<T>(matrix: usize, n: i32, from: i32, to: i32): void {
  const size = sizeof<T>();
  const line = <usize>n * size;
  for (let first = from; first < to; first += TILE) {
    const last = min(to, first + TILE);
    for (let column = 0; column < last; column += TILE) {
      for (let i = first; i < last; i++) {
        const end = min(i, column + TILE);
        let left = matrix + <usize>i * line + <usize>column * size;
        let above = matrix + <usize>column * line + <usize>i * size;
        for (let j = column; j < end; j++) {
          const lesser = min<T>(load<T>(left), load<T>(above));
          store<T>(left, lesser);
          store<T>(above, lesser);
          left += size;
          above += line;
        }
      }
    }
  }
}
