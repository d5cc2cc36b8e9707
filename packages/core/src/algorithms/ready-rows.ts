/**
 * Copies rows into kernel memory and prepares them for screening. Screening is a quick first comparison of rows, so that fewer exact
 * distances are computed. For a large table the copy takes seconds. It runs in steps, so that the user can stop it.
 */
import type { Arena, F32, F64, Kernels, Screen } from "../kernels/index.js";
import { type Points, rowValues } from "../model/points.js";
import type { Steps } from "../steps/index.js";

/** Numbers processed between two yields. */
export const NUMBERS_PER_STEP = 2 ** 21;
/** A step prepares a multiple of this number of rows. */
const GRAIN = 1024;

/** Returns the rows as a block of kernel memory. Copies them, unless they are already in kernel memory. */
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

/** Prepares the rows for screening. Null if screening would save no time. */
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
