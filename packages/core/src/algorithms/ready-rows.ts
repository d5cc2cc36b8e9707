/**
 * Copies rows into kernel memory and prepares them for screening, one part at a time. For a large table this takes seconds, mostly for
 * the first access to new memory pages. The pauses let the user stop it.
 */
import type { Arena, F32, F64, Kernels, Screen } from "../kernels/index.js";
import { type Points, rowValues } from "../model/points.js";
import type { Steps } from "../steps/index.js";

/** Numbers processed between two yields. */
export const NUMBERS_PER_STEP = 2 ** 21;
/** Ranges of rows that are prepared in one step begin at multiples of this number. */
const GRAIN = 1024;

/** The rows in kernel memory: the same block if they are already there, otherwise a copy. */
export function* placedSteps(points: Points, arena: Arena): Steps<F64 | F32> {
  const { n, d } = points;
  const rows = rowValues(points).subarray(0, n * d);
  const block = arena.place(rows);
  if (block.view() === rows) return block;
  for (let from = 0; from < rows.length; from += NUMBERS_PER_STEP) {
    if (from > 0) yield { phase: "copying rows", done: from, total: rows.length };
    block.view().set(rows.subarray(from, from + NUMBERS_PER_STEP), from);
  }
  return block;
}

/** The rows prepared for screening; null if screening would save no time. */
export function* screenSteps(x: F64 | F32, n: number, d: number, kernels: Kernels, arena: Arena): Steps<Screen | null> {
  const screening = kernels.screening(x, n, d, arena);
  if (!screening) return null;
  const rows = GRAIN * Math.ceil(NUMBERS_PER_STEP / d / GRAIN);
  for (let from = 0; from < n; from += rows) {
    if (from > 0) yield { phase: "screening rows", done: from, total: n };
    screening.fill(from, Math.min(n, from + rows));
  }
  return screening.screen;
}
