/** Helpers for grids of data sets, methods and counts, from which tables, pictures and claims are made. */
import type { Cell, Claim, PageData } from "./frame/paper.js";

/** Calls `make` for each combination of the items of two or three lists; the first list varies slowest. */
export function crossed<A, B, Made>(as: readonly A[], bs: readonly B[], make: (a: A, b: B) => Made): Made[];
export function crossed<A, B, C, Made>(
  as: readonly A[],
  bs: readonly B[],
  cs: readonly C[],
  make: (a: A, b: B, c: C) => Made,
): Made[];
export function crossed(...given: unknown[]): unknown[] {
  const make = given.at(-1) as (...items: unknown[]) => unknown;
  const lists = given.slice(0, -1) as unknown[][];
  let rows: unknown[][] = [[]];
  for (const list of lists) rows = rows.flatMap((row) => list.map((item) => [...row, item]));
  return rows.map((row) => make(...row));
}

/**
 * Makes the judge of a claim from a function that makes its cells. because: why our result differs from the paper, if we know the reason.
 */
export function byCells(cells: (seen: PageData) => readonly Cell[], because?: string): Claim["judge"] {
  return (seen) => ({ cells: cells(seen), ...(because === undefined ? {} : { because }) });
}
