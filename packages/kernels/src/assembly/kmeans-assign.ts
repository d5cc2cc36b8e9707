/**
 * Lloyd's assignment, a chunk of rows at a time.
 *
 * A row is left alone while its label provably stays. The proof: when the row was last scanned, its nearest centre was at
 * distance u and every other at l or more. If its centre has come p from where it was, and no other centre more than q, the
 * label stays while u + p < l - q. So a row keeps one number, its gap l - u, and the time of its scan; p + q comes from a
 * table of times by labels. Bounds of this kind are Hamerly's (Making k-means even faster. SDM 2010); measuring a centre's
 * way from where it was, and not along its path, is from Newling and Fleuret (Fast k-means with accurate bounds. ICML 2016).
 *
 * The others are estimated in single precision or, where rows are wide, in integers, and what that does not decide is scanned exactly, four rows by four centres
 * in registers. All computed distances are within a relative `slack` of the true ones, which every bound allows for: so the
 * labels are those of a full scan.
 */
import { assignByEstimate } from "./kmeans-estimate";
import { scaleRow, scanUnder } from "./kmeans-metrics";
import { LEAST_DISTANCE, MOST_DISTANCE, offsetAt, Plan, relabel, rowAt } from "./kmeans-plan";
import { assignByScreen } from "./kmeans-screen";
import { Lanes, widen } from "./tiles";

/** Assigns rows from … to-1 of one chunk. */
export function kmeansAssign(address: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  const chunk = <usize>(from / plan.chunkRows);
  const buffer = plan.buffers + chunk * <usize>plan.bufferBytes;
  const list = plan.lists + chunk * ((<usize>plan.chunkRows) << 1);
  let count = to - from;
  let changed = 0;
  if (plan.bounds) count = listDoubtful(plan, list, from, to);
  else for (let r = 0; r < count; r++) store<u16>(list + ((<usize>r) << 1), <u16>r);
  if (plan.screen && plan.metrics != 1) {
    changed = assignByScreen(plan, buffer, list, chunk, from, count);
    count = 0;
  } else if (plan.bounds) {
    const outcome = assignByEstimate(plan, buffer, list, chunk, from, count);
    count = <i32>(outcome >> 32);
    changed = <i32>outcome;
  }
  for (let at = 0; at < count; at += 4) {
    const last = min(at + 4, count) - 1;
    scan(plan, buffer, list, from, at, last);
    for (let which = at; which <= last; which++)
      changed += assignRow(plan, buffer, chunk, <usize>(from + offsetAt(list, which)), which - at);
  }
  store<i32>(plan.changed + (chunk << 2), changed);
}

/** Lists the rows whose gap may be used up. Every row is written, and the next one over it if its label stays. */
function listDoubtful(plan: Plan, list: usize, from: i32, to: i32): i32 {
  const labels = plan.labels;
  const stamps = plan.stamps;
  const gaps = plan.gaps;
  const limits = plan.limits;
  const k = plan.k;
  let count: i32 = 0;
  for (let i = from; i < to; i++) {
    const label = load<i32>(labels + ((<usize>i) << 2));
    const stamp = <i32>load<u8>(stamps + <usize>i);
    const limit = load<f64>(limits + ((<usize>(stamp * k + label)) << 3));
    store<u16>(list + ((<usize>count) << 1), <u16>(i - from));
    count += <i32>!(load<f64>(gaps + ((<usize>i) << 3)) > limit);
  }
  return count;
}

/** Squared distances of four rows to all centres, or their costs under metrics, into four rows of the buffer. */
function scan(plan: Plan, buffer: usize, list: usize, from: i32, at: i32, last: i32): void {
  const row = (<usize>plan.d) << 3;
  const line = (<usize>plan.width) << 3;
  let x0 = rowAt(plan, from + offsetAt(list, at));
  let x1 = rowAt(plan, from + offsetAt(list, min(at + 1, last))) - x0;
  let x2 = rowAt(plan, from + offsetAt(list, min(at + 2, last))) - x0;
  let x3 = rowAt(plan, from + offsetAt(list, min(at + 3, last))) - x0;
  if (plan.single || plan.metrics == 2) {
    const rows = buffer + 4 * line;
    readRow(plan, x0, rows);
    readRow(plan, x0 + x1, rows + row);
    readRow(plan, x0 + x2, rows + 2 * row);
    readRow(plan, x0 + x3, rows + 3 * row);
    x0 = rows;
    x1 = row;
    x2 = 2 * row;
    x3 = 3 * row;
  }
  if (plan.metrics == 1) {
    scanUnder(plan.d, plan.width, plan.packed, plan.factors, plan.starts, buffer, x0, x1, x2, x3);
    return;
  }
  const stop = x0 + row;
  let p = plan.packed;
  for (const end = buffer + line; buffer < end; buffer += 32) {
    // biome-ignore format: the sums of a tile on one line
    let a = f64x2.splat(0), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
    for (let q = x0; q < stop; q += 8) {
      const low = v128.load(p);
      const high = v128.load(p, 16);
      let s = v128.load64_splat(q);
      a = Lanes.addSquare(a, s, low);
      b = Lanes.addSquare(b, s, high);
      s = v128.load64_splat(q + x1);
      c = Lanes.addSquare(c, s, low);
      e = Lanes.addSquare(e, s, high);
      s = v128.load64_splat(q + x2);
      f = Lanes.addSquare(f, s, low);
      g = Lanes.addSquare(g, s, high);
      s = v128.load64_splat(q + x3);
      h = Lanes.addSquare(h, s, low);
      k = Lanes.addSquare(k, s, high);
      p += 32;
    }
    Lanes.put(buffer, a, b);
    Lanes.put(buffer + line, c, e);
    Lanes.put(buffer + 2 * line, f, g);
    Lanes.put(buffer + 3 * line, h, k);
  }
}

/** A row as doubles, times the factors of all centres where there are some. */
function readRow(plan: Plan, x: usize, out: usize): void {
  if (plan.metrics == 2) scaleRow(plan, x, out);
  else widen(x, plan.d, out);
}

/** Gives row i its label and gap from its line of the buffer; 1 if the label changed. */
function assignRow(plan: Plan, buffer: usize, chunk: usize, i: usize, which: i32): i32 {
  const line = (<usize>plan.width) << 3;
  const from = buffer + <usize>which * line;
  const to = from + line;
  let first = f64x2.splat(Infinity);
  let second = first;
  for (let p = from; p < to; p += 32) {
    const low = v128.load(p);
    const high = v128.load(p, 16);
    second = f64x2.pmin(second, f64x2.pmax(first, low));
    first = f64x2.pmin(first, low);
    second = f64x2.pmin(second, f64x2.pmax(first, high));
    first = f64x2.pmin(first, high);
  }
  const a = f64x2.extract_lane(first, 0);
  const b = f64x2.extract_lane(first, 1);
  const least = min(a, b);
  const next = min(max(a, b), min(f64x2.extract_lane(second, 0), f64x2.extract_lane(second, 1)));

  const target = f64x2.splat(least);
  let p = from;
  let found = i64x2.bitmask(f64x2.eq(v128.load(p), target));
  while (found == 0) {
    p += 16;
    found = i64x2.bitmask(f64x2.eq(v128.load(p), target));
  }
  const label = <i32>((p - from) >> 3) + ctz(found);

  if (plan.bounds) {
    const far = min(sqrt(next), MOST_DISTANCE);
    store<f64>(plan.gaps + (i << 3), far * (1 - plan.slack) - sqrt(least) * (1 + plan.slack) - LEAST_DISTANCE);
    store<u8>(plan.stamps + i, <u8>plan.now);
  }
  return relabel(plan, chunk, i, label);
}
