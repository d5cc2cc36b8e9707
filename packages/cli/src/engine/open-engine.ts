/** Opens the engine that the command line names, over its table. */
import { existsSync } from "node:fs";
import { badInput, type Instances } from "@coterie/core/internal";
import { findSample, readTable, sampleFacts } from "@coterie/data";
import type { Engine } from "@coterie/engines";
import { createPassKernel } from "@coterie/kernels";
import type { Io } from "../command.js";
import { textOf, UsageError, type Values, workersOf } from "../flags.js";
import { tableOptions } from "../inputs.js";
import type { Progress } from "../progress.js";
import { type EngineChoice, sizeOf } from "./engine-flags.js";
import { classCodes } from "./engine-report.js";

const SAMPLE_CLASS = "class";

export interface OpenLine {
  readonly name: EngineChoice;
  readonly data: string | undefined;
  readonly values: Values;
}

export interface OpenEngine {
  readonly engine: Engine;
  readonly classes: () => Promise<Int32Array | undefined>;
  readonly notices: readonly string[];
  readonly idColumn?: string;
  readonly notations?: Instances["notations"];
}

async function openSpark({ data, values }: OpenLine, io: Io): Promise<OpenEngine> {
  const { createSparkEngine } = await import("@coterie/engines");
  const { id, features, ignore } = tableOptions(values);
  const table = textOf(values, "table");
  if ((table === undefined) === (data === undefined))
    throw new UsageError("Name one table: --table NAME, or DATA, a path that Spark can read.");
  if (!id) throw new UsageError("Rows on Spark have no order: name the column with their ids (--id COL).");
  if (values.truth !== undefined || values.missing !== undefined)
    throw new UsageError(
      "--engine spark does not support --truth and --missing: score the labels with `coterie evaluate`, and drop rows by a view.",
    );
  const connect = textOf(values, "connect")!;
  const engine = await createSparkEngine({ connect, table, path: data, id, features, ignore, signal: io.signal });
  return { engine, classes: async () => undefined, notices: engine.notices, idColumn: id };
}

export async function openEngine(line: OpenLine, io: Io, progress: Progress): Promise<OpenEngine> {
  const { name, data, values } = line;
  if (name === "spark") return openSpark(line, io);
  const { createDuckdbEngine, createMemoryEngine } = await import("@coterie/engines");
  if (data === undefined) throw new UsageError("Name the table to cluster: coterie cluster DATA -k K.");
  const asked = tableOptions(values);
  if (name === "memory") {
    const table = await readTable(data, {
      ...asked,
      scale: "none",
      missing: asked.missing ?? "error",
      forDistances: false,
      signal: io.signal,
      onProgress: (done, total) => progress.show({ phase: "reading (bytes)", done, total }),
    });
    const text = table.nominal?.indexOf(1) ?? -1;
    if (text >= 0) {
      throw badInput(`Column "${table.names![text]}" holds text; an engine clusters numeric columns.`, {
        file: data,
        remedy: `Leave it out (--ignore ${table.names![text]}), or leave --engine out: a run without an engine is also in memory, and supports text.`,
      });
    }
    const { n, d, x, ids, rows, total, idColumn, notations } = table;
    const engine = createMemoryEngine(
      { n, d, x, names: table.names!, ids, rows, total },
      { kernel: createPassKernel(), signal: io.signal },
    );
    const classes = async () => table.truth && inTheFile(table.truth.codes, rows, total);
    return {
      engine,
      classes,
      notices: table.notices,
      ...(idColumn === undefined ? {} : { idColumn }),
      ...(notations ? { notations } : {}),
    };
  }
  if (data === "-")
    throw new UsageError("Standard input can be read only once, and an engine reads its rows many times: name a file.");
  const { id, truth, features, missing, delimiter, decimal } = asked;
  const sample = existsSync(data) || !sampleFacts(data) ? undefined : await findSample(data);
  // In a sample set, the column with the known classes is not a feature, so it is ignored.
  const classes = sample && features === undefined && truth !== SAMPLE_CLASS ? [SAMPLE_CLASS] : [];
  const engine = await createDuckdbEngine(sample?.path ?? data, {
    id,
    truth,
    features,
    ignore: [...(asked.ignore ?? []), ...classes],
    delimiter,
    decimal,
    missing: missing as "error" | "drop" | undefined,
    kernel: createPassKernel(),
    threads: workersOf(values),
    memory: duckdbShare(sizeOf(values, "memory")),
    signal: io.signal,
    onRows: (done, total) => progress.show({ phase: "rows of this pass", done, total }),
  });
  return {
    engine,
    classes: async () => (truth === undefined ? undefined : classCodes(await engine.classes())),
    notices: [...(sample?.notices ?? []), ...engine.source.notices],
    ...(engine.source.idColumn === undefined ? {} : { idColumn: engine.source.idColumn }),
  };
}

/** The memory limit of DuckDB: a third of the total limit. Labels, chunks of rows, and Node need the other two thirds. */
function duckdbShare(memory: number | undefined): number | undefined {
  return memory === undefined ? undefined : memory / 3;
}

function inTheFile(codes: Int32Array, rows: Int32Array, total: number): Int32Array {
  const all = new Int32Array(total).fill(-1);
  codes.forEach((code, i) => {
    all[rows[i]!] = code;
  });
  return all;
}
