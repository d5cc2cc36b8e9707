/**
 * matrix[i][j] = min(matrix[i][j], left[i][c] + right[c][j]) in register tiles: 4 rows of 4 doubles, or of 8 singles.
 * The right matrix comes packed too: for each group of 32 bytes of columns, row by row, those 32 bytes.
 */
import { Lanes } from "./tiles";

/** Bytes of packed columns that stay in a near cache while rows of the matrix pass by. */
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

/** The upper half of a symmetric product, each entry written on both sides of the diagonal. */
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

/** The first group of columns that lies right of the diagonal for four rows from i on. */
function clear(i: i32, wide: i32): i32 {
  return ((i + 3 + wide) / wide) * wide;
}

/** Cell by cell, between the diagonal and column `end`. */
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

/** Copies a piece of rows from … to-1 to the other side of the diagonal. */
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

/** Updates columns j … end-1 of four rows from i on; beyond `last` that row is taken again, which changes nothing. */
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
    // Most tiles stay as they are: writing them, and their mirror images, is spared.
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

/** Whether memory holds other bits than these 32 bytes. */
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
