import type { Column, Table } from "../table/table.js";

/** A column as an ordinary array, with null for missing cells. */
export function cellsOf(column: Column): (number | string | null)[] {
  if (column.kind === "numeric") return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value));
  return Array.from(column.codes, (code) => column.levels[code] ?? null);
}

/** A table as ordinary arrays by column name. */
export function contentsOf(table: Table): Record<string, (number | string | null)[]> {
  return Object.fromEntries(table.columns.map((column) => [column.name, cellsOf(column)]));
}
