/** The columns of the table that a question shows, in the units of the file, and how far its rows are apart in each column. */
import { badInput, type Instances, nearestName, originalValue, roundedValue } from "@coterie/core/internal";
import { type Column, type ReadTableOptions, readColumns, type TableInstances } from "@coterie/data";
import { visible } from "../text/visible.js";

export interface ShownColumn {
  readonly name: string;
  readonly text: (row: number) => string;
  readonly isNumber: boolean;
  /** Returns the distance between rows in this column, divided by the range of the column (0 to 1). Null if the column is not a feature. */
  readonly apart: ((rows: readonly number[]) => number) | null;
  readonly wanted?: boolean;
}

/** The text for a cell that is missing in the file, even if a value was filled in for the distances. */
const NOT_KNOWN = "–";

export function featureColumns(instances: Instances & Partial<Pick<TableInstances, "filledRows">>): ShownColumn[] {
  return Array.from({ length: instances.d }, (_, j) => {
    const name = instances.names?.[j] ?? `x${j}`;
    const column = instances.nominal?.[j] === 1 ? nominalColumn(instances, j, name) : numberColumn(instances, j, name);
    const filled = instances.filledRows?.[j] ?? [];
    return filled.length === 0 ? column : withHoles(column, new Set(filled));
  });
}

/**
 * Shows filled cells as missing, because their values were never measured. If one of the rows has a filled cell, their distance in this
 * column is 0.
 */
function withHoles(column: ShownColumn, filled: ReadonlySet<number>): ShownColumn {
  return {
    ...column,
    text: (row) => (filled.has(row) ? NOT_KNOWN : column.text(row)),
    apart: (rows) => (rows.some((row) => filled.has(row)) ? 0 : column.apart!(rows)),
  };
}

function numberColumn(instances: Instances, j: number, name: string): ShownColumn {
  const { n, d, x, notations } = instances;
  const value = (row: number) => x[row * d + j]!;
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < n; row++) {
    // Comparisons with NaN are false, so missing values are skipped.
    if (value(row) < low) low = value(row);
    if (value(row) > high) high = value(row);
  }
  return {
    name,
    isNumber: true,
    text: (row) => (Number.isNaN(value(row)) ? NOT_KNOWN : roundedValue(originalValue(instances, j, value(row)), notations?.[j])),
    apart(rows) {
      const values = rows.map(value);
      return high > low && !values.some(Number.isNaN) ? (Math.max(...values) - Math.min(...values)) / (high - low) : 0;
    },
  };
}

function nominalColumn({ d, x, levels }: Instances, j: number, name: string): ShownColumn {
  const code = (row: number) => x[row * d + j]!;
  return {
    name,
    isNumber: false,
    text: (row) => (Number.isNaN(code(row)) ? NOT_KNOWN : readable(levels?.[j]?.[code(row)] ?? String(code(row)))),
    apart: (rows) => (rows.some((row) => Number.isNaN(code(row))) || new Set(rows.map(code)).size < 2 ? 0 : 1),
  };
}

/** Makes the text of a cell readable on one line: line breaks become blanks, and other control characters become visible. */
function readable(text: string): string {
  return visible(text.replace(/[ \t\r\n]+/g, " "));
}

export interface Wish {
  /** Columns to show besides the features (`--show`). */
  readonly show: readonly string[];
  readonly reading: Pick<ReadTableOptions, "delimiter" | "decimal" | "signal">;
}

export async function columnsToShow(instances: TableInstances, { show, reading }: Wish): Promise<ShownColumn[]> {
  const features = featureColumns(instances);
  // The ids of the rows are already shown as their names, so the id column is left out.
  const wanted = [...new Set(show)].filter((name) => name !== instances.idColumn);
  const byName = new Map(features.map((column) => [column.name, column]));
  const others = await readOthers(
    instances,
    wanted.filter((name) => !byName.has(name)),
    reading,
  );
  const first = wanted.flatMap((name) => byName.get(name) ?? others.get(name) ?? []);
  const rest = features.filter((column) => !first.includes(column));
  return [...first.map((column) => ({ ...column, wanted: true })), ...rest];
}

async function readOthers(
  { file, rows }: TableInstances,
  names: readonly string[],
  reading: Wish["reading"],
): Promise<Map<string, ShownColumn>> {
  if (names.length === 0) return new Map();
  const wanted = new Set(names);
  const table = await readColumns(file, { ...reading, text: names, skip: (name) => !wanted.has(name) });
  const found = table.columns.filter(({ name }) => wanted.has(name));
  const unknown = names.find((name) => !found.some((column) => column.name === name));
  if (unknown !== undefined) throw noColumn(unknown, [...table.columns.map(({ name }) => name), ...(table.skipped ?? [])], file);
  return new Map(found.map((column) => [column.name, columnToRead(column, rows)]));
}

function noColumn(name: string, all: readonly string[], file: string) {
  const near = nearestName(name, all);
  return badInput(`There is no column ${JSON.stringify(name)} (--show).`, {
    file,
    remedy: near === undefined ? `The columns are ${all.join(", ")}.` : `Did you mean ${JSON.stringify(near)}?`,
  });
}

function columnToRead(column: Column, rows: Int32Array): ShownColumn {
  const text = (row: number): string => {
    if (column.kind === "numeric") return Number.isNaN(column.values[row]!) ? NOT_KNOWN : String(column.values[row]!);
    return column.levels[column.codes[row]!] ?? NOT_KNOWN;
  };
  return { name: column.name, isNumber: column.kind === "numeric", text: (row) => readable(text(rows[row]!)), apart: null };
}
