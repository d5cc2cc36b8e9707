/**
 * Finds the two rows that are farthest apart. Products of 16-bit integers (see screen.ts) give an upper bound for all pairs. Pairs with a
 * bound above the largest distance found so far are measured exactly. The search stores the largest bound of each row; the next search
 * starts from these bounds.
 */

import { products64 } from "./matrix";
import { GROUP, packEight, packFives, productsOfFive, Screen, SINGLE_LOSS } from "./screen";
import { squaresToFour } from "./sums";

/** Number of rows of a panel. A panel stays in the cache while other rows are compared with it. The same number as in src/farthest.ts. */
const PANEL: i32 = 256;

/** The state of one search. src/farthest.ts writes the same fields in the same order. */
@unmanaged
class Task {
  n: i32;
  d: i32;
  /** `z`: n rows of d doubles. `screen`, `fives`: the same rows in integers, row by row and in groups of five. */
  z: usize;
  screen: usize;
  fives: usize;
  /** |z|² of each row in single precision, rounded up, followed by eight places of -Infinity. */
  norms: usize;
  /**
   * Upper bounds of squared distances. `own`: a bound for each row, from the row's own panel. `others`: a line of n bounds for each
   * panel.
   */
  own: usize;
  others: usize;
  /** For each panel: the largest squared distance found, and its two rows. */
  found: usize;
  /** Work space for the panels of this call; `first` is the first of these panels. */
  room: usize;
  roomBytes: i32;
  first: i32;
  best: f64;
}

/** Bytes at the start of a panel's work space: products, five vectors of bounds, addresses of eight rows, a tile's bounds. */
const MOST: usize = 160;
const PLACES: usize = 240;
const BOUNDS: usize = 288;
const SQUARES: usize = 448;
const ROWS: usize = 512;

/** Multiplies the listed rows (all rows if `list` is 0) by the factors, and writes them as n × d doubles. */
export function scaledRows(x: usize, list: usize, d: i32, factors: usize, out: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  for (let i = from; i < to; i++) {
    const source = x + <usize>(list ? load<i32>(list + ((<usize>i) << 2)) : i) * row;
    const target = out + <usize>i * row;
    for (let f: usize = 0; f < row; f += 8) store<f64>(target + f, load<f64>(source + f) * load<f64>(factors + f));
  }
}

/**
 * Maps rows by a full d x d map. Rows and map are packed in groups of four (see matrix.ts); four rows by four results are computed at a
 * time.
 */
export function mappedRows(packed: usize, map: usize, d: i32, n: i32, room: usize, out: usize, from: i32, to: i32): void {
  const group = (<usize>d) << 5;
  const tile = room + ((<usize>(from >> 2)) << 7);
  for (let i = from; i < to; i += 4) {
    for (let q = 0; q < d; q += 4) {
      products64(packed + <usize>(i >> 2) * group, map + <usize>(q >> 2) * group, group, tile, 32);
      for (let r = 0; r < min(4, n - i); r++) {
        for (let c = 0; c < min(4, d - q); c++) {
          store<f64>(out + ((<usize>(i + r) * <usize>d + <usize>(q + c)) << 3), load<f64>(tile + ((<usize>(4 * r + c)) << 3)));
        }
      }
    }
  }
}

/** Number of lines of weights that `weightedSquares` processes at once. The same number as in src/farthest.ts. */
const LINES: usize = 5;

class Fold {
  @inline
  static add(sum: v128, square: v128, weight: usize): v128 {
    return f64x2.add(sum, f64x2.mul(square, v128.load(weight)));
  }

  @inline
  static put(out: usize, sums: v128): void {
    store<f64>(out, f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
  }
}

/** Σ weight · x² of rows from … to-1, for five lines of d weights. The output has one line of n results for each line of weights. */
export function weightedSquares(x: usize, n: i32, d: i32, weights: usize, out: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  const line = (<usize>n) << 3;
  const pairs = row & ~15;
  for (let i = from; i < to; i++) {
    const source = x + <usize>i * row;
    // biome-ignore format: the sums of a tile on one line
    let a = f64x2.splat(0), b = a, c = a, e = a, g = a;
    for (let f: usize = 0; f < pairs; f += 16) {
      const value = v128.load(source + f);
      const square = f64x2.mul(value, value);
      const weight = weights + f;
      a = Fold.add(a, square, weight);
      b = Fold.add(b, square, weight + row);
      c = Fold.add(c, square, weight + 2 * row);
      e = Fold.add(e, square, weight + 3 * row);
      g = Fold.add(g, square, weight + 4 * row);
    }
    const to0 = out + ((<usize>i) << 3);
    Fold.put(to0, a);
    Fold.put(to0 + line, b);
    Fold.put(to0 + 2 * line, c);
    Fold.put(to0 + 3 * line, e);
    Fold.put(to0 + 4 * line, g);
    if (pairs == row) continue;
    const last = load<f64>(source + pairs);
    for (let h: usize = 0; h < LINES; h++) {
      const place = to0 + h * line;
      store<f64>(place, load<f64>(place) + last * last * load<f64>(weights + h * row + pairs));
    }
  }
}

/**
 * Of rows from … to-1, the row that is farthest from row i, the first on ties. The rows form one task of `taskRows` rows. A task has 64
 * bytes at `out`: room for four squares, then the largest square (-1 if there is no other row), and its row.
 */
export function farthestFrom(z: usize, d: i32, i: i32, taskRows: i32, out: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  const own = z + <usize>i * row;
  const last = to - 1;
  const room = out + ((<usize>(from / taskRows)) << 6);
  let most: f64 = -1;
  let at = i;
  for (let j = from; j < to; j += 4) {
    const b = z + <usize>min(j + 1, last) * row;
    const c = z + <usize>min(j + 2, last) * row;
    squaresToFour<f64, f64>(own, d, z + <usize>j * row, b, c, z + <usize>min(j + 3, last) * row, room);
    for (let r = 0; r < min(4, to - j); r++) {
      const square = load<f64>(room + ((<usize>r) << 3));
      if (j + r != i && square > most) {
        most = square;
        at = j + r;
      }
    }
  }
  store<f64>(room, most, 32);
  store<i32>(room, at, 40);
}

/** Writes |z|² of all rows in single precision, rounded up, and -Infinity in eight places after the rows. */
export function farthestNorms(address: usize): void {
  const task = changetype<Task>(address);
  const screen = changetype<Screen>(task.screen);
  for (let i: usize = 0; i < <usize>task.n; i++)
    store<f32>(task.norms + (i << 2), <f32>(load<f64>(screen.norms + (i << 3)) * 1.000001));
  for (let i: usize = 0; i < 8; i++) store<f32>(task.norms + ((<usize>task.n + i) << 2), -Infinity);
}

export function farthestPanels(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  for (let panel = from; panel < to; panel++) searchPanel(task, changetype<Screen>(task.screen), panel);
}

function searchPanel(task: Task, screen: Screen, panel: i32): void {
  const wide = screen.wide;
  const room = task.room + <usize>(panel - task.first) * <usize>task.roomBytes;
  const start = panel * PANEL;
  const end = min(start + PANEL, task.n);
  const eightBytes = (<usize>wide) << 4;
  for (let j = start; j < end; j += 8) {
    for (let r = 0; r < 8; r++) {
      const row = <usize>min(j + r, task.n - 1);
      store<usize>(room + PLACES + ((<usize>r) << 2), screen.rows + ((row * <usize>wide) << 1));
    }
    packEight(room + PLACES, wide, room + ROWS + <usize>((j - start) >> 3) * eightBytes);
  }
  const found = task.found + ((<usize>panel) << 4);
  store<f64>(found, task.best);
  store<i32>(found, -1, 8);
  memory.fill(task.own + ((<usize>start) << 2), 0, (<usize>(end - start)) << 2);
  const others = task.others + ((<usize>panel * <usize>task.n) << 2);
  memory.fill(others, 0, (<usize>task.n) << 2);
  for (let i = 0; i < end; i += GROUP) {
    memory.fill(room + MOST, 0, 80);
    const five = task.fives + ((<usize>i * <usize>wide) << 1);
    for (let j = max(start, i & ~7); j < end; j += 8) {
      productsOfFive(room + ROWS + <usize>((j - start) >> 3) * eightBytes, five, wide, room);
      boundTile(task, screen, room, i, j, found);
    }
    for (let c: usize = 0; c < <usize>min(GROUP, task.n - i); c++) {
      const most = v128.load(room + MOST + (c << 4));
      const a = max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1));
      store<f32>(others + ((<usize>i + c) << 2), max(a, max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3))));
    }
  }
}

/** Computes the bounds of five rows with eight, keeps the largest of each row, and measures pairs that can be farthest. */
function boundTile(task: Task, screen: Screen, room: usize, i: i32, j: i32, found: usize): void {
  const limit = f32x4.splat(<f32>(load<f64>(found) * screen.unit * screen.unit * 0.99999));
  let open = f32x4.splat(0);
  for (let h: usize = 0; h < 2; h++) {
    const at = ((<usize>j) << 2) + (h << 4);
    const norms = v128.load(task.norms + at);
    const backs = v128.load(screen.backs + at);
    const errors = v128.load(screen.errors + at);
    const lengths = v128.load(screen.lengths + at);
    let most = f32x4.splat(0);
    for (let c: usize = 0; c < <usize>min(GROUP, task.n - i); c++) {
      const own = (<usize>i + c) << 2;
      const product = f32x4.mul(f32x4.convert_i32x4_s(v128.load(room + (c << 5) + (h << 4))), backs);
      const twice = f32x4.mul(product, f32x4.splat(2 * load<f32>(screen.backs + own)));
      const lost = f32x4.add(
        f32x4.mul(v128.load32_splat(screen.errors + own), lengths),
        f32x4.mul(v128.load32_splat(screen.lengths + own), errors),
      );
      const sum = f32x4.add(v128.load32_splat(task.norms + own), norms);
      const more = f32x4.add(lost, f32x4.mul(sum, f32x4.splat(4 * SINGLE_LOSS)));
      const bound = f32x4.add(f32x4.sub(sum, twice), more);
      v128.store(room + BOUNDS + (c << 5) + (h << 4), bound);
      most = f32x4.pmax(most, bound);
      const place = room + MOST + (c << 4);
      v128.store(place, f32x4.pmax(v128.load(place), bound));
    }
    const place = task.own + at;
    if (j + 8 <= task.n) v128.store(place, f32x4.pmax(v128.load(place), most));
    else keepSome(task, room, most, j + ((<i32>h) << 2));
    open = v128.or(open, f32x4.ge(most, limit));
  }
  if (v128.any_true(open)) measureTile(task, room, i, j, found, f32x4.extract_lane(limit, 0));
}

function keepSome(task: Task, room: usize, most: v128, j: i32): void {
  v128.store(room + SQUARES, most);
  for (let r = 0; r < min(4, task.n - j); r++) {
    const place = task.own + ((<usize>(j + r)) << 2);
    store<f32>(place, max(load<f32>(place), load<f32>(room + SQUARES + ((<usize>r) << 2))));
  }
}

/** Measures the pairs of a tile with a bound that is not below the limit. On ties the lower pair is kept. */
function measureTile(task: Task, room: usize, i: i32, j: i32, found: usize, limit: f32): void {
  const row = (<usize>task.d) << 3;
  for (let c = 0; c < min(GROUP, task.n - i); c++) {
    for (let r = 0; r < min(8, task.n - j); r++) {
      if (i + c >= j + r || !(load<f32>(room + BOUNDS + ((<usize>c) << 5) + ((<usize>r) << 2)) >= limit)) continue;
      const a = task.z + <usize>(i + c) * row;
      const b = task.z + <usize>(j + r) * row;
      squaresToFour<f64, f64>(a, task.d, b, b, b, b, room + SQUARES);
      const square = load<f64>(room + SQUARES);
      const best = load<f64>(found);
      if (square > best || (square == best && isLower(found, i + c, j + r))) {
        store<f64>(found, square);
        store<i32>(found, i + c, 8);
        store<i32>(found, j + r, 12);
      }
    }
  }
}

function isLower(found: usize, a: i32, b: i32): bool {
  const before = load<i32>(found, 8);
  return before < 0 || a < before || (a == before && b < load<i32>(found, 12));
}

export function packScreenFives(address: usize, out: usize, from: i32, to: i32): void {
  const screen = changetype<Screen>(address);
  const start = (<usize>from * <usize>screen.wide) << 1;
  packFives(screen.rows + start, to - from, screen.wide, out + start);
}
