/** What surrounds the assignment of k-means: sums of clusters, distances, and the forgetting of past times. */
import { offsetAt, Plan } from "./kmeans-plan";

/** Sums the clusters of one chunk again whose members changed: rows in order, features in lanes. */
export function kmeansSums(address: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  const chunk = <usize>(from / plan.chunkRows);
  const k = <usize>plan.k;
  const row = (<usize>plan.d) << 3;
  const pairs = row & ~15;
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
  for (let at = 0; at < count; at++) {
    const i = from + offsetAt(list, at);
    const label = <usize>load<i32>(plan.labels + ((<usize>i) << 2));
    const x = plan.x + <usize>i * row;
    const sum = sums + label * row;
    let f: usize = 0;
    for (; f < pairs; f += 16) v128.store(sum + f, f64x2.add(v128.load(sum + f), v128.load(x + f)));
    if (f < row) store<f64>(sum + f, load<f64>(sum + f) + load<f64>(x + f));
    const count = counts + (label << 2);
    store<i32>(count, load<i32>(count) + 1);
  }
  memory.fill(dirty, 0, k);
}

/** Squared distance of each row to the centre of its label, and the chunk's sum of them in four lanes. */
export function kmeansDistances(address: usize, out: usize, totals: usize, from: i32, to: i32): void {
  const plan = changetype<Plan>(address);
  const row = (<usize>plan.d) << 3;
  let l0: f64 = 0,
    l1: f64 = 0,
    l2: f64 = 0,
    l3: f64 = 0;
  for (let i = from; i < to; i++) {
    const x = plan.x + <usize>i * row;
    const centre = plan.centres + <usize>load<i32>(plan.labels + ((<usize>i) << 2)) * row;
    let sum: f64 = 0;
    for (let f: usize = 0; f < row; f += 8) {
      const t = load<f64>(x + f) - load<f64>(centre + f);
      sum += t * t;
    }
    if (out != 0) store<f64>(out + ((<usize>i) << 3), sum);
    const lane = (i - from) & 3;
    if (lane == 0) l0 += sum;
    else if (lane == 1) l1 += sum;
    else if (lane == 2) l2 += sum;
    else l3 += sum;
  }
  store<f64>(totals + ((<usize>(from / plan.chunkRows)) << 3), l0 + l1 + (l2 + l3));
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
