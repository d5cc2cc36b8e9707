/**
 * The two halves of sin and cos: bringing an angle into [-π/4, π/4], and Taylor's series there. See `elementary.ts`.
 *
 * The reduced angle is a sum of two doubles, since near a multiple of π/2 the first alone would lose most of its digits.
 */

/** π/2 in four parts; the first three have 32 bits, so that their products with a count below 2^20 are exact. */
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_3 = 2.0222662487111665e-21;
const HALF_PI_4 = 8.4784276603689e-32;
const PER_HALF_PI = 0.6366197723675814;
const MOST_EXACT = 1e6;

let angle = 0;
let angleRest = 0;

/** Leaves x - q·π/2 behind for `sinReduced` and `cosReduced`, and returns q modulo 4. */
export function reduceByHalfPi(x: number): number {
  if (x > MOST_EXACT || x < -MOST_EXACT) return reduceFarOut(x);
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
  // -0 stays what it is: the sums above would make it 0.
  if (q === 0) angle = x;
  return q & 3;
}

/** a + b - sum exactly, sum being the rounded a + b (Knuth). */
function lostIn(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

export function sinReduced(): number {
  if (angle === 0) return angle;
  const z = angle * angle;
  const tail =
    1 / 120 -
    z * (1 / 5040 - z * (1 / 362880 - z * (1 / 39916800 - z * (1 / 6227020800 - z * (1 / 1307674368000 - z / 355687428096000)))));
  return angle - (angle * z * (1 / 6 - z * tail) - angleRest * (1 - 0.5 * z));
}

export function cosReduced(): number {
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

/** Angles beyond a million: exact in integers, with as many digits of π as the largest double asks for. */
function reduceFarOut(x: number): number {
  if (x - x !== 0) {
    angle = NaN;
    return 0;
  }
  let exponent = 0;
  let mantissa = x;
  while (mantissa !== Math.floor(mantissa)) {
    mantissa *= 2;
    exponent--;
  }
  const scaled = BigInt(mantissa) << BigInt(FRACTION_BITS + exponent);
  halfPi ??= fixedHalfPi();
  const q = roundedQuotient(scaled, halfPi);
  const left = scaled - q * halfPi;
  angle = fromFixed(left);
  angleRest = fromFixed(left - toFixed(angle));
  return Number(q & 3n);
}

/** A double near a multiple of π/2 keeps 62 leading zeros at most; 1,200 bits serve the 1,024 of the largest as well. */
const FRACTION_BITS = 1200;
let halfPi: bigint | undefined;

/** π/2 = 8·atan(1/5) - 2·atan(1/239), times 2^FRACTION_BITS (Machin). */
function fixedHalfPi(): bigint {
  const guard = 32n;
  const one = 1n << (BigInt(FRACTION_BITS) + guard);
  return (8n * inverseAtan(5n, one) - 2n * inverseAtan(239n, one)) >> guard;
}

function inverseAtan(n: bigint, one: bigint): bigint {
  let power = one / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= -n * n;
    sum += power / k;
  }
  return sum;
}

function roundedQuotient(a: bigint, b: bigint): bigint {
  const twice = 2n * a + b;
  const q = twice / (2n * b);
  return twice < 0n && q * 2n * b !== twice ? q - 1n : q;
}

/** value · 2^-FRACTION_BITS, by its leading 60 bits. */
function fromFixed(value: bigint): number {
  let size = value < 0n ? -value : value;
  let scale = FRACTION_BITS;
  while (size >= 1n << 90n) {
    size >>= 30n;
    scale -= 30;
  }
  let result = Number(size);
  for (; scale >= 30; scale -= 30) result /= 1073741824;
  return value < 0n ? -result : result;
}

function toFixed(value: number): bigint {
  let exponent = FRACTION_BITS;
  while (value !== Math.floor(value)) {
    value *= 2;
    exponent--;
  }
  return BigInt(value) << BigInt(exponent);
}
