/**
 * k-means++: for each candidate for the next centre and each row, the smaller of two squared distances: to the row's nearest centre, and
 * to the candidate. If rows are screened, only rows that can come nearer are measured.
 */

import { GROUP, integersOf, packEight, packFives, productsOfFive, Screen, SINGLE_LOSS, toIntegers } from "./screen";
import { squaresToFour } from "./sums";

/** The input of one call. src/kmeans.ts writes the same fields in the same order. */
@unmanaged
class Task {
  n: i32;
  d: i32;
  single: i32;
  count: i32;
  x: usize;
  /** The `count` candidate rows, as doubles. */
  candidates: usize;
  /**
   * `nearest`: n squared distances so far. `out`: a line of n squares for each candidate. `sums`: a line of one sum per chunk for each
   * candidate.
   */
  nearest: usize;
  out: usize;
  sums: usize;
  chunkRows: i32;
  chunks: i32;
  /**
   * `screen`: the screened rows, 0 if rows are not screened. `fives`: the candidates in groups of five. `facts`: four lines of norms and
   * scales of the candidates.
   */
  screen: usize;
  fives: usize;
  facts: usize;
  /** For each chunk: work space for eight rows, and a list of rows for each candidate. */
  buffers: usize;
  bufferBytes: i32;
  /** n weights of the rows; 0 if there are none. */
  weights: usize;
}

/** Offsets in a chunk's buffer: addresses of eight rows, their products, four squares, then eight packed rows. */
const PRODUCTS: usize = 64;
const SQUARES: usize = 256;
const ROWS: usize = 320;

/** Processes rows from … to-1, which form one chunk, for all candidates. */
export function seedChunk(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  const chunk = from / task.chunkRows;
  const buffer = task.buffers + <usize>chunk * <usize>task.bufferBytes;
  for (let c = 0; c < task.count; c++) {
    const line = task.out + ((<usize>c * <usize>task.n) << 3);
    memory.copy(line + ((<usize>from) << 3), task.nearest + ((<usize>from) << 3), (<usize>(to - from)) << 3);
  }
  if (task.screen) {
    for (let first = 0; first < task.count; first += GROUP)
      screenGroup(task, changetype<Screen>(task.screen), buffer, first, from, to);
  } else {
    for (let c = 0; c < task.count; c++) {
      for (let i = from; i < to; i += 4) lower(task, buffer, c, i, min(i + 1, to - 1), min(i + 2, to - 1), min(i + 3, to - 1));
    }
  }
  for (let c = 0; c < task.count; c++) {
    let sum: f64 = 0;
    const line = task.out + ((<usize>c * <usize>task.n) << 3);
    for (let p = line + ((<usize>from) << 3), stop = line + ((<usize>to) << 3); p < stop; p += 8) sum += load<f64>(p);
    store<f64>(task.sums + ((<usize>(c * task.chunks + chunk)) << 3), sum);
  }
}

/** For four rows: lowers the squares to the squared distances to candidate c, if these are smaller. */
function lower(task: Task, buffer: usize, c: i32, i: i32, j: i32, k: i32, l: i32): void {
  const own = task.candidates + ((<usize>c * <usize>task.d) << 3);
  const row = <usize>task.d * (task.single ? 4 : 8);
  const x = task.x;
  const a = x + <usize>i * row;
  const b = x + <usize>j * row;
  const e = x + <usize>k * row;
  const f = x + <usize>l * row;
  if (task.single) squaresToFour<f64, f32>(own, task.d, a, b, e, f, buffer + SQUARES);
  else squaresToFour<f64, f64>(own, task.d, a, b, e, f, buffer + SQUARES);
  const line = task.out + ((<usize>c * <usize>task.n) << 3);
  lowerTo(task, line, i, load<f64>(buffer + SQUARES));
  lowerTo(task, line, j, load<f64>(buffer + SQUARES, 8));
  lowerTo(task, line, k, load<f64>(buffer + SQUARES, 16));
  lowerTo(task, line, l, load<f64>(buffer + SQUARES, 24));
}

function lowerTo(task: Task, line: usize, i: i32, square: f64): void {
  if (task.weights) square *= load<f64>(task.weights + ((<usize>i) << 3));
  const place = line + ((<usize>i) << 3);
  store<f64>(place, min(square, load<f64>(place)));
}

/** For candidates first … first+4: lists and measures the rows that the screen does not exclude. */
function screenGroup(task: Task, screen: Screen, buffer: usize, first: i32, from: i32, to: i32): void {
  const count = min(GROUP, task.count - first);
  const lists = buffer + ROWS + ((<usize>screen.wide) << 4);
  const listBytes = (<usize>(task.chunkRows + 8)) << 2;
  const counts = buffer + 32;
  memory.fill(counts, 0, 20);
  const line = (<usize>screen.wide) << 1;
  const room = buffer + <usize>task.bufferBytes - 8 * line;
  const five = task.fives + ((<usize>(first * screen.wide)) << 1);
  for (let i = from; i < to; i += 8) {
    for (let r: usize = 0; r < 8; r++) {
      const row = <usize>min(i + <i32>r, to - 1);
      store<usize>(buffer + (r << 2), integersOf(screen, row, room + r * line));
    }
    packEight(buffer, screen.wide, buffer + ROWS);
    productsOfFive(buffer + ROWS, five, screen.wide, buffer + PRODUCTS);
    for (let c = 0; c < count; c++) {
      const open = mayBeNearer(task, screen, buffer, first + c, c, i) & (to - i < 8 ? (1 << (to - i)) - 1 : 255);
      if (open == 0) continue;
      const list = lists + <usize>c * listBytes;
      let listed = load<i32>(counts + ((<usize>c) << 2));
      for (let r = 0; r < 8; r++) {
        store<i32>(list + ((<usize>listed) << 2), i + r);
        listed += (open >> r) & 1;
      }
      store<i32>(counts + ((<usize>c) << 2), listed);
    }
  }
  for (let c = 0; c < count; c++) {
    const list = lists + <usize>c * listBytes;
    const listed = load<i32>(counts + ((<usize>c) << 2));
    for (let at = 0; at < listed; at += 4) {
      const last = listed - 1;
      lower(
        task,
        buffer,
        first + c,
        rowAt(list, at),
        rowAt(list, min(at + 1, last)),
        rowAt(list, min(at + 2, last)),
        rowAt(list, min(at + 3, last)),
      );
    }
  }
}

function rowAt(list: usize, at: i32): i32 {
  return load<i32>(list + ((<usize>at) << 2));
}

/** One bit for each of eight rows from i on: 1 if the row can be nearer to the candidate (the c-th of its group) than to its centre. */
function mayBeNearer(task: Task, screen: Screen, buffer: usize, candidate: i32, c: i32, i: i32): i32 {
  const line = (<usize>task.count) << 2;
  const facts = task.facts + ((<usize>candidate) << 2);
  const norm = load<f32>(facts);
  const back: f32 = load<f32>(facts + line) * 2;
  const error = load<f32>(facts + 2 * line);
  const length = load<f32>(facts + 3 * line);
  let open: i32 = 0;
  for (let h: usize = 0; h < 8; h += 4) {
    const row = <usize>i + h;
    const at = row << 2;
    const product = f32x4.convert_i32x4_s(v128.load(buffer + PRODUCTS + ((<usize>c) << 5) + (h << 2)));
    const twice = f32x4.mul(f32x4.mul(product, v128.load(screen.backs + at)), f32x4.splat(back));
    const lengths = v128.load(screen.lengths + at);
    const lost = f32x4.add(f32x4.mul(v128.load(screen.errors + at), f32x4.splat(length)), f32x4.mul(lengths, f32x4.splat(error)));
    const low = f32x4.demote_f64x2_zero(v128.load(screen.norms + (row << 3)));
    const high = f32x4.demote_f64x2_zero(v128.load(screen.norms + (row << 3), 16));
    const sum = f32x4.add(v128.shuffle<f32>(low, high, 0, 1, 4, 5), f32x4.splat(norm));
    let least = f32x4.sub(f32x4.sub(f32x4.sub(sum, twice), lost), f32x4.mul(sum, f32x4.splat(4 * SINGLE_LOSS)));
    if (task.weights) least = f32x4.mul(least, singles(task.weights + (row << 3)));
    const near = nearestOf(task, screen, row);
    open |= (i32x4.bitmask(f32x4.gt(least, near)) ^ 15) << (<i32>h);
  }
  return open;
}

function singles(from: usize): v128 {
  const low = f32x4.demote_f64x2_zero(v128.load(from));
  return v128.shuffle<f32>(low, f32x4.demote_f64x2_zero(v128.load(from, 16)), 0, 1, 4, 5);
}

/** The current squares of four rows in the unit of the screen, in single precision, rounded up. */
function nearestOf(task: Task, screen: Screen, row: usize): v128 {
  const unit = f64x2.splat(screen.unit * screen.unit * 1.000001);
  const low = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(task.nearest + (row << 3)), unit));
  const high = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(task.nearest + (row << 3), 16), unit));
  return v128.shuffle<f32>(low, high, 0, 1, 4, 5);
}

/** Converts candidates (count rows of doubles) to integers, in groups of five. Also writes lines of |z|², 1/s, 2|e| and |z| + |e|. */
export function screenCandidates(
  address: usize,
  candidates: usize,
  count: i32,
  integers: usize,
  facts: usize,
  fives: usize,
): void {
  const screen = changetype<Screen>(address);
  const line = (<usize>count) << 2;
  for (let c: usize = 0; c < <usize>count; c++) {
    const at = facts + (c << 2);
    const from = candidates + ((c * <usize>screen.d) << 3);
    const to = integers + ((c * <usize>screen.wide) << 1);
    store<f32>(at, <f32>toIntegers(screen, from, 0, 0, to, at + line, at + 2 * line, at + 3 * line));
  }
  packFives(integers, count, screen.wide, fives);
}
