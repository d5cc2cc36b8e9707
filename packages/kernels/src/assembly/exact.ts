/** Squared distances from one row to a few others, each sum over the features in order: the plain kernel's bits. */
import { Lanes } from "./tiles";

/** From the row at `own` (numbers O) to four rows (numbers S) into four doubles at `out`. */
export function squaresToFour<O, S>(own: usize, d: i32, p0: usize, p1: usize, p2: usize, p3: usize, out: usize): void {
  let low = f64x2.splat(0);
  let high = low;
  const stop = own + <usize>d * sizeof<O>();
  while (own < stop) {
    const value = f64x2.splat(<f64>load<O>(own));
    const a = f64x2.replace_lane(f64x2.splat(<f64>load<S>(p0)), 1, <f64>load<S>(p1));
    const b = f64x2.replace_lane(f64x2.splat(<f64>load<S>(p2)), 1, <f64>load<S>(p3));
    const t = f64x2.sub(value, a);
    const u = f64x2.sub(value, b);
    low = f64x2.add(low, f64x2.mul(t, t));
    high = f64x2.add(high, f64x2.mul(u, u));
    own += sizeof<O>();
    p0 += sizeof<S>();
    p1 += sizeof<S>();
    p2 += sizeof<S>();
    p3 += sizeof<S>();
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

class Terms {
  /** sum + (x - y)², or sum + x · y. */
  @inline
  static add(squares: bool, sum: v128, x: v128, y: v128): v128 {
    return squares ? Lanes.addSquare(sum, x, y) : f64x2.add(sum, f64x2.mul(x, y));
  }
}

/**
 * Squared distances of rows from … to-1 to lines that are packed in groups of four (see tiles.ts), each sum over the features in order; `width`
 * results a row.
 */
export function squaresToLines(x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
  Tile.toLines(true, x, d, packed, width, out, from, to);
}

/** Products of the rows with the lines, instead. */
export function productsWithLines(x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
  Tile.toLines(false, x, d, packed, width, out, from, to);
}

class Tile {
  /** A tile is four rows by four lines. */
  @inline
  static toLines(squares: bool, x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
    const row = (<usize>d) << 3;
    const line = (<usize>width) << 3;
    for (let i = from; i < to; i += 4) {
      const x0 = x + <usize>i * row;
      const x1 = <usize>min(1, to - 1 - i) * row;
      const x2 = <usize>min(2, to - 1 - i) * row;
      const x3 = <usize>min(3, to - 1 - i) * row;
      let p = packed;
      for (let g: usize = 0; g < line; g += 32) {
        // biome-ignore format: the sums of a tile on one line
        let a = f64x2.splat(0), b = a, c = a, e = a, f = a, h = a, k = a, l = a;
        for (let q = x0, stop = x0 + row; q < stop; q += 8) {
          const low = v128.load(p);
          const high = v128.load(p, 16);
          let s = v128.load64_splat(q);
          a = Terms.add(squares, a, s, low);
          b = Terms.add(squares, b, s, high);
          s = v128.load64_splat(q + x1);
          c = Terms.add(squares, c, s, low);
          e = Terms.add(squares, e, s, high);
          s = v128.load64_splat(q + x2);
          f = Terms.add(squares, f, s, low);
          h = Terms.add(squares, h, s, high);
          s = v128.load64_splat(q + x3);
          k = Terms.add(squares, k, s, low);
          l = Terms.add(squares, l, s, high);
          p += 32;
        }
        const to0 = out + <usize>i * line + g;
        // The last rows repeat: later ones write the same numbers again.
        Lanes.put(to0 + <usize>min(3, to - 1 - i) * line, k, l);
        Lanes.put(to0 + <usize>min(2, to - 1 - i) * line, f, h);
        Lanes.put(to0 + <usize>min(1, to - 1 - i) * line, c, e);
        Lanes.put(to0, a, b);
      }
    }
  }
}
