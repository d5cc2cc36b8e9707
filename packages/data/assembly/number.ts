/** Reads every notation of a number that `parse-number.ts` reads, with the same bits. Also the arithmetic that all notations share. */

const SPACE: u32 = 32;
const PLUS: u32 = 43;
const MINUS: u32 = 45;
const ZERO: u32 = 48;
const QUESTION_MARK: u32 = 63;
const LETTER_A: u32 = 65;
const LETTER_E: u32 = 69;
const LETTER_N: u32 = 78;
const LINE_FEED: u32 = 10;
const CARRIAGE_RETURN: u32 = 13;

/** Address of the table of powers, which csv-kernel.ts writes. */
const POWERS: usize = 4096;

/** The same constants as in parse-number.ts. */
const SAFE_MAGNITUDE: i32 = 250;
const TABLE_REACH: i32 = 270;
const RELATIVE_ERROR: f64 = 7.888609052210118e-31; // 2^-100
const SPLITTER: f64 = 134217729;

/** Maximum number of digits of an integer that surely fits into 64 bits. */
export const MOST_DIGITS: i32 = 19;

/** Not zero if a number of the row could not be rounded with certainty. A check per cell would delay the next cell. */
let doubt: u64 = 0;

/** Whether a number since the last call could not be rounded with certainty. */
@inline
export function takeDoubt(): bool {
  const found = doubt != 0;
  doubt = 0;
  return found;
}

let hole: bool = false;

export function takeHole(): bool {
  const found = hole;
  hole = false;
  return found;
}

/** Reads a numeric cell in any notation. Stores its value (NaN if missing) and returns its end; 0 if it is not plain. */
export function anyNumber(start: usize, delimiter: u32, decimal: u32, slot: usize): usize {
  let p = start;
  let c = <u32>load<u8>(p);
  while (c == SPACE) c = load<u8>(++p);
  const negative = c == MINUS;
  if (negative || c == PLUS) p++;

  let w: u64 = 0;
  const whole = p;
  let d = <u32>load<u8>(p) - ZERO;
  while (d <= 9) {
    w = w * 10 + d;
    d = <u32>load<u8>(++p) - ZERO;
  }
  let written = <i32>(p - whole);
  // Leading zeros are not significant digits. More than one leading zero is too rare for a special case.
  let digits = w == 0 ? 0 : written;
  let exponent: i32 = 0;
  if (d + ZERO == decimal) {
    const mark = ++p;
    if (w == 0) while (<u32>load<u8>(p) == ZERO) p++;
    const fraction = p;
    d = <u32>load<u8>(p) - ZERO;
    while (d <= 9) {
      w = w * 10 + d;
      d = <u32>load<u8>(++p) - ZERO;
    }
    digits += <i32>(p - fraction);
    written += <i32>(p - mark);
    exponent = <i32>(mark - p);
  }
  c = d + ZERO;
  if (written == 0) {
    hole = true;
    store<f64>(slot, NaN);
    return missingEnd(start, delimiter);
  }
  if ((c | 32) == (LETTER_E | 32)) {
    c = load<u8>(++p);
    const down = c == MINUS;
    if (down || c == PLUS) c = load<u8>(++p);
    d = c - ZERO;
    const power = p;
    let e: i32 = 0;
    while (d <= 9) {
      e = e * 10 + <i32>d;
      d = <u32>load<u8>(++p) - ZERO;
    }
    if (p == power || p - power > 4) digits = MOST_DIGITS + 1;
    c = d + ZERO;
    exponent += down ? -e : e;
  }
  while (c == SPACE) c = load<u8>(++p);
  if (digits > MOST_DIGITS || !endsCell(c, delimiter)) return 0;
  store<u64>(slot, reinterpret<u64>(scaled(w, digits, exponent)) | (<u64>negative << 63));
  return p;
}

/** Finishes a number whose digits end at `p`: reads its power of ten and the character `ender`. */
export function withPower(w: u64, digits: i32, places: i32, negative: bool, p: usize, ender: u32, slot: usize): usize {
  if ((<u32>load<u8>(p) | 32) != (LETTER_E | 32)) return 0;
  const sign = <u32>load<u8>(++p);
  const down = sign == MINUS;
  p += <usize>(down || sign == PLUS);
  const first = p;
  let power: i32 = 0;
  let d = <u32>load<u8>(p) - ZERO;
  while (d <= 9) {
    power = power * 10 + <i32>d;
    d = <u32>load<u8>(++p) - ZERO;
  }
  if (p == first || p - first > 4 || d + ZERO != ender) return 0;
  const value = scaled(w, digits, (down ? -power : power) - places);
  store<u64>(slot, reinterpret<u64>(value) | (<u64>negative << 63));
  return p;
}

@inline
function endsCell(c: u32, delimiter: u32): bool {
  return c == delimiter || c == LINE_FEED || c == CARRIAGE_RETURN;
}

/** The end of a missing cell (empty, `NA` or `?`); 0 for any other cell. */
function missingEnd(start: usize, delimiter: u32): usize {
  let p = start;
  let c = <u32>load<u8>(p);
  while (c == SPACE) c = load<u8>(++p);
  if (c == QUESTION_MARK) p++;
  else if (c == LETTER_N && <u32>load<u8>(p, 1) == LETTER_A) p += 2;
  c = load<u8>(p);
  while (c == SPACE) c = load<u8>(++p);
  return endsCell(c, delimiter) ? p : 0;
}

/** w × 10^exponent, where w has `digits` digits. */
function scaled(w: u64, digits: i32, exponent: i32): f64 {
  if (w == 0) return 0;
  if (digits <= 15 && exponent <= 0 && exponent >= -22) return quotient(w, -exponent);
  const magnitude = digits + exponent;
  if (magnitude < -SAFE_MAGNITUDE || magnitude > SAFE_MAGNITUDE) {
    doubt = 1;
    return 0;
  }
  return product(w, exponent);
}

/** w / 10^places, rounded once. w has at most 15 digits, and places is at most 22. */
@inline
export function quotient(w: u64, places: i32): f64 {
  return <f64>(<i64>w) / load<f64>(POWERS + ((TABLE_REACH + places) << 5));
}

/** w × 10^exponent by the pair product of parse-number.ts. Sets `doubt` if the product does not decide the rounding. */
@inline
export function product(w: u64, exponent: i32): f64 {
  // w = wh + wl exactly: both halves of w are exact, and the upper half is the larger.
  const upperHalf = <f64>(<i64>(w >> 32)) * 4294967296.0;
  const lowerHalf = <f64>(<i64>(w & 0xffffffff));
  const wh = upperHalf + lowerHalf;
  const wl = lowerHalf - (wh - upperHalf);
  const entry = POWERS + ((exponent + TABLE_REACH) << 5);
  const power = load<f64>(entry);
  const ph = load<f64>(entry, 8);
  const pl = load<f64>(entry, 16);
  const spread = SPLITTER * wh;
  const upper = spread - (spread - wh);
  const lower = wh - upper;
  const x = wh * power;
  const rest = upper * ph - x + upper * pl + lower * ph + lower * pl + (wh * load<f64>(entry, 24) + wl * power);
  const error = x * RELATIVE_ERROR;
  const value = x + (rest - error);
  doubt |= reinterpret<u64>(value) ^ reinterpret<u64>(x + (rest + error));
  return value;
}
