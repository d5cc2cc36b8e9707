/** Columns that came in single precision as one block: as points, or spread over columns where something is to be done to them. */
import { type Instances, pointsOfSingles } from "@coterie/core/internal";
import type { Column, NumericColumn, Table } from "../table/table.js";
import { areDirectionRows } from "./reduction.js";
import { dominanceAmong } from "./scaling.js";

/** Few enough rows that they stay next to the processor while they are spread over their columns. */
const ROWS_AT_ONCE = 128;

/** Columns that have names and no values yet, and a table that lists them beside the others. */
export function stubsOf({ singles, ...table }: Table): { readonly stubs: readonly Column[]; readonly named: Table } {
  const none = new Float32Array(0);
  const stubs = singles!.names.map((name): NumericColumn => ({ kind: "numeric", name, values: none, missing: 0 }));
  return { stubs, named: { ...table, columns: [...stubs, ...table.columns] } };
}

/** The table with columns in the place of its block. */
export function spreadSingles({ singles, ...table }: Table): Table {
  const { names, rows } = singles!;
  const width = names.length;
  const columns = names.map((name) => ({ kind: "numeric" as const, name, values: new Float32Array(table.n), missing: 0 }));
  for (let from = 0; from < table.n; from += ROWS_AT_ONCE) {
    const end = Math.min(table.n, from + ROWS_AT_ONCE);
    columns.forEach(({ values }, j) => {
      for (let i = from, p = from * width + j; i < end; i++, p += width) values[i] = rows[p]!;
    });
  }
  return { ...table, columns: [...columns, ...table.columns] };
}

/** The block as points, and a word if one of its columns would drown the others, where that matters. */
export function fromSingles(
  { n, singles }: Table,
  isMeasured: boolean,
): { readonly points: Instances; readonly dominance: string | undefined } {
  const { names, rows } = singles!;
  const d = names.length;
  const directions = areDirectionRows(rows, n, d) ? { directions: true as const } : {};
  const dominance = isMeasured ? dominanceAmong(names, () => variancesOf(rows, n, d)) : undefined;
  return { points: pointsOfSingles({ n, d, names, ...directions }, rows), dominance };
}

/** The variance of each column in one pass, for a comparison: about the first row, as columns are judged one by one. */
function variancesOf(rows: Float32Array, n: number, d: number): number[] {
  const sums = new Float64Array(d);
  const squares = new Float64Array(d);
  const whole = n - (n % 4);
  // Four rows at a time: sums are read and written a fourth as often.
  for (let p = 0; p < whole * d; p += 4 * d) {
    for (let j = 0; j < d; j++) {
      const first = rows[j]!;
      const a = rows[p + j]! - first;
      const b = rows[p + d + j]! - first;
      const c = rows[p + 2 * d + j]! - first;
      const e = rows[p + 3 * d + j]! - first;
      sums[j]! += a + b + c + e;
      squares[j]! += a * a + b * b + c * c + e * e;
    }
  }
  for (let p = whole * d; p < n * d; p++) {
    const away = rows[p]! - rows[p % d]!;
    sums[p % d]! += away;
    squares[p % d]! += away * away;
  }
  return Array.from(sums, (sum, j) => squares[j]! / n - (sum / n) * (sum / n));
}
