/** Some rows of a table, as a table of their own: questions are chosen among a limited number of rows. */
import { type Grouping, gatherRows, type Instances, idOf, randomFrom, selectDistances } from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { rowsOf } from "../protocol/sentences.js";
import type { LoadedTable } from "../tables/loaded-table.js";

/**
 * A sample from all over the table, one row of each stretch, and with it every row that constraints name. Equal steps would
 * meet one kind of row alone where kinds come by turns.
 */
export function evenSample(n: number, most: number, wanted: Iterable<number>): Int32Array {
  const rows = new Set<number>(wanted);
  const random = randomFrom(0).split("sample of rows");
  if (n <= most) for (let row = 0; row < n; row++) rows.add(row);
  else for (let i = 0; i < most; i++) rows.add(Math.floor(((i + random.unit()) * n) / most));
  return Int32Array.from(rows).sort();
}

export function partOf(instances: Instances, rows: Int32Array): Instances {
  const { d, x, nominal, names, levels, scaling, distances } = instances;
  return {
    n: rows.length,
    d,
    x: gatherRows(x, d, rows),
    ids: Array.from(rows, (row) => idOf(instances, row)),
    ...(nominal ? { nominal } : {}),
    ...(names ? { names } : {}),
    ...(levels ? { levels } : {}),
    ...(scaling ? { scaling } : {}),
    ...(distances ? { distances: selectDistances(distances, instances.n, rows) } : {}),
  };
}

export function groupingPart({ codes, ...grouping }: Grouping, rows: Int32Array): Grouping {
  return { ...grouping, codes: Int32Array.from(rows, (row) => codes[row]!) };
}

/** The constraints about these rows alone. */
export function constraintsWithin(
  active: readonly ActiveConstraint[],
  rows: ReadonlySet<number>,
  { rowOf }: LoadedTable,
): ActiveConstraint[] {
  return active.filter(({ constraint }) => rowsOf(constraint).every((id) => rows.has(rowOf.get(String(id)) ?? -1)));
}
