/**
 * The kernels over rows and centres in plain TypeScript. The faster kernels match these references bit by bit. They compute moments of
 * columns, sums of products, squared distances, k-means, candidates of k-means++, and the farthest pair, as kernels.ts defines.
 */
import {
  type Arena,
  CHUNK_ROWS,
  type F32,
  type F64,
  type FarthestPair,
  type FarthestSearch,
  type Kernels,
  type KMeansMetrics,
  type KMeansSetup,
  type KMeansState,
  type Moments,
  type ProductSums,
} from "./kernels.js";

export function plainMoments(x: Float64Array | Float32Array, n: number, d: number): Moments {
  const mean = sumOfRows(x, n, d, (value) => value);
  for (let f = 0; f < d; f++) mean[f]! /= n;
  const squares = sumOfRows(x, n, d, (value, f) => (value - mean[f]!) * (value - mean[f]!));
  return { mean, squares };
}

/** Sums a term over rows by column: adds the rows of each chunk in order, then adds the chunks in order. */
function sumOfRows(
  x: Float64Array | Float32Array,
  n: number,
  d: number,
  term: (value: number, f: number) => number,
): Float64Array {
  const sums = new Float64Array(d);
  const chunk = new Float64Array(d);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      for (let f = 0; f < d; f++) chunk[f]! += term(x[i * d + f]!, f);
    }
    for (let f = 0; f < d; f++) sums[f]! += chunk[f]!;
  }
  return sums;
}

export function plainProducts(d: number, _arena: Arena, together: 1 | 4 = 4): ProductSums {
  const sums = new Float64Array(d);
  const products = new Float64Array(d * d);
  const none = new Float64Array(d);
  return {
    add: (rows, n) => {
      const row = (i: number) => (i < n ? rows.subarray(i * d, (i + 1) * d) : none);
      for (let i = 0; together === 1 && i < n; i++) addOne(row(i), d, sums, products);
      for (let i = 0; together === 4 && i < n; i += 4) addFour(row(i), row(i + 1), row(i + 2), row(i + 3), d, sums, products);
    },
    sums: () => sums.slice(),
    products: () => products.slice(),
  };
}

function addOne(p: Float64Array, d: number, sums: Float64Array, products: Float64Array): void {
  for (let a = 0, at = 0; a < d; a++, at += d) {
    const pa = p[a]!;
    sums[a]! += pa;
    for (let b = 0; b <= a; b++) products[at + b]! += pa * p[b]!;
  }
}

function addFour(
  p: Float64Array,
  q: Float64Array,
  r: Float64Array,
  s: Float64Array,
  d: number,
  sums: Float64Array,
  products: Float64Array,
): void {
  for (let a = 0, at = 0; a < d; a++, at += d) {
    const pa = p[a]!;
    const qa = q[a]!;
    const ra = r[a]!;
    const sa = s[a]!;
    sums[a]! += pa + qa + ra + sa;
    for (let b = 0; b <= a; b++) products[at + b]! += pa * p[b]! + qa * q[b]! + ra * r[b]! + sa * s[b]!;
  }
}

/** Processes four vectors at a time, because independent sums run in parallel in the processor. */
export function plainProjections(rows: Float64Array, n: number, lines: Float64Array, k: number, d: number): Float64Array {
  const found = new Float64Array(n * k);
  const whole = k - (k % 4);
  for (let i = 0; i < n; i++) {
    const row = i * d;
    for (let c = 0; c < whole; c += 4) withFour(rows, row, lines, c * d, d, found, i * k + c);
    for (let c = whole; c < k; c++) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += rows[row + f]! * lines[c * d + f]!;
      found[i * k + c] = sum;
    }
  }
  return found;
}

function withFour(
  rows: Float64Array,
  row: number,
  lines: Float64Array,
  line: number,
  d: number,
  found: Float64Array,
  at: number,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let e = 0;
  for (let f = 0; f < d; f++) {
    const value = rows[row + f]!;
    a += value * lines[line + f]!;
    b += value * lines[line + d + f]!;
    c += value * lines[line + 2 * d + f]!;
    e += value * lines[line + 3 * d + f]!;
  }
  found[at] = a;
  found[at + 1] = b;
  found[at + 2] = c;
  found[at + 3] = e;
}

export function squared(x: Float64Array | Float32Array, p: number, q: number, d: number): number {
  return squaredTo(x, p, x, q, d);
}

function squaredTo(x: Float64Array | Float32Array, p: number, y: Float64Array | Float32Array, q: number, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const t = x[p + f]! - y[q + f]!;
    sum += t * t;
  }
  return sum;
}

export function plainSquares(rows: Float64Array, n: number, centres: Float64Array, k: number, d: number): Float64Array {
  const squares = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) squares[i * k + c] = squaredTo(rows, i * d, centres, c * d, d);
  }
  return squares;
}

export function plainKMeans(x: F64 | F32, n: number, d: number, k: number, arena: Arena, { bounds }: KMeansSetup): KMeansState {
  const labels = arena.i32(n);
  labels.view().fill(-1);
  const centres = new Float64Array(k * d);
  let under: KMeansMetrics | undefined;

  const distances = () => {
    const rows = x.view();
    return Float64Array.from(labels.view(), (label, i) => squaredTo(rows, i * d, centres, label * d, d));
  };

  return {
    setCentres: (values, metrics) => {
      if (metrics && bounds) throw new RangeError("A k-means state with bounds takes no metrics.");
      centres.set(values);
      under = metrics;
    },
    assign: (from, to) => assign(x.view(), from, to, d, centres, k, under, labels.view()),
    relabel: (given) => labels.view().set(given),
    sums: (onto) => clusterSums(x.view(), labels.view(), n, d, k, onto),
    inertia: () => sumOfChunks(distances()),
    labels: () => labels.view().slice(),
    distances,
    scatter: (means, separate, onto) => scatter(x.view(), labels.view(), n, d, means, separate, onto),
    farthest: (factors) => farthest(x.view(), n, d, factors),
  };
}

function assign(
  x: Float64Array | Float32Array,
  from: number,
  to: number,
  d: number, // rows from … to-1 of x, with d columns
  centres: Float64Array,
  k: number, // k x d centres
  under: KMeansMetrics | undefined,
  labels: Int32Array, // output: the label of each row
): number {
  let changed = 0;
  for (let i = from; i < to; i++) {
    let nearest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < k; c++) {
      const distance = under ? costUnder(x, i * d, under, c, centres, d) : squaredTo(x, i * d, centres, c * d, d);
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    if (labels[i] !== nearest) changed++;
    labels[i] = nearest;
  }
  return changed;
}

function costUnder(
  x: Float64Array | Float32Array,
  p: number,
  { factors, offsets }: KMeansMetrics,
  c: number,
  centres: Float64Array,
  d: number,
): number {
  const own = offsets ? c * d : 0;
  let cost = offsets ? offsets[c]! : 0;
  for (let f = 0, q = c * d; f < d; f++) {
    const t = x[p + f]! * factors[own + f]! - centres[q + f]!;
    cost += t * t;
  }
  return cost;
}

function scatter(
  x: Float64Array | Float32Array,
  labels: Int32Array,
  n: number,
  d: number,
  centres: Float64Array,
  separate: boolean,
  onto: Float64Array | undefined,
): Float64Array {
  const sums = onto?.slice() ?? new Float64Array(separate ? centres.length : d);
  const chunk = new Float64Array(sums.length);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      const centre = labels[i]! * d;
      const to = separate ? centre : 0;
      for (let f = 0; f < d; f++) {
        const t = x[i * d + f]! - centres[centre + f]!;
        chunk[to + f]! += t * t;
      }
    }
    for (let p = 0; p < sums.length; p++) sums[p]! += chunk[p]!;
  }
  return sums;
}

function farthest(x: Float64Array | Float32Array, n: number, d: number, factors: Float64Array) {
  const count = d === 0 ? 0 : factors.length / d;
  const rows = new Int32Array(count);
  const squares = new Float64Array(count).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let g = 0; g < count; g++) {
      let square = 0;
      for (let f = 0; f < d; f++) {
        const t = x[i * d + f]! * factors[g * d + f]!;
        square += t * t;
      }
      if (square > squares[g]!) {
        squares[g] = square;
        rows[g] = i;
      }
    }
  }
  return { rows, squares };
}

function clusterSums(
  x: Float64Array | Float32Array,
  labels: Int32Array,
  n: number,
  d: number,
  k: number,
  onto: Float64Array | undefined,
) {
  const sums = onto?.slice() ?? new Float64Array(k * d);
  const counts = new Int32Array(k);
  const chunk = new Float64Array(k * d);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      const label = labels[i]!;
      counts[label]!++;
      for (let f = 0; f < d; f++) chunk[label * d + f]! += x[i * d + f]!;
    }
    for (let p = 0; p < k * d; p++) sums[p]! += chunk[p]!;
  }
  return { sums, counts };
}

/** Sums one number per row in the fixed order of all kernels: four lanes per chunk, then the chunks in order. */
export function sumOfChunks(values: Float64Array): number {
  let total = 0;
  for (let start = 0; start < values.length; start += CHUNK_ROWS) {
    const lanes = [0, 0, 0, 0];
    for (let i = start; i < Math.min(start + CHUNK_ROWS, values.length); i++) lanes[(i - start) % 4]! += values[i]!;
    total += lanes[0]! + lanes[1]! + (lanes[2]! + lanes[3]!);
  }
  return total;
}

export const plainSeeding: Kernels["seeding"] = (x, n, d, _arena, _screen = null, weights = null) => {
  let nearest: Float64Array = new Float64Array(n).fill(Infinity);
  let tried: Float64Array[] = [];
  const chunks = Math.ceil(n / CHUNK_ROWS);
  return {
    tryRows: (rows) => {
      const sums = new Float64Array(rows.length * chunks);
      tried = Array.from(rows, (row, c) => {
        const values = x.view();
        const weight = weights?.view();
        const centre = values.slice(row * d, (row + 1) * d);
        return nearest.map((square, i) => {
          const least = Math.min(squaredTo(values, i * d, centre, 0, d) * (weight?.[i] ?? 1), square);
          sums[c * chunks + Math.floor(i / CHUNK_ROWS)]! += least;
          return least;
        });
      });
      return sums;
    },
    take: (which) => {
      nearest = tried[which]!;
    },
    nearest: (from, to) => nearest.slice(from, to),
  };
};

/*
 * The two rows farthest apart, found without comparing all pairs. See FarthestSearch.
 *
 * Rows are visited in order of decreasing distance from the mean. The distance of two rows is at most the sum of their distances from the
 * mean. So once a far pair is known, most pairs are never visited. A visited pair is rejected early: after some columns, the remaining
 * columns can add at most the square of the sum of both rows' remaining lengths.
 */

export function plainFarthest(x: F64, n: number, d: number): FarthestSearch {
  const mapped = new Float64Array(n * d);
  let running: Generator<void, FarthestPair, void> | null = null;
  let found: FarthestPair | null = null;
  return {
    begin: (_, metric, hint) => {
      mapRows(x.view(), n, d, metric, mapped);
      running = search(mapped, n, d, hint);
      found = null;
    },
    advance: () => {
      const next = running!.next();
      if (next.done) found = next.value;
      return next.done === true;
    },
    pair: () => found!,
    close: () => {
      running = null;
    },
  };
}

/** Writes rows under a metric: null copies them; d numbers are factors; d × d numbers are a linear map. */
function mapRows(x: Float64Array, n: number, d: number, metric: Float64Array | null, out: Float64Array): void {
  if (metric === null) out.set(x.subarray(0, n * d));
  else if (metric.length === d) for (let p = 0; p < n * d; p++) out[p] = metric[p % d]! * x[p]!;
  else {
    for (let p = 0; p < n * d; p++) {
      const row = p - (p % d);
      let sum = 0;
      for (let j = 0, q = (p % d) * d; j < d; j++) sum += metric[q + j]! * x[row + j]!;
      out[p] = sum;
    }
  }
}

/** Maximum number of pairs of rows between two pauses: PAIRS or PRODUCTS / d, the smaller number. */
const PAIRS = 300_000;
const PRODUCTS = 8_000_000;

/** The pair a < b with the largest Σ (x_a - x_b)², summed by column; on ties the lower pair. Yields between blocks. */
function* search(
  x: Float64Array,
  n: number,
  d: number,
  hint: readonly [number, number] | null,
): Generator<void, FarthestPair, void> {
  const isLong = n * d > PRODUCTS / 4;
  if (isLong) yield;
  const sorted = byRadius(x, n, d);
  if (isLong) yield;
  const { rows, order, radius, stops, rests } = sorted;
  const far = firstGuess(sorted, x, d, hint);
  if (isLong) yield;
  const pairsPerPause = Math.min(PAIRS, PRODUCTS / d);
  let pairs = 0;
  for (let p = 0; p < n; p++) {
    if (4 * radius[p]! * radius[p]! < far.square) break;
    for (let q = p + 1; q < n; q++) {
      const most = radius[p]! + radius[q]!;
      if (most * most < far.square) break;
      pairs++;
      if (squareAbove(rows, p, q, d, stops, rests, far.square) >= far.square / SLACK)
        takeFarther(far, x, d, order[p]!, order[q]!);
    }
    if (pairs > pairsPerPause) {
      pairs = 0;
      yield;
    }
  }
  return far;
}

/** Replaces the best pair if this pair is farther apart, or equally far and lower. */
function takeFarther(far: Far, x: Float64Array, d: number, p: number, q: number): void {
  const [a, b] = [Math.min(p, q), Math.max(p, q)];
  const square = squared(x, a * d, b * d, d);
  if (square < far.square || (square === far.square && (a > far.a || (a === far.a && b >= far.b)))) return;
  Object.assign(far, { a, b, square });
}

type Far = { -readonly [Key in keyof FarthestPair]: FarthestPair[Key] };

interface Sorted {
  /** Rows minus the mean, in order of decreasing distance from the mean. Columns are in order of decreasing variance. */
  readonly rows: Float64Array;
  readonly order: Int32Array;
  readonly radius: Float64Array;
  readonly stops: readonly number[];
  /** By stop (see STOPS): the length of each row over the columns after the stop. */
  readonly rests: readonly Float64Array[];
}

/** Factor that slightly enlarges bounds, so that rounding never rejects the farthest pair. */
const SLACK = 1 + 1e-12;

/** A pair is tested for rejection after these numbers of columns. */
const STOPS = [4, 12, 32];

function byRadius(x: Float64Array, n: number, d: number): Sorted {
  const { columns, mean } = columnsByVariance(x, n, d);
  const centred = new Float64Array(n * d);
  const lengths = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) {
      const value = x[i * d + columns[j]!]! - mean[columns[j]!]!;
      centred[i * d + j] = value;
      sum += value * value;
    }
    lengths[i] = SLACK * Math.sqrt(sum);
  }
  const order = Int32Array.from(lengths.keys()).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const rows = new Float64Array(n * d);
  order.forEach((i, p) => {
    rows.set(centred.subarray(i * d, (i + 1) * d), p * d);
  });
  const stops = STOPS.filter((stop) => 2 * stop <= d);
  const rests = stops.map((stop) =>
    Float64Array.from(order, (_, p) => {
      let sum = 0;
      for (let j = stop; j < d; j++) sum += rows[p * d + j]! * rows[p * d + j]!;
      return SLACK * Math.sqrt(sum);
    }),
  );
  return { rows, order, radius: Float64Array.from(order, (i) => lengths[i]!), stops, rests };
}

function columnsByVariance(x: Float64Array, n: number, d: number) {
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const t = x[i * d + j]! - mean[j]!;
      variance[j]! += t * t;
    }
  }
  const columns = Array.from({ length: d }, (_, j) => j).sort((a, b) => variance[b]! - variance[a]! || a - b);
  return { columns, mean };
}

/** A distant pair to start with: the given pair, or a pair found by three steps to the farthest row. */
function firstGuess({ rows, order }: Sorted, x: Float64Array, d: number, hint: readonly [number, number] | null): Far {
  const n = order.length;
  const far: Far = { a: 0, b: Math.min(1, n - 1), square: -1 };
  if (n > 1) takeFarther(far, x, d, 0, 1);
  if (hint) takeFarther(far, x, d, hint[0], hint[1]);
  let from = 0;
  for (let walk = 0; walk < 3; walk++) {
    let next = from;
    let most = 0;
    for (let q = 0; q < n; q++) {
      const square = squared(rows, from * d, q * d, d);
      if (square > most) [most, next] = [square, q];
    }
    if (next !== from) takeFarther(far, x, d, order[from]!, order[next]!);
    from = next;
  }
  return { ...far, square: Math.max(0, far.square) };
}

/** The squared distance, or -1 as soon as a partial sum shows that it is below `least`. */
function squareAbove(
  rows: Float64Array,
  p: number,
  q: number,
  d: number,
  stops: readonly number[],
  rests: readonly Float64Array[],
  least: number,
): number {
  let sum = 0;
  let j = 0;
  for (let s = 0; s < stops.length; s++) {
    for (const stop = stops[s]!; j < stop; j++) {
      const t = rows[p * d + j]! - rows[q * d + j]!;
      sum += t * t;
    }
    const rest = rests[s]![p]! + rests[s]![q]!;
    if ((sum + rest * rest) * SLACK < least) return -1;
  }
  for (; j < d; j++) {
    const t = rows[p * d + j]! - rows[q * d + j]!;
    sum += t * t;
  }
  return sum;
}
