/**
 * Estimates of all squared distances in single precision, from products of rows in 16-bit integers (see screen.ts). An estimate is |a|² +
 * |b|² - 2 a·b in the unit of the screen, and at least 0. Both sides of the diagonal have the same bits. The TypeScript side
 * (src/linkage.ts) computes a bound on the error of the estimates, once for all pairs.
 */
import { valueAt } from "./matrix";
import { GROUP, packEight, productsOfFive, Screen } from "./screen";

/** Rows and columns of a tile: ten groups of eight rows by sixteen groups of five rows. The same number as in src/linkage.ts. */
const SIDE: i32 = 80;

/** The state of one matrix of estimates. src/linkage.ts writes the same fields in the same order. */
@unmanaged
class Task {
  n: i32;
  screen: usize;
  fives: usize;
  /** |z|² of each row in single precision, followed by eight unused places. */
  norms: usize;
  out: usize;
  /** Work space for the blocks of SIDE rows of this call. The first block begins with row `first`. */
  room: usize;
  roomBytes: i32;
  first: i32;
}

/** Bytes at the start of a block's work space: products of five rows with eight, and addresses of eight rows. */
const PLACES: usize = 160;
const TILE: usize = 192;
const COLUMN: usize = 80 * 4;
const ROWS: usize = TILE + 80 * COLUMN;

/** Computes the estimates between blocks of rows from … to-1 and all rows from the start of the block on, and writes the mirror images. */
export function estimateRows(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  const screen = changetype<Screen>(task.screen);
  const n = task.n;
  const wide = screen.wide;
  const eight = (<usize>wide) << 4;
  for (let i = from; i < to; i += SIDE) {
    const room = task.room + <usize>((i - task.first) / SIDE) * <usize>task.roomBytes;
    const eights = (min(SIDE, n - i) + 7) >> 3;
    for (let e = 0; e < eights; e++) {
      for (let r = 0; r < 8; r++) {
        const row = <usize>min(i + 8 * e + r, n - 1);
        store<usize>(room + PLACES + ((<usize>r) << 2), screen.rows + ((row * <usize>wide) << 1));
      }
      packEight(room + PLACES, wide, room + ROWS + <usize>e * eight);
    }
    for (let j = i; j < n; j += SIDE) {
      for (let c = 0; c < min(SIDE, n - j); c += GROUP) {
        const five = task.fives + ((<usize>(j + c) * <usize>wide) << 1);
        const column = room + TILE + <usize>c * COLUMN;
        for (let e = 0; e < eights; e++) {
          productsOfFive(room + ROWS + <usize>e * eight, five, wide, room);
          finishFive(task, screen, room, i + 8 * e, j + c, column + ((<usize>e) << 5));
        }
      }
      writeTile(task, room + TILE, i, j);
    }
  }
}

/** Turns products into estimates. Factors are multiplied first, so that both orders of the rows give the same bits. */
function finishFive(task: Task, screen: Screen, products: usize, i: i32, j: i32, to: usize): void {
  for (let h: usize = 0; h < 32; h += 16) {
    const norms = v128.load(task.norms + ((<usize>i) << 2) + h);
    const backs = v128.load(screen.backs + ((<usize>i) << 2) + h);
    for (let c: usize = 0; c < <usize>GROUP; c++) {
      const other = (<usize>j + c) << 2;
      const factor = f32x4.mul(backs, f32x4.splat(2 * load<f32>(screen.backs + other)));
      const twice = f32x4.mul(f32x4.convert_i32x4_s(v128.load(products + (c << 5) + h)), factor);
      const sum = f32x4.add(norms, v128.load32_splat(task.norms + other));
      v128.store(to + c * COLUMN + h, f32x4.max(f32x4.sub(sum, twice), f32x4.splat(0)));
    }
  }
}

function writeTile(task: Task, tile: usize, i: i32, j: i32): void {
  const row = (<usize>task.n) << 2;
  const endI = min(SIDE, task.n - i);
  const endJ = min(SIDE, task.n - j);
  const mirror = task.out + <usize>j * row + ((<usize>i) << 2);
  for (let c: usize = 0; c < <usize>endJ; c++) memory.copy(mirror + c * row, tile + c * COLUMN, (<usize>endI) << 2);
  if (i == j) return;
  const own = task.out + <usize>i * row + ((<usize>j) << 2);
  const wholeJ = <usize>(endJ & ~3);
  // A tile off the diagonal always has SIDE rows.
  for (let a: usize = 0; a < <usize>SIDE; a += 4) {
    const to = own + a * row;
    for (let c: usize = 0; c < wholeJ; c += 4) {
      const from = tile + c * COLUMN + (a << 2);
      const p = v128.load(from);
      const q = v128.load(from, 320);
      const r = v128.load(from, 640);
      const s = v128.load(from, 960);
      const pq = v128.shuffle<i32>(p, q, 0, 4, 1, 5);
      const rs = v128.shuffle<i32>(r, s, 0, 4, 1, 5);
      const pq2 = v128.shuffle<i32>(p, q, 2, 6, 3, 7);
      const rs2 = v128.shuffle<i32>(r, s, 2, 6, 3, 7);
      const at = to + (c << 2);
      v128.store(at, v128.shuffle<i64>(pq, rs, 0, 2));
      v128.store(at + row, v128.shuffle<i64>(pq, rs, 1, 3));
      v128.store(at + 2 * row, v128.shuffle<i64>(pq2, rs2, 0, 2));
      v128.store(at + 3 * row, v128.shuffle<i64>(pq2, rs2, 1, 3));
    }
    for (let c = wholeJ; c < <usize>endJ; c++) {
      for (let r: usize = 0; r < 4; r++) store<f32>(to + r * row + (c << 2), load<f32>(tile + c * COLUMN + ((a + r) << 2)));
    }
  }
}

/** Squared lengths of rows minus their mean, computed in the same way as for the distance matrix (see matrix.ts). */
export function centredNorms(x: usize, single: i32, d: i32, mean: usize, norms: usize, from: i32, to: i32): void {
  for (let i = from; i < to; i++) {
    let sum: f64 = 0;
    for (let f: usize = 0; f < <usize>d; f++) {
      const value = valueAt(x, single, <usize>i * <usize>d + f) - load<f64>(mean + (f << 3));
      sum += value * value;
    }
    store<f64>(norms + ((<usize>i) << 3), sum);
  }
}

/** Divides rows by their lengths, so that each row has length 1. */
export function unitRows(x: usize, lengths: usize, d: i32, out: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  for (let i = <usize>from; i < <usize>to; i++) {
    const length = load<f64>(lengths + (i << 3));
    for (let f: usize = 0; f < row; f += 8) store<f64>(out + i * row + f, load<f64>(x + i * row + f) / length);
  }
}

/** Counts the estimates that exceed the smallest estimate of their row by at most `reach`, in rows from … to-1. */
export function countNear(matrix: usize, n: i32, reach: f64, from: i32, to: i32): i32 {
  let count = 0;
  for (let i = from; i < to; i++) {
    const row = matrix + ((<usize>i * <usize>n) << 2);
    let least: f32 = Infinity;
    for (let j = 0; j < n; j++) if (j != i) least = min(least, load<f32>(row + ((<usize>j) << 2)));
    const limit = <f32>(<f64>least + reach);
    for (let j = 0; j < n; j++) count += <i32>(j != i && load<f32>(row + ((<usize>j) << 2)) <= limit);
  }
  return count - (to - from);
}

/** Copies rows first … last-1 of a matrix with m estimates per row. */
export function copyRows(from: usize, to: usize, m: i32, first: i32, last: i32): void {
  const bytes = (<usize>m) << 2;
  memory.copy(to + <usize>first * bytes, from + <usize>first * bytes, <usize>(last - first) * bytes);
}

/* Estimates between items of several rows: the smallest estimate of any two of their rows. See screened-linkage.ts. */

function single(array: usize, p: usize): f32 {
  return load<f32>(array + (p << 2));
}

/**
 * For each item from … to-1 of a list: the smallest estimates of its rows to all m items, as one line, and the smallest estimate to
 * another item. `itemOf`: the item of each row. `nextRow`: the next row of the same item, -1 at the end.
 */
export function nearestRows(
  estimates: usize,
  n: i32,
  m: i32,
  itemOf: usize,
  nextRow: usize,
  list: usize,
  lines: usize,
  least: usize,
  from: i32,
  to: i32,
): void {
  for (let a = <usize>from; a < <usize>to; a++) {
    const item = load<i32>(list + (a << 2));
    const line = lines + ((a * <usize>m) << 2);
    for (let c: usize = 0; c < <usize>m; c++) store<f32>(line + (c << 2), Infinity);
    for (let p = item; p >= 0; p = load<i32>(nextRow + ((<usize>p) << 2))) {
      const row = estimates + ((<usize>p * <usize>n) << 2);
      takeLesser(line, row, (<usize>m) << 2);
      for (let q = <usize>m; q < <usize>n; q++) {
        const place = line + ((<usize>load<i32>(itemOf + (q << 2))) << 2);
        store<f32>(place, min(load<f32>(place), single(row, q)));
      }
    }
    let nearest: f32 = Infinity;
    for (let c: usize = 0; c < <usize>m; c++) if (c != <usize>item) nearest = min(nearest, single(line, c));
    store<f32>(least + (a << 2), nearest);
  }
}

function takeLesser(line: usize, row: usize, bytes: usize): void {
  let p: usize = 0;
  for (; p + 16 <= bytes; p += 16) v128.store(line + p, f32x4.pmin(v128.load(line + p), v128.load(row + p)));
  for (; p < bytes; p += 4) store<f32>(line + p, min(load<f32>(line + p), load<f32>(row + p)));
}

/** Moves the first m estimates of rows from … to-1 together, so that rows have length m. Returns the largest of these estimates. */
export function contractRows(estimates: usize, n: i32, m: i32, from: i32, to: i32): f32 {
  let most = f32x4.splat(-Infinity);
  const bytes = (<usize>m) << 2;
  for (let i = <usize>from; i < <usize>to; i++) {
    const row = estimates + i * bytes;
    memory.copy(row, estimates + ((i * <usize>n) << 2), bytes);
    let p: usize = 0;
    for (; p + 16 <= bytes; p += 16) most = f32x4.pmax(most, v128.load(row + p));
    for (; p < bytes; p += 4) most = f32x4.pmax(most, v128.load32_splat(row + p));
  }
  const a = max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1));
  return max(a, max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)));
}

/** Writes lines from … to-1 into the matrix, as the rows and columns of their items. */
export function writeNearest(estimates: usize, m: i32, list: usize, lines: usize, from: i32, to: i32): void {
  const bytes = (<usize>m) << 2;
  for (let a = <usize>from; a < <usize>to; a++) {
    memory.copy(estimates + <usize>load<i32>(list + (a << 2)) * bytes, lines + a * bytes, bytes);
  }
  for (let c: usize = 0; c < <usize>m; c++) {
    const row = estimates + c * bytes;
    for (let a = <usize>from; a < <usize>to; a++) {
      store<f32>(row + ((<usize>load<i32>(list + (a << 2))) << 2), single(lines + a * bytes, c));
    }
  }
}
