/**
 * Parses decimal numbers from bytes, correctly rounded, without making a string. A number is w × 10^e with an integer w.
 *
 * 1. If w < 2^53 and |e| ≤ 22, then w and 10^|e| are exact doubles. So one multiplication or division rounds only once (Clinger: How to
 *    Read Floating Point Numbers Accurately. PLDI 1990).
 * 2. Otherwise w is multiplied by 10^e from a table. The product is an unevaluated sum of two doubles (Dekker, A floating-point technique
 *    for extending the available precision, Numer. Math. 18, 1971). Its error has a known bound. If both ends of the error interval round
 *    to the same double (Ziv's test), this double is the result.
 * 3. If they do not, the engine's own `Number` parses the text.
 *
 * Error of the product, relative to the exact X = w·10^e: 10^e as a pair 2^-105; the neglected wl·pl 2^-106; the roundings of wh·pl and
 * wl·ph 2^-106 each; their sum 2^-105; adding xl and then ±err 2^-103. Together less than 2^-101; 2^-100 is used.
 */

const LETTER_e = 101;

/**
 * The table has the powers of ten from 10^-270 to 10^270. If w has up to 18 digits, this is enough for magnitudes within ±SAFE_MAGNITUDE.
 */
const TABLE_REACH = 270;

const latin = new TextDecoder("latin1");

const exactPowers = Float64Array.from({ length: 23 }, (_, e) => Number(`1e${e}`));

/** For each exponent e, four numbers: 10^e rounded to a double, its upper and lower half (Dekker's split), and the rounding error. */
let powers: Float64Array | undefined;

export const POWER_BYTES = (2 * TABLE_REACH + 1) * 4 * 8;
const SPLITTER = 2 ** 27 + 1;

export function powerTable(): Float64Array {
  if (powers) return powers;
  const table = new Float64Array(POWER_BYTES / 8);
  for (let e = -TABLE_REACH; e <= TABLE_REACH; e++) {
    const rounded = Number(`1e${e}`);
    const spread = SPLITTER * rounded;
    const upper = spread - (spread - rounded);
    table.set([rounded, upper, rounded - upper, remainderOfPower(e, rounded)], (e + TABLE_REACH) * 4);
  }
  powers = table;
  return table;
}

/** The rounding error 10^e - rounded. It is computed in exact integers, and is accurate to 2^-105 × 10^e. */
function remainderOfPower(e: number, rounded: number): number {
  // rounded = mantissa × 2^shift, read from the bits. All these powers are normal numbers.
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, rounded);
  const word = bits.getBigUint64(0);
  const mantissa = (word & 0xfffffffffffffn) | 0x10000000000000n;
  const shift = Number((word >> 52n) & 0x7ffn) - 1075;
  // The unit of the remainder is 2^(shift - 64), so the error of the remainder itself is far below 2^-105.
  const unit = shift - 64;
  const numerator = e >= 0 ? 10n ** BigInt(e) : 1n;
  const denominator = e >= 0 ? 1n : 10n ** BigInt(-e);
  const power = unit >= 0 ? numerator / (denominator << BigInt(unit)) : (numerator << BigInt(-unit)) / denominator;
  return Number(power - (mantissa << 64n)) * 2 ** unit;
}

const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
const LETTER_E = 69;

/**
 * Reads a number at `start`: optional sign, digits with an optional decimal mark, optional exponent. Writes it to `out[index]` and returns
 * the position after the number. Returns -1 if there is no number or if it overflows. The bytes must end with a byte that cannot be part of
 * a number.
 *
 * The function is long on purpose. A version with a single loop for all digits and with helper functions is a third shorter, but takes 1.3
 * to 2 times as long.
 */
export function numberAt(
  bytes: Uint8Array,
  start: number,
  decimal: number, // the byte of the decimal mark; 0 for none
  out: Float64Array, // out
  index: number,
): number {
  let p = start;
  let c = bytes[p]!;
  const negative = c === MINUS;
  if (negative || c === PLUS) c = bytes[++p]!;
  const body = p;
  while (c === ZERO) c = bytes[++p]!;

  // The first nine significant digits go into `high`, the next nine into `low`; both are exact in 32 bits. Further digits are only counted.
  let high = 0;
  let low = 0;
  let digits = 0;
  let d = c - ZERO;
  while (d >>> 0 <= 9 && digits < 9) {
    high = (high * 10 + d) | 0;
    digits++;
    d = bytes[++p]! - ZERO;
  }
  if (digits === 9) {
    while (d >>> 0 <= 9 && digits < 18) {
      low = (low * 10 + d) | 0;
      digits++;
      d = bytes[++p]! - ZERO;
    }
    while (d >>> 0 <= 9) {
      digits++;
      d = bytes[++p]! - ZERO;
    }
  }
  let seen = p - body;
  let exponent = 0;
  if (d === decimal - ZERO && decimal !== 0) {
    const mark = p;
    d = bytes[++p]! - ZERO;
    if (digits === 0) while (d === 0) d = bytes[++p]! - ZERO;
    while (d >>> 0 <= 9 && digits < 9) {
      high = (high * 10 + d) | 0;
      digits++;
      d = bytes[++p]! - ZERO;
    }
    if (digits >= 9) {
      while (d >>> 0 <= 9 && digits < 18) {
        low = (low * 10 + d) | 0;
        digits++;
        d = bytes[++p]! - ZERO;
      }
      while (d >>> 0 <= 9) {
        digits++;
        d = bytes[++p]! - ZERO;
      }
    }
    exponent = mark + 1 - p;
    seen -= exponent;
  }
  if (seen === 0) return -1;

  c = d + ZERO;
  if (c === LETTER_e || c === LETTER_E) {
    c = bytes[++p]!;
    const down = c === MINUS;
    if (down || c === PLUS) c = bytes[++p]!;
    d = c - ZERO;
    if (d >>> 0 > 9) return -1;
    let e = 0;
    do {
      // An exponent above 10^8 counts as infinite. To balance it, a number would need more digits than fit into a line of 64 MB.
      if (e < 1e8) e = e * 10 + d;
      d = bytes[++p]! - ZERO;
    } while (d >>> 0 <= 9);
    exponent += down ? -e : e;
  }

  if (digits <= 15) {
    const w = digits <= 9 ? high : high * exactPowers[digits - 9]! + low;
    if (exponent === 0 || w === 0) {
      out[index] = negative ? -w : w;
      return p;
    }
    if (exponent < 0 && exponent >= -22) {
      const v = w / exactPowers[-exponent]!;
      out[index] = negative ? -v : v;
      return p;
    }
    if (exponent > 0 && exponent <= 22) {
      const v = w * exactPowers[exponent]!;
      out[index] = negative ? -v : v;
      return p;
    }
  }
  return wideNumber(bytes, start, p, decimal, high, low, digits, exponent, negative, out, index);
}

/** If the decimal magnitude is between -SAFE_MAGNITUDE and SAFE_MAGNITUDE, no partial product overflows or becomes subnormal. */
const SAFE_MAGNITUDE = 250;
const RELATIVE_ERROR = 2 ** -100;

/**
 * Computes w × 10^e as an unevaluated sum of two doubles, with an error interval. If both ends of the interval round to the same double
 * (Ziv's test), this double is the result. Otherwise the engine's `Number` parses the text.
 */
function wideNumber(
  bytes: Uint8Array,
  start: number,
  end: number,
  decimal: number,
  high: number,
  low: number,
  digits: number,
  exponent: number,
  negative: boolean,
  out: Float64Array, // out
  index: number,
): number {
  const magnitude = digits + exponent;
  if (magnitude >= -SAFE_MAGNITUDE && magnitude <= SAFE_MAGNITUDE) {
    const kept = Math.min(digits, 18);
    // w = wh + wl exactly: high·10^m is exact for m ≤ 9, because high·5^9 < 2^53.
    const shifted = kept <= 9 ? high : high * exactPowers[kept - 9]!;
    const wh = shifted + low;
    const wl = low - (wh - shifted);

    const table = powers ?? powerTable();
    const entry = (exponent + digits - kept + TABLE_REACH) * 4;
    const p = table[entry]!;
    const ph = table[entry + 1]!;
    const pl = table[entry + 2]!;

    const spread = SPLITTER * wh;
    const upper = spread - (spread - wh);
    const lower = wh - upper;
    const x = wh * p;
    const rest = upper * ph - x + upper * pl + lower * ph + lower * pl + (wh * table[entry + 3]! + wl * p);
    const error = x * RELATIVE_ERROR;
    // Digits after the eighteenth are not in w. They add less than one unit of w. So the error interval becomes wider.
    const unread = digits > 18 ? p * 1.0000001 : 0;
    const v = x + (rest - error);
    if (v === x + (rest + error + unread)) {
      out[index] = negative ? -v : v;
      return end;
    }
  }
  const v = Number(asciiText(bytes, start, end, decimal));
  if (!Number.isFinite(v)) return -1;
  out[index] = v;
  return end;
}

const POINT = 46;

/** Returns the bytes as a text in one step. A cell can have millions of digits; appending them one by one would need much memory. */
function asciiText(bytes: Uint8Array, start: number, end: number, decimal: number): string {
  const text = latin.decode(bytes.subarray(start, end));
  return decimal === POINT ? text : text.replace(String.fromCharCode(decimal), ".");
}

/** The value of a text that is written as a number; Infinity if it overflows; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  return hasNumberShape(text) ? Number(text) : undefined;
}

/**
 * Whether a text is a number: sign, digits, point, exponent. A regular expression would backtrack on millions of digits, so this is a loop.
 */
function hasNumberShape(text: string): boolean {
  const afterSign = signEnd(text, 0);
  const whole = digitsEnd(text, afterSign);
  const hasPoint = text.charCodeAt(whole) === POINT;
  const mantissa = hasPoint ? digitsEnd(text, whole + 1) : whole;
  if (mantissa - afterSign - (hasPoint ? 1 : 0) === 0) return false;
  if (mantissa === text.length) return true;
  const letter = text.charCodeAt(mantissa);
  if (letter !== LETTER_e && letter !== LETTER_E) return false;
  const exponent = signEnd(text, mantissa + 1);
  const end = digitsEnd(text, exponent);
  return end > exponent && end === text.length;
}

function signEnd(text: string, at: number): number {
  const c = text.charCodeAt(at);
  return c === PLUS || c === MINUS ? at + 1 : at;
}

function digitsEnd(text: string, from: number): number {
  let p = from;
  while (p < text.length && (text.charCodeAt(p) - ZERO) >>> 0 <= 9) p++;
  return p;
}

/** Whether a text is `nan`, `inf` or `infinity`, in any case, with or without a sign. */
export function isNonFiniteText(text: string): boolean {
  return /^[+-]?(?:nan|inf|infinity)$/i.test(text);
}
