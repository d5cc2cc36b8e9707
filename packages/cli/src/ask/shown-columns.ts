/** What a person sees of a row: the columns in the units of the file, and how far rows are apart in each. */
import type { Instances } from "@coterie/core";
import { type Column, readColumns, type TableInstances } from "@coterie/data";
import { visible } from "../text/visible.js";

export interface ShownColumn {
  readonly name: string;
  readonly text: (row: number) => string;
  /** Numbers stand to the right. */
  readonly isNumber: boolean;
  /** How far the rows are apart, as a share of the column's range, from 0 to 1; null for columns that are only there to be read. */
  readonly apart: ((rows: readonly number[]) => number) | null;
}

/** A cell to read: blanks and breaks of lines are blanks, whatever else is hidden shows. */
function plain(text: string): string {
  return visible(text.replace(/[ \t\r\n]+/g, " "));
}

export function featureColumns(instances: Instances): ShownColumn[] {
  return Array.from({ length: instances.d }, (_, j) => {
    const name = instances.names?.[j] ?? `x${j}`;
    return instances.nominal?.[j] === 1 ? nominalColumn(instances, j, name) : numberColumn(instances, j, name);
  });
}

function numberColumn({ n, d, x, scaling }: Instances, j: number, name: string): ShownColumn {
  const value = (row: number) => x[row * d + j]!;
  const offset = scaling?.offset[j] ?? 0;
  const factor = scaling?.factor[j] ?? 1;
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < n; row++) {
    low = Math.min(low, value(row));
    high = Math.max(high, value(row));
  }
  return {
    name,
    isNumber: true,
    text: (row) => String(Number((value(row) * factor + offset).toPrecision(6))),
    apart(rows) {
      const values = rows.map(value);
      return high > low ? (Math.max(...values) - Math.min(...values)) / (high - low) : 0;
    },
  };
}

function nominalColumn({ d, x, levels }: Instances, j: number, name: string): ShownColumn {
  const code = (row: number) => x[row * d + j]!;
  return {
    name,
    isNumber: false,
    text: (row) => plain(levels?.[j]?.[code(row)] ?? String(code(row))),
    apart: (rows) => (new Set(rows.map(code)).size > 1 ? 1 : 0),
  };
}

/** Columns of the file that are shown although they are no features (`--show`): read once more, as text. */
export async function extraColumns(instances: TableInstances, names: readonly string[]): Promise<ShownColumn[]> {
  if (names.length === 0) return [];
  const wanted = new Set(names);
  const table = await readColumns(instances.file, { text: names, skip: (name) => !wanted.has(name) });
  return names.flatMap((name) => {
    const column = table.columns.find((each) => each.name === name);
    return column ? [readColumn(column, instances.rows)] : [];
  });
}

function readColumn(column: Column, rows: Int32Array): ShownColumn {
  const text = (row: number): string => {
    if (column.kind === "numeric") return String(column.values[rows[row]!]!);
    return column.levels[column.codes[rows[row]!]!] ?? "";
  };
  return { name: column.name, isNumber: column.kind === "numeric", text: (row) => plain(text(row)), apart: null };
}
