/**
 * The parts that the tiled kernels share. Four rows at a time are compared with four columns, so that a tile of 16 results stays in
 * registers. Columns are read from a packed copy: each group of four rows of x is stored feature by feature, with four values per
 * feature. A tile is held in local variables of one function, so these functions are long.
 */

/** Packs n rows of d numbers in groups of four; the last group is filled up with zeros. */
export function pack(x: usize, n: i32, d: i32, packed: usize): void {
  const row = (<usize>d) << 3;
  for (let j = 0; j < n; j += 4) {
    const p0 = x + <usize>j * row;
    if (j + 4 <= n) {
      const p1 = p0 + row;
      const p2 = p1 + row;
      const p3 = p2 + row;
      for (let f: usize = 0; f < row; f += 8) {
        store<f64>(packed, load<f64>(p0 + f));
        store<f64>(packed, load<f64>(p1 + f), 8);
        store<f64>(packed, load<f64>(p2 + f), 16);
        store<f64>(packed, load<f64>(p3 + f), 24);
        packed += 32;
      }
    } else {
      const used = (<usize>(n - j)) << 3;
      for (let f: usize = 0; f < row; f += 8) {
        for (let lane: usize = 0; lane < 32; lane += 8) {
          store<f64>(packed + lane, lane < used ? load<f64>(p0 + (lane >> 3) * row + f) : 0);
        }
        packed += 32;
      }
    }
  }
}

/** Number of groups of four columns for which the packed copy stays in the nearest cache while rows are compared with them. */
export function groupsPerPanel(d: i32): i32 {
  return max(1, 49152 / (d << 5));
}

export class Lanes {
  /** Two numbers at x, converted to doubles. */
  @inline
  static pair<S>(x: usize): v128 {
    return sizeof<S>() == 8 ? v128.load(x) : f64x2.promote_low_f32x4(v128.load64_zero(x));
  }

  /** sum + (x - y)². */
  @inline
  static addSquare(sum: v128, x: v128, y: v128): v128 {
    const t = f64x2.sub(x, y);
    return f64x2.add(sum, f64x2.mul(t, t));
  }

  @inline
  static put(to: usize, low: v128, high: v128): void {
    v128.store(to, low);
    v128.store(to, high, 16);
  }

  /** Stores the first `count` of four numbers, which are passed as two pairs. They are rounded if T is f32. */
  @inline
  static store<T>(to: usize, low: v128, high: v128, count: i32): void {
    if (count >= 4) {
      if (sizeof<T>() == 8) {
        Lanes.put(to, low, high);
      } else {
        v128.store(to, v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5));
      }
    } else {
      Lanes.storeSome<T>(to, low, high, count);
    }
  }

  static storeSome<T>(to: usize, low: v128, high: v128, count: i32): void {
    store<T>(to, <T>f64x2.extract_lane(low, 0));
    if (count > 1) store<T>(to + sizeof<T>(), <T>f64x2.extract_lane(low, 1));
    if (count > 2) store<T>(to + 2 * sizeof<T>(), <T>f64x2.extract_lane(high, 0));
  }
}

/** The kind of sum in a tile of four rows and packed lines. It is a constant at each call, so each kind gets a separate loop. */
export const SQUARES = 0;
export const PRODUCTS = 1;
/** Sums of (x · factor - line)², with one factor for each number of a line. Each sum begins at a start value. */
export const SCALED_SQUARES = 2;

export class Tile {
  /**
   * Sums of four rows (each `row` bytes) with packed lines, four lines at a time; the features are added in order. `x0`: address of the
   * first row; `x1` … `x3`: offsets of the other rows from `x0`. Writes `line` bytes of sums per row: for the first row at `out`, for the
   * other rows at the offsets `o1` … `o3` from `out`.
   */
  @inline
  static fourRows(
    kind: i32,
    x0: usize,
    x1: usize,
    x2: usize,
    x3: usize,
    row: usize,
    packed: usize,
    factors: usize,
    starts: usize,
    line: usize,
    out: usize,
    o1: usize,
    o2: usize,
    o3: usize,
  ): void {
    const stop = x0 + row;
    for (const end = out + line; out < end; out += 32) {
      let a = f64x2.splat(0),
        b = a;
      if (kind == SCALED_SQUARES) {
        a = v128.load(starts);
        b = v128.load(starts, 16);
        starts += 32;
      }
      // biome-ignore format: the sums of a tile on one line
      let c = a, e = b, f = a, g = b, h = a, k = b;
      for (let q = x0; q < stop; q += 8) {
        const low = v128.load(packed);
        const high = v128.load(packed, 16);
        const lowFactors = kind == SCALED_SQUARES ? v128.load(factors) : low;
        const highFactors = kind == SCALED_SQUARES ? v128.load(factors, 16) : high;
        let s = v128.load64_splat(q);
        a = Tile.add(kind, a, s, low, lowFactors);
        b = Tile.add(kind, b, s, high, highFactors);
        s = v128.load64_splat(q + x1);
        c = Tile.add(kind, c, s, low, lowFactors);
        e = Tile.add(kind, e, s, high, highFactors);
        s = v128.load64_splat(q + x2);
        f = Tile.add(kind, f, s, low, lowFactors);
        g = Tile.add(kind, g, s, high, highFactors);
        s = v128.load64_splat(q + x3);
        h = Tile.add(kind, h, s, low, lowFactors);
        k = Tile.add(kind, k, s, high, highFactors);
        packed += 32;
        if (kind == SCALED_SQUARES) factors += 32;
      }
      // If fewer than four rows are left, some of the four rows are the same row and give the same results.
      Lanes.put(out + o3, h, k);
      Lanes.put(out + o2, f, g);
      Lanes.put(out + o1, c, e);
      Lanes.put(out, a, b);
    }
  }

  @inline
  static add(kind: i32, sum: v128, x: v128, line: v128, factors: v128): v128 {
    if (kind == PRODUCTS) return f64x2.add(sum, f64x2.mul(x, line));
    return Lanes.addSquare(sum, kind == SCALED_SQUARES ? f64x2.mul(x, factors) : x, line);
  }
}

export function widen(x: usize, d: i32, out: usize): void {
  const pairs = <usize>(d & ~1);
  for (let f: usize = 0; f < pairs; f += 2) v128.store(out + (f << 3), Lanes.pair<f32>(x + (f << 2)));
  if (d & 1) store<f64>(out + (pairs << 3), <f64>load<f32>(x + (pairs << 2)));
}
