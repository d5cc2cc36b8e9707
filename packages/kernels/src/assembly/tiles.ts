/**
 * What the tiled kernels share: rows are taken four at a time against four columns, so that a tile of 16 results stays in
 * registers. Columns come from a packed copy: for each group of four rows of x, feature by feature, their four values.
 * A tile is local variables of one function, so the functions of tiles are long.
 */

/** Packs n rows of d numbers into groups of four, the last filled up with zeros. */
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

/** Groups of four columns whose packed copy stays in the nearest cache while rows pass by. */
export function groupsPerPanel(d: i32): i32 {
  return max(1, 49152 / (d << 5));
}

export class Lanes {
  /** Two numbers at x, as doubles. */
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

  /** Stores the first `count` of four numbers, held as two pairs, rounding them if T is f32. */
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

/** A row of singles as doubles. */
export function widen(x: usize, d: i32, out: usize): void {
  const pairs = <usize>(d & ~1);
  for (let f: usize = 0; f < pairs; f += 2) v128.store(out + (f << 3), Lanes.pair<f32>(x + (f << 2)));
  if (d & 1) store<f64>(out + (pairs << 3), <f64>load<f32>(x + (pairs << 2)));
}
