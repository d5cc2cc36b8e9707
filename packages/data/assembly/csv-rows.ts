/**
 * Reads rows of a CSV file whose cells are plain: numbers with the same bits as `parse-number.ts` gives, missing cells, and text
 * without quotes, of which only the two ends are found. Any other cell ends the run, and TypeScript reads its row.
 *
 * Signs and lengths in real data are random, so the code avoids branches on them: a wrong branch prediction costs as much as the
 * rest of a number. Vector constants are kept in memory, because loading them is faster than building them.
 */
import { anyNumber, MOST_DIGITS, product, quotient, takeDoubt, withPower } from "./number";

export { takeHole } from "./number";

const LINE_FEED: u32 = 10;
const CARRIAGE_RETURN: u32 = 13;
const SPACE: u32 = 32;
const QUOTE: u32 = 34;
const MINUS: u32 = 45;
const ZERO: u32 = 48;

/** Address at which csv-kernel.ts stores how to read the cells of each column. */
const MODES: usize = 24576;
const NUMBERS: u32 = 0;
const SKIPPED: u32 = 2;

/**
 * Reads rows from bytes[from … end) until `capacity` rows are read, the bytes end, or a row is not plain. Numbers go to
 * out[column][row]; for a text cell its two ends go there. Returns the number of rows, and stores the start of the next row at
 * `stop`. At `end` a line must end, or there must be a byte 0; the 40 bytes after it must be readable.
 */
export function readRows(
  from: usize,
  end: usize,
  width: i32,
  delimiter: u32,
  decimal: u32,
  out: usize,
  capacity: i32,
  stop: usize,
): i32 {
  const last = width - 1;
  const stride = <usize>capacity << 3;
  let p = from;
  let row = 0;
  let lineEnd = LINE_FEED;
  for (; row < capacity; row++) {
    const start = p;
    if (p >= end || isBlankLine(p)) break;
    let slot = out + (<usize>row << 3);
    let plain = true;
    for (let j = 0; j <= last; j++, slot += stride) {
      const mode = <u32>load<u8>(MODES + j);
      const cell = p;
      if (mode == NUMBERS) {
        p = usualNumber(cell, j < last ? delimiter : lineEnd, decimal, slot);
        if (p == 0) p = anyNumber(cell, delimiter, decimal, slot);
      } else p = textCell(cell, end, delimiter, mode, slot);
      if (p == 0) {
        plain = false;
        break;
      }
      const c = <u32>load<u8>(p);
      if (j < last) {
        plain = c == delimiter;
        p++;
      } else if (c == LINE_FEED) p++;
      else {
        lineEnd = CARRIAGE_RETURN;
        plain = c == CARRIAGE_RETURN && <u32>load<u8>(p, 1) == LINE_FEED;
        p += 2;
      }
      if (!plain) break;
    }
    if (takeDoubt() || !plain || p > end) {
      p = start;
      break;
    }
  }
  store<u32>(stop, <u32>p);
  return row;
}

/** Whether a line is blank. TypeScript decides whether it is an empty line or a row with one missing cell. */
@inline
function isBlankLine(p: usize): bool {
  let c = <u32>load<u8>(p);
  if (c == SPACE) while (c == SPACE) c = load<u8>(++p);
  return c == LINE_FEED || c == CARRIAGE_RETURN;
}

/** Returns the end of a text cell; 0 if the cell is in quotes. */
function textCell(cell: usize, end: usize, delimiter: u32, mode: u32, slot: usize): usize {
  let p = cell;
  let c = <u32>load<u8>(p);
  if (c == QUOTE) return 0;
  while (c != delimiter && c != LINE_FEED && c != CARRIAGE_RETURN && p < end) c = load<u8>(++p);
  if (mode != SKIPPED) {
    store<u32>(slot, <u32>cell);
    store<u32>(slot, <u32>p, 4);
  }
  return p;
}

/**
 * Reads a number in the usual notation: optional minus, up to eight digits, optional decimal mark and more digits, optional power of
 * ten, then `ender`. Stores its value and returns its end; 0 for any other cell.
 */
@inline
function usualNumber(start: usize, ender: u32, decimal: u32, slot: usize): usize {
  const negative = <u32>load<u8>(start) == MINUS;
  const first = start + <usize>negative;
  // One bit for each of 32 bytes, 1 for a byte that is not a digit. The first two should be the mark and the end.
  const others = nonDigits(first) | (nonDigits(first + 16) << 16);
  const whole = ctz<u32>(others);
  if (whole - 1 > 7) return 0;
  let w = <u64>load<u8>(first) - ZERO;
  if (whole > 1) w = eightDigits(load<u64>(first) << (64 - (whole << 3)));
  const mark = first + whole;
  const after = <u32>load<u8>(mark);
  if (after != decimal) {
    if (after != ender) return 0;
    store<u64>(slot, reinterpret<u64>(<f64>(<i64>w)) | (<u64>negative << 63));
    return mark;
  }
  const length = ctz<u32>(others & (others - 1));
  const p = first + length;
  const places = <i32>(length - whole) - 1;
  // Zeros before the mark are not significant digits. Zeros after it are harmless as long as all digits fit.
  const digits = places + (w == 0 ? 0 : <i32>whole);
  if (digits > MOST_DIGITS) return 0;
  let left = places;
  if (places >= 8) {
    w = w * 100000000 + eightDigits(load<u64>(mark, 1));
    left -= 8;
  }
  w = w * load<u64>(integerPowers + (<usize>left << 3)) + lastDigits(p, left);
  if (<u32>load<u8>(p) != ender) return withPower(w, digits, places, negative, p, ender, slot);
  const value = digits <= 15 ? quotient(w, places) : product(w, -places);
  store<u64>(slot, reinterpret<u64>(value) | (<u64>negative << 63));
  return p;
}

/** Moves "0" to the lowest signed byte, so that digits become the ten lowest values. */
const toLowest = memory.data<u8>([80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80], 16);
const highestDigit = memory.data<u8>([137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137], 16);

/** One bit for each of 16 bytes, 1 for a byte that is not a digit. */
@inline
function nonDigits(p: usize): u32 {
  return i8x16.bitmask(i8x16.gt_s(i8x16.add(v128.load(p), v128.load(toLowest)), v128.load(highestDigit)));
}

/** The value of eight digits; leading bytes can be empty. Joins neighbouring digits to pairs, pairs to fours, fours to eight. */
@inline
function eightDigits(v: u64): u64 {
  v &= 0x0f0f0f0f0f0f0f0f;
  v = v * 10 + (v >> 8);
  v &= 0x00ff00ff00ff00ff;
  v = v * 100 + (v >> 16);
  v &= 0x0000ffff0000ffff;
  return (v & 0xffff) * 10000 + (v >> 32);
}

/** 10^0 … 10^11: at most eleven digits follow the first eight digits or the mark. */
const integerPowers = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
]);

/** Masks: a load from byte k on keeps the last k of 16 bytes. */
const keepLast = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
]);
const lowBytes = memory.data<u16>([255, 255, 255, 255, 255, 255, 255, 255], 16);
const tens = memory.data<u16>([10, 10, 10, 10, 10, 10, 10, 10], 16);
const hundreds = memory.data<u16>([100, 1, 100, 1, 100, 1, 100, 1], 16);
const myriads = memory.data<u16>([10000, 1, 10000, 1, 10000, 1, 10000, 1], 16);

/** The value of the last `count` digits before `end`, at most 16: joined to pairs, fours and eights. */
@inline
function lastDigits(end: usize, count: i32): u64 {
  const digits = v128.and(v128.load(end - 16), v128.load(keepLast + <usize>count));
  const pairs = i16x8.add(i16x8.mul(v128.and(digits, v128.load(lowBytes)), v128.load(tens)), i16x8.shr_u(digits, 8));
  const fours = i32x4.dot_i16x8_s(pairs, v128.load(hundreds));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(fours, fours), v128.load(myriads));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}
