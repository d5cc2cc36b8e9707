/**
 * Lists of nearest rows. Products of rows in 16-bit integers (see screen.ts) give lower bounds of squared distances. A pair whose lower
 * bound exceeds the last entry of a list is rejected; all other pairs are computed exactly, from the differences of the original rows. So
 * the lists have the same bits as the lists of the plain kernel.
 */
import { GROUP, packEight, productsOfFive, Screen } from "./screen";
import { Lanes } from "./tiles";

/** Rows of a block: ten groups of eight rows. The host uses the same number. */
const SIDE: i32 = 80;

/** The state of a search. The host writes the same fields in the same order (neighbours.ts of the host). */
@unmanaged
class Task {
  /** The square of the screen's unit. */
  squaredUnit: f64;
  n: i32;
  d: i32;
  k: i32;
  single: i32;
  x: usize;
  screen: usize;
  /** |z|² of each row minus a bound of the rounding errors, in single precision. */
  norms: usize;
  /** The lists: n x k rows and squared distances. */
  rows: usize;
  squares: usize;
  /** The first row or group of this call, and work space for each piece. */
  first: i32;
  room: usize;
  roomBytes: i32;
  /** The rows of the groups. If all rows are compared: 0 … n-1, and `fives` contains all rows, packed in groups of five. */
  order: usize;
  start: usize;
  fives: usize;
  /** Descent: n x width rows each. */
  fresh: usize;
  known: usize;
  width: i32;
}

/*
 * Work space of a block: products of five rows with eight, addresses of eight rows. Then for each row of the block its number, lowered
 * norm, scale, error, length, and limit. Then the block in packed groups of eight, and the rows to compare with in groups of five.
 */
const PLACES: usize = 160;
const IDS: usize = 192;
const LINE: usize = 320;
const NORMS: usize = IDS + LINE;
const BACKS: usize = NORMS + LINE;
const ERRORS: usize = BACKS + LINE;
const LENGTHS: usize = ERRORS + LINE;
const LIMITS: usize = LENGTHS + LINE;
const EIGHTS: usize = LIMITS + LINE;

/** Factor by which limits are raised, for the rounding errors of the exact squares and of the limits themselves. */
const RAISED: f64 = 1.00001;

/** Compares rows from … to-1 with all rows. Each piece has at most SIDE rows. */
export function neighboursAll(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  const room = task.room + <usize>((from - task.first) / SIDE) * <usize>task.roomBytes;
  compareBlock(task, room, task.order + ((<usize>from) << 2), to - from, task.order, task.n, task.fives);
}

/** Compares the rows of groups from … to-1 with each other. Each piece is one group. */
export function neighboursInGroups(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  for (let g = from; g < to; g++) {
    const room = task.room + <usize>(g - task.first) * <usize>task.roomBytes;
    const begin = load<i32>(task.start + ((<usize>g) << 2));
    const size = load<i32>(task.start + ((<usize>(g + 1)) << 2)) - begin;
    const ids = task.order + ((<usize>begin) << 2);
    const wide = changetype<Screen>(task.screen).wide;
    const fives = room + EIGHTS + ((<usize>((SIDE >> 3) * wide)) << 4);
    fivesOf(task, ids, size, fives);
    for (let i = 0; i < size; i += SIDE) compareBlock(task, room, ids + ((<usize>i) << 2), min(SIDE, size - i), ids, size, fives);
  }
}

/** Packs the integers of listed rows in groups of five, pair by pair; the places after the last row are 0. */
function fivesOf(task: Task, ids: usize, count: i32, out: usize): void {
  const screen = changetype<Screen>(task.screen);
  const pairs = <usize>(screen.wide >> 1);
  for (let c = 0; c < count + GROUP - 1 - ((count + GROUP - 1) % GROUP); c++) {
    let to = out + <usize>(c / GROUP) * pairs * <usize>(4 * GROUP) + ((<usize>(c % GROUP)) << 2);
    const row = c < count ? <usize>load<i32>(ids + ((<usize>c) << 2)) : 0;
    const from = screen.rows + ((row * <usize>screen.wide) << 1);
    for (let p: usize = 0; p < pairs; p++) {
      store<i32>(to, c < count ? load<i32>(from + (p << 2)) : 0);
      to += 4 * GROUP;
    }
  }
}

/** Packs all rows in groups of five, for `neighboursAll`. */
export function neighboursPack(address: usize): void {
  const task = changetype<Task>(address);
  fivesOf(task, task.order, task.n, task.fives);
}

/** Compares `count` ≤ SIDE rows with `others` rows, which are also packed in groups of five. */
function compareBlock(task: Task, room: usize, ids: usize, count: i32, columns: usize, others: i32, fives: usize): void {
  const screen = changetype<Screen>(task.screen);
  const wide = screen.wide;
  const eights = packBlock(task, room, ids, count);
  for (let c = 0; c < others; c += GROUP) {
    const five = fives + ((<usize>c * <usize>wide) << 1);
    const last = min(GROUP, others - c);
    for (let e = 0; e < eights; e++) {
      productsOfFive(room + EIGHTS + ((<usize>(e * wide)) << 4), five, wide, room);
      for (let h = 0; h < last; h++) {
        const column = load<i32>(columns + ((<usize>(c + h)) << 2));
        boundEight(task, screen, room, room + ((<usize>h) << 5), e, 0, count, column, ONE_WAY);
      }
    }
  }
}

/** Packs `count` ≤ SIDE rows in groups of eight and copies their facts; returns the number of groups. */
function packBlock(task: Task, room: usize, ids: usize, count: i32): i32 {
  const screen = changetype<Screen>(task.screen);
  const wide = screen.wide;
  const eight = (<usize>wide) << 4;
  const eights = (count + 7) >> 3;
  for (let r = 0; r < eights << 3; r++) {
    const row = <usize>load<i32>(ids + ((<usize>min(r, count - 1)) << 2));
    const at = room + ((<usize>r) << 2);
    store<i32>(at, <i32>row, IDS);
    store<f32>(at, load<f32>(task.norms + (row << 2)), NORMS);
    store<f32>(at, load<f32>(screen.backs + (row << 2)), BACKS);
    store<f32>(at, load<f32>(screen.errors + (row << 2)), ERRORS);
    store<f32>(at, load<f32>(screen.lengths + (row << 2)), LENGTHS);
    store<f32>(at, limitOf(task, row), LIMITS);
    store<usize>(room + PLACES + ((<usize>(r & 7)) << 2), screen.rows + ((row * <usize>wide) << 1));
    if ((r & 7) == 7) packEight(room + PLACES, wide, room + EIGHTS + <usize>(r >> 3) * eight);
  }
  return eights;
}

/** Instead of a limit: the list of the other row does not change. No square is below this number. */
const ONE_WAY: f32 = -Infinity;

/**
 * Bounds the squared distances of eight rows of a block to another row; computes the pairs that are not rejected. Only rows begin … end-1 of
 * the block take part. `limit`: the limit of the other row, or ONE_WAY.
 */
function boundEight(
  task: Task,
  screen: Screen,
  room: usize,
  products: usize,
  e: i32,
  begin: i32,
  end: i32,
  column: i32,
  limit: f32,
): void {
  const other = (<usize>column) << 2;
  const norm = v128.load32_splat(task.norms + other);
  const back = f32x4.splat(2 * load<f32>(screen.backs + other));
  const error = v128.load32_splat(screen.errors + other);
  const length = v128.load32_splat(screen.lengths + other);
  for (let h: usize = 0; h < 32; h += 16) {
    const at = room + ((<usize>e) << 5) + h;
    const twice = f32x4.mul(f32x4.convert_i32x4_s(v128.load(products + h)), f32x4.mul(v128.load(at, BACKS), back));
    const lost = f32x4.add(f32x4.mul(v128.load(at, ERRORS), length), f32x4.mul(v128.load(at, LENGTHS), error));
    const least = f32x4.sub(f32x4.sub(f32x4.add(v128.load(at, NORMS), norm), twice), lost);
    const limits = f32x4.max(v128.load(at, LIMITS), f32x4.splat(limit));
    let left = i32x4.bitmask(f32x4.gt(least, limits)) ^ 15;
    while (left) {
      const lane = ctz(left);
      left &= left - 1;
      const r = (e << 3) + (<i32>h >> 2) + lane;
      if (r >= end) break;
      if (r < begin) continue;
      const row = load<i32>(room + IDS + ((<usize>r) << 2));
      if (compare(task, row, column, limit != ONE_WAY)) store<f32>(room + LIMITS + ((<usize>r) << 2), limitOf(task, <usize>row));
    }
  }
}

/** Below this, a computed square can have lost digits by underflow. */
const LEAST_SQUARE: f64 = 1e-290;

/** The last squared distance of a row's list in the unit of the screen, raised. */
function limitOf(task: Task, row: usize): f32 {
  const most = load<f64>(task.squares + (((row + 1) * <usize>task.k - 1) << 3));
  return most < LEAST_SQUARE ? Infinity : <f32>(most * task.squaredUnit * RAISED);
}

/** Computes a pair exactly and offers it to the list of the row, and of the other row. Returns whether the row's list has changed. */
function compare(task: Task, row: i32, other: i32, both: bool): bool {
  if (row == other || !(isOpen(task, row, other) || (both && isOpen(task, other, row)))) return false;
  const square = exactSquare(task, <usize>row, <usize>other);
  if (both) offer(task, other, row, square);
  return offer(task, row, other, square);
}

/** Whether a list can change: the other row is not in it, and at distance 0 it would come before the last entry. */
function isOpen(task: Task, row: i32, other: i32): bool {
  const first = <usize>row * <usize>task.k;
  const last = first + <usize>task.k - 1;
  if (load<f64>(task.squares + (last << 3)) == 0 && other > load<i32>(task.rows + (last << 2))) return false;
  for (let p = first; p <= last; p++) if (load<i32>(task.rows + (p << 2)) == other) return false;
  return true;
}

/** Inserts the other row into a row's list, unless it comes after the last entry or is there already. */
function offer(task: Task, row: i32, other: i32, square: f64): bool {
  const k = <usize>task.k;
  const first = <usize>row * k;
  let place = first + k;
  while (place > first) {
    const before = load<f64>(task.squares + ((place - 1) << 3));
    if (square > before || (square == before && other >= load<i32>(task.rows + ((place - 1) << 2)))) break;
    place--;
  }
  if (place == first + k || (place > first && load<i32>(task.rows + ((place - 1) << 2)) == other)) return false;
  for (let p = first + k - 1; p > place; p--) {
    store<f64>(task.squares + (p << 3), load<f64>(task.squares + ((p - 1) << 3)));
    store<i32>(task.rows + (p << 2), load<i32>(task.rows + ((p - 1) << 2)));
  }
  store<f64>(task.squares + (place << 3), square);
  store<i32>(task.rows + (place << 2), other);
  return true;
}

/** The squared distance of the original rows, in four lanes. */
function exactSquare(task: Task, row: usize, other: usize): f64 {
  const d = <usize>task.d;
  return task.single
    ? Lanes4.square<f32>(task.x + ((row * d) << 2), task.x + ((other * d) << 2), d)
    : Lanes4.square<f64>(task.x + ((row * d) << 3), task.x + ((other * d) << 3), d);
}

class Lanes4 {
  /** S: number type of the rows. */
  @inline
  static square<S>(p: usize, q: usize, d: usize): f64 {
    let a = f64x2.splat(0);
    let b = a;
    for (const stop = p + (d & ~3) * sizeof<S>(); p < stop; p += 4 * sizeof<S>()) {
      a = Lanes.addSquare(a, Lanes.pair<S>(p), Lanes.pair<S>(q));
      b = Lanes.addSquare(b, Lanes.pair<S>(p + 2 * sizeof<S>()), Lanes.pair<S>(q + 2 * sizeof<S>()));
      q += 4 * sizeof<S>();
    }
    let s0 = f64x2.extract_lane(a, 0);
    let s1 = f64x2.extract_lane(a, 1);
    let s2 = f64x2.extract_lane(b, 0);
    const left = d & 3;
    if (left > 0) s0 += Lanes4.term<S>(p, q);
    if (left > 1) s1 += Lanes4.term<S>(p + sizeof<S>(), q + sizeof<S>());
    if (left > 2) s2 += Lanes4.term<S>(p + 2 * sizeof<S>(), q + 2 * sizeof<S>());
    return s0 + s1 + (s2 + f64x2.extract_lane(b, 1));
  }

  @inline
  static term<S>(p: usize, q: usize): f64 {
    const t = <f64>load<S>(p) - <f64>load<S>(q);
    return t * t;
  }
}

/**
 * One round of descent: for each row from … to-1, its fresh rows are compared with each other and with its known rows. Runs on one thread,
 * because a pair changes the lists of both rows.
 */
export function neighboursJoin(address: usize, from: i32, to: i32): void {
  const task = changetype<Task>(address);
  const screen = changetype<Screen>(task.screen);
  const room = task.room;
  const wide = screen.wide;
  const ids = room + EIGHTS + ((<usize>((SIDE >> 3) * wide)) << 4);
  const fives = ids + ((<usize>SIDE) << 2);
  for (let w = from; w < to; w++) {
    const own = (<usize>w * <usize>task.width) << 2;
    const count = copyList(task.fresh + own, task.width, ids);
    if (count == 0) continue;
    const all = count + copyList(task.known + own, task.width, ids + ((<usize>count) << 2));
    fivesOf(task, ids, count, fives);
    const eights = packBlock(task, room, ids, all);
    for (let c = 0; c < count; c += GROUP) {
      const last = min(GROUP, count - c);
      // A fresh row is compared with the rows after it.
      for (let e = (c + 1) >> 3; e < eights; e++) {
        productsOfFive(room + EIGHTS + ((<usize>(e * wide)) << 4), fives + ((<usize>c * <usize>wide) << 1), wide, room);
        for (let h = 0; h < last; h++) {
          const column = load<i32>(ids + ((<usize>(c + h)) << 2));
          boundEight(task, screen, room, room + ((<usize>h) << 5), e, c + h + 1, all, column, limitOf(task, column));
        }
      }
    }
  }
}

/** Copies a list up to its first -1; returns the number of rows. */
function copyList(list: usize, width: i32, to: usize): i32 {
  let count = 0;
  for (; count < width; count++) {
    const row = load<i32>(list + ((<usize>count) << 2));
    if (row < 0) break;
    store<i32>(to + ((<usize>count) << 2), row);
  }
  return count;
}
