/**
 * Represents rows by 16-bit integers. Products of these integers are cheap, and show which distances need exact arithmetic.
 *
 * A row z (minus the mean of all rows, times a power of two) becomes q = round(s z), with |q| at most REACH. By the Cauchy-Schwarz
 * inequality, sums of products of two such rows then fit into 32 bits, so these integer sums are exact in any order. Let e = z - q/s.
 * For another row c, let p = round(t c) and f = c - p/t. Then z·c differs from (q/s)·(p/t) by at most |e||c| + (|z| + |e|)|f|. So the
 * lengths of e and z, stored with each row, bound the error. They are stored in single precision, rounded up.
 */

/** The state of a screen: addresses of the integers and norms. src/screen.ts writes the same fields. */
@unmanaged
export class Screen {
  n: i32;
  d: i32;
  /** Integers per row: d rounded up to a multiple of eight; the additional integers are 0. */
  wide: i32;
  /** 1 if the original rows are in single precision. */
  single: i32;
  x: usize;
  mean: usize;
  /**
   * `rows`: n × wide integers. For each row, `backs`: 1/s, `errors`: 2|e|, and `lengths`: |z| + |e|, in single precision; `norms`: |z|²
   * in double precision.
   */
  rows: usize;
  backs: usize;
  errors: usize;
  lengths: usize;
  norms: usize;
  /** Factors by which the features of a row are multiplied before the mean is subtracted; 0 if there are none. */
  factors: usize;
  /** The factor of all rows, a power of two that brings their lengths near 1; and its inverse. */
  unit: f64;
  perUnit: f64;
  /** If `rows` is 0: work space for a row of integers per task; a row's integers are then computed when needed. */
  rooms: usize;
}

const TASK_ROWS: i32 = 1024;

/** A bound on the rounding error of |c|² - 2 z·c in single precision, relative to |c|² + 2|z||c|. */
export const SINGLE_LOSS: f32 = 5e-7;

/** Number of centres in a group. A tile is eight rows by one group. */
export const GROUP: i32 = 5;

export function screenRows(address: usize, from: i32, to: i32): void {
  const screen = changetype<Screen>(address);
  const room = screen.rooms + ((<usize>(from / TASK_ROWS) * <usize>screen.wide) << 1);
  for (let i = <usize>from; i < <usize>to; i++) {
    const at = i << 2;
    store<f64>(
      screen.norms + (i << 3),
      toIntegers(
        screen,
        rowOf(screen, i),
        screen.single,
        screen.factors,
        screen.rows ? screen.rows + ((i * <usize>screen.wide) << 1) : room,
        screen.backs + at,
        screen.errors + at,
        screen.lengths + at,
      ),
    );
  }
}

function rowOf(screen: Screen, i: usize): usize {
  return screen.x + i * <usize>screen.d * (screen.single ? 4 : 8);
}

/** The address of row i in integers: the stored integers, or `room`, where they are computed again. */
export function integersOf(screen: Screen, i: usize, room: usize): usize {
  if (screen.rows) return screen.rows + ((i * <usize>screen.wide) << 1);
  roundRow(screen, rowOf(screen, i), <f64>load<f32>(screen.backs + (i << 2)), room);
  return room;
}

/** Computes the same integers as `toIntegers` for the row at x. `per`: the known 1/s of the row. */
function roundRow(screen: Screen, x: usize, per: f64, q: usize): void {
  const d = <usize>screen.d;
  const pairs = d & ~1;
  const scale = f64x2.splat(1 / per);
  const single = screen.single;
  const factors = screen.factors;
  let f: usize = 0;
  for (const eights = d & ~7; f < eights; f += 8) {
    const a = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(f64x2.mul(Inline.pairAt(screen, x, single, factors, f), scale)));
    const b = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(f64x2.mul(Inline.pairAt(screen, x, single, factors, f + 2), scale)));
    const c = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(f64x2.mul(Inline.pairAt(screen, x, single, factors, f + 4), scale)));
    const e = i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(f64x2.mul(Inline.pairAt(screen, x, single, factors, f + 6), scale)));
    v128.store(q + (f << 1), i16x8.narrow_i32x4_s(v128.shuffle<i64>(a, b, 0, 2), v128.shuffle<i64>(c, e, 0, 2)));
  }
  for (; f < pairs; f += 2) {
    const whole = f64x2.nearest(f64x2.mul(Inline.pairAt(screen, x, single, factors, f), scale));
    const words = i32x4.trunc_sat_f64x2_s_zero(whole);
    v128.store32_lane(q + (f << 1), i16x8.narrow_i32x4_s(words, words), 0);
  }
  if (pairs < d) {
    const last = Inline.lastOf(screen, x, single, factors, pairs);
    store<i16>(q + (pairs << 1), <i16>(<i32>nearest(last / per)));
  }
  for (let f = d; f < <usize>screen.wide; f++) store<i16>(q + (f << 1), 0);
}

class Inline {
  @inline
  static pairAt(screen: Screen, x: usize, single: i32, factors: usize, f: usize): v128 {
    let raw = single ? f64x2.promote_low_f32x4(v128.load64_zero(x + (f << 2))) : v128.load(x + (f << 3));
    if (factors) raw = f64x2.mul(raw, v128.load(factors + (f << 3)));
    return f64x2.mul(f64x2.sub(raw, v128.load(screen.mean + (f << 3))), f64x2.splat(screen.unit));
  }

  /** Adds the square of the rounding error of a value. */
  @inline
  static addLost(lost: v128, value: v128, whole: v128, backs: v128): v128 {
    const t = f64x2.sub(value, f64x2.mul(whole, backs));
    return f64x2.add(lost, f64x2.mul(t, t));
  }

  @inline
  static lastOf(screen: Screen, x: usize, single: i32, factors: usize, f: usize): f64 {
    let raw = single ? <f64>load<f32>(x + (f << 2)) : load<f64>(x + (f << 3));
    if (factors) raw *= load<f64>(factors + (f << 3));
    return (raw - load<f64>(screen.mean + (f << 3))) * screen.unit;
  }
}

const REACH: f64 = 46000;

/** A factor larger than the relative rounding error of a few operations in single precision. */
const UP: f64 = 1.000001;

/** A bound on the rounding error of centring and of sums in double precision, relative to a row's length. */
const LOST: f64 = 1e-12;

/** Converts the row at x to integers at `q` and writes its norms and scale; returns its squared length. */
export function toIntegers(
  screen: Screen,
  x: usize,
  single: i32,
  factors: usize,
  q: usize,
  back: usize,
  error: usize,
  length: usize,
): f64 {
  const d = <usize>screen.d;
  const pairs = d & ~1;
  let sums = f64x2.splat(0);
  let most = sums;
  for (let f: usize = 0; f < pairs; f += 2) {
    const value = Inline.pairAt(screen, x, single, factors, f);
    sums = f64x2.add(sums, f64x2.mul(value, value));
    most = f64x2.pmax(most, f64x2.abs(value));
  }
  const last = pairs < d ? Inline.lastOf(screen, x, single, factors, pairs) : 0;
  const norm = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1) + last * last;
  const largest = max(max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)), abs(last));
  const own = sqrt(norm);
  const single1 = <f32>(norm > 0 ? max(own / REACH, largest / 32767) * UP : 1);
  const per = <f64>single1;
  const scale = f64x2.splat(1 / per);
  const backs = f64x2.splat(per);
  let lost = f64x2.splat(0);
  let f: usize = 0;
  for (const eights = d & ~7; f < eights; f += 8) {
    const a = Inline.pairAt(screen, x, single, factors, f);
    const b = Inline.pairAt(screen, x, single, factors, f + 2);
    const c = Inline.pairAt(screen, x, single, factors, f + 4);
    const e = Inline.pairAt(screen, x, single, factors, f + 6);
    const wholeA = f64x2.nearest(f64x2.mul(a, scale));
    const wholeB = f64x2.nearest(f64x2.mul(b, scale));
    const wholeC = f64x2.nearest(f64x2.mul(c, scale));
    const wholeE = f64x2.nearest(f64x2.mul(e, scale));
    lost = Inline.addLost(lost, a, wholeA, backs);
    lost = Inline.addLost(lost, b, wholeB, backs);
    lost = Inline.addLost(lost, c, wholeC, backs);
    lost = Inline.addLost(lost, e, wholeE, backs);
    const low = v128.shuffle<i64>(i32x4.trunc_sat_f64x2_s_zero(wholeA), i32x4.trunc_sat_f64x2_s_zero(wholeB), 0, 2);
    const high = v128.shuffle<i64>(i32x4.trunc_sat_f64x2_s_zero(wholeC), i32x4.trunc_sat_f64x2_s_zero(wholeE), 0, 2);
    v128.store(q + (f << 1), i16x8.narrow_i32x4_s(low, high));
  }
  for (; f < pairs; f += 2) {
    const value = Inline.pairAt(screen, x, single, factors, f);
    const whole = f64x2.nearest(f64x2.mul(value, scale));
    lost = Inline.addLost(lost, value, whole, backs);
    const words = i32x4.trunc_sat_f64x2_s_zero(whole);
    v128.store32_lane(q + (f << 1), i16x8.narrow_i32x4_s(words, words), 0);
  }
  let rest = f64x2.extract_lane(lost, 0) + f64x2.extract_lane(lost, 1);
  if (pairs < d) {
    const whole = nearest(last / per);
    rest += (last - whole * per) * (last - whole * per);
    store<i16>(q + (pairs << 1), <i16>(<i32>whole));
  }
  for (let f = d; f < <usize>screen.wide; f++) store<i16>(q + (f << 1), 0);
  const e = sqrt(rest) + LOST * own;
  store<f32>(back, single1);
  store<f32>(error, <f32>(2 * UP * e));
  store<f32>(length, <f32>(UP * (own + e)));
  return norm;
}

/** Writes four rows of 32-bit words (pairs of integers) side by side; the words of two consecutive pairs are `step` bytes apart. */
function interleave(p0: usize, p1: usize, p2: usize, p3: usize, bytes: usize, out: usize, step: usize): void {
  for (let f: usize = 0; f < bytes; f += 16) {
    const a = v128.load(p0 + f);
    const b = v128.load(p1 + f);
    const c = v128.load(p2 + f);
    const e = v128.load(p3 + f);
    const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
    const ce = v128.shuffle<i32>(c, e, 0, 4, 1, 5);
    v128.store(out, v128.shuffle<i64>(ab, ce, 0, 2));
    v128.store(out + step, v128.shuffle<i64>(ab, ce, 1, 3));
    const ab2 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
    const ce2 = v128.shuffle<i32>(c, e, 2, 6, 3, 7);
    v128.store(out + 2 * step, v128.shuffle<i64>(ab2, ce2, 0, 2));
    v128.store(out + 3 * step, v128.shuffle<i64>(ab2, ce2, 1, 3));
    out += 4 * step;
  }
}

/** Writes eight rows of integers side by side: eight words for each pair of features. `places`: the addresses of the eight rows. */
export function packEight(places: usize, wide: i32, out: usize): void {
  const bytes = (<usize>wide) << 1;
  for (let h: usize = 0; h < 32; h += 16) {
    const at = places + h;
    interleave(load<usize>(at), load<usize>(at, 4), load<usize>(at, 8), load<usize>(at, 12), bytes, out + h, 32);
  }
}

/** Packs rows of `wide` integers in groups of five, pair by pair; rows from `count` on are 0. */
export function packFives(rows: usize, count: i32, wide: i32, out: usize): void {
  const pairs = wide >> 1;
  for (let g = 0; g < count; g += GROUP) {
    for (let p = 0; p < pairs; p++) {
      for (let c = 0; c < GROUP; c++) {
        store<i32>(out, g + c < count ? load<i32>(rows + ((<usize>((g + c) * wide + 2 * p)) << 1)) : 0);
        out += 4;
      }
    }
  }
}

/** Products of eight packed rows with the five rows of a group: five lines of eight sums at `out`. */
export function productsOfFive(eight: usize, five: usize, wide: i32, out: usize): void {
  // biome-ignore format: the sums of a tile on one line
  let a = i32x4.splat(0), b = a, c = a, e = a, f = a, g = a, h = a, k = a, l = a, m = a;
  for (const stop = eight + ((<usize>wide) << 4); eight < stop; eight += 32) {
    const low = v128.load(eight);
    const high = v128.load(eight, 16);
    let s = v128.load32_splat(five);
    a = i32x4.add(a, i32x4.dot_i16x8_s(s, low));
    b = i32x4.add(b, i32x4.dot_i16x8_s(s, high));
    s = v128.load32_splat(five, 4);
    c = i32x4.add(c, i32x4.dot_i16x8_s(s, low));
    e = i32x4.add(e, i32x4.dot_i16x8_s(s, high));
    s = v128.load32_splat(five, 8);
    f = i32x4.add(f, i32x4.dot_i16x8_s(s, low));
    g = i32x4.add(g, i32x4.dot_i16x8_s(s, high));
    s = v128.load32_splat(five, 12);
    h = i32x4.add(h, i32x4.dot_i16x8_s(s, low));
    k = i32x4.add(k, i32x4.dot_i16x8_s(s, high));
    s = v128.load32_splat(five, 16);
    l = i32x4.add(l, i32x4.dot_i16x8_s(s, low));
    m = i32x4.add(m, i32x4.dot_i16x8_s(s, high));
    five += 20;
  }
  v128.store(out, a);
  v128.store(out, b, 16);
  v128.store(out, c, 32);
  v128.store(out, e, 48);
  v128.store(out, f, 64);
  v128.store(out, g, 80);
  v128.store(out, h, 96);
  v128.store(out, k, 112);
  v128.store(out, l, 128);
  v128.store(out, m, 144);
}
