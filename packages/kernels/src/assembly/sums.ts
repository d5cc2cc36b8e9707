/**
 * Sums over rows for each column, one chunk of rows at a time: of values, or of squared differences from a mean. Rows are added in order;
 * SIMD lanes hold different columns.
 *
 * Also sums of products of columns, in tiles of two columns by four. Each sum runs over groups of four rows in order.
 */
import { Lanes, PRODUCTS, SQUARES, Tile } from "./tiles";

/** Adds rows from … to-1 to this chunk's line of d sums. `mean`: the address of the mean, or 0 for plain sums. */
export function columnSums64(x: usize, d: i32, mean: usize, chunkRows: i32, out: usize, from: i32, to: i32): void {
  sumRows<f64>(x, d, mean, out + ((<usize>(from / chunkRows) * <usize>d) << 3), from, to);
}

export function columnSums32(x: usize, d: i32, mean: usize, chunkRows: i32, out: usize, from: i32, to: i32): void {
  sumRows<f32>(x, d, mean, out + ((<usize>(from / chunkRows) * <usize>d) << 3), from, to);
}

function sumRows<S>(x: usize, d: i32, mean: usize, sums: usize, from: i32, to: i32): void {
  memory.fill(sums, 0, (<usize>d) << 3);
  const pairs = <usize>(d & ~1);
  let row = x + <usize>from * <usize>d * sizeof<S>();
  for (let i = from; i < to; i++) {
    let f: usize = 0;
    for (; f < pairs; f += 2) {
      const place = row + f * sizeof<S>();
      let value = Lanes.pair<S>(place);
      if (mean) {
        value = f64x2.sub(value, v128.load(mean + (f << 3)));
        value = f64x2.mul(value, value);
      }
      v128.store(sums + (f << 3), f64x2.add(v128.load(sums + (f << 3)), value));
    }
    if (d & 1) {
      let value = <f64>load<S>(row + f * sizeof<S>());
      if (mean) {
        value -= load<f64>(mean + (f << 3));
        value *= value;
      }
      store<f64>(sums + (f << 3), load<f64>(sums + (f << 3)) + value);
    }
    row += <usize>d * sizeof<S>();
  }
}

class Group {
  /**
   * Products of column a with two other columns, summed over four rows p, q, r, s (`row` bytes apart) as ((p + q) + r) + s. With
   * `together` 1, the products of one row.
   */
  @inline
  static pairs(together: i32, x: usize, row: usize, a: usize, b: usize): v128 {
    let sum = f64x2.mul(v128.load64_splat(x + a), v128.load(x + b));
    if (together == 1) return sum;
    x += row;
    sum = f64x2.add(sum, f64x2.mul(v128.load64_splat(x + a), v128.load(x + b)));
    x += row;
    sum = f64x2.add(sum, f64x2.mul(v128.load64_splat(x + a), v128.load(x + b)));
    x += row;
    return f64x2.add(sum, f64x2.mul(v128.load64_splat(x + a), v128.load(x + b)));
  }

  @inline
  static one(together: i32, x: usize, row: usize, a: usize, b: usize): f64 {
    let sum = load<f64>(x + a) * load<f64>(x + b);
    if (together == 1) return sum;
    x += row;
    sum += load<f64>(x + a) * load<f64>(x + b);
    x += row;
    sum += load<f64>(x + a) * load<f64>(x + b);
    x += row;
    return sum + load<f64>(x + a) * load<f64>(x + b);
  }
}

/** Adds groups of four rows to the sums of columns from … to-1, and to their products with themselves and with earlier columns. */
export function addProducts(x: usize, groups: i32, d: i32, sums: usize, products: usize, from: i32, to: i32): void {
  const stop = x + ((<usize>groups * <usize>d) << 5);
  for (let a = from; a < to; a += 2) {
    Tiles.add(4, x, stop, (<usize>d) << 3, a, min(a + 1, to - 1), products);
    for (let column = a; column <= min(a + 1, to - 1); column++) addSum(x, stop, (<usize>d) << 3, (<usize>column) << 3, sums);
  }
}

/** Like `addProducts`, with rows one by one. */
export function addSquares(x: usize, rows: i32, d: i32, sums: usize, products: usize, from: i32, to: i32): void {
  const row = (<usize>d) << 3;
  const stop = x + <usize>rows * row;
  for (let a = from; a < to; a += 2) {
    Tiles.add(1, x, stop, row, a, min(a + 1, to - 1), products);
    for (let column = a; column <= min(a + 1, to - 1); column++) {
      let sum = load<f64>(sums + ((<usize>column) << 3));
      for (let p = x + ((<usize>column) << 3); p < stop; p += row) sum += load<f64>(p);
      store<f64>(sums + ((<usize>column) << 3), sum);
    }
  }
}

class Tiles {
  /** Multiplies columns a and `other` with themselves and with earlier columns; `other` equals a if there is no second column. */
  @inline
  static add(together: i32, x: usize, stop: usize, row: usize, a: i32, other: i32, products: usize): void {
    const fours = (a + 1) & ~3;
    for (let b = 0; b < fours; b += 4)
      Tiles.addTile(together, x, stop, row, (<usize>a) << 3, (<usize>other) << 3, (<usize>b) << 3, products);
    for (let column = a; column <= other; column++) {
      for (let b = fours; b <= column; b++) Tiles.addOne(together, x, stop, row, (<usize>column) << 3, (<usize>b) << 3, products);
    }
  }

  /** Multiplies columns a and `other` by the four columns from byte b on. */
  @inline
  static addTile(together: i32, x: usize, stop: usize, row: usize, a: usize, other: usize, b: usize, products: usize): void {
    const own = products + (a >> 3) * row + b;
    const next = products + (other >> 3) * row + b;
    let c = v128.load(own),
      e = v128.load(own, 16),
      f = v128.load(next),
      g = v128.load(next, 16);
    for (; x < stop; x += <usize>together * row) {
      c = f64x2.add(c, Group.pairs(together, x, row, a, b));
      e = f64x2.add(e, Group.pairs(together, x, row, a, b + 16));
      f = f64x2.add(f, Group.pairs(together, x, row, other, b));
      g = f64x2.add(g, Group.pairs(together, x, row, other, b + 16));
    }
    Lanes.put(own, c, e);
    Lanes.put(next, f, g);
  }

  @inline
  static addOne(together: i32, x: usize, stop: usize, row: usize, a: usize, b: usize, products: usize): void {
    const place = products + (a >> 3) * row + b;
    let sum = load<f64>(place);
    for (; x < stop; x += <usize>together * row) sum += Group.one(together, x, row, a, b);
    store<f64>(place, sum);
  }
}

function addSum(x: usize, stop: usize, row: usize, a: usize, sums: usize): void {
  let sum = load<f64>(sums + a);
  for (let p = x + a; p < stop; p += 4 * row) {
    sum += load<f64>(p) + load<f64>(p + row) + load<f64>(p + 2 * row) + load<f64>(p + 3 * row);
  }
  store<f64>(sums + a, sum);
}

/* Squared distances from one row to a few rows. Each sum runs over the features in order, so the bits equal the plain kernel's. */

/** Squared distances from the row at `own` (number type O) to four rows (number type S), as four doubles at `out`. */
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

/** Squared distances of rows to packed lines (see tiles.ts), `width` results per row, summed over the features in order. */
export function squaresToLines(x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
  Lines.fill(SQUARES, x, d, packed, width, out, from, to);
}

/** Like `squaresToLines`, but products of the rows with the lines. */
export function productsWithLines(x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
  Lines.fill(PRODUCTS, x, d, packed, width, out, from, to);
}

class Lines {
  @inline
  static fill(kind: i32, x: usize, d: i32, packed: usize, width: i32, out: usize, from: i32, to: i32): void {
    const row = (<usize>d) << 3;
    const line = (<usize>width) << 3;
    for (let i = from; i < to; i += 4) {
      const one = <usize>min(1, to - 1 - i);
      const two = <usize>min(2, to - 1 - i);
      const three = <usize>min(3, to - 1 - i);
      const x0 = x + <usize>i * row;
      const to0 = out + <usize>i * line;
      Tile.fourRows(
        kind,
        x0,
        one * row,
        two * row,
        three * row,
        row,
        packed,
        0,
        0,
        line,
        to0,
        one * line,
        two * line,
        three * line,
      );
    }
  }
}
