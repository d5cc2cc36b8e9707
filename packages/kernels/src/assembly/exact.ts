/** Squared distances from one row to a few others, each sum over the features in order: the plain kernel's bits. */

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
