/**
 * Reads distance matrices from tables.
 * - Square: one row and one column for each instance. The header has the names. A first column of names is allowed, as in files from
 *   spreadsheets, R and pandas.
 * - Condensed: one column with the n(n-1)/2 distances of the pairs (0,1), (0,2), …, (1,2), …, as in SciPy.
 */
import type { DistanceFault, InstanceId } from "@coterie/core/internal";
import { badInput, checkCondensed, condense, rowsOfCondensed, selectDistances } from "@coterie/core/internal";
import { numberOf } from "../table/parse-number.js";
import { counted, quoted } from "../table/sentences.js";
import type { Column, NumericColumn, Table } from "../table/table.js";

export interface DistanceTable {
  readonly n: number;
  /** The distances of the pairs of rows in the order (0,1), (0,2), …, (1,2), … */
  readonly condensed: Float64Array;
  /** Names of the instances, if the file has them. */
  readonly names?: readonly string[];
  readonly file: string;
  readonly notices: readonly string[];
  contentHash(): Promise<string>;
}

/** The name given to a first column without a name in the header: it holds the names of the rows. */
export const ROW_NAMES = "(row names)";

export function distancesOf(table: Table): DistanceTable {
  const { n, columns } = table;
  if (columns.length === 1) return halfOf(table, columns[0]!);
  if (columns.length === n) return squareOf(table, columns, undefined);
  if (columns.length === n + 1 && !headless(table)) return squareOf(table, columns.slice(1), columns[0]);
  throw badInput(`The table has ${counted(n, "row")} and ${counted(columns.length, "column")}, which is not a distance matrix.`, {
    file: table.file,
    remedy: headless(table)
      ? "The first row looks like data: add a header row with the names of the instances."
      : "Give a square matrix with a header, or one column with n(n-1)/2 distances.",
  });
}

/** Whether the file has no header. Then the first row of the matrix was read as the header, so all column names are numbers. */
function headless({ columns }: Table): boolean {
  return columns.every(({ name }) => numberOf(name) !== undefined);
}

function halfOf(table: Table, only: Column): DistanceTable {
  const { n, file, notices, contentHash } = table;
  const rows = rowsOfCondensed(n);
  // pandas gives an unnamed column the name 0.
  const headed = only.name === "0" || !headless(table);
  if (rows === undefined || !headed) {
    const what = headed ? `${counted(n, "distance")} in one column, which is not n(n-1)/2 for any n.` : "The column has no name.";
    throw badInput(what, {
      file,
      remedy: !headed
        ? "The first row looks like data: add a header row."
        : `Give one distance for each pair of rows${nearestCounts(n)}, or a square matrix.`,
    });
  }
  const checked = checkCondensed(numbersOf(only, table), rows);
  if ("message" in checked) {
    throw faultIn(table, checked, (checked.i * (2 * rows - checked.i - 1)) / 2 + (checked.j - checked.i - 1), only.name);
  }
  return { n: rows, condensed: checked.condensed, file, notices, contentHash };
}

function squareOf(table: Table, columns: readonly Column[], first: Column | undefined): DistanceTable {
  const { n, file, contentHash } = table;
  const values = columns.map((column) => numbersOf(column, table));
  const checked = condense((i, j) => values[j]![i]!, n);
  if ("message" in checked) throw faultIn(table, checked, checked.i, columns[checked.j]!.name);
  const names = columns.map((column) => column.name);
  if (first) checkRowNames(table, first, names);
  const notices = [...table.notices];
  if (checked.uneven > 0)
    notices.push(
      `${counted(checked.uneven, "pair")} of ${file} ${checked.uneven === 1 ? "differs" : "differ"} by rounding between the two halves; the mean is used.`,
    );
  const numbered = names.every((name, i) => name === `x${i}`);
  return { n, condensed: checked.condensed, ...(numbered ? {} : { names }), file, notices, contentHash };
}

function numbersOf(column: Column, table: Table): Float64Array {
  if (column.kind === "nominal") {
    const row = column.codes.findIndex((code) => code >= 0);
    throw badInput(`Column ${quoted(column.name)} holds text (${quoted(column.levels[0] ?? "")}), not distances.`, {
      ...placeOf(table, Math.max(0, row)),
      remedy: "Only a first column of row names may be text.",
    });
  }
  if (column.missing > 0) {
    throw badInput(`A distance is missing in column ${quoted(column.name)}.`, {
      ...placeOf(table, (column as NumericColumn).values.findIndex(Number.isNaN)),
      remedy: "Every pair of rows needs a distance.",
    });
  }
  return column.values instanceof Float64Array ? column.values : Float64Array.from(column.values);
}

/** Checks that rows and columns have the same order. If only the rows were sorted, the distances would belong to the wrong pairs. */
function checkRowNames(table: Table, first: Column, names: readonly string[]): void {
  for (let i = 0; i < table.n; i++) {
    const name = first.kind === "numeric" ? String(first.values[i]) : (first.levels[first.codes[i]!] ?? "");
    if (name === names[i]) continue;
    throw badInput(`The row is named ${quoted(name)}, but column ${i + 1} of the matrix is named ${quoted(names[i]!)}.`, {
      ...placeOf(table, i),
      remedy: "Rows and columns must have the same names in the same order.",
    });
  }
}

function nearestCounts(length: number): string {
  const n = Math.floor((1 + Math.sqrt(1 + 8 * length)) / 2);
  return ` (${(n * (n - 1)) / 2} for ${n} rows, ${((n + 1) * n) / 2} for ${n + 1})`;
}

function faultIn(table: Table, { i, j, message, remedy }: DistanceFault, row: number, column: string): Error {
  return badInput(`Rows ${i} and ${j} (column ${quoted(column)}): ${message}.`, { ...placeOf(table, row), remedy });
}

function placeOf(table: Table, row: number): { readonly file: string; readonly line?: number } {
  const line = table.lineOf?.(row);
  return { file: table.file, ...(line === undefined ? {} : { line }) };
}

export interface MatchedRows {
  readonly n: number;
  readonly ids?: readonly InstanceId[];
  readonly rows: Int32Array;
  readonly total: number;
  readonly dropped: readonly InstanceId[];
  readonly file: string;
}

/**
 * The distances between the rows of a table. If the names of the matrix are the ids of the table, rows are matched by name, in any
 * order. If the matrix has no names, or unrelated names, rows are matched by position.
 */
export function distancesFor(matrix: DistanceTable, table: MatchedRows): { distances: Float64Array; notices: string[] } {
  if (matrix.n !== table.total) {
    throw badInput(`The matrix is about ${counted(matrix.n, "row")}, but ${table.file} has ${table.total}.`, {
      file: matrix.file,
      remedy: "Give the distances of the rows of this table.",
    });
  }
  const order = orderByName(matrix, table);
  const rows = order?.rows ?? table.rows;
  const inOrder = rows.length === matrix.n && rows.every((row, i) => row === i);
  return {
    distances: inOrder ? matrix.condensed : selectDistances(matrix.condensed, matrix.n, rows),
    notices: order ? [] : unnamedNotice(matrix, table),
  };
}

function orderByName({ names, file }: DistanceTable, table: MatchedRows): { readonly rows: Int32Array } | undefined {
  if (!names) return undefined;
  const place = new Map(names.map((name, i) => [name, i]));
  const idAt = (i: number): string => String(table.ids?.[i] ?? i);
  const rows = Int32Array.from({ length: table.n }, (_, i) => place.get(idAt(i)) ?? -1);
  if (rows.every((row) => row < 0)) return undefined;
  const lost = rows.indexOf(-1);
  if (lost < 0) return { rows };
  throw badInput(`The matrix names some rows of ${table.file}, but not ${quoted(idAt(lost))}.`, {
    file,
    remedy: "Name its columns by the ids of the table (--id), all of them.",
  });
}

function unnamedNotice({ names, file }: DistanceTable, table: MatchedRows): string[] {
  return names ? [`The names in ${file} are not the ids of ${table.file}: rows are matched by position.`] : [];
}
