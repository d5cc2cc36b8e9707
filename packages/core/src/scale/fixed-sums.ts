/**
 * Sums that do not depend on the order of their terms.
 *
 * Each term is rounded to a multiple of a coarse unit. The remainder is rounded to a multiple of a fine unit. Multiples of one unit add
 * like integers, so the order and grouping of terms have no effect. The units are computed from the largest term and the number of terms,
 * so that nothing overflows. Chunks, threads, machines and engines that add with the same grid get bit-identical results.
 *
 *     term = coarse + fine + a dropped rest         |coarse| ≤ 2^bits units, |fine| ≤ 2^(bits-1) units of 2^-bits
 */
import { badInput } from "../errors.js";

/**
 * The units to which terms of one kind are rounded. To round a term to a multiple of `coarseUnit` (ties to even), add `coarseRound` and
 * subtract it again. `fineRound` does the same for `fineUnit`.
 */
export interface Grid {
  readonly coarseUnit: number;
  readonly fineUnit: number;
  readonly coarseRound: number;
  readonly fineRound: number;
}

/** Rows per block. The sum of whole units over a block of this size is exact in a double. */
export const BLOCK_ROWS = 2048;

/** Maximum bits of a coarse term: the sum of 2^11 terms of 2^40 units is below 2^53, so it is exact. */
const MOST_BITS = 40;
/** Number of bits that a sum in a 64-bit integer can use: all bits except the sign, one bit for adding two sums, and one spare bit. */
const LONG_BITS = 61;
/** The largest allowed term. Its square, and sums of squares, stay finite. */
const LARGEST = 2 ** 500;
const SMALLEST = 2 ** -500;
const ROUND = 1.5 * 2 ** 52;

/**
 * The grid for `rows` terms of at most `largest`. Throws if the square of `largest` could overflow. `what`: name of the terms in the error.
 */
export function gridFor(largest: number, rows: number, what: string): Grid {
  if (!(largest <= LARGEST)) {
    throw badInput(`${what} is too large to be added up exactly.`, { remedy: "Scale the columns (--scale zscore)." });
  }
  const bits = Math.min(MOST_BITS, LONG_BITS - bitsOf(rows));
  const top = powerAbove(Math.max(largest, SMALLEST));
  const coarseUnit = top / 2 ** bits;
  const fineUnit = coarseUnit / 2 ** bits;
  return { coarseUnit, fineUnit, coarseRound: ROUND * coarseUnit, fineRound: ROUND * fineUnit };
}

function bitsOf(rows: number): number {
  let bits = 0;
  for (let left = rows; left >= 1; left /= 2) bits++;
  return bits;
}

/** The smallest power of two that is at least `value`. */
function powerAbove(value: number): number {
  let power = 1;
  while (power < value) power *= 2;
  while (power / 2 >= value) power /= 2;
  return power;
}

/** A running total is stored in two numbers: upper · CARRY + lower, in units. */
const CARRY = 2 ** 27;

/** Running totals in whole units. Each total is upper · 2^27 + lower, two doubles. */
export interface Totals {
  readonly upper: Float64Array;
  readonly lower: Float64Array;
}

export function openTotals(length: number): Totals {
  return { upper: new Float64Array(length), lower: new Float64Array(length) };
}

/** Adds `sign` times the sum of a block (in units) to the total at index `at`. */
export function addUnits({ upper, lower }: Totals, at: number, units: number, sign = 1): void {
  const carry = Math.floor(units / CARRY);
  upper[at]! += sign * carry;
  lower[at]! += sign * (units - carry * CARRY);
}

export function unitsAt({ upper, lower }: Totals, at: number): bigint {
  return BigInt(upper[at]!) * BigInt(CARRY) + BigInt(lower[at]!);
}

/** Sets a total to the whole units that another machine has computed. */
export function setUnits({ upper, lower }: Totals, at: number, units: bigint): void {
  const rest = BigInt.asUintN(27, units);
  upper[at] = Number((units - rest) / BigInt(CARRY));
  lower[at] = Number(rest);
}

export function sumOfUnits(grid: Grid, coarse: bigint, fine: bigint): number {
  const ratio = BigInt(grid.coarseUnit / grid.fineUnit);
  return Number(coarse * ratio + fine) * grid.fineUnit;
}
