/** Flags of the engines, and what of a line an engine cannot do. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { badOption } from "@coterie/core/errors";
import { type Flag, listOf, textOf, UsageError, type Values, workersOf } from "../flags.js";

export const ENGINES = ["memory", "duckdb", "spark"] as const;
export type EngineChoice = (typeof ENGINES)[number];

export const ENGINE_FLAGS: readonly Flag[] = [
  {
    name: "engine",
    value: "NAME",
    choices: ENGINES,
    description:
      "run a plan in passes over all rows, with some of the methods and options and one start: duckdb (Parquet and CSV larger than memory), spark, or memory (the plan of duckdb, over rows in memory). Default: no engine, a run in memory with all methods and options; duckdb if the table does not fit (--memory)",
  },
  {
    name: "connect",
    value: "sc://HOST:PORT",
    description: "spark: the Spark Connect server; /;use_ssl=true;token=T behind the port",
  },
  { name: "table", value: "NAME", description: "spark: the table to cluster, instead of DATA" },
  {
    name: "memory",
    value: "SIZE",
    description: "memory that may be used, such as 800MB or 4GB (default: three fifths of the machine's)",
  },
  { name: "checkpoint", value: "DIR", kind: "file", description: "keep the state after every iteration in this folder" },
  { name: "resume", description: "go on from the state in --checkpoint DIR" },
];

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A size as people write it: 800MB, 4G, 1.5 GiB. */
export function sizeOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(digits) * (UNITS[(unit ?? "").toUpperCase()] ?? Number.NaN);
  if (!(bytes >= 1)) throw badOption(`--${name}`, text, "a size such as 800MB or 4GB");
  return bytes;
}

/** A Parquet file is compressed: a run in memory takes about this many times the bytes of the file. */
const PARQUET_COPIES = 5;
/** Bytes of the start of a text file that tell its shape. */
const HEAD = 2 ** 18;
/** Bytes that a run takes at most, measured at five shapes (docs/engines.md). */
const COST = { program: 160e6, cell: 48, row: 64, text: 320, constraintByte: 10, worker: 70e6, workerCell: 24 } as const;

/** An upper bound of the memory of a run over a CSV or TSV file: by the rows and columns that its start promises. */
export function textMemory(file: string, constraints: readonly string[], workers: number): number {
  const { size } = statSync(file);
  const bytes = Buffer.alloc(Math.min(HEAD, size));
  const handle = openSync(file, "r");
  readSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
  const [header = "", ...lines] = bytes.toString("latin1").split(/\r\n?|\n/);
  // The last line is cut off.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const perRow = Math.max(1, whole.reduce((sum, line) => sum + line.length + 1, 0) / Math.max(1, whole.length));
  const rows = (1.1 * size) / perRow;
  const cells = rows * Math.max(...[",", ";", "\t", "|"].map((mark) => header.split(mark).length));
  const texts = Math.max(0, ...whole.slice(0, 50).map((line) => (line.match(/[A-Za-z][^,;\t|]*/g) ?? []).length));
  const links = constraints.reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
  const pool = workers > 1 ? workers * (COST.worker + COST.workerCell * (cells + rows)) : 0;
  return COST.program + COST.cell * cells + (COST.row + COST.text * texts) * rows + COST.constraintByte * links + pool;
}

const SHARE = 0.6;

/** Which engine the line asks for; undefined for a run in memory as ever. */
export function chosenEngine(
  values: Values,
  data: string | undefined,
  planned: boolean,
): { readonly name: EngineChoice; readonly why?: string } | undefined {
  const name = textOf(values, "engine") as EngineChoice | undefined;
  checkCompanions(values, name);
  if (name !== undefined) return { name };
  if (data === undefined || data === "-" || !planned || values.sample !== undefined) return undefined;
  if (!existsSync(data)) {
    return /[*?[]/.test(data)
      ? { name: "duckdb", why: `${data} stands for several files, which are clustered through DuckDB.` }
      : undefined;
  }
  const needed = /\.(csv|tsv)$/i.test(data)
    ? textMemory(
        data,
        listOf(values, "constraints") ?? [],
        values.restarts === "1" ? 1 : (workersOf(values) ?? availableParallelism()),
      )
    : statSync(data).size * PARQUET_COPIES;
  const allowed = sizeOf(values, "memory") ?? SHARE * totalmem();
  if (needed <= allowed || !/\.(parquet|parq|pq|csv|tsv)$/i.test(data)) return undefined;
  return {
    name: "duckdb",
    why: `${data} would take up to ${inWords(needed)} of memory, and ${inWords(allowed)} may be used: it is clustered through DuckDB.`,
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

const AS_THEY_ARE = "columns are taken as the file has them";
const ASKING = "questions about rows on an engine are asked by `coterie ask --engine`";

/** Flags that need all rows in memory at once, and what to do instead. */
const UNABLE: Readonly<Record<string, string>> = {
  html: "a page shows all rows. Take some of them in memory (--sample N), or write labels (--out)",
  newick: "a hierarchy needs all pairs of rows. Take some of them in memory (--sample N)",
  nested: "a hierarchy needs all pairs of rows. Take some of them in memory (--sample N)",
  model: "models are saved by runs in memory. The report (--report r.json) has the centres that new rows are compared with",
  distances: "it needs all pairs of rows. Take some of them in memory (--sample N)",
  exclusive: "exclusive groups bind all rows. Write the pairs that matter as cannot-links",
  nominal: "an engine clusters columns of numbers. Turn levels into columns of 0 and 1, or leave the columns out (--ignore)",
  type: `${AS_THEY_ARE}. Leave columns out with --ignore, or make them beforehand`,
  cyclic: `${AS_THEY_ARE}. Make the columns beforehand`,
  reduce: `${AS_THEY_ARE}. Make the columns beforehand`,
  "text-dimensions": `${AS_THEY_ARE}. Make the columns beforehand`,
  "columns-from": `${AS_THEY_ARE}. Put all columns into one table`,
  weight: `${AS_THEY_ARE}. Multiply the column by the root of its weight beforehand`,
  "row-weight": "each row counts once there. Repeat the rows, or take some of them in memory (--sample N)",
  sample: "rows are drawn in memory. Leave --engine out",
  active: ASKING,
  budget: ASKING,
  strategy: ASKING,
};

/** An error about what engines cannot do. Where the line names the engine in memory, a run without an engine can do it. */
export function unableError(values: Values, sentence: string): UsageError {
  const remedy = " Leave --engine out: a run without it is in memory too, with all methods and options.";
  return new UsageError(`${sentence}${values.engine === "memory" ? remedy : ""}`);
}

export function refuseUnable(values: Values, able: readonly string[] = []): void {
  const flag = Object.keys(UNABLE).find((name) => values[name] !== undefined && !able.includes(name));
  if (flag !== undefined) throw unableError(values, `--${flag} cannot be had on an engine: ${UNABLE[flag]}.`);
  if (values.missing === "impute" || values.missing === "skip")
    throw unableError(values, `--missing ${values.missing} cannot be had on an engine: use drop, or fill the cells before.`);
}
