/** Sums over rows for each column, a chunk of rows at a time: values, or squared differences from a mean. Rows in order, columns in lanes. */
import { Lanes } from "./tiles";

/** Sums of rows from … to-1 into this chunk's line of d sums; `mean` is 0 for plain sums. */
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
