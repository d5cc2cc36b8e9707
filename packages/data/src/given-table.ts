/**
 * Turns a table that another program holds in memory into instances: typed columns, and the rows of a matrix.
 *
 * The columns follow the rules of the typed file formats (engines/cells.ts): numbers stay numbers, and the cells of a text column decide
 * its type. So a table has the same points as a Parquet, Arrow or .npy file with the same cells.
 */
import { badInput, rowMemory } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { type Cells, isForcedText, isWanted, NumberCells, type NumberType, TextCells, VectorCells } from "./engines/cells.js";
import { nodeHasher } from "./engines/file.js";
import { nextTurn } from "./engines/turns.js";
import { instancesFrom, type ReadTableOptions, type TableInstances } from "./read-table.js";
import { builderFor } from "./table/columns.js";
import { checkNames } from "./table/names.js";
import { quoted } from "./table/sentences.js";
import { FEWEST_SINGLES, type Numbers, type ReadOptions, type Singles, type Table } from "./table/table.js";

type WholeNumbers = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

export type GivenNumbers = Numbers | WholeNumbers;

/** A column in memory. NaN is a missing number; code -1 is a missing text; a vector of which every number is NaN is missing. */
export type GivenColumn = { readonly name: string } & (
  | { readonly kind: "numbers"; readonly values: GivenNumbers }
  | { readonly kind: "texts"; readonly levels: readonly string[]; readonly codes: Int32Array }
  | { readonly kind: "vectors"; readonly values: Numbers; readonly width: number }
);

/** The rows of a matrix, one after the other. */
export interface GivenRows {
  readonly names: readonly string[];
  readonly values: GivenNumbers;
}

export interface GivenTable {
  /** The name of the table in messages. */
  readonly file: string;
  readonly n: number;
  readonly rows?: GivenRows | undefined;
  /** Columns after the columns of the matrix. */
  readonly columns: readonly GivenColumn[];
}

export async function instancesOfGiven(given: GivenTable, options: ReadTableOptions = {}): Promise<TableInstances> {
  const wanted: ReadTableOptions = { ...(options.forCells ? { mixed: "text" } : {}), ...options };
  return await instancesFrom((reading) => tableOf(given, { ...reading, file: given.file }), wanted);
}

async function tableOf(given: GivenTable, options: ReadOptions): Promise<Table> {
  const { file, n, rows, columns } = given;
  checkNames([...(rows?.names ?? []), ...columns.map(({ name }) => name)], { file });
  const notices: string[] = [];
  const contentHash = async () => hashOf(given);
  const singles = rows && singlesOf(rows, n, options);
  const all = [...(rows && !singles ? await columnsOfRows(rows, n, options) : []), ...columns];
  const skipped: string[] = [];
  const finished = [];
  for (const column of all) {
    if (!isWanted(column.name, options)) {
      skipped.push(column.name);
      continue;
    }
    finished.push(...[cellsOf(column, n, options).finish(n, notices)].flat());
    await nextTurn();
    options.signal?.throwIfAborted();
  }
  return { n, columns: finished, skipped, ...(singles ? { singles } : {}), file, notices, contentHash };
}

function cellsOf(column: GivenColumn, n: number, options: ReadOptions): Cells {
  const { name } = column;
  if (column.kind === "vectors") {
    const { values, width } = column;
    const cells = new VectorCells(name, options.file);
    cells.fill(0, n, (row) => {
      const vector = values.subarray(row * width, (row + 1) * width);
      return vector.every(Number.isNaN) ? null : vector;
    });
    return cells;
  }
  if (column.kind === "numbers" && !isForcedText(name, options)) {
    const { values } = column;
    const cells = new NumberCells(name, options.file, typeOf(values));
    cells.fill(0, n, numberAt(values));
    return cells;
  }
  const cells = new TextCells(builderFor(name, options), options.file);
  cells.fill(0, n, textAt(column));
  return cells;
}

function typeOf(values: GivenNumbers): NumberType {
  if (values instanceof Float32Array) return "single";
  return values instanceof BigInt64Array || values instanceof BigUint64Array ? "whole" : "double";
}

function numberAt(values: GivenNumbers): (row: number) => number | null {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return (row) => Number(values[row]);
  return (row) => {
    const value = values[row]!;
    return Number.isNaN(value) ? null : value;
  };
}

function textAt(column: Exclude<GivenColumn, { readonly kind: "vectors" }>): (row: number) => string | null {
  if (column.kind === "numbers") {
    const { values } = column;
    return (row) => (Number.isNaN(Number(values[row])) ? null : String(values[row]));
  }
  const { levels, codes } = column;
  return (row) => levels[codes[row]!] ?? null;
}

/** The rows as one single-precision block, by the same rule as for .npy files; undefined if they become columns. */
function singlesOf({ names, values }: GivenRows, n: number, options: ReadOptions): Singles | undefined {
  const whole = names.every((name) => isWanted(name, options) && !isForcedText(name, options));
  if (!options.singles || !whole || !(values instanceof Float32Array) || values.length < FEWEST_SINGLES) return undefined;
  if (values.some(Number.isNaN)) return undefined;
  const odd = values.findIndex((value) => !Number.isFinite(value));
  if (odd >= 0) throw notFinite(names[odd % names.length]!, Math.floor(odd / names.length), values[odd]!, options.file);
  const rows = rowMemory(n * names.length);
  rows.set(values);
  return { names, rows };
}

function notFinite(name: string, row: number, value: number, file: string): Error {
  return badInput(`Column ${quoted(name)} holds ${value} in row ${row} (from 0), which is not a finite number.`, {
    file,
    remedy: `Use NaN if the value is missing, or leave the column out (${shellListFlag("--ignore", name)}).`,
  });
}

/** Number of rows that are transposed together: their cells fit into the processor cache. */
const ROWS_AT_ONCE = 128;
const ROWS_IN_A_TURN = 65_536;

async function columnsOfRows({ names, values }: GivenRows, n: number, options: ReadOptions): Promise<GivenColumn[]> {
  const width = names.length;
  const Kind = values.constructor as new (length: number) => GivenNumbers;
  const columns = names.map(() => new Kind(n));
  for (let from = 0; from < n; from += ROWS_AT_ONCE) {
    const end = Math.min(n, from + ROWS_AT_ONCE);
    columns.forEach((column, j) => {
      for (let row = from, p = from * width + j; row < end; row++, p += width) column[row] = values[p]!;
    });
    if (from % ROWS_IN_A_TURN !== 0) continue;
    await nextTurn();
    options.signal?.throwIfAborted();
  }
  return names.map((name, j) => ({ kind: "numbers", name, values: columns[j]! }));
}

function hashOf({ rows, columns }: GivenTable): string {
  const hasher = nodeHasher();
  const text = (words: unknown) => hasher.update(Buffer.from(JSON.stringify(words)));
  const bytes = (values: GivenNumbers) => hasher.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  if (rows) {
    text(rows.names);
    bytes(rows.values);
  }
  for (const column of columns) {
    text([column.name, column.kind, column.kind === "texts" ? column.levels : null]);
    bytes(column.kind === "texts" ? column.codes : column.values);
  }
  return hasher.digest();
}
