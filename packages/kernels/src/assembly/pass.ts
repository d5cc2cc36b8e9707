/**
 * One block of a pass over rows that an engine provides, column by column. The results have the same bits as scale/pass.ts in core.
 *
 * Columns are stored one after the other, `stride` bytes apart. Each distance adds its columns in order. Each term is split into coarse
 * and fine units by adding and then subtracting the same number (see core's scale/fixed-sums.ts).
 */

const PLAIN = 0;
const DIAGONAL = 1;

/** Scales the columns of a block: value = (original - offset) / factor. */
export function passScale(x: usize, stride: usize, rows: i32, d: i32, offset: usize, factor: usize): void {
  for (let j: usize = 0; j < <usize>d; j++) {
    const o = v128.load64_splat(offset + (j << 3));
    const f = v128.load64_splat(factor + (j << 3));
    const end = x + j * stride + ((<usize>rows) << 3);
    for (let p = x + j * stride; p < end; p += 16) v128.store(p, f64x2.div(f64x2.sub(v128.load(p), o), f));
  }
}

/** The cluster with the smallest distance plus bias (lower on ties), and the distance without bias. Four rows at a time. */
export function passAssign(
  x: usize,
  stride: usize,
  rows: i32,
  d: i32, // input: the rows
  centres: usize,
  k: i32,
  metric: i32,
  maps: usize,
  several: i32,
  bias: usize, // input: the clusters
  labels: usize,
  costs: usize, // output
): void {
  for (let i = 0; i < rows; i += 4) {
    const p = x + ((<usize>i) << 3);
    let best = f64x2.splat(Infinity);
    let best2 = best;
    let cost = f64x2.splat(0);
    let cost2 = cost;
    let label = f64x2.splat(0);
    let label2 = label;
    for (let c = 0; c < k; c++) {
      let a = f64x2.splat(0);
      let b = a;
      const centre = centres + ((<usize>(c * d)) << 3);
      const g = several ? c : 0;
      if (metric == PLAIN) {
        let at = p;
        for (let q = centre, end = centre + ((<usize>d) << 3); q < end; q += 8, at += stride) {
          const s = v128.load64_splat(q);
          const u = f64x2.sub(v128.load(at), s);
          const v = f64x2.sub(v128.load(at, 16), s);
          a = f64x2.add(a, f64x2.mul(u, u));
          b = f64x2.add(b, f64x2.mul(v, v));
        }
      } else if (metric == DIAGONAL) {
        let at = p;
        let w = maps + ((<usize>(g * d)) << 3);
        for (let q = centre, end = centre + ((<usize>d) << 3); q < end; q += 8, at += stride, w += 8) {
          const s = v128.load64_splat(q);
          const weight = v128.load64_splat(w);
          const u = f64x2.sub(v128.load(at), s);
          const v = f64x2.sub(v128.load(at, 16), s);
          a = f64x2.add(a, f64x2.mul(f64x2.mul(u, u), weight));
          b = f64x2.add(b, f64x2.mul(f64x2.mul(v, v), weight));
        }
      } else {
        let w = maps + ((<usize>(g * d * d)) << 3);
        for (let e = 0; e < d; e++) {
          let at = p;
          let u = f64x2.splat(0);
          let v = u;
          for (let q = centre, end = centre + ((<usize>d) << 3); q < end; q += 8, at += stride, w += 8) {
            const s = v128.load64_splat(q);
            const weight = v128.load64_splat(w);
            u = f64x2.add(u, f64x2.mul(weight, f64x2.sub(v128.load(at), s)));
            v = f64x2.add(v, f64x2.mul(weight, f64x2.sub(v128.load(at, 16), s)));
          }
          a = f64x2.add(a, f64x2.mul(u, u));
          b = f64x2.add(b, f64x2.mul(v, v));
        }
      }
      const bent = v128.load64_splat(bias + ((<usize>c) << 3));
      const number = f64x2.splat(<f64>c);
      const score = f64x2.add(a, bent);
      const score2 = f64x2.add(b, bent);
      const isLess = f64x2.lt(score, best);
      const isLess2 = f64x2.lt(score2, best2);
      best = v128.bitselect(score, best, isLess);
      best2 = v128.bitselect(score2, best2, isLess2);
      cost = v128.bitselect(a, cost, isLess);
      cost2 = v128.bitselect(b, cost2, isLess2);
      label = v128.bitselect(number, label, isLess);
      label2 = v128.bitselect(number, label2, isLess2);
    }
    v128.store(costs + ((<usize>i) << 3), cost);
    v128.store(costs + ((<usize>i) << 3), cost2, 16);
    const found = i32x4.trunc_sat_f64x2_s_zero(label);
    const found2 = i32x4.trunc_sat_f64x2_s_zero(label2);
    v128.store(labels + ((<usize>i) << 2), v128.shuffle<i64>(found, found2, 0, 2));
  }
}

export function passCosts(
  x: usize,
  stride: usize,
  rows: i32,
  d: i32, // input: the rows
  centres: usize,
  metric: i32,
  maps: usize,
  several: i32,
  labels: usize, // input: the clusters
  costs: usize, // output
): void {
  for (let i = 0; i < rows; i++) {
    const c = load<i32>(labels + ((<usize>i) << 2));
    const g = several ? c : 0;
    let sum: f64 = 0;
    for (let e = 0; e < d; e++) {
      if (metric <= DIAGONAL) {
        const t = valueAt(x, stride, i, e) - load<f64>(centres + ((<usize>(c * d + e)) << 3));
        sum += metric == PLAIN ? t * t : t * t * load<f64>(maps + ((<usize>(g * d + e)) << 3));
        continue;
      }
      let part: f64 = 0;
      for (let j = 0; j < d; j++) {
        const t = valueAt(x, stride, i, j) - load<f64>(centres + ((<usize>(c * d + j)) << 3));
        part += load<f64>(maps + ((<usize>((g * d + e) * d + j)) << 3)) * t;
      }
      sum += part * part;
    }
    store<f64>(costs + ((<usize>i) << 3), sum);
  }
}

function valueAt(x: usize, stride: usize, i: i32, j: i32): f64 {
  return load<f64>(x + <usize>j * stride + ((<usize>i) << 3));
}

/**
 * Adds counts, sums and costs of each cluster. rounds[j]: the two rounding numbers of column j. costRounds: the rounding numbers of the
 * costs.
 */
export function passAdd(
  x: usize,
  stride: usize,
  rows: i32,
  d: i32,
  labels: usize,
  costs: usize,
  rounds: usize,
  costRounds: usize, // input
  counts: usize,
  sums: usize,
  costSums: usize, // input and output
): void {
  for (let i = 0; i < rows; i++) {
    const at = counts + ((<usize>load<i32>(labels + ((<usize>i) << 2))) << 3);
    store<f64>(at, load<f64>(at) + 1);
  }
  for (let j = 0; j < d; j++) {
    addColumn(x + <usize>j * stride, rows, labels, rounds + ((<usize>j) << 4), sums + ((<usize>j) << 4), (<usize>d) << 4);
  }
  addColumn(costs, rows, labels, costRounds, costSums, 16);
}

/** Second moments about the centres, by column or by pair of columns (lower triangle). `terms`: a buffer for a column. */
export function passMoments(
  x: usize,
  stride: usize,
  rows: i32,
  d: i32,
  labels: usize,
  centres: usize,
  full: i32,
  rounds: usize,
  terms: usize, // input
  sums: usize, // input and output
): void {
  const per = full ? (d * (d + 1)) / 2 : d;
  const step = (<usize>per) << 4;
  let at: usize = 0;
  for (let i = 0; i < d; i++) {
    for (let j = full ? 0 : i; j <= i; j++, at += 16) {
      for (let r = 0; r < rows; r++) {
        const c = load<i32>(labels + ((<usize>r) << 2)) * d;
        const t = valueAt(x, stride, r, i) - load<f64>(centres + ((<usize>(c + i)) << 3));
        const u = valueAt(x, stride, r, j) - load<f64>(centres + ((<usize>(c + j)) << 3));
        store<f64>(terms + ((<usize>r) << 3), t * u);
      }
      addColumn(terms, rows, labels, rounds + at, sums + at, step);
    }
  }
}

/** Adds each term to the coarse and the fine sum of its row's cluster. The sums of two clusters are `step` bytes apart. */
function addColumn(terms: usize, rows: i32, labels: usize, rounds: usize, sums: usize, step: usize): void {
  const coarseRound = v128.load64_splat(rounds);
  const fineRound = v128.load64_splat(rounds, 8);
  let i = 0;
  for (; i + 1 < rows; i += 2) {
    const term = v128.load(terms + ((<usize>i) << 3));
    const coarse = f64x2.sub(f64x2.add(term, coarseRound), coarseRound);
    const fine = f64x2.sub(f64x2.add(f64x2.sub(term, coarse), fineRound), fineRound);
    const at = sums + <usize>load<i32>(labels + ((<usize>i) << 2)) * step;
    v128.store(at, f64x2.add(v128.load(at), v128.shuffle<f64>(coarse, fine, 0, 2)));
    const next = sums + <usize>load<i32>(labels + ((<usize>i) << 2), 4) * step;
    v128.store(next, f64x2.add(v128.load(next), v128.shuffle<f64>(coarse, fine, 1, 3)));
  }
  if (i < rows) {
    const term = load<f64>(terms + ((<usize>i) << 3));
    const coarse = term + f64x2.extract_lane(coarseRound, 0) - f64x2.extract_lane(coarseRound, 0);
    const fine = term - coarse + f64x2.extract_lane(fineRound, 0) - f64x2.extract_lane(fineRound, 0);
    const at = sums + <usize>load<i32>(labels + ((<usize>i) << 2)) * step;
    store<f64>(at, load<f64>(at) + coarse);
    store<f64>(at, load<f64>(at, 8) + fine, 8);
  }
}
