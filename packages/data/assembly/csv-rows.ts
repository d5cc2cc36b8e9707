/**
 * Rows of a CSV file whose cells are plain: numbers as `parse-number.ts` reads them, with the same bits, missing cells, and
 * text without quotes, which is only delimited. Anything else ends the run, and TypeScript reads that row.
 */

const LINE_FEED: u32 = 10;
const CARRIAGE_RETURN: u32 = 13;
const SPACE: u32 = 32;
const QUOTE: u32 = 34;
const PLUS: u32 = 43;
const MINUS: u32 = 45;
const ZERO: u32 = 48;
const QUESTION_MARK: u32 = 63;
const LETTER_A: u32 = 65;
const LETTER_E: u32 = 69;
const LETTER_N: u32 = 78;

/** How a column's cells are taken. */
const NUMBERS: u32 = 0;
const SKIPPED: u32 = 2;

/** As in parse-number.ts. */
const SAFE_MAGNITUDE: i32 = 250;
const TABLE_REACH: i32 = 270;
const MOST_DIGITS: i32 = 19;
const RELATIVE_ERROR: f64 = 7.888609052210118e-31; // 2^-100
const SPLITTER: f64 = 134217729;

/**
 * Whether some number of the row could not be rounded with certainty. Looked at once a row: were it part of a cell's result,
 * the next cell would wait for this one's arithmetic.
 */
let doubtful: bool = false;

/**
 * Reads rows from bytes[from … end) until `capacity` rows are read, the bytes end, or a row is not plain. Numbers go to
 * out[column][row]; a text cell leaves its two ends there, as offsets from `base`. Returns the number of rows; where the next
 * one begins is stored at `stop`. A line must end at `end`, or a byte 0 stand there; 16 bytes behind it must be readable.
 */
export function readRows(
  base: usize,
  from: usize,
  end: usize,
  width: i32,
  modes: usize,
  delimiter: u32,
  decimal: u32,
  powers: usize,
  out: usize,
  capacity: i32,
  stop: usize,
): i32 {
  const last = width - 1;
  const stride = <usize>capacity << 3;
  let p = from;
  let row = 0;
  for (; row < capacity; row++) {
    const start = p;
    if (p >= end || isBlankLine(p)) break;
    let slot = out + (<usize>row << 3);
    let plain = true;
    for (let j = 0; j <= last; j++, slot += stride) {
      const mode = <u32>load<u8>(modes + j);
      if (mode == NUMBERS) {
        p = numberCell(p, delimiter, decimal, powers, slot);
        if (p == 0) {
          plain = false;
          break;
        }
      } else {
        if (<u32>load<u8>(p) == QUOTE) {
          plain = false;
          break;
        }
        const cell = p;
        let c = <u32>load<u8>(p);
        while (c != delimiter && c != LINE_FEED && c != CARRIAGE_RETURN && p < end) c = load<u8>(++p);
        if (mode != SKIPPED) {
          store<i32>(slot, <i32>(cell - base));
          store<i32>(slot, <i32>(p - base), 4);
        }
      }
      const c = <u32>load<u8>(p);
      if (j < last) {
        plain = c == delimiter;
        p++;
      } else if (c == LINE_FEED) p++;
      else {
        plain = c == CARRIAGE_RETURN && <u32>load<u8>(p, 1) == LINE_FEED;
        p += 2;
      }
      if (!plain) break;
    }
    if (!plain || p > end || doubtful) {
      doubtful = false;
      p = start;
      break;
    }
  }
  store<u32>(stop, <u32>p);
  return row;
}

/** A line without anything but spaces is no row of one missing cell: what it means, TypeScript decides. */
@inline
function isBlankLine(p: usize): bool {
  let c = <u32>load<u8>(p);
  if (c == SPACE) while (c == SPACE) c = load<u8>(++p);
  return c == LINE_FEED || c == CARRIAGE_RETURN;
}

@inline
function endsCell(c: u32, delimiter: u32): bool {
  return c == delimiter || c == LINE_FEED || c == CARRIAGE_RETURN;
}

/** Whether eight bytes, the first in the lowest place, are all digits. */
@inline
function areDigits(v: u64): bool {
  const high: u64 = 0xf0f0f0f0f0f0f0f0;
  return ((v & high) | (((v + 0x0606060606060606) & high) >> 4)) == 0x3333333333333333;
}

/** The number that eight digits write: neighbours are joined to pairs, pairs to fours, fours to all. */
@inline
function eightDigits(v: u64): u64 {
  v -= 0x3030303030303030;
  v = v * 10 + (v >> 8);
  v &= 0x00ff00ff00ff00ff;
  v = v * 100 + (v >> 16);
  v &= 0x0000ffff0000ffff;
  return (v & 0xffff) * 10000 + (v >> 32);
}

/** 10^0 … 10^16 as integers, in static memory. */
const integerPowers = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
  10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
]);

/** How many of 16 bytes, from the first, are digits; `digits` are the bytes less those of "0". */
@inline
function digitCount(digits: v128): i32 {
  return ctz<i32>(i8x16.bitmask(i8x16.ge_u(digits, i8x16.splat(10))) | 0x10000);
}

/** The number that the first `count` of 16 digits write: moved to the end, then joined to pairs, fours and eights. */
@inline
function upToSixteenDigits(digits: v128, count: i32): u64 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const moved = i8x16.swizzle(digits, i8x16.add(lanes, i8x16.splat(<i8>(count - 16))));
  const pairs = i16x8.add(i16x8.mul(v128.and(moved, i16x8.splat(255)), i16x8.splat(10)), i16x8.shr_u(moved, 8));
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(fours, fours), i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

/**
 * A cell of a numeric column: stores its value, NaN if it is missing, and returns its end; 0 if it is not plain. Signs and
 * lengths of real data are random, so they are not branched on: a wrong guess of the processor would cost as much as all the
 * rest.
 */
@inline
function numberCell(start: usize, delimiter: u32, decimal: u32, powers: usize, slot: usize): usize {
  let p = start;
  let c = <u32>load<u8>(p);
  if (c == SPACE) while (c == SPACE) c = load<u8>(++p);
  const negative = c == MINUS;
  p += <usize>negative | <usize>(c == PLUS);

  let w: u64 = 0;
  const whole = p;
  let d = <u32>load<u8>(p) - ZERO;
  while (d <= 9) {
    w = w * 10 + d;
    d = <u32>load<u8>(++p) - ZERO;
  }
  let written = <i32>(p - whole);
  // Leading zeros are no significant digits; more than one of them is too rare to be counted apart.
  let digits = w == 0 ? 0 : written;
  let exponent: i32 = 0;
  if (d + ZERO == decimal) {
    const mark = ++p;
    if (w == 0) while (<u32>load<u8>(p) == ZERO) p++;
    const fraction = p;
    const eight = load<u64>(p);
    if (areDigits(eight)) {
      w = w * 100000000 + eightDigits(eight);
      p += 8;
    }
    const next = i8x16.sub(v128.load(p), i8x16.splat(48));
    const count = digitCount(next);
    w = w * load<u64>(integerPowers + (<usize>count << 3)) + upToSixteenDigits(next, count);
    p += count;
    d = <u32>load<u8>(p) - ZERO;
    digits += <i32>(p - fraction);
    // All sixteen were digits: more may follow, and there are too many already or soon.
    if (d <= 9) digits = MOST_DIGITS + 1;
    written += <i32>(p - mark);
    exponent = <i32>(mark - p);
  }
  c = d + ZERO;
  if (written == 0) {
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
  if (c == SPACE) while (c == SPACE) c = load<u8>(++p);
  if (digits > MOST_DIGITS || !endsCell(c, delimiter)) return 0;
  const value =
    digits <= 15 && exponent <= 0 && exponent >= -22
      ? <f64>w / load<f64>(powers + ((TABLE_REACH - exponent) << 5))
      : scaled(w, digits, exponent, powers);
  store<u64>(slot, reinterpret<u64>(value) | (<u64>negative << 63));
  return p;
}

/** The end of a missing cell: empty, `NA` or `?`; 0 for any other. */
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

/** w × 10^exponent by the pair product of parse-number.ts; doubtful if the product cannot tell how to round. */
@inline
function scaled(w: u64, digits: i32, exponent: i32, powers: usize): f64 {
  if (w == 0) return 0;
  const magnitude = digits + exponent;
  if (magnitude < -SAFE_MAGNITUDE || magnitude > SAFE_MAGNITUDE) {
    doubtful = true;
    return 0;
  }
  // w = wh + wl exactly: w < 10^19, so the rest of its rounding to 53 bits has at most 11.
  const wh = <f64>w;
  const wl = <f64>(<i64>(w - <u64>wh));
  const entry = powers + ((exponent + TABLE_REACH) << 5);
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
  doubtful = doubtful || value != x + (rest + error);
  return value;
}
