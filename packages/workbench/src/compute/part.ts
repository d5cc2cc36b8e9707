/** Makes a smaller table from some rows of a table. Questions are only about these rows. */
import { type Grouping, randomFrom } from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { rowsOf } from "../protocol/sentences.js";
import type { LoadedTable } from "../tables/loaded-table.js";

/**
 * Chooses rows: all rows in `wanted`, and a sample. For the sample, the table is cut into `most` equal parts, and each part gives one
 * random row.
 */
export function evenSample(n: number, most: number, wanted: Iterable<number>): Int32Array {
  const rows = new Set<number>(wanted);
  const random = randomFrom(0).split("sample of rows");
  if (n <= most) for (let row = 0; row < n; row++) rows.add(row);
  else for (let i = 0; i < most; i++) rows.add(Math.floor(((i + random.unit()) * n) / most));
  return Int32Array.from(rows).sort();
}

export function groupingPart({ codes, ...grouping }: Grouping, rows: Int32Array): Grouping {
  return { ...grouping, codes: Int32Array.from(rows, (row) => codes[row]!) };
}

export function constraintsWithin(
  active: readonly ActiveConstraint[],
  rows: ReadonlySet<number>,
  { rowOf }: LoadedTable,
): ActiveConstraint[] {
  return active.filter(({ constraint }) => rowsOf(constraint).every((id) => rows.has(rowOf.get(String(id)) ?? -1)));
}
