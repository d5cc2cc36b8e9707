/**
 * Squared distances of rows with many columns, from products: |a|² + |b|² - 2 a·b, after subtracting the mean of all rows. Tiles of 64 ×
 * 64 pairs are computed in smaller register tiles from packed rows, then finished, and written together with their mirror image. A result
 * that is small compared with the norms has lost digits and is recomputed from differences. Sums run over the features in order, so each
 * result has the same bits as in the plain kernel.
 */

/** Rows and columns of a tile. It must equal MATRIX_ROWS in the interface of the kernels. */
const SIDE: i32 = 64;

/** The state of one matrix. src/pairs.ts writes the same fields in the same order. */
@unmanaged
class Task {
  n: i32;
  d: i32;
  /** 1 if the result is the root of the squared distance. */
  root: i32;
  /** The first row of this call. The tiles begin at this row. */
  first: i32;
  /** The original rows, and 1 if they are in single precision. */
  x: usize;
  single: i32;
  packed: usize;
  norms: usize;
  out: usize;
  /** For each SIDE rows of the call, work space for a tile and a list of columns. */
  tiles: usize;
  /** A square is recomputed from differences if it is below `share` of the sum of both norms, plus `least`. */
  share: f64;
  least: f64;
}

const LIST: usize = 64 * 64 * 8;
const TILE_BYTES: usize = LIST + 320;

/** Packs rows minus the mean, feature by feature, in groups of four doubles; and computes their squared norms. */
export function matrixPack64(
  x: usize,
  single: i32,
  n: i32,
  d: i32,
  mean: usize,
  packed: usize,
  norms: usize,
  from: i32,
  to: i32,
): void {
  for (let i = from; i < to; i++) Inline.packRow<f64>(x, single, n, d, mean, packed, norms, i);
}

/** Like `matrixPack64`, in groups of eight single-precision numbers. */
export function matrixPack32(
  x: usize,
  single: i32,
  n: i32,
  d: i32,
  mean: usize,
  packed: usize,
  norms: usize,
  from: i32,
  to: i32,
): void {
  for (let i = from; i < to; i++) Inline.packRow<f32>(x, single, n, d, mean, packed, norms, i);
}

export function valueAt(x: usize, single: i32, p: usize): f64 {
  return single ? <f64>load<f32>(x + (p << 2)) : load<f64>(x + (p << 3));
}

export function matrixRows64(address: usize, from: i32, to: i32): void {
  fill<f64, f64>(changetype<Task>(address), from, to);
}

/** Products are summed in double precision, and the matrix is in single precision. */
export function matrixRows64To32(address: usize, from: i32, to: i32): void {
  fill<f64, f32>(changetype<Task>(address), from, to);
}

export function matrixRows32(address: usize, from: i32, to: i32): void {
  fill<f32, f32>(changetype<Task>(address), from, to);
}

/**
 * Computes the distances of rows from … to-1 to all rows from the start of their tile on. P: number type of the products. T: number type
 * of the matrix.
 */
function fill<P, T>(task: Task, from: i32, to: i32): void {
  for (let i = from; i < to; i += SIDE) {
    const tile = task.tiles + <usize>((i - task.first) / SIDE) * TILE_BYTES;
    for (let j = i; j < task.n; j += SIDE) {
      multiply<P>(task, i, j, tile);
      finish<P>(task, i, j, tile);
      write<P, T>(task, i, j, tile);
    }
  }
}

/** Products of rows i … i+63 with rows j … j+63. On the diagonal only the upper half is computed. */
function multiply<P>(task: Task, i: i32, j: i32, tile: usize): void {
  const d = <usize>task.d;
  const wide: i32 = sizeof<P>() == 8 ? 4 : 8;
  const group = d << 5;
  const line = <usize>SIDE * sizeof<P>();
  const endI = min(SIDE, task.n - i);
  const endJ = min(SIDE, task.n - j);
  for (let a = 0; a < endI; a += 4) {
    const left = task.packed + <usize>((i + a) / wide) * group + <usize>((i + a) & (wide - 1)) * sizeof<P>();
    const line0 = tile + <usize>a * line;
    for (let b = i == j ? a & ~(wide - 1) : 0; b < endJ; b += wide) {
      const right = task.packed + <usize>((j + b) / wide) * group;
      const to = line0 + <usize>b * sizeof<P>();
      if (sizeof<P>() == 8) products64(left, right, group, to, line);
      else products32(left, right, group, to, line);
    }
  }
}

/** Products of four packed rows with four other rows, in double precision. */
export function products64(left: usize, right: usize, group: usize, to: usize, line: usize): void {
  Inline.products<f64>(left, right, group, to, line);
}

/** Products of four packed rows with eight other rows, in single precision. */
function products32(left: usize, right: usize, group: usize, to: usize, line: usize): void {
  Inline.products<f32>(left, right, group, to, line);
}

/** Turns products into distances, in place. In the upper half, near pairs are recomputed from differences. */
function finish<P>(task: Task, i: i32, j: i32, tile: usize): void {
  const endI = min(SIDE, task.n - i);
  const endJ = min(SIDE, task.n - j);
  const share = f64x2.splat(task.share);
  const least = f64x2.splat(task.least);
  const norms = task.norms + ((<usize>j) << 3);
  const list = tile + LIST;
  for (let a = 0; a < endI; a++) {
    const line = tile + <usize>(a * SIDE) * sizeof<P>();
    const own = v128.load64_splat(task.norms + ((<usize>(i + a)) << 3));
    const start = i == j ? a + 1 : 0;
    let near: i32 = 0;
    for (let b = start & ~1; b < endJ; b += 2) {
      const place = line + <usize>b * sizeof<P>();
      const sum = f64x2.add(own, v128.load(norms + ((<usize>b) << 3)));
      const product = Inline.pairAt<P>(place);
      const square = f64x2.sub(sum, f64x2.add(product, product));
      Inline.putPair<P>(place, task.root ? f64x2.sqrt(square) : square);
      const far = i64x2.bitmask(f64x2.ge(square, f64x2.add(f64x2.mul(share, sum), least)));
      if (far == 3) continue;
      store<i32>(list + ((<usize>near) << 2), b);
      near += <i32>(!(far & 1) && b >= start);
      store<i32>(list + ((<usize>near) << 2), b + 1);
      near += <i32>(!(far & 2) && b + 1 < endJ);
    }
    for (let at = 0; at < near; at += 4) measureAnew<P>(task, i + a, j, list, at, near - 1, line);
  }
}

/** Recomputes up to four listed pairs from differences. */
function measureAnew<P>(task: Task, i: i32, j: i32, list: usize, at: i32, last: i32, line: usize): void {
  const b0 = load<i32>(list + ((<usize>at) << 2));
  const b1 = load<i32>(list + ((<usize>min(at + 1, last)) << 2));
  const b2 = load<i32>(list + ((<usize>min(at + 2, last)) << 2));
  const b3 = load<i32>(list + ((<usize>min(at + 3, last)) << 2));
  let low: v128, high: v128;
  if (task.single) {
    low = Inline.squaresFrom<f32>(task.x, task.d, i, j + b0, j + b1);
    high = Inline.squaresFrom<f32>(task.x, task.d, i, j + b2, j + b3);
  } else {
    low = Inline.squaresFrom<f64>(task.x, task.d, i, j + b0, j + b1);
    high = Inline.squaresFrom<f64>(task.x, task.d, i, j + b2, j + b3);
  }
  if (task.root) {
    low = f64x2.sqrt(low);
    high = f64x2.sqrt(high);
  }
  store<P>(line + <usize>b0 * sizeof<P>(), <P>f64x2.extract_lane(low, 0));
  store<P>(line + <usize>b1 * sizeof<P>(), <P>f64x2.extract_lane(low, 1));
  store<P>(line + <usize>b2 * sizeof<P>(), <P>f64x2.extract_lane(high, 0));
  store<P>(line + <usize>b3 * sizeof<P>(), <P>f64x2.extract_lane(high, 1));
}

function write<P, T>(task: Task, i: i32, j: i32, tile: usize): void {
  const endI = min(SIDE, task.n - i);
  const endJ = min(SIDE, task.n - j);
  const row = <usize>task.n * sizeof<T>();
  const line = <usize>SIDE * sizeof<P>();
  const own = task.out + <usize>i * row + <usize>j * sizeof<T>();
  const mirror = task.out + <usize>j * row + <usize>i * sizeof<T>();
  if (i == j) {
    for (let a = 0; a < endI; a++) {
      store<T>(own + <usize>a * (row + sizeof<T>()), <T>0);
      for (let b = a + 1; b < endJ; b++) {
        const value = <T>load<P>(tile + <usize>a * line + <usize>b * sizeof<P>());
        store<T>(own + <usize>a * row + <usize>b * sizeof<T>(), value);
        store<T>(own + <usize>b * row + <usize>a * sizeof<T>(), value);
      }
    }
    return;
  }
  for (let a = 0; a < endI; a++) {
    const from = tile + <usize>a * line;
    const to = own + <usize>a * row;
    let b: usize = 0;
    // A loop, because a call of memory.copy for so few bytes would take as long as the copy.
    if (sizeof<P>() == sizeof<T>()) {
      const bytes = <usize>endJ * sizeof<T>();
      for (; b + 16 <= bytes; b += 16) v128.store(to + b, v128.load(from + b));
      b /= sizeof<T>();
    }
    for (; b < <usize>endJ; b++) store<T>(to + b * sizeof<T>(), <T>load<P>(from + b * sizeof<P>()));
  }
  // A tile off the diagonal always has SIDE rows.
  const lanes: i32 = sizeof<P>() == sizeof<T>() ? 16 / <i32>sizeof<T>() : 1;
  let b = 0;
  for (; b + lanes <= endJ && lanes > 1; b += lanes) {
    let from = tile + <usize>b * sizeof<P>();
    let to = mirror + <usize>b * row;
    for (let a = 0; a < SIDE; a += 4) {
      if (sizeof<T>() == 8) Inline.turn2(from, line, to, row);
      else Inline.turn4(from, line, to, row);
      from += 4 * line;
      to += 4 * sizeof<T>();
    }
  }
  for (; b < endJ; b++) {
    const from = tile + <usize>b * sizeof<P>();
    const to = mirror + <usize>b * row;
    for (let a: usize = 0; a < <usize>SIDE; a++) store<T>(to + a * sizeof<T>(), <T>load<P>(from + a * line));
  }
}

class Inline {
  /**
   * Packs row i minus the mean into its group, and writes its squared norm. P: number type of the packed rows. A group takes 32 bytes for
   * each feature.
   */
  @inline
  static packRow<P>(x: usize, single: i32, n: i32, d: i32, mean: usize, packed: usize, norms: usize, i: i32): void {
    const inGroup = i & (32 / <i32>sizeof<P>() - 1);
    let out = packed + (<usize>(i - inGroup) * <usize>d + <usize>inGroup) * sizeof<P>();
    let sum: f64 = 0;
    for (let f: usize = 0; f < <usize>d; f++) {
      const value = i < n ? <P>(valueAt(x, single, <usize>i * <usize>d + f) - load<f64>(mean + (f << 3))) : <P>0;
      store<P>(out, value);
      sum += <f64>value * <f64>value;
      out += 32;
    }
    store<f64>(norms + ((<usize>i) << 3), sum);
  }

  /** Multiplies four packed rows of number type P with the rows of a group; writes four lines of sums to `to`. */
  @inline
  static products<P>(left: usize, right: usize, group: usize, to: usize, line: usize): void {
    // biome-ignore format: the sums of a tile on one line
    let a = i64x2.splat(0), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
    for (const stop = left + group; left < stop; left += 32) {
      const low = v128.load(right);
      const high = v128.load(right, 16);
      let s = Inline.splat<P>(left);
      a = Inline.addProduct<P>(a, s, low);
      b = Inline.addProduct<P>(b, s, high);
      s = Inline.splat<P>(left + sizeof<P>());
      c = Inline.addProduct<P>(c, s, low);
      e = Inline.addProduct<P>(e, s, high);
      s = Inline.splat<P>(left + 2 * sizeof<P>());
      f = Inline.addProduct<P>(f, s, low);
      g = Inline.addProduct<P>(g, s, high);
      s = Inline.splat<P>(left + 3 * sizeof<P>());
      h = Inline.addProduct<P>(h, s, low);
      k = Inline.addProduct<P>(k, s, high);
      right += 32;
    }
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to + line, c);
    v128.store(to + line, e, 16);
    v128.store(to + 2 * line, f);
    v128.store(to + 2 * line, g, 16);
    v128.store(to + 3 * line, h);
    v128.store(to + 3 * line, k, 16);
  }

  @inline
  static splat<P>(x: usize): v128 {
    return sizeof<P>() == 8 ? v128.load64_splat(x) : v128.load32_splat(x);
  }

  @inline
  static addProduct<P>(sum: v128, x: v128, y: v128): v128 {
    return sizeof<P>() == 8 ? f64x2.add(sum, f64x2.mul(x, y)) : f32x4.add(sum, f32x4.mul(x, y));
  }

  /** Transposes four lines of two doubles into two lines of four. */
  @inline
  static turn2(from: usize, line: usize, to: usize, row: usize): void {
    const a = v128.load(from);
    const b = v128.load(from + line);
    const c = v128.load(from + 2 * line);
    const e = v128.load(from + 3 * line);
    v128.store(to, v128.shuffle<i64>(a, b, 0, 2));
    v128.store(to, v128.shuffle<i64>(c, e, 0, 2), 16);
    v128.store(to + row, v128.shuffle<i64>(a, b, 1, 3));
    v128.store(to + row, v128.shuffle<i64>(c, e, 1, 3), 16);
  }

  /** Transposes four lines of four single-precision numbers. */
  @inline
  static turn4(from: usize, line: usize, to: usize, row: usize): void {
    const a = v128.load(from);
    const b = v128.load(from + line);
    const c = v128.load(from + 2 * line);
    const e = v128.load(from + 3 * line);
    const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
    const ce = v128.shuffle<i32>(c, e, 0, 4, 1, 5);
    v128.store(to, v128.shuffle<i64>(ab, ce, 0, 2));
    v128.store(to + row, v128.shuffle<i64>(ab, ce, 1, 3));
    const ab2 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
    const ce2 = v128.shuffle<i32>(c, e, 2, 6, 3, 7);
    v128.store(to + 2 * row, v128.shuffle<i64>(ab2, ce2, 0, 2));
    v128.store(to + 3 * row, v128.shuffle<i64>(ab2, ce2, 1, 3));
  }

  /** Two products of a tile, as doubles. */
  @inline
  static pairAt<P>(place: usize): v128 {
    return sizeof<P>() == 8 ? v128.load(place) : f64x2.promote_low_f32x4(v128.load64_zero(place));
  }

  @inline
  static putPair<P>(place: usize, value: v128): void {
    if (sizeof<P>() == 8) v128.store(place, value);
    else v128.store64_lane(place, f32x4.demote_f64x2_zero(value), 0);
  }

  /** Squared distances from row i to rows p and q. S: number type of the rows. */
  @inline
  static squaresFrom<S>(x: usize, d: i32, i: i32, p: i32, q: i32): v128 {
    const row = <usize>d * sizeof<S>();
    let own = x + <usize>i * row;
    const first = x + <usize>p * row - own;
    const second = x + <usize>q * row - own;
    let sum = f64x2.splat(0);
    for (const stop = own + row; own < stop; own += sizeof<S>()) {
      const other = f64x2.replace_lane(f64x2.splat(<f64>load<S>(own + first)), 1, <f64>load<S>(own + second));
      const t = f64x2.sub(f64x2.splat(<f64>load<S>(own)), other);
      sum = f64x2.add(sum, f64x2.mul(t, t));
    }
    return sum;
  }
}
