/**
 * Finds the two rows farthest apart, exactly, without comparing all pairs: the reference of the faster search. See FarthestSearch.
 *
 * Rows are visited in order of decreasing distance from the mean. Two rows are at most the sum of their distances from the mean
 * apart, so most pairs are never visited once a far pair is known. A visited pair is rejected early: after some columns, the
 * remaining columns can add at most the square of the sum of both rows' remaining lengths.
 */
import type { F64, FarthestPair, FarthestSearch } from "./kernels.js";

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

/** Writes the rows under a metric: null copies them, d numbers are factors, d x d numbers are a linear map. */
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

/** Work between two pauses: at most PAIRS pairs, fewer if rows are long (PRODUCTS numbers). */
const PAIRS = 300_000;
const PRODUCTS = 8_000_000;

/** The pair a < b with the largest Σ (x_a - x_b)², summed column by column; the lower pair on ties. Yields pauses. */
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
  const square = squareBetween(x, a, b, d);
  if (square < far.square || (square === far.square && (a > far.a || (a === far.a && b >= far.b)))) return;
  Object.assign(far, { a, b, square });
}

type Far = { -readonly [Key in keyof FarthestPair]: FarthestPair[Key] };

interface Sorted {
  /** Rows minus the mean, in order of decreasing radius; columns in order of decreasing variance. */
  readonly rows: Float64Array;
  readonly order: Int32Array;
  readonly radius: Float64Array;
  readonly stops: readonly number[];
  /** For each stop, the length of each row over the columns from the stop on. */
  readonly rests: readonly Float64Array[];
}

/** Bounds are slightly enlarged, so that rounding never rejects the farthest pair. */
const SLACK = 1 + 1e-12;

/** Columns after which a pair is tested for rejection. */
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

/** A first far pair: the hint, and repeated steps to the row farthest from the current row, starting at the row of largest radius. */
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
      const square = squareBetween(rows, from, q, d);
      if (square > most) [most, next] = [square, q];
    }
    if (next !== from) takeFarther(far, x, d, order[from]!, order[next]!);
    from = next;
  }
  return { ...far, square: Math.max(0, far.square) };
}

function squareBetween(rows: Float64Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const t = rows[p * d + j]! - rows[q * d + j]!;
    sum += t * t;
  }
  return sum;
}

/** The squared distance, or -1 as soon as it must be below `least`. */
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
