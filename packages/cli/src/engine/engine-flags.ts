/** Flags of the engines, and what of a line an engine cannot do. */
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

const SHARE = 0.6;

/** Which engine the line asks for; undefined for a run in memory as ever. */
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
      ? { name: "duckdb", why: `${data} stands for several files, which are clustered through DuckDB.` }
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
    throw badInput(`The table would take up to ${inWords(needed)} of memory, and ${inWords(allowed)} may be used (--memory).`, {
      file: data,
      remedy:
        "Write it as Parquet or CSV, which DuckDB takes without keeping all rows, draw some of the rows (--sample N), or allow more.",
    });
  }
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
