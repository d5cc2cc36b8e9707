/** Flags of the engines, and the flags that engines do not support. */
import { existsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { badInput, badOption } from "@coterie/core/errors";
import { type Flag, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { memoryOfRun } from "./memory-bound.js";

export const ENGINES = ["memory", "duckdb", "spark"] as const;
export type EngineChoice = (typeof ENGINES)[number];

export const ENGINE_FLAGS: readonly Flag[] = [
  {
    name: "engine",
    value: "NAME",
    choices: ENGINES,
    description:
      "read the rows in passes, for tables larger than memory: duckdb (Parquet and CSV files), spark (a cluster), or memory (same computation as duckdb, on rows in memory). Engines support some methods and options, and make one start (default: no engine; duckdb if the table is larger than --memory)",
  },
  {
    name: "connect",
    value: "sc://HOST:PORT",
    description: "spark: address of the Spark Connect server; append /;use_ssl=true;token=T for TLS and a token",
  },
  { name: "table", value: "NAME", description: "spark: name of the table to cluster, instead of DATA" },
  {
    name: "memory",
    value: "SIZE",
    description: "most memory to use, such as 800MB or 4GB (default: 60% of the machine's memory)",
  },
  { name: "checkpoint", value: "DIR", kind: "file", description: "save the state after every iteration in the folder DIR" },
  { name: "resume", description: "continue from the state in --checkpoint DIR" },
];

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** The bytes of a size such as 800MB, 4G or 1.5 GiB. */
export function sizeOf(values: Values, name: string): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(digits) * (UNITS[(unit ?? "").toUpperCase()] ?? Number.NaN);
  if (!(bytes >= 1)) throw badOption(`--${name}`, text, "a size such as 800MB or 4GB");
  return bytes;
}

const SHARE = 0.6;

/** The engine that the command line asks for or that the size of the table requires; undefined for a run without an engine. */
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

/** Flags that need all rows in memory at once, and what to do instead. */
const UNABLE: Readonly<Record<string, string>> = {
  html: "a page shows all rows. Cluster a sample in memory (--sample N), or write labels (--out)",
  newick: "a hierarchy needs all pairs of rows. Cluster a sample in memory (--sample N)",
  nested: "a hierarchy needs all pairs of rows. Cluster a sample in memory (--sample N)",
  model: "models are saved by runs in memory. The report (--report r.json) has the centres for comparing new rows",
  distances: "it needs all pairs of rows. Cluster a sample in memory (--sample N)",
  exclusive: "exclusive groups constrain all rows. Write the important pairs as cannot-links",
  nominal: "an engine clusters numeric columns. Turn categories into columns of 0 and 1, or leave the columns out (--ignore)",
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

/** An error about something that engines do not support. With `--engine memory` the remedy is a run without an engine. */
export function unableError(values: Values, sentence: string): UsageError {
  const remedy = " Leave --engine out: a run without an engine is also in memory, and has all methods and options.";
  return new UsageError(`${sentence}${values.engine === "memory" ? remedy : ""}`);
}

export function refuseUnable(values: Values, able: readonly string[] = []): void {
  const flag = Object.keys(UNABLE).find((name) => values[name] !== undefined && !able.includes(name));
  if (flag !== undefined) throw unableError(values, `Engines do not support --${flag}: ${UNABLE[flag]}.`);
  if (values.missing === "impute" || values.missing === "skip")
    throw unableError(values, `Engines do not support --missing ${values.missing}: use drop, or fill the cells beforehand.`);
}
