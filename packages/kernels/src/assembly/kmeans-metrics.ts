/** The computations for diagonal metrics: costs under the metrics, sums of squared differences from the centres, and the farthest rows. */
import { Plan, rowAt } from "./kmeans-plan";
import { Lanes, SCALED_SQUARES, Tile, widen } from "./tiles";

/**
 * Costs of four rows in groups of four clusters, written into four lines of the buffer. `x0` is the address of the first row; `x1` … `x3`
 * are the offsets of the other three rows from `x0`. A cost is the start value of the cluster plus Σ (x · factor - centre)², feature by
 * feature.
 */
export function scanUnder(
  d: i32,
  width: i32,
  packed: usize,
  factors: usize,
  starts: usize,
  buffer: usize,
  x0: usize,
  x1: usize,
  x2: usize,
  x3: usize,
): void {
  const line = (<usize>width) << 3;
  Tile.fourRows(SCALED_SQUARES, x0, x1, x2, x3, (<usize>d) << 3, packed, factors, starts, line, buffer, line, 2 * line, 3 * line);
}

export function scaleRow(plan: Plan, x: usize, out: usize): void {
  if (plan.single) scaled<f32>(x, plan.d, plan.factors, out);
  else scaled<f64>(x, plan.d, plan.factors, out);
}

function scaled<S>(x: usize, d: i32, factors: usize, out: usize): void {
  const row = (<usize>d) << 3;
  let f: usize = 0;
  for (const pairs = row & ~15; f < pairs; f += 16) {
    v128.store(out + f, f64x2.mul(Lanes.pair<S>(x), v128.load(factors + f)));
    x += 2 * sizeof<S>();
  }
  if (f < row) store<f64>(out + f, <f64>load<S>(x) * load<f64>(factors + f));
}

/** Σ (x - centre of its label)² over the rows of one chunk: k lines of d sums if `separate`, else one line. Rows are added in order. */
export function kmeansScatter(address: usize, centres: usize, separate: i32, out: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  if (plan.single) scatter<f32>(plan, centres, separate, out, from, to);
  else scatter<f64>(plan, centres, separate, out, from, to);
}

function scatter<S>(plan: Plan, centres: usize, separate: i32, out: usize, from: i32, to: i32): void {
  const row = (<usize>plan.d) << 3;
  const pairs = row & ~15;
  const bytes = separate ? <usize>plan.k * row : row;
  const sums = out + <usize>(from / plan.chunkRows) * bytes;
  memory.fill(sums, 0, bytes);
  let x = rowAt(plan, from);
  for (let i = from; i < to; i++) {
    const place = <usize>load<i32>(plan.labels + ((<usize>i) << 2)) * row;
    const centre = centres + place;
    const sum = separate ? sums + place : sums;
    let f: usize = 0;
    for (; f < pairs; f += 16) {
      const t = f64x2.sub(Lanes.pair<S>(x), v128.load(centre + f));
      v128.store(sum + f, f64x2.add(v128.load(sum + f), f64x2.mul(t, t)));
      x += 2 * sizeof<S>();
    }
    if (f < row) {
      const t = <f64>load<S>(x) - load<f64>(centre + f);
      store<f64>(sum + f, load<f64>(sum + f) + t * t);
      x += sizeof<S>();
    }
  }
}

/**
 * The farthest rows of one chunk: for each of `width` packed lines of factors, the largest Σ (x · factor)² and the first row with this
 * sum. `zeros`: packed zeros, as many as there are factors. `out` holds, for each chunk, `width` squares, then `width` rows.
 */
export function kmeansFarthest(address: usize, zeros: usize, factors: usize, width: i32, out: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  const chunk = <usize>(from / plan.chunkRows);
  const buffer = plan.buffers + chunk * <usize>plan.bufferBytes;
  const row = (<usize>plan.d) << 3;
  const line = (<usize>width) << 3;
  const squares = out + chunk * (line + (line >> 1));
  const rows = squares + line;
  for (let g: usize = 0; g < <usize>width; g++) store<f64>(squares + (g << 3), -1);
  memory.fill(rows, 0, line >> 1);
  for (let i = from; i < to; i += 4) {
    const last = <usize>(to - 1 - i);
    let x0 = rowAt(plan, i);
    if (plan.single) {
      const room = buffer + 4 * line;
      for (let r: usize = 0; r <= min(3, last); r++) widen(rowAt(plan, i + <i32>r), plan.d, room + r * row);
      x0 = room;
    }
    scanUnder(plan.d, width, zeros, factors, zeros, buffer, x0, min(1, last) * row, min(2, last) * row, min(3, last) * row);
    for (let r: usize = 0; r <= min(3, last); r++) {
      const found = buffer + r * line;
      for (let g: usize = 0; g < line; g += 8) {
        const square = load<f64>(found + g);
        if (square > load<f64>(squares + g)) {
          store<f64>(squares + g, square);
          store<i32>(rows + (g >> 1), i + <i32>r);
        }
      }
    }
  }
}
