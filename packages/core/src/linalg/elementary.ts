/**
 * exp, log, sin, cos and related functions with identical bits in every JavaScript engine. JavaScript does not define the last digits of
 * `Math.exp` and similar functions. One different digit can change a tie, a label and then the whole result.
 *
 * The code uses only bit patterns and + - * / and sqrt, which IEEE 754 defines exactly. Arguments are reduced to a short interval around 0,
 * where Taylor's series needs about twelve terms. Errors stay below 1 ulp (2 for log10).
 */

/** The reduced angle of the last `reduceByHalfPi`, as a sum of two doubles. */
let angle = 0;

let angleRest = 0;

const bits = new DataView(new ArrayBuffer(8));

const PER_LN2 = Math.LOG2E;
/** ln 2 in two parts: the first has 33 bits, so that its product with an exponent is exact. */
const LN2_HIGH = 0.6931471804855391;
const LN2_LOW = 7.440617110012397e-11;

/** Computes exp x as 2^k · exp(r) with |r| ≤ ln 2 / 2. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.782712893384) return Infinity;
  if (x < -745.1332191019412) return 0;
  const k = Math.floor(x * PER_LN2 + 0.5);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const lost = high - r - low;
  const tail =
    1 / 120 +
    r *
      (1 / 720 +
        r *
          (1 / 5040 +
            r *
              (1 / 40320 +
                r *
                  (1 / 362880 +
                    r * (1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600 + r * (1 / 6227020800 + r / 87178291200))))))));
  const square = r * r;
  return scale(1 + (r + (square * (0.5 + r * (1 / 6 + r * (1 / 24 + r * tail))) + lost * (1 + r))), k);
}

export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN;
  if (x === 0) return -Infinity;
  if (x === Infinity) return x;
  const k = exponentOf(x);
  const f = mantissaOf(x, k) - 1;
  const half = 0.5 * f * f;
  const s = f / (2 + f);
  return k * LN2_HIGH - (half - (s * (half + logSeries(s * s)) + k * LN2_LOW) - f);
}

const PER_LN10 = Math.LOG10E;
const PER_LN10_REST = 1.098319650216765e-17;

export function log10(x: number): number {
  if (!(x > 0) || x === Infinity) return log(x);
  const high = logDouble(x);
  const p = high * PER_LN10;
  return p + (productError(high, PER_LN10, p) + (logRest * PER_LN10 + high * PER_LN10_REST));
}

/** Correct for angles from -1,000,000 to 1,000,000; callers use angles up to 2π. */
export function sin(x: number): number {
  const quarter = reduceByHalfPi(x);
  const value = quarter & 1 ? cosReduced() : sinReduced();
  return quarter & 2 ? -value : value;
}

/** See `sin` for the range of angles. */
export function cos(x: number): number {
  const quarter = reduceByHalfPi(x);
  const value = quarter & 1 ? sinReduced() : cosReduced();
  return (quarter + 1) & 2 ? -value : value;
}

const TWO_MINUS_54 = 5.551115123125783e-17;

/** Returns y · 2^k, rounded only once, even if the result is subnormal. */
function scale(y: number, k: number): number {
  if (k > 1023) return y * 2 * powerOfTwo(k - 1);
  if (k < -1022) return y * powerOfTwo(k + 54) * TWO_MINUS_54;
  return y * powerOfTwo(k);
}

function powerOfTwo(k: number): number {
  bits.setUint32(0, (k + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}

const MIN_NORMAL = 2.2250738585072014e-308;
const TWO_54 = 18014398509481984;

/** The exponent k for which x · 2^-k is in [√½, √2). */
function exponentOf(x: number): number {
  let shift = 0;
  if (x < MIN_NORMAL) {
    x *= TWO_54;
    shift = -54;
  }
  bits.setFloat64(0, x);
  const head = bits.getUint32(0);
  bits.setUint32(0, (head & 0xfffff) | 0x3ff00000);
  return (head >>> 20) - 1023 + shift + (bits.getFloat64(0) >= Math.SQRT2 ? 1 : 0);
}

function mantissaOf(x: number, k: number): number {
  return x < MIN_NORMAL
    ? x * TWO_54 * powerOfTwo(-k - 54)
    : k > 1000
      ? x * TWO_MINUS_54 * powerOfTwo(54 - k)
      : x * powerOfTwo(-k);
}

/** 2·(z/3 + z²/5 + z³/7 + …), z = s² ≤ 0.0295: the series in log(1+f) = 2s + s·(series). */
function logSeries(z: number): number {
  return z * (2 / 3 + z * logTail(z));
}

/** The tail of the series for log: 2/5 + 2z/7 + 2z²/9 + … */
function logTail(z: number): number {
  return (
    2 / 5 +
    z *
      (2 / 7 +
        z * (2 / 9 + z * (2 / 11 + z * (2 / 13 + z * (2 / 15 + z * (2 / 17 + z * (2 / 19 + z * (2 / 21 + z * (2 / 23)))))))))
  );
}

/** The lower part of the result of the last `logDouble`. */
let logRest = 0;

const THIRD_REST = 1.850371707708594e-17;

/** log x as a sum of two doubles: returns the upper part and stores the lower part in `logRest`. */
function logDouble(x: number): number {
  const k = exponentOf(x);
  const f = mantissaOf(x, k) - 1;
  // s = f / (2 + f), as a sum of two doubles; 2 + f is a sum of two doubles too.
  const d = 2 + f;
  const dRest = f - (d - 2);
  const s = f / d;
  const back = s * d;
  const sRest = (f - back - productError(s, d, back) - s * dRest) / d;
  // p = s²/3 + (s⁴/5 + …), so that log(1+f) = 2s + 2s·p.
  const z = s * s;
  const zRest = productError(s, s, z) + 2 * s * sRest;
  const third = z * (1 / 3);
  const p = third + 0.5 * z * z * logTail(z);
  const pRest = third - p + 0.5 * z * z * logTail(z) + (productError(z, 1 / 3, third) + zRest * (1 / 3) + z * THIRD_REST);
  const t = 2 * s;
  const tp = t * p;
  const tpRest = productError(t, p, tp) + (t * pRest + 2 * sRest * p);
  const sum = t + tp;
  const sumRest = t - sum + tp + (2 * sRest + tpRest);
  const base = k * LN2_HIGH;
  const total = base + sum;
  const rest = (k === 0 ? sum - total : base - total + sum) + (sumRest + k * LN2_LOW);
  const result = total + rest;
  logRest = total - result + rest;
  return result;
}

/** Veltkamp's constant: multiplication by it splits a double into two halves of 26 bits. */
const SPLITTER = 134217729;

/** a · b - p exactly, where p is the rounded product (Dekker). */
function productError(a: number, b: number, p: number): number {
  const aWide = a * SPLITTER;
  const aHigh = aWide - (aWide - a);
  const aLow = a - aHigh;
  const bWide = b * SPLITTER;
  const bHigh = bWide - (bWide - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - p + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/*
 * The two parts of sin and cos: an angle is reduced to [-π/4, π/4], then Taylor's series is computed.
 *
 * The reduced angle is a sum of two doubles (`angle` + `angleRest`). Near a multiple of π/2, a single double would lose most of its digits.
 */

/** π/2 in four parts; the first three have 32 bits, so that their products with a count below 2^20 are exact. */
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_3 = 2.0222662487111665e-21;
const HALF_PI_4 = 8.4784276603689e-32;
/** 2/π. */
const PER_HALF_PI = 0.6366197723675814;
/** Stores x - q·π/2 for `sinReduced` and `cosReduced`, and returns q modulo 4. */
function reduceByHalfPi(x: number): number {
  const q = Math.floor(x * PER_HALF_PI + 0.5);
  const first = x - q * HALF_PI_1;
  const second = -q * HALF_PI_2;
  const a = first + second;
  const aLost = lostIn(first, second, a);
  const third = -q * HALF_PI_3;
  const b = a + third;
  const rest = aLost + (lostIn(a, third, b) - q * HALF_PI_4);
  angle = b + rest;
  angleRest = b - angle + rest;
  // Keeps the sign of -0; the subtractions above would change -0 to 0.
  if (q === 0) angle = x;
  return q & 3;
}

/** a + b - sum exactly, where sum is the rounded a + b (Knuth). */
function lostIn(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

function sinReduced(): number {
  if (angle === 0) return angle;
  const z = angle * angle;
  const tail =
    1 / 120 -
    z * (1 / 5040 - z * (1 / 362880 - z * (1 / 39916800 - z * (1 / 6227020800 - z * (1 / 1307674368000 - z / 355687428096000)))));
  return angle - (angle * z * (1 / 6 - z * tail) - angleRest * (1 - 0.5 * z));
}

function cosReduced(): number {
  const z = angle * angle;
  const half = 0.5 * z;
  const w = 1 - half;
  const tail =
    1 / 24 -
    z *
      (1 / 720 -
        z *
          (1 / 40320 -
            z * (1 / 3628800 - z * (1 / 479001600 - z * (1 / 87178291200 - z * (1 / 20922789888000 - z / 6402373705728000))))));
  return w + (1 - w - half + (z * z * tail - angle * angleRest));
}
