/**
 * Lloyd's assignment, one chunk of rows at a time.
 *
 * A row is skipped if its label provably stays the same. The proof: when the row was last scanned, its nearest centre was at distance u,
 * and every other centre at l or more. If its centre is now p away from its position at that scan, and no other centre is more than q
 * away, the label stays while u + p < l - q. So a row stores one number, its gap l - u, and the time of its scan. The sum p + q comes
 * from a table of times by labels. Hamerly introduced bounds of this kind (Making k-means even faster. SDM 2010). Newling and Fleuret
 * measure how far a centre is from its earlier position, instead of the length of its path (Fast k-means with accurate bounds. ICML
 * 2016).
 *
 * All other rows are estimated, in single precision or, if rows have many columns, in integers. Rows that the estimates do not decide are
 * scanned exactly, four rows by four centres in registers. The relative error of a computed distance is at most `slack`, and every bound
 * allows for it. So the labels are the labels of a full scan.
 */

import { scaleRow, scanUnder } from "./kmeans-metrics";
import { LEAST_DISTANCE, MOST_DISTANCE, offsetAt, Plan, relabel, rowAt } from "./kmeans-plan";
import { assignByScreen } from "./kmeans-screen";
import { Lanes, SQUARES, Tile, widen } from "./tiles";

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

/**
 * Lists the rows with a gap that can be too small. The loop has no branch: each row is written, and the next row overwrites it if its
 * label stays.
 */
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

/** Squared distances of four rows to all centres, or their costs with metrics. Written into four lines of the buffer. */
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
  Tile.fourRows(SQUARES, x0, x1, x2, x3, row, plan.packed, 0, 0, line, buffer, line, 2 * line, 3 * line);
}

/** Reads a row as doubles. If all centres share factors, the row is multiplied by them. */
function readRow(plan: Plan, x: usize, out: usize): void {
  if (plan.metrics == 2) scaleRow(plan, x, out);
  else widen(x, plan.d, out);
}

/** Gives row i its label and gap from its line of the buffer. Returns 1 if the label changed. */
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

/*
 * Computes labels and gaps in single precision, eight rows at once, with a bound on the error. If the bound does not decide a label, the
 * exact scan does.
 *
 * Rows and centres are moved to the middle of the centres and scaled by a power of two. This changes no comparison and keeps rounding
 * errors small relative to the distances. The squared distance minus |x|² is |c|² - 2 x·c, and |x|² is the same for all centres. Its d +
 * 1 terms are rounded and added in single precision, so the error of the sum is below (d + 5) · 2⁻²⁴ · (|x| + |c|)²; src/kmeans.ts allows
 * four times as much. Numbers beyond single precision give infinities, or bounds larger than all results. Both leave the decision to the
 * exact scan.
 */

/** Offsets in a chunk's buffer, in bytes: for each row its norm, gap, smallest and second smallest estimate, and label; then the rows. */
const GAPS: usize = 64;
const LEAST: usize = 128;
const SECOND: usize = 160;
const LABELS: usize = 192;
const ROWS: usize = 224;

/**
 * Assigns the listed rows that estimates decide, and moves the other rows to the front of the list. Returns the number of the other rows
 * (upper 32 bits) and of changed labels (lower 32 bits).
 */
function assignByEstimate(plan: Plan, buffer: usize, list: usize, chunk: usize, from: i32, count: i32): u64 {
  let rest: i32 = 0;
  let changed: i32 = 0;
  for (let at = 0; at < count; at += 8) {
    const last = count - 1;
    for (let r = 0; r < 8; r++) {
      const x = rowAt(plan, from + offsetAt(list, min(at + r, last)));
      const y = buffer + ROWS + ((<usize>(r >> 2) * <usize>plan.d) << 4) + ((<usize>(r & 3)) << 2);
      store<f64>(buffer + ((<usize>r) << 3), plan.single ? convert<f32>(plan, x, y) : convert<f64>(plan, x, y));
    }
    leastTwo(plan, buffer);
    gapsOf(plan, buffer);
    for (let r = 0; r < min(8, count - at); r++) {
      const offset = offsetAt(list, at + r);
      const gap = load<f64>(buffer + GAPS + ((<usize>r) << 3));
      if (gap > 0 && gap < MOST_DISTANCE) {
        const i = <usize>(from + offset);
        store<f64>(plan.gaps + (i << 3), gap);
        store<u8>(plan.stamps + i, <u8>plan.now);
        changed += relabel(plan, chunk, i, load<i32>(buffer + LABELS + ((<usize>r) << 2)));
      } else {
        store<u16>(list + ((<usize>rest) << 1), <u16>offset);
        rest++;
      }
    }
  }
  return ((<u64>rest) << 32) | <u64>changed;
}

/** Writes (x - middle) · scale in single precision, to every fourth place from y on; returns its squared norm. */
function convert<S>(plan: Plan, x: usize, y: usize): f64 {
  const factor = f64x2.splat(plan.scale);
  let middle = plan.middle;
  let norms = f64x2.splat(0);
  for (const stop = x + <usize>(plan.d & ~1) * sizeof<S>(); x < stop; x += 2 * sizeof<S>()) {
    const value = f64x2.mul(f64x2.sub(Lanes.pair<S>(x), v128.load(middle)), factor);
    norms = f64x2.add(norms, f64x2.mul(value, value));
    const single = f32x4.demote_f64x2_zero(value);
    v128.store32_lane(y, single, 0);
    v128.store32_lane(y, single, 1, 16);
    middle += 16;
    y += 32;
  }
  let norm = f64x2.extract_lane(norms, 0) + f64x2.extract_lane(norms, 1);
  if (plan.d & 1) {
    const value = (<f64>load<S>(x) - load<f64>(middle)) * plan.scale;
    norm += value * value;
    store<f32>(y, <f32>value);
  }
  return norm;
}

class Least {
  /** For four rows: the second smallest number after `value` was added, given the smallest and second smallest before. */
  @inline
  static second(first: v128, second: v128, value: v128): v128 {
    return f32x4.pmin(second, f32x4.pmax(first, value));
  }
}

/** Smallest and second smallest estimate of eight rows, and the centre of the smallest, in tiles of 8 rows by 4 centres. */
function leastTwo(plan: Plan, buffer: usize): void {
  const group = (<usize>plan.d) << 4;
  const rows = buffer + ROWS;
  const stop = rows + group;
  let p = plan.estimates;
  // biome-ignore format: the sums of a tile on one line
  let first = f32x4.splat(Infinity), second = first, otherFirst = first, otherSecond = first;
  let label = i32x4.splat(0),
    otherLabel = label;
  for (let centre = 0; centre < plan.width; centre += 4) {
    let a = v128.load32_splat(p),
      b = a;
    let c = v128.load32_splat(p, 4),
      e = c;
    let f = v128.load32_splat(p, 8),
      g = f;
    let h = v128.load32_splat(p, 12),
      k = h;
    p += 16;
    for (let q = rows; q < stop; q += 16) {
      const low = v128.load(q);
      const high = v128.load(q + group);
      let s = v128.load32_splat(p);
      a = f32x4.add(a, f32x4.mul(s, low));
      b = f32x4.add(b, f32x4.mul(s, high));
      s = v128.load32_splat(p, 4);
      c = f32x4.add(c, f32x4.mul(s, low));
      e = f32x4.add(e, f32x4.mul(s, high));
      s = v128.load32_splat(p, 8);
      f = f32x4.add(f, f32x4.mul(s, low));
      g = f32x4.add(g, f32x4.mul(s, high));
      s = v128.load32_splat(p, 12);
      h = f32x4.add(h, f32x4.mul(s, low));
      k = f32x4.add(k, f32x4.mul(s, high));
      p += 16;
    }
    let name = i32x4.splat(centre);
    second = Least.second(first, second, a);
    label = v128.bitselect(name, label, f32x4.lt(a, first));
    first = f32x4.pmin(first, a);
    otherSecond = Least.second(otherFirst, otherSecond, b);
    otherLabel = v128.bitselect(name, otherLabel, f32x4.lt(b, otherFirst));
    otherFirst = f32x4.pmin(otherFirst, b);
    name = i32x4.splat(centre + 1);
    second = Least.second(first, second, c);
    label = v128.bitselect(name, label, f32x4.lt(c, first));
    first = f32x4.pmin(first, c);
    otherSecond = Least.second(otherFirst, otherSecond, e);
    otherLabel = v128.bitselect(name, otherLabel, f32x4.lt(e, otherFirst));
    otherFirst = f32x4.pmin(otherFirst, e);
    name = i32x4.splat(centre + 2);
    second = Least.second(first, second, f);
    label = v128.bitselect(name, label, f32x4.lt(f, first));
    first = f32x4.pmin(first, f);
    otherSecond = Least.second(otherFirst, otherSecond, g);
    otherLabel = v128.bitselect(name, otherLabel, f32x4.lt(g, otherFirst));
    otherFirst = f32x4.pmin(otherFirst, g);
    name = i32x4.splat(centre + 3);
    second = Least.second(first, second, h);
    label = v128.bitselect(name, label, f32x4.lt(h, first));
    first = f32x4.pmin(first, h);
    otherSecond = Least.second(otherFirst, otherSecond, k);
    otherLabel = v128.bitselect(name, otherLabel, f32x4.lt(k, otherFirst));
    otherFirst = f32x4.pmin(otherFirst, k);
  }
  v128.store(buffer + LEAST, first);
  v128.store(buffer + LEAST + 16, otherFirst);
  v128.store(buffer + SECOND, second);
  v128.store(buffer + SECOND + 16, otherSecond);
  v128.store(buffer + LABELS, label);
  v128.store(buffer + LABELS + 16, otherLabel);
}

/** Gaps of eight rows from their estimates. A gap is 0 or less if the estimate does not decide the label. */
function gapsOf(plan: Plan, buffer: usize): void {
  const less = f64x2.splat((1 - plan.slack) * plan.unscale);
  const more = f64x2.splat((1 + plan.slack) * plan.unscale);
  const least = f64x2.splat(LEAST_DISTANCE);
  const factor = f64x2.splat(plan.estimateError);
  const reach = f64x2.splat(plan.reach);
  for (let r: usize = 0; r < 8; r += 2) {
    const norm = v128.load(buffer + (r << 3));
    const error = f64x2.mul(factor, f64x2.add(norm, reach));
    const near = f64x2.add(f64x2.add(norm, f64x2.promote_low_f32x4(v128.load64_zero(buffer + LEAST + (r << 2)))), error);
    const far = f64x2.sub(f64x2.add(norm, f64x2.promote_low_f32x4(v128.load64_zero(buffer + SECOND + (r << 2)))), error);
    const gap = f64x2.sub(f64x2.sub(f64x2.mul(f64x2.sqrt(far), less), f64x2.mul(f64x2.sqrt(near), more)), least);
    v128.store(buffer + GAPS + (r << 3), gap);
  }
}

/* The steps around the assignment: sums of clusters, distances, and removal of old times. */

/** Sums the clusters of one chunk again if their members changed. Rows are added in order; SIMD lanes hold different features. */
export function kmeansSums(address: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  const chunk = <usize>(from / plan.chunkRows);
  const k = <usize>plan.k;
  const row = (<usize>plan.d) << 3;
  const dirty = plan.dirty + chunk * k;
  const sums = plan.sums + chunk * k * row;
  const counts = plan.counts + ((chunk * k) << 2);
  let any = false;
  for (let c: usize = 0; c < k; c++) {
    if (load<u8>(dirty + c) == 0) continue;
    any = true;
    memory.fill(sums + c * row, 0, row);
    store<i32>(counts + (c << 2), 0);
  }
  if (!any) return;
  const list = plan.lists + chunk * ((<usize>plan.chunkRows) << 1);
  let count: i32 = 0;
  for (let i = from; i < to; i++) {
    store<u16>(list + ((<usize>count) << 1), <u16>(i - from));
    count += <i32>load<u8>(dirty + <usize>load<i32>(plan.labels + ((<usize>i) << 2)));
  }
  if (plan.single) sumListed<f32>(plan, sums, counts, list, from, count);
  else sumListed<f64>(plan, sums, counts, list, from, count);
  memory.fill(dirty, 0, k);
}

function sumListed<S>(plan: Plan, sums: usize, counts: usize, list: usize, from: i32, count: i32): void {
  const row = (<usize>plan.d) << 3;
  const pairs = row & ~15;
  for (let at = 0; at < count; at++) {
    const i = from + offsetAt(list, at);
    const label = <usize>load<i32>(plan.labels + ((<usize>i) << 2));
    let x = plan.x + <usize>i * <usize>plan.d * sizeof<S>();
    const sum = sums + label * row;
    let f: usize = 0;
    for (; f < pairs; f += 16) {
      v128.store(sum + f, f64x2.add(v128.load(sum + f), Lanes.pair<S>(x)));
      x += 2 * sizeof<S>();
    }
    if (f < row) store<f64>(sum + f, load<f64>(sum + f) + <f64>load<S>(x));
    const place = counts + (label << 2);
    store<i32>(place, load<i32>(place) + 1);
  }
}

/** Squared distance of each row to its centre (written if `out` is not 0), and the chunk's sum in four lanes. */
export function kmeansDistances(address: usize, out: usize, totals: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  if (plan.single) distancesOf<f32>(plan, out, totals, from, to);
  else distancesOf<f64>(plan, out, totals, from, to);
}

function distancesOf<S>(plan: Plan, out: usize, totals: usize, from: i32, to: i32): void {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  for (let i = from; i < to; i += 4) {
    const none = f64x2.splat(0);
    const left = to - i;
    const a = left > 1 ? squaresOfTwo<S>(plan, i) : f64x2.replace_lane(none, 0, squareOfOne<S>(plan, i));
    const b =
      left > 3 ? squaresOfTwo<S>(plan, i + 2) : left > 2 ? f64x2.replace_lane(none, 0, squareOfOne<S>(plan, i + 2)) : none;
    if (out != 0) Lanes.store<f64>(out + ((<usize>i) << 3), a, b, left);
    low = f64x2.add(low, a);
    high = f64x2.add(high, b);
  }
  const first = f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1);
  const second = f64x2.extract_lane(high, 0) + f64x2.extract_lane(high, 1);
  store<f64>(totals + ((<usize>(from / plan.chunkRows)) << 3), first + second);
}

function centreOf(plan: Plan, i: i32): usize {
  return plan.centres + <usize>load<i32>(plan.labels + ((<usize>i) << 2)) * ((<usize>plan.d) << 3);
}

/** Squared distances of rows i and i+1, in two lanes, each summed over the features in order. */
function squaresOfTwo<S>(plan: Plan, i: i32): v128 {
  const row = <usize>plan.d * sizeof<S>();
  let x = rowAt(plan, i);
  let a = centreOf(plan, i);
  const pairs = a + ((<usize>(plan.d & ~1)) << 3);
  const b = centreOf(plan, i + 1) - a;
  let sum = f64x2.splat(0);
  for (; a < pairs; a += 16) {
    const s = f64x2.sub(Lanes.pair<S>(x), v128.load(a));
    const t = f64x2.sub(Lanes.pair<S>(x + row), v128.load(a + b));
    const evens = v128.shuffle<f64>(s, t, 0, 2);
    const odds = v128.shuffle<f64>(s, t, 1, 3);
    sum = f64x2.add(sum, f64x2.mul(evens, evens));
    sum = f64x2.add(sum, f64x2.mul(odds, odds));
    x += 2 * sizeof<S>();
  }
  if (plan.d & 1) {
    const s = <f64>load<S>(x) - load<f64>(a);
    const t = <f64>load<S>(x + row) - load<f64>(a + b);
    sum = f64x2.add(sum, f64x2.replace_lane(f64x2.splat(s * s), 1, t * t));
  }
  return sum;
}

function squareOfOne<S>(plan: Plan, i: i32): f64 {
  let x = rowAt(plan, i);
  let centre = centreOf(plan, i);
  let sum: f64 = 0;
  for (const stop = centre + ((<usize>plan.d) << 3); centre < stop; centre += 8) {
    const t = <f64>load<S>(x) - load<f64>(centre);
    sum += t * t;
    x += sizeof<S>();
  }
  return sum;
}

/** Recomputes the gaps of rows from … to-1 for the current centres, so that all earlier centres can be dropped. */
export function kmeansRebase(address: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  for (let i = from; i < to; i++) {
    const label = load<i32>(plan.labels + ((<usize>i) << 2));
    const stamp = <i32>load<u8>(plan.stamps + <usize>i);
    const gap = load<f64>(plan.gaps + ((<usize>i) << 3));
    const limit = load<f64>(plan.limits + ((<usize>(stamp * plan.k + label)) << 3));
    store<f64>(plan.gaps + ((<usize>i) << 3), gap - limit - (abs(gap) + limit) * plan.slack);
    store<u8>(plan.stamps + <usize>i, 0);
  }
}
