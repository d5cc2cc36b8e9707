/** First centres for the k-means family. */
import { CHUNK_ROWS } from "../../kernels/kernels.js";
import { log } from "../../linalg/elementary.js";
import type { Points } from "../../model/points.js";
import type { Random } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";

/** k different rows, drawn evenly. */
export function randomRows({ n, d, x }: Points, k: number, random: Random): Float64Array {
  const centres = new Float64Array(k * d);
  random.sample(n, k).forEach((row, c) => {
    centres.set(x.subarray(row * d, (row + 1) * d), c * d);
  });
  return centres;
}

/**
 * k-means++: each next centre is a row drawn with a chance in proportion to its squared distance from the centres so far, times its
 * weight where rows have weights.
 * Of 2 + ln k rows drawn, the one that lowers the sum of squared distances most is taken (the earliest on ties).
 */
export function* plusPlusSteps(points: Points, k: number, random: Random): Steps<Float64Array> {
  const { n, d, x } = points;
  const candidates = 2 + Math.floor(log(k));
  const centres = new Float64Array(k * d);
  let row = random.int(n);
  let nearest = new Float64Array(n).fill(Infinity);
  let sums = lowerDistances(points, row, nearest, nearest);
  centres.set(x.subarray(row * d, (row + 1) * d), 0);
  for (let c = 1; c < k; c++) {
    yield { phase: "seeding", done: c, total: k };
    let best = { row: -1, total: Infinity, nearest, sums };
    for (let t = 0; t < candidates; t++) {
      row = draw(nearest, sums, random.unit());
      const lowered = new Float64Array(n);
      const loweredSums = lowerDistances(points, row, nearest, lowered);
      const total = loweredSums.reduce((sum, s) => sum + s, 0);
      if (total < best.total) best = { row, total, nearest: lowered, sums: loweredSums };
      if (n * d > 500_000) yield { phase: "seeding", done: c, total: k };
    }
    ({ nearest, sums } = best);
    centres.set(x.subarray(best.row * d, (best.row + 1) * d), c * d);
  }
  return centres;
}

/** out[i] = min(nearest[i], squared distance of row i to the given row, times the row's weight); returns the sums per chunk of rows. */
function lowerDistances({ n, d, x, rowWeights }: Points, row: number, nearest: Float64Array, out: Float64Array): Float64Array {
  const sums = new Float64Array(Math.ceil(n / CHUNK_ROWS));
  const centre = x.slice(row * d, (row + 1) * d);
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let j = 0, p = i * d; j < d; j++, p++) {
      const t = x[p]! - centre[j]!;
      square += t * t;
    }
    if (rowWeights) square *= rowWeights[i]!;
    const least = Math.min(square, nearest[i]!);
    out[i] = least;
    sums[Math.floor(i / CHUNK_ROWS)]! += least;
  }
  return sums;
}

/** The row at which the running sum of squared distances passes the share `u`; an even draw when all of them are 0. */
function draw(nearest: Float64Array, sums: Float64Array, u: number): number {
  const n = nearest.length;
  const total = sums.reduce((sum, s) => sum + s, 0);
  if (!(total > 0)) return Math.floor(u * n);
  let left = u * total;
  let chunk = 0;
  while (chunk < sums.length - 1 && left >= sums[chunk]!) left -= sums[chunk++]!;
  let last = chunk * CHUNK_ROWS;
  for (let i = last; i < Math.min(n, (chunk + 1) * CHUNK_ROWS); i++) {
    if (nearest[i]! <= 0) continue;
    last = i;
    if (left < nearest[i]!) return i;
    left -= nearest[i]!;
  }
  return last;
}
