/** The flags of the engines, the flags that engines do not support, and the choice between an engine and memory. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { badInput, badOption } from "@coterie/core/errors";
import type { PlanScale } from "@coterie/core/scale";
import { arrowShape, type ColumnShape, parquetShape } from "@coterie/data";
import { formatOf } from "@coterie/data/browser";
import { type Flag, flagList, listOf, numberOf, textOf, UsageError, type Values, workersOf } from "../flags.js";

export const ENGINES = ["memory", "duckdb", "spark"] as const;
export type EngineChoice = (typeof ENGINES)[number];

export const ENGINE_FLAGS: readonly Flag[] = flagList({
  "--engine NAME": {
    choices: ENGINES,
    description:
      "read the rows in passes, for tables larger than memory: duckdb (Parquet and CSV files), spark (a cluster), or memory (same computation as duckdb, on rows in memory). Engines support only some methods and options, and make one start (default: no engine; duckdb if the table is larger than --memory)",
  },
  "--connect sc://HOST:PORT": "spark: address of the Spark Connect server; append /;use_ssl=true;token=T for TLS and a token",
  "--table NAME": "spark: name of the table to cluster, instead of DATA",
  "--memory SIZE": "most memory to use, such as 800MB or 4GB (default: 60% of the machine's memory)",
  "--checkpoint DIR": "save the state after every iteration in the folder DIR",
  "--resume": "continue from the state in --checkpoint DIR",
});

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

export function sizeOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(digits) * (UNITS[(unit ?? "").toUpperCase()] ?? Number.NaN);
  if (!(bytes >= 1)) throw badOption(`--${name}`, text, "a size such as 800MB or 4GB");
  return bytes;
}

const SHARE = 0.6;

export async function chosenEngine(
  values: Values,
  data: string | undefined,
  planned: boolean,
): Promise<{ readonly name: EngineChoice; readonly why?: string } | undefined> {
  const name = textOf(values, "engine") as EngineChoice | undefined;
  checkCompanions(values, name);
  if (name !== undefined) return { name };
  if (data === undefined || !planned || values.sample !== undefined) return undefined;
  if (data === "-" && values.memory !== undefined)
    throw new UsageError("--memory needs a file: how much standard input holds is not known before it is read.");
  if (data === "-") return undefined;
  if (!existsSync(data)) {
    return /[*?[]/.test(data)
      ? { name: "duckdb", why: `${data} matches several files: clustering them through DuckDB.` }
      : undefined;
  }
  const allowed = sizeOf(values, "memory") ?? SHARE * totalmem();
  const workers = values.restarts === "1" ? 1 : (workersOf(values) ?? availableParallelism());
  const needed = await memoryOfRun(data, values, workers);
  if (needed === undefined && values.memory !== undefined)
    throw badInput("How much memory this file takes is not known before it is read.", {
      file: data,
      remedy: "Write it as Parquet or CSV, or leave --memory out.",
    });
  if (needed === undefined || needed <= allowed) return undefined;
  if (!/\.(parquet|parq|pq|csv|tsv)$/i.test(data)) {
    if (values.memory === undefined) return undefined;
    throw badInput(`The table needs up to ${inWords(needed)} of memory, and the limit is ${inWords(allowed)} (--memory).`, {
      file: data,
      remedy: "Write it as Parquet or CSV, which DuckDB reads in passes, draw some of the rows (--sample N), or raise the limit.",
    });
  }
  return {
    name: "duckdb",
    why: `${data} needs up to ${inWords(needed)} of memory, and the limit is ${inWords(allowed)} (--memory): clustering it through DuckDB.`,
  };
}

function checkCompanions(values: Values, engine: EngineChoice | undefined): void {
  for (const name of ["connect", "table"]) {
    if (values[name] !== undefined && engine !== "spark") throw new UsageError(`--${name} goes with --engine spark.`);
  }
  if (engine === "spark" && values.connect === undefined) throw new UsageError("Say where Spark is: --connect sc://HOST:PORT.");
  if (values.resume && values.checkpoint === undefined)
    throw new UsageError("Say where the state is: --resume --checkpoint DIR.");
  if (values.checkpoint !== undefined && engine === undefined)
    throw new UsageError("--checkpoint goes with --engine memory, duckdb or spark.");
  sizeOf(values, "memory");
}

function inWords(bytes: number): string {
  if (bytes < 2 ** 20) return `${Math.ceil(bytes / 2 ** 10)} KB`;
  return bytes < 2 ** 30 ? `${Math.ceil(bytes / 2 ** 20)} MB` : `${(bytes / 2 ** 30).toFixed(1)} GB`;
}

const UNCHANGED = "an engine uses the columns unchanged";
const ASKING = "use `coterie ask --engine` for questions about rows on an engine";

/** Flags that engines do not support, each with the reason and what to do instead. */
const UNABLE: Readonly<Record<string, string>> = {
  html: "a page shows all rows. Cluster a sample in memory (--sample N), or write labels (--out)",
  newick: "a hierarchy needs all pairs of rows. Cluster a sample in memory (--sample N)",
  nested: "a hierarchy needs all pairs of rows. Cluster a sample in memory (--sample N)",
  model: "models are saved by runs in memory. The report (--report r.json) has the centres for comparing new rows",
  distances: "it needs all pairs of rows. Cluster a sample in memory (--sample N)",
  exclusive: "exclusive groups constrain all rows. Write the important pairs as cannot-links",
  nominal: "an engine clusters numeric columns. Turn categories into columns of 0 and 1, or leave the columns out (--ignore)",
  transform: `${UNCHANGED}. Compute the columns beforehand`,
  type: `${UNCHANGED}. Leave columns out with --ignore, or convert them beforehand`,
  cyclic: `${UNCHANGED}. Compute the columns beforehand`,
  reduce: `${UNCHANGED}. Compute the columns beforehand`,
  "text-dimensions": `${UNCHANGED}. Compute the columns beforehand`,
  "columns-from": `${UNCHANGED}. Put all columns into one table`,
  weight: `${UNCHANGED}. Multiply the column by the square root of its weight beforehand`,
  "row-weight": "an engine counts each row once. Repeat the rows, or cluster a sample in memory (--sample N)",
  sample: "rows are drawn in memory. Leave --engine out",
  budget: ASKING,
  strategy: ASKING,
};

/**
 * The error for something that engines do not support. If the command line has `--engine memory`, the message also says to leave --engine
 * out.
 */
export function unableError(values: Values, sentence: string): UsageError {
  const remedy = " Leave --engine out: a run without an engine is also in memory, and has all methods and options.";
  return new UsageError(`${sentence}${values.engine === "memory" ? remedy : ""}`);
}

export function refuseUnable(values: Values, able: readonly string[] = []): void {
  const flag = Object.keys(UNABLE).find((name) => values[name] !== undefined && !able.includes(name));
  if (flag !== undefined) throw unableError(values, `Engines do not support --${flag}: ${UNABLE[flag]}.`);
  if (["robust", "log", "rank"].includes(textOf(values, "scale") ?? ""))
    throw unableError(
      values,
      `Engines do not support --scale ${values.scale}: use zscore, minmax or none, or compute the columns beforehand.`,
    );
  if (values.missing === "impute" || values.missing === "skip")
    throw unableError(values, `Engines do not support --missing ${values.missing}: use drop, or fill the cells beforehand.`);
}

export function scaleOf(values: Values): PlanScale {
  return (textOf(values, "scale") ?? "auto") as PlanScale;
}

/*
 * Estimates an upper bound on the memory of a run without an engine, to decide whether the table needs an engine. Parquet and Arrow files
 * state their numbers of rows and cells; for text files these numbers are estimated from the first lines. The memory costs were measured on
 * tables of the shapes in docs/engines.md.
 */

/** Number of bytes at the start of a text file from which the shape of the table is estimated. */
const HEAD = 2 ** 18;
/** Upper bounds, in bytes, for the memory of each part of a run. For Parquet and Arrow files, `decoder` is added to `program`. */
const COST = {
  program: 160e6,
  decoder: 60e6,
  cell: 48,
  row: 64,
  text: 320,
  textByte: 3,
  level: 24,
  constraintByte: 10,
  worker: 70e6,
  workerCell: 24,
} as const;

interface Shape {
  readonly rows: number;
  readonly cells: number;
  readonly texts: number;
  readonly textBytes: number;
  readonly levelCells: number;
  readonly reading: number;
}

export async function memoryOfRun(file: string, values: Values, workers: number): Promise<number | undefined> {
  const shape = await shapeOf(file, values);
  if (shape === undefined) return undefined;
  const { rows, cells, texts, textBytes, levelCells, reading } = shape;
  const constraints = listOf(values, "constraints") ?? [];
  const links = constraints.reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
  const pool = workers > 1 ? workers * (COST.worker + COST.workerCell * (cells + levelCells + rows)) : 0;
  const table = COST.cell * cells + COST.row * rows + COST.text * texts + COST.textByte * textBytes + COST.level * levelCells;
  return COST.program + reading + table + COST.constraintByte * links + pool;
}

async function shapeOf(file: string, values: Values): Promise<Shape | undefined> {
  const head = linesOf(file);
  switch (formatOf(file, head.bytes)) {
    case "csv":
    case "tsv":
      return csvShape(head);
    case "jsonl":
      return jsonShape(head);
    case "arff":
      return csvShape(arffLines(head));
    case "npy":
      return npyShape(file, head);
    case "parquet": {
      const found = await parquetShape(file);
      return found ? shapeOfColumns(found.rows, found.columns, values) : undefined;
    }
    case "arrow": {
      const bytes = await readFile(file);
      const found = await arrowShape(bytes);
      if (!found) return undefined;
      const { rows, values: cells } = found;
      return { rows, cells, texts: 0, textBytes: bytes.length, levelCells: 0, reading: COST.decoder + 2 * bytes.length };
    }
  }
}

/**
 * A column with more distinct texts than this is an id or is refused. A column with fewer texts becomes one numeric column for each text.
 */
const MOST_LEVELS = 1_000;

const TEXT_DIMENSIONS = 64;

function shapeOfColumns(rows: number, columns: readonly ColumnShape[], values: Values): Shape {
  const ignored = listOf(values, "ignore") ?? [];
  const features = listOf(values, "features");
  const roles = ["id", "truth", "row-weight"].map((name) => values[name]);
  const isRead = (name: string) =>
    !ignored.includes(name) && (features === undefined || features.includes(name) || roles.includes(name));
  const asTexts = (listOf(values, "type") ?? []).flatMap((each) => (each.endsWith("=text") ? [each.slice(0, -5)] : []));
  const dimensions = numberOf(values, "text-dimensions", { integer: true, least: 1 }) ?? TEXT_DIMENSIONS;
  const read = columns.filter(({ name }) => isRead(name));
  const widthOf = ({ name, levels = 0 }: ColumnShape): number => {
    if (roles.includes(name)) return 0;
    if (asTexts.includes(name)) return dimensions;
    return levels > COUNT_MARGIN * MOST_LEVELS ? 0 : Math.min(levels, MOST_LEVELS);
  };
  const sum = (value: (column: ColumnShape) => number) => read.reduce((total, column) => total + value(column), 0);
  return {
    rows,
    cells: sum(({ cells }) => cells),
    texts: sum(({ levels = 0 }) => levels),
    textBytes: sum(({ textBytes = 0 }) => textBytes),
    levelCells: rows * sum(widthOf),
    reading: COST.decoder,
  };
}

/** The count of distinct texts can be too high. A column is skipped only if its count exceeds MOST_LEVELS by this factor. */
const COUNT_MARGIN = 1.5;

/**
 * The start of a text file: its bytes and its complete lines. `rows` estimates the rows of the whole file from the mean length of these
 * lines, with a margin of 10%.
 */
interface Head {
  readonly bytes: Uint8Array;
  readonly lines: readonly string[];
  readonly rows: number;
}

function linesOf(file: string): Head {
  const { size } = statSync(file);
  const bytes = Buffer.alloc(Math.min(HEAD, size));
  const handle = openSync(file, "r");
  readSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
  const all = bytes.toString("latin1").split(/\r\n?|\n/);
  // The last line can be incomplete, so it is left out.
  const lines = all.length > 2 ? all.slice(0, -1) : all;
  const perRow = Math.max(1, lines.reduce((sum, line) => sum + line.length + 1, 0) / Math.max(1, lines.length));
  return { bytes, lines, rows: (1.1 * size) / perRow };
}

function arffLines({ bytes, lines, rows }: Head): Head {
  const names = lines.filter((line) => /^\s*@attribute/i.test(line)).map((_, j) => `a${j}`);
  return { bytes, lines: [names.join(","), ...lines.filter((line) => !/^\s*(@|%|$)/.test(line))], rows };
}

function npyShape(file: string, { lines: [header = ""] }: Head): Shape {
  const { size } = statSync(file);
  const cells = size / Number(/'descr': *'[<>|=]?[a-z](\d+)'/.exec(header)?.[1] ?? 1);
  const [rows = cells] = (/'shape': *\((\d+),/.exec(header)?.slice(1) ?? []).map(Number);
  return { rows: Math.min(rows, cells), cells, texts: 0, textBytes: 0, levelCells: 0, reading: size };
}

function csvShape({ lines, rows }: Head): Shape {
  const [header = "", ...body] = lines;
  const marks = [",", ";", "\t", "|"].map((mark) => ({ mark, width: header.split(mark).length }));
  const { mark, width } = marks.reduce((best, each) => (each.width > best.width ? each : best));
  const perRow = Math.max(0, ...body.slice(0, 50).map((line) => (line.match(/[A-Za-z][^,;\t|]*/g) ?? []).length));
  const columns = Array.from({ length: width }, (): string[] => []);
  for (const line of body) line.split(mark).forEach((cell, j) => void columns[j]?.push(cell));
  return textShape(rows, width, perRow, columns);
}

function jsonShape({ lines, rows }: Head): Shape {
  const records = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Readonly<Record<string, unknown>>];
    } catch {
      return [];
    }
  });
  const widthOf = (record: object) =>
    Object.values(record).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 1), 0);
  const width = records.reduce((most, record) => Math.max(most, widthOf(record)), 1);
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const columns = [...names].map((name) => records.flatMap((record) => (typeof record[name] === "string" ? [record[name]] : [])));
  return textShape(rows, width, columns.filter((column) => column.length > 0).length, columns);
}

/**
 * The shape of a table with texts, where each distinct text of a column becomes a numeric column. Assumes that the whole file has twice as
 * many distinct texts as its first lines.
 */
function textShape(rows: number, width: number, textsPerRow: number, columns: readonly (readonly string[])[]): Shape {
  const levels = columns.map((column) => {
    const different = new Set(column.filter((cell) => /[A-Za-z]/.test(cell))).size;
    return different > column.length / 2 ? 0 : Math.min(MOST_LEVELS, 2 * different);
  });
  const levelCells = rows * levels.reduce((sum, count) => sum + count, 0);
  return { rows, cells: rows * width, texts: rows * textsPerRow, textBytes: 0, levelCells, reading: 0 };
}
