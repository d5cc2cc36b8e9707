/**
 * Scores of a clustering that need no known classes. Noise rows are left out.
 *
 * - Silhouette (Rousseeuw 1987): the mean over rows of (b - a) / max(a, b). For each row, a is the mean distance to the other rows of its
 *   own cluster. b is the mean distance to the rows of the nearest other cluster. From -1 to 1; higher is better.
 * - Davies-Bouldin (Davies, Bouldin: A Cluster Separation Measure. 1979): the mean over clusters c of max over e ≠ c of (s_c + s_e) / ‖μ_c
 *   - μ_e‖, where μ_c is the mean of cluster c and s_c the mean distance of its rows to μ_c. At least 0; lower is better.
 * - Calinski-Harabasz (Caliński, Harabasz: A Dendrite Method for Cluster Analysis. 1974): (B / (k - 1)) / (W / (n - k)), where B is the sum
 *   of squares between clusters and W the sum of squares within clusters. Higher is better.
 *
 * Cost: the silhouette takes n² d up to EXACT_ROWS rows. For more rows it uses an evenly spread sample of at most SAMPLE rows. Both other
 * scores take n d.
 */
import { CoterieError } from "../errors.js";
import type { Kernels } from "../kernels/index.js";
import { evenly } from "../linalg/indices.js";
import { gatherRows, type Instances, type Points, rowValues } from "../model/points.js";
import type { InternalScores } from "../model/result.js";
import type { Step, Steps } from "../steps/index.js";
import { distancesOf } from "./distance-between.js";
import { hasMeans, oneHot } from "./encode.js";

/** Up to this many rows the silhouette is exact. */
const EXACT_ROWS = 20_000;
const SAMPLE = 5_000;
const FEWEST_SAMPLED = 500;
/** Maximum number of distances that are computed at once. */
const BLOCK = 2 ** 21;

/** Computes the three scores. `work`: maximum number of multiplications for the silhouette (10⁹ take about a second). */
export function* internalScoreSteps(
  points: Instances,
  labels: Int32Array,
  kernels: Kernels,
  work = Infinity,
): Steps<InternalScores> {
  const clustered = Int32Array.from(labels.keys()).filter((row) => labels[row]! >= 0);
  const numbers = compact(labels, clustered);
  const count = sampleSize(clustered.length, work / pairWork(points));
  const rows = count === clustered.length ? clustered : evenly(clustered.length, count).map((at) => clustered[at]!);
  const silhouette = yield* silhouetteSteps(points, rows, numbers, kernels);
  const sampled = rows.length < clustered.length ? { sampled: rows.length } : {};
  const encoded = withMeans(points);
  if (!encoded) return { silhouette, daviesBouldin: null, calinskiHarabasz: null, ...sampled };
  return { silhouette, ...aroundMeans(encoded, clustered, numbers), ...sampled };
}

/** Encodes all columns as numbers, for scores that use cluster means. Null if means cannot be computed. */
function withMeans(points: Instances): Points | null {
  if (!hasMeans(points)) return null;
  try {
    return oneHot(points).points;
  } catch (error) {
    if (error instanceof CoterieError) return null;
    throw error;
  }
}

/** Comparing two texts takes about as long as this number of multiplications. */
const NUMBERS_PER_TEXT = 900;

function pairWork({ d, texts }: Instances): number {
  return Math.max(1, d + NUMBERS_PER_TEXT * (texts?.reduce((sum, flag) => sum + flag, 0) ?? 0));
}

/**
 * Number of rows for the silhouette, at most n. `pairs`: maximum number of pairs of rows; but a sample has at least FEWEST_SAMPLED rows.
 */
function sampleSize(n: number, pairs: number): number {
  if (n <= EXACT_ROWS && n * n <= pairs) return n;
  return Math.min(n, SAMPLE, Math.max(FEWEST_SAMPLED, Math.floor(Math.sqrt(pairs))));
}

interface Numbered {
  readonly of: Int32Array;
  readonly count: number;
}

function compact(labels: Int32Array, rows: Int32Array): Numbered {
  const numbers = new Map<number, number>();
  const of = new Int32Array(labels.length).fill(-1);
  for (const row of rows) {
    const label = labels[row]!;
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    of[row] = numbers.get(label)!;
  }
  return { of, count: numbers.size };
}

function* silhouetteSteps(
  points: Instances,
  rows: Int32Array,
  { of, count: k }: Numbered,
  kernels: Kernels,
): Steps<number | null> {
  if (k < 2 || rows.length <= k) return null;
  const sizes = new Float64Array(k);
  for (const row of rows) sizes[of[row]!]!++;
  const sums = new Float64Array(k);
  let total = 0;
  for (const block of distanceBlocks(points, rows, kernels)) {
    if ("phase" in block) {
      yield block;
      continue;
    }
    const { from, distances } = block;
    const count = distances.length / rows.length;
    for (let i = 0, p = 0; i < count; i++) {
      sums.fill(0);
      for (let j = 0; j < rows.length; j++, p++) sums[of[rows[j]!]!]! += distances[p]!;
      total += widthOf(sums, sizes, of[rows[from + i]!]!);
    }
  }
  return total / rows.length;
}

interface DistanceBlock {
  readonly from: number;
  readonly distances: Float64Array;
}

function* distanceBlocks(points: Instances, rows: Int32Array, kernels: Kernels): Generator<Step | DistanceBlock, void, void> {
  const { d, nominal, holes, distances: given, weights } = points;
  const n = rows.length;
  const most = Math.max(1, Math.floor(BLOCK / n));
  const isPlain = !nominal?.includes(1) && !holes && !given && !weights && !points.directions;
  const x = isPlain ? gathered(points, rows) : null;
  const { between } = distancesOf(points, undefined);
  for (let from = 0; from < n; from += most) {
    const count = Math.min(most, n - from);
    yield { phase: "silhouette", done: from, total: n };
    if (x) {
      const squares = kernels.squares(x.subarray(from * d, (from + count) * d), count, x, n, d);
      for (let p = 0; p < squares.length; p++) squares[p] = Math.sqrt(squares[p]!);
      yield { from, distances: squares };
      continue;
    }
    const distances = new Float64Array(count * n);
    for (let i = 0, p = 0; i < count; i++)
      for (let j = 0; j < n; j++, p++) distances[p] = j === from + i ? 0 : between(rows[from + i]!, rows[j]!);
    yield { from, distances };
  }
}

function gathered(points: Points, rows: Int32Array): Float64Array {
  const { n, d } = points;
  const x = rowValues(points);
  return rows.length === n && x instanceof Float64Array ? x : gatherRows(x, d, rows);
}

/** The silhouette of one row. `sums`: the sum of its distances to the rows of each cluster. 0 if the row is alone in its cluster. */
export function widthOf(sums: Float64Array, sizes: Float64Array, own: number): number {
  if (sizes[own] === 1) return 0;
  const inside = sums[own]! / (sizes[own]! - 1);
  let outside = Infinity;
  for (let c = 0; c < sizes.length; c++) if (c !== own && sizes[c]! > 0) outside = Math.min(outside, sums[c]! / sizes[c]!);
  const larger = Math.max(inside, outside);
  return Number.isFinite(outside) && larger > 0 ? (outside - inside) / larger : 0;
}

function aroundMeans(
  points: Points,
  rows: Int32Array,
  { of, count: k }: Numbered,
): Pick<InternalScores, "daviesBouldin" | "calinskiHarabasz"> {
  const { d } = points;
  const n = rows.length;
  if (k < 2 || n <= k) return { daviesBouldin: null, calinskiHarabasz: null };
  const x = rowValues(points);
  const means = new Float64Array(k * d);
  const sizes = new Float64Array(k);
  const whole = new Float64Array(d);
  for (const row of rows) {
    const c = of[row]!;
    sizes[c]!++;
    for (let j = 0; j < d; j++) {
      means[c * d + j]! += x[row * d + j]!;
      whole[j]! += x[row * d + j]! / n;
    }
  }
  for (let p = 0; p < means.length; p++) means[p]! /= sizes[Math.floor(p / d)]!;
  const spread = new Float64Array(k);
  let within = 0;
  for (const row of rows) {
    const c = of[row]!;
    const square = squareBetween(x, row * d, means, c * d, d);
    within += square;
    spread[c]! += Math.sqrt(square) / sizes[c]!;
  }
  let between = 0;
  for (let c = 0; c < k; c++) between += sizes[c]! * squareBetween(means, c * d, whole, 0, d);
  let worst = 0;
  for (let c = 0; c < k; c++) {
    let most = 0;
    for (let e = 0; e < k; e++) {
      if (e === c) continue;
      const apart = Math.sqrt(squareBetween(means, c * d, means, e * d, d));
      most = Math.max(most, apart > 0 ? (spread[c]! + spread[e]!) / apart : Infinity);
    }
    worst += most / k;
  }
  return {
    daviesBouldin: Number.isFinite(worst) ? worst : null,
    calinskiHarabasz: within > 0 ? between / (k - 1) / (within / (n - k)) : null,
  };
}

function squareBetween(a: Float64Array | Float32Array, p: number, b: Float64Array, q: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += (a[p + j]! - b[q + j]!) * (a[p + j]! - b[q + j]!);
  return sum;
}
