/**
 * Reads Parquet files through DuckDB, which is loaded on first use (its import alone takes 0.2 s).
 *
 * DuckDB decodes the file. Its number columns become numeric columns; dates, times and booleans become texts. For text columns, the cells
 * decide the type. No DuckDB extension is installed or loaded, so there is no network access.
 */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, type CoterieError } from "@coterie/core/internal";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { builderFor, type ColumnBuilder } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import type { ReadOptions, Table } from "../table/table.js";
import { readArrowBytes } from "./arrow-bytes.js";
import {
  type Cells,
  isForcedText,
  isWanted,
  NumberCells,
  type NumberType,
  TextCells,
  unsupportedType,
  VectorCells,
  wantsVectors,
} from "./cells.js";
import { refusal } from "./damage.js";
import { bytesHash, type FileLook, fileHash, lookAtFile, unreadable } from "./file.js";

const settings = { autoinstall_known_extensions: "false", autoload_known_extensions: "false" };

export async function readParquet(path: string, options: ReadOptions): Promise<Table> {
  const { file, signal } = options;
  const look = await lookAtFile(path, options);
  checkEnds(look, file);
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", settings);
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener("abort", interrupt);
  const progress: Place = { part: "footer", rows: 0 };
  try {
    const notices: string[] = [];
    const { n, columns } = await readColumns(connection, path, options, progress);
    const finished = columns.flatMap((column) => column.finish(n, notices));
    return { n, columns: finished, file, notices, contentHash: look.contentHash };
  } catch (error) {
    signal?.throwIfAborted();
    // DuckDB throws plain errors for bad files. Any other error is a bug and is thrown again.
    throw error instanceof Error && error.name === "Error" ? damaged(error, file, progress) : error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    connection.closeSync();
    instance.closeSync();
  }
}

/** The size of a column in memory. levels: estimated number of different texts. textBytes: total length of these texts. */
export interface ColumnShape {
  readonly name: string;
  /** Number of values: one per row, or the sum of the lengths of all vectors. */
  readonly cells: number;
  readonly levels?: number;
  readonly textBytes?: number;
}

/** The column sizes of a Parquet file, from its metadata and one scan of its texts; null if the file cannot be read. */
export async function parquetShape(
  path: string,
): Promise<{ readonly rows: number; readonly columns: readonly ColumnShape[] } | null> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", settings);
  const connection = await instance.connect();
  const source = "read_parquet($1, hive_partitioning = false)";
  const all = async (sql: string) => (await connection.runAndReadAll(sql, [patternOf(path)])).getRowsJS();
  try {
    const rows = Number((await all("SELECT sum(num_rows) FROM parquet_file_metadata($1)"))[0]![0]);
    const described = await all(`DESCRIBE SELECT * FROM ${source}`);
    const columns: ColumnShape[] = [];
    for (const [identifier, type] of described.map((row) => [String(row[0]), String(row[1])] as const)) {
      const column = `"${identifier.replaceAll('"', '""')}"`;
      if (type.endsWith("]")) {
        const [values] = (await all(`SELECT sum(len(${column})) FROM ${source}`))[0]!;
        columns.push({ name: identifier, cells: Number(values ?? 0) });
      } else if (texts.has(type) || type.startsWith("ENUM(")) {
        const text = `${column}::VARCHAR`;
        const sizes = `approx_count_distinct(${text}), sum(strlen(${text})), max(strlen(${text}))`;
        const [distinct, total, longest] = (await all(`SELECT ${sizes} FROM ${source}`))[0]!.map((value) => Number(value ?? 0));
        const levels = Math.min(rows, Math.ceil(COUNT_ERROR * distinct!));
        columns.push({ name: identifier, cells: rows, levels, textBytes: Math.min(total!, levels * longest!) });
      } else columns.push({ name: identifier, cells: rows });
    }
    return { rows, columns };
  } catch (error) {
    // The file is damaged. `readParquet` reports the damage when it reads the file next.
    if (error instanceof Error && error.name === "Error") return null;
    throw error;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** DuckDB's estimate of the number of different values can be too low by this factor, so the estimate is multiplied by it. */
const COUNT_ERROR = 1.2;

function patternOf(path: string): string {
  return resolve(path).replace(/[[*?]/g, (mark) => `[${mark}]`);
}

interface Place {
  part: "footer" | "rows";
  rows: number;
}

function checkEnds({ head, tail, bytes }: FileLook, file: string): void {
  const ascii = (part: Uint8Array) => String.fromCharCode(...part);
  const end = ascii(tail.subarray(-4));
  if (end === "PARE") throw badInput("The Parquet file is encrypted.", { file, remedy: "Write it without encryption." });
  if (ascii(head.subarray(0, 4)) !== "PAR1" || end !== "PAR1" || bytes < 12) {
    throw badInput("This is not a whole Parquet file: it must begin and end with PAR1.", {
      file,
      remedy: "Check that it was copied completely.",
    });
  }
  const footer = new DataView(tail.buffer, tail.byteOffset).getUint32(tail.length - 8, true);
  if (footer > 0 && footer <= bytes - 12) return;
  throw badInput(`The Parquet file is damaged: its footer cannot have ${footer} bytes, because the file has ${bytes}.`, {
    file,
    remedy: REMEDY,
  });
}

async function readColumns(
  connection: DuckDBConnection,
  path: string,
  options: ReadOptions,
  progress: Place,
): Promise<{ readonly n: number; readonly columns: readonly Cells[] }> {
  const { signal, file } = options;
  // Timestamps with a time zone are written in UTC, independent of the zone of the machine.
  await connection.run("SET TimeZone = 'UTC'");
  // The path is a query parameter, never parsed as SQL. Without hive partitioning, a folder such as year=2020 adds no column.
  const source = "read_parquet($1, hive_partitioning = false)";
  const pattern = [patternOf(path)];
  const description = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`, pattern);
  const original = await originalNames(connection, pattern);
  const described = description.getRowsJS().map((row, j, rows) => {
    const identifier = String(row[0]);
    return { identifier, name: original.length === rows.length ? original[j]! : identifier, type: String(row[1]) };
  });
  checkNames(
    described.map(({ name }) => name),
    { file },
  );
  const wanted = described.filter(({ name }) => isWanted(name, options));
  const plans = wanted.map((column) => planOf(column, options));
  const selection = plans.length === 0 ? "NULL::DOUBLE" : plans.map(({ expression }) => expression).join(", ");
  progress.part = "rows";
  const result = await connection.stream(`SELECT ${selection} FROM ${source}`, pattern);
  let n = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    signal?.throwIfAborted();
    const rows = chunk.rowCount;
    plans.forEach(({ fill }, j) => {
      fill(chunk!, j, n);
    });
    n += rows;
    progress.rows = n;
  }
  signal?.throwIfAborted();
  return { n, columns: plans.map(({ cells }) => cells) };
}

interface Described {
  /** The name of the column in DuckDB. */
  readonly identifier: string;
  /** The name of the column in the file. */
  readonly name: string;
  readonly type: string;
}

/** The column names in the file. DuckDB ignores case in names, so it renames a column A beside a column a. */
async function originalNames(connection: DuckDBConnection, pattern: readonly string[]): Promise<readonly string[]> {
  const nodes = await connection.runAndReadAll("SELECT name, num_children FROM parquet_schema($1)", [...pattern]);
  const names: string[] = [];
  // The nodes are a tree in preorder. The root is the whole table. inside: number of nodes of the current column that still follow.
  let inside = 0;
  for (const [name, children] of nodes.getRowsJS().slice(1)) {
    if (inside === 0) names.push(String(name));
    else inside--;
    inside += Number(children ?? 0);
  }
  return names;
}

interface Plan {
  /** The SQL expression that DuckDB evaluates for this column: it gives a double, a text or a list of doubles for each row. */
  readonly expression: string;
  readonly cells: Cells;
  readonly fill: (chunk: DuckDBDataChunk, j: number, start: number) => void;
}

const wideIntegers = new Set(["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"]);
const integers = new Set(["TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"]);
const floats = new Set(["FLOAT", "DOUBLE"]);
const texts = new Set(["VARCHAR", "JSON"]);

function planOf({ identifier, name, type }: Described, options: ReadOptions): Plan {
  const { file } = options;
  const forcedText = isForcedText(name, options);
  const column = `"${identifier.replaceAll('"', '""')}"`;
  if (floats.has(type)) {
    const expression = `${column}::DOUBLE`;
    if (forcedText) return textPlan(expression, builderFor(name, options), file);
    return numberPlan(expression, name, file, type === "FLOAT" ? "single" : "double");
  }
  const list = /^(?:FLOAT|DOUBLE|(?:U?(?:TINY|SMALL|BIG)|U|HUGE)?INT(?:EGER)?|DECIMAL\(\d+,\d+\))\[\d*\]$/.test(type);
  if (list && wantsVectors(name, options)) return vectorPlan(`${column}::DOUBLE[]`, name, file, type.startsWith("FLOAT"));
  // DuckDB's conversion to double rounds long decimals twice, so decimals are read as digits.
  const isDecimal = type.startsWith("DECIMAL(");
  if ((integers.has(type) || wideIntegers.has(type) || isDecimal) && !forcedText) {
    const kind = wideIntegers.has(type) ? "whole" : "double";
    return numberPlan(isDecimal ? `${column}::VARCHAR::DOUBLE` : `${column}::DOUBLE`, name, file, kind);
  }
  const isText = texts.has(type) || type.startsWith("ENUM(");
  const isPlain =
    integers.has(type) || wideIntegers.has(type) || isDecimal || isText || /^(BOOLEAN|DATE|TIME|INTERVAL|UUID)/.test(type);
  if (!isPlain || type.endsWith("]")) throw unsupportedType(name, file, contentOf(type));
  return textPlan(`${column}::VARCHAR`, builderFor(name, options), file);
}

function contentOf(type: string): string {
  if (type.endsWith("]")) return "lists";
  if (type.startsWith("STRUCT")) return "records";
  if (type.startsWith("MAP")) return "maps";
  return type === "BLOB" || type === "BIT" ? "raw bytes" : "values of several types";
}

function numberPlan(expression: string, name: string, file: string, type: NumberType): Plan {
  const cells = new NumberCells(name, file, type);
  const fill: Plan["fill"] = (chunk, j, start) => {
    const vector = chunk.getColumnVector(j);
    cells.fill(start, chunk.rowCount, (i) => vector.getItem(i) as number | null);
  };
  return { expression, cells, fill };
}

function textPlan(expression: string, builder: ColumnBuilder, file: string): Plan {
  const cells = new TextCells(builder, file);
  const fill: Plan["fill"] = (chunk, j, start) => {
    const vector = chunk.getColumnVector(j);
    cells.fill(start, chunk.rowCount, (i) => {
      const value = vector.getItem(i);
      return value === null ? null : String(value);
    });
  };
  return { expression, cells, fill };
}

function vectorPlan(expression: string, name: string, file: string, isSingle: boolean): Plan {
  const cells = new VectorCells(name, file);
  const fill: Plan["fill"] = (chunk, j, start) => {
    const vector = chunk.getColumnVector(j);
    cells.fill(start, chunk.rowCount, (i) => {
      const value = vector.getItem(i) as { readonly items: readonly (number | null)[] } | null;
      if (value === null) return null;
      const numbers = value.items.map((item) => item ?? Number.NaN);
      return isSingle ? Float32Array.from(numbers) : Float64Array.from(numbers);
    });
  };
  return { expression, cells, fill };
}

const REMEDY = "Write it again, or copy it again.";

function damaged(cause: Error, file: string, { part, rows }: Place): CoterieError {
  const { message: said } = cause;
  const where = rows === 0 ? "" : ` after ${rows} rows`;
  if (said.startsWith("Out of Memory")) {
    const message = `The Parquet file needs more memory than is available${where}.`;
    return refusal({ file, message, remedy: "If it is not damaged, write it with smaller row groups.", cause });
  }
  if (/^Not implemented|unsupported/i.test(said)) {
    const message = `The Parquet file has a compression, an encoding or a type that is not supported${where}.`;
    const remedy = "If it is not damaged, write it with Snappy or Zstandard, or without compression.";
    return refusal({ file, message, remedy, cause });
  }
  const reason =
    part === "footer"
      ? "its footer, which lists columns and pages, cannot be read"
      : said.includes("UTF8")
        ? `a text is not UTF-8${where}`
        : `its pages cannot be decompressed${where}`;
  return refusal({ file, message: `The Parquet file is damaged: ${reason}.`, remedy: REMEDY, cause });
}

export async function readArrow(source: Uint8Array | string, options: ReadOptions): Promise<Table> {
  const { file, signal } = options;
  signal?.throwIfAborted();
  if (typeof source !== "string") return await readArrowBytes(source, bytesHash(source), options);
  const contentHash = await fileHash(source, file);
  const bytes = await readFile(source, signal ? { signal } : {}).catch(stopped(options));
  return await readArrowBytes(bytes, contentHash, options);
}

function stopped({ file, signal }: ReadOptions): (error: unknown) => never {
  return (error) => {
    signal?.throwIfAborted();
    return unreadable(file)(error);
  };
}
