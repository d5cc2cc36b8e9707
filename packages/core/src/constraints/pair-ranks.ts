/**
 * Numbers the pairs of rows: all pairs, pairs within classes, or pairs between classes. A random number then gives a random pair, without a
 * list of pairs.
 */

import { listsByKey } from "../structures/components.js";
import { lastAtMost } from "../structures/search.js";

/** Pairs with numbers. `at(rank)` returns the two rows of a pair, the lower row first. */
export interface RankedPairs {
  readonly count: number;
  at(rank: number): readonly [number, number];
}

export function allPairs(rows: Int32Array): RankedPairs {
  return { count: triangle(rows.length), at: (rank) => ordered(...inTriangle(rank).map((p) => rows[p]!)) };
}

/** Rows by class: class c contains `rows[start[c]] … rows[start[c + 1] - 1]`. */
export interface RowsByClass {
  readonly rows: Int32Array;
  readonly start: Int32Array;
}

export function rowsByClass(codes: Int32Array, classCount: number): RowsByClass {
  const { items, start } = listsByKey(codes, classCount);
  return { rows: items, start };
}

export function pairsWithinClasses({ rows, start }: RowsByClass): RankedPairs {
  const before = runningTotal(start, (c) => triangle(start[c + 1]! - start[c]!));
  return {
    count: before.at(-1)!,
    at(rank) {
      const c = lastAtMost(before, rank);
      return ordered(...inTriangle(rank - before[c]!).map((p) => rows[start[c]! + p]!));
    },
  };
}

export function pairsBetweenClasses({ rows, start }: RowsByClass): RankedPairs {
  const later = (c: number): number => rows.length - start[c + 1]!;
  const before = runningTotal(start, (c) => (start[c + 1]! - start[c]!) * later(c));
  return {
    count: before.at(-1)!,
    at(rank) {
      const c = lastAtMost(before, rank);
      const rest = rank - before[c]!;
      return ordered(rows[start[c]! + Math.floor(rest / later(c))]!, rows[start[c + 1]! + (rest % later(c))]!);
    },
  };
}

function triangle(m: number): number {
  return (m * (m - 1)) / 2;
}

/** The pair with this number in the order (0,1), (0,2), (1,2), … The loops correct the rounding of the square root. */
function inTriangle(rank: number): [number, number] {
  let high = Math.floor((1 + Math.sqrt(1 + 8 * rank)) / 2);
  while (triangle(high) > rank) high--;
  while (triangle(high + 1) <= rank) high++;
  return [rank - triangle(high), high];
}

/** Prefix sums of `sizeOf` over the classes; the last entry is the total. */
function runningTotal(start: Int32Array, sizeOf: (c: number) => number): Float64Array {
  const before = new Float64Array(start.length);
  for (let c = 0; c + 1 < start.length; c++) before[c + 1] = before[c]! + sizeOf(c);
  return before;
}

function ordered(...pair: number[]): readonly [number, number] {
  const [a = 0, b = 0] = pair;
  return a < b ? [a, b] : [b, a];
}
