/** Statistics for experiments: means with standard errors, and tests. */

export interface Mean {
  readonly mean: number;
  /** The standard error of the mean; 0 for a single value. */
  readonly error: number;
  readonly count: number;
}

export function meanOf(values: readonly number[]): Mean {
  const count = values.length;
  if (count === 0) return { mean: Number.NaN, error: Number.NaN, count };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  return { mean, error: count === 1 ? 0 : Math.sqrt(varianceAround(values, mean) / count), count };
}

/** The standard deviation; 0 for a single value. */
export function deviationOf(values: readonly number[]): number {
  const { error, count } = meanOf(values);
  return error * Math.sqrt(count);
}

/**
 * Compares the mean standard deviations of two lists of samples. For n values, the standard error of the standard deviation is about the
 * deviation times 1/√(2n - 2). The samples in a list can come from the same runs. So their errors are averaged as if they were fully
 * correlated.
 */
export function deviationsTest(first: readonly (readonly number[])[], second: readonly (readonly number[])[], factor = 1): Test {
  const all = [first, second].map((samples) => meanOf(samples.map(deviationOf)).mean) as [number, number];
  const freedom = Math.min(...[...first, ...second].map(({ length }) => length - 1));
  const [a, b] = [factor * all[0], all[1]];
  return testOf(a - b, Math.hypot(a, b) / Math.sqrt(2 * freedom), freedom);
}

/** A mean with its standard error as text: `0.912 ± 0.004`. */
export function withError({ mean, error }: Mean, digits = 3): string {
  return Number.isNaN(mean) ? "–" : `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`;
}

export interface Test {
  readonly difference: number;
  readonly error: number;
  readonly t: number;
  readonly freedom: number;
  /** The two-sided p-value; NaN if no test is possible. */
  readonly p: number;
}

export function pairedTest(first: readonly number[], second: readonly number[]): Test {
  if (first.length !== second.length) throw new Error("A paired test needs as many values on either side.");
  const { mean, error, count } = meanOf(first.map((value, at) => value - second[at]!));
  return testOf(mean, error, count - 1);
}

/** Welch's t-test of the means of two samples, whose variances can differ. */
export function welchTest(first: readonly number[], second: readonly number[]): Test {
  const a = meanOf(first);
  const b = meanOf(second);
  const [va, vb] = [a.error ** 2, b.error ** 2];
  const few = Math.min(a.count, b.count) < 2;
  const spread = va ** 2 / (a.count - 1) + vb ** 2 / (b.count - 1);
  const freedom = few ? 0 : spread === 0 ? a.count + b.count - 2 : (va + vb) ** 2 / spread;
  return testOf(a.mean - b.mean, Math.sqrt(va + vb), freedom);
}

export function correlation(first: readonly number[], second: readonly number[]): number {
  const a = meanOf(first).mean;
  const b = meanOf(second).mean;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < first.length; i++) {
    const [da, db] = [first[i]! - a, second[i]! - b];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}

/** The two-sided p-value of a correlation `r` over `count` pairs of values, by Student's distribution. */
export function correlationP(r: number, count: number): number {
  if (!Number.isFinite(r) || count < 3) return Number.NaN;
  return twoSided(r * Math.sqrt((count - 2) / Math.max(1e-300, 1 - r * r)), count - 2);
}

/** The share `cases / count` with its standard error. For a share of 0 or 1, half a case is changed, so that the error is not 0. */
export function shareOf(cases: number, count: number): Mean {
  if (count === 0) return { mean: Number.NaN, error: Number.NaN, count };
  const kept = Math.min(Math.max(cases, 0.5), count - 0.5) / count;
  return { mean: cases / count, error: Math.sqrt((kept * (1 - kept)) / count), count };
}

/** Tests a share against a bound by the exact binomial test. The p-value is twice the smaller tail. */
export function shareTest(cases: number, count: number, bound: number): Test {
  if (count === 0) return testOf(Number.NaN, Number.NaN, 0);
  const tail = (from: number, to: number): number => {
    let sum = 0;
    for (let k = from; k <= to; k++) {
      sum += Math.exp(logChoose(count, k) + k * Math.log(bound) + (count - k) * Math.log1p(-bound));
    }
    return sum;
  };
  const { mean, error } = shareOf(cases, count);
  const p = Math.min(1, 2 * Math.min(tail(0, cases), tail(cases, count)));
  const difference = mean - bound;
  return { difference, error, t: difference / error, freedom: count - 1, p };
}

/** Compares two shares: their difference with its pooled standard error, and the p-value of Fisher's exact test. */
export function sharesTest(
  first: readonly [cases: number, count: number],
  second: readonly [cases: number, count: number],
): Test {
  const [a, n] = first;
  const [b, m] = second;
  if (n === 0 || m === 0) return testOf(Number.NaN, Number.NaN, 0);
  const pooled = (a + b) / (n + m);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  const chance = (own: number): number => Math.exp(logChoose(n, own) + logChoose(m, a + b - own) - logChoose(n + m, a + b));
  const seen = chance(a) * (1 + 1e-9);
  let p = 0;
  for (let own = Math.max(0, a + b - m); own <= Math.min(n, a + b); own++) if (chance(own) <= seen) p += chance(own);
  const difference = a / n - b / m;
  return { difference, error, t: difference / error, freedom: n + m - 2, p: Math.min(1, p) };
}

/** Tests whether the mean of a sample differs from a number (Student's t-test). */
export function againstNumber(values: readonly number[], number: number): Test {
  const { mean, error, count } = meanOf(values);
  return testOf(mean - number, error, count - 1);
}

export function shifted({ difference, error, freedom }: Test, by: number): Test {
  return testOf(difference + by, error, freedom);
}

/** Corrects p-values for multiple tests by Holm's method. Returns them in the order of the input; NaN becomes 1. */
export function holm(values: readonly number[]): number[] {
  const order = values.map((p, at) => ({ p: Number.isNaN(p) ? 1 : p, at })).sort((a, b) => a.p - b.p);
  const corrected = new Array<number>(values.length);
  let most = 0;
  order.forEach(({ p, at }, rank) => {
    most = Math.max(most, Math.min(1, (values.length - rank) * p));
    corrected[at] = most;
  });
  return corrected;
}

/** Tests whether an estimate with this standard error differs from 0 (Student's t-test). */
export function testOf(difference: number, error: number, freedom: number): Test {
  // A single value has no standard error, so there is no test.
  if (!(freedom >= 1)) return { difference, error, t: Number.NaN, freedom, p: Number.NaN };
  const t = error === 0 ? (difference === 0 ? 0 : Math.sign(difference) * Number.POSITIVE_INFINITY) : difference / error;
  // If all of a few differences are equal, their standard error is 0. Then p is the probability that n random signs are equal: 2^(1-n).
  const p = error === 0 && difference !== 0 ? 2 ** -freedom : twoSided(t, freedom);
  return { difference, error, t, freedom, p };
}

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

function varianceAround(values: readonly number[], mean: number): number {
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/** P(|T| > |t|) for T with Student's distribution, by the regularised incomplete beta function. */
function twoSided(t: number, freedom: number): number {
  if (t === 0) return 1;
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/**
 * The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction. If the fraction converges slowly, the function
 * computes 1 - I_{1-x}(b, a).
 */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const keep = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / keep(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keep(1 + even * d);
    c = keep(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keep(1 + odd * d);
    c = keep(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return fraction;
}

/** The logarithm of the gamma function, by Stirling's series. The argument is first shifted above 10, where the series is accurate. */
function logGamma(value: number): number {
  let shift = 0;
  let z = value;
  for (; z < 10; z++) shift -= Math.log(z);
  const inverse = 1 / z;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}
