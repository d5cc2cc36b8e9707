/**
 * Estimates of all squared distances in single precision, from products of rows in 16-bit integers (see screen.ts): |a|² + |b|² - 2 a·b in the
 * screen's unit, and at least 0. Both sides of the diagonal have the same bits. How far an estimate may be off is worked out by the host
 * (screened-linkage.ts there), once for all pairs.
 */
import { valueAt } from "./matrix";
import { GROUP, packEight, productsOfFive, Screen } from "./screen";

/** Rows and columns of a tile: ten times eight rows, sixteen groups of five; the host knows it too. */
const SIDE: i32 = 80;

/** One matrix under way; the host writes the same words in the same order. */
@unmanaged
class Task {
  n: i32;
  screen: usize;
  /** The rows in integers, in groups of five. */
  fives: usize;
  /** |z|² of each row in singles, and eight places beyond. */
  norms: usize;
  out: usize;
  /** Room for the blocks of SIDE rows of this call, of which row `first` begins the first. */
  room: usize;
  roomBytes: i32;
  first: i32;
}

/** Places in a block's room: products of five with eight, addresses of eight rows, the tile column by column; then packed rows. */
const PLACES: usize = 160;
const TILE: usize = 192;
const COLUMN: usize = 80 * 4;
const ROWS: usize = TILE + 80 * COLUMN;

/** Blocks of rows from … to-1 against all rows from themselves on, with the mirror image. */
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

/** From products of eight rows with five to estimates: five columns. Factors are multiplied first, so that both orders give the same. */
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

/** Writes a tile, whose columns lie one after the other, and its mirror image. */
function writeTile(task: Task, tile: usize, i: i32, j: i32): void {
  const row = (<usize>task.n) << 2;
  const endI = min(SIDE, task.n - i);
  const endJ = min(SIDE, task.n - j);
  const mirror = task.out + <usize>j * row + ((<usize>i) << 2);
  for (let c: usize = 0; c < <usize>endJ; c++) memory.copy(mirror + c * row, tile + c * COLUMN, (<usize>endI) << 2);
  if (i == j) return;
  const own = task.out + <usize>i * row + ((<usize>j) << 2);
  const wholeJ = <usize>(endJ & ~3);
  // A tile off the diagonal has all its rows.
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

/** Squared lengths of rows less their mean, as the matrix of distances has them (see matrix.ts). */
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

/** Rows by their lengths, so that each has length 1. */
export function unitRows(x: usize, lengths: usize, d: i32, out: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  for (let i = <usize>from; i < <usize>to; i++) {
    const length = load<f64>(lengths + (i << 3));
    for (let f: usize = 0; f < row; f += 8) store<f64>(out + i * row + f, load<f64>(x + i * row + f) / length);
  }
}

/** Estimates up to `reach` above the least of each row, over rows from … to-1, the least ones not counted. */
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

/** Copies rows first … last-1 of m estimates each. */
export function copyRows(from: usize, to: usize, m: i32, first: i32, last: i32): void {
  const bytes = (<usize>m) << 2;
  memory.copy(to + <usize>first * bytes, from + <usize>first * bytes, <usize>(last - first) * bytes);
}
