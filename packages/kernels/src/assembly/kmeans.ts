/** What surrounds the assignment of k-means: sums of clusters, distances, and the forgetting of past times. */
import { offsetAt, Plan, rowAt } from "./kmeans-plan";
import { Lanes } from "./tiles";

/** Sums the clusters of one chunk again whose members changed: rows in order, features in lanes. */
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

/** Adds listed rows (numbers S) to the sums and counts of their clusters. */
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

/** Squared distance of each row to the centre of its label, if `out` is not 0, and the chunk's sum of them in four lanes. */
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

/** Rows i and i+1 in two lanes, each summed over the features in order. */
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

/** Brings the gaps of rows from … to-1 up to the present, so that all times before can be forgotten. */
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
