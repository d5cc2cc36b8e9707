/**
 * Sums that do not depend on the order of their terms.
 *
 * Each term is split into two multiples of fixed units: a coarse one, and a fine one for the rest. Sums of such multiples are
 * sums of whole numbers, which any grouping leaves as they are. The units follow from the largest term and the number of terms,
 * so that nothing can overflow: chunks, threads, machines and engines that add by the same grid get the same bits.
 *
 *     term = coarse + fine + what is dropped        |coarse| ≤ 2^bits units, |fine| ≤ 2^(bits-1) units of 2^-bits
 */
import { badInput } from "../errors.js";

/** How terms of one kind are split. Adding `round` to a number and taking it away again rounds it to whole units, halves to even. */
export interface Grid {
  readonly coarseUnit: number;
  readonly fineUnit: number;
  readonly coarseRound: number;
  readonly fineRound: number;
}

/** Rows of a block: its sums of whole units are exact in a double. */
export const BLOCK_ROWS = 2048;

/** 2^11 rows of 2^40 units stay below 2^53. */
const MOST_BITS = 40;
/** What a 64-bit integer holds, less a bit for the sign and one for the sum of two sums. */
const LONG_BITS = 61;
/** Squares of terms, and their sums, must be numbers too. */
const LARGEST = 2 ** 500;
const SMALLEST = 2 ** -500;
const ROUND = 1.5 * 2 ** 52;

/** The grid for `rows` terms of at most `largest`; refuses terms whose squares no number could hold. */
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

/** How many bits a whole number takes. */
function bitsOf(rows: number): number {
  let bits = 0;
  for (let left = rows; left >= 1; left /= 2) bits++;
  return bits;
}

/** The least power of two that is at least as large. */
function powerAbove(value: number): number {
  let power = 1;
  while (power < value) power *= 2;
  while (power / 2 >= value) power /= 2;
  return power;
}

/** Units that go into the upper half of a running total. */
const CARRY = 2 ** 27;

/** Running totals of whole units, each in two doubles: upper · 2^27 + lower. */
export interface Totals {
  readonly upper: Float64Array;
  readonly lower: Float64Array;
}

export function openTotals(length: number): Totals {
  return { upper: new Float64Array(length), lower: new Float64Array(length) };
}

/** Adds `sign` times a block's sum, in units, to the total at `at`. */
export function addUnits({ upper, lower }: Totals, at: number, units: number, sign = 1): void {
  const carry = Math.floor(units / CARRY);
  upper[at]! += sign * carry;
  lower[at]! += sign * (units - carry * CARRY);
}

export function unitsAt({ upper, lower }: Totals, at: number): bigint {
  return BigInt(upper[at]!) * BigInt(CARRY) + BigInt(lower[at]!);
}

/** Takes whole units that another machine has added up. */
export function setUnits({ upper, lower }: Totals, at: number, units: bigint): void {
  const rest = BigInt.asUintN(27, units);
  upper[at] = Number((units - rest) / BigInt(CARRY));
  lower[at] = Number(rest);
}

/** The sum behind coarse and fine units, rounded once. */
export function sumOfUnits(grid: Grid, coarse: bigint, fine: bigint): number {
  const ratio = BigInt(grid.coarseUnit / grid.fineUnit);
  return Number(coarse * ratio + fine) * grid.fineUnit;
}
