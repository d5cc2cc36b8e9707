/** `coterie cluster` where an engine keeps the rows. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import {
  badInput,
  countConstraints,
  emptyConstraints,
  keptInWords,
  type Method,
  type Report,
  titleOf,
  violationCount,
} from "@coterie/core/internal";
import { PLANNED, type PlanInput, type PlannedMethod, type PlanOptions, planSteps } from "@coterie/core/scale";
import { csvCell, findSample, openBytes, readConstraintsAlone, readTable, sampleFacts } from "@coterie/data";
import type { Engine, Labelled } from "@coterie/engines";
import { createPassKernel } from "@coterie/kernels";
import type { Io } from "../command.js";
import { listOf, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { tableOptions } from "../inputs.js";
import { type Output, openOutputs, type Target } from "../outputs/outputs.js";
import { writtenLines } from "../outputs/report-files.js";
import { createProgress, type Progress } from "../progress.js";
import { sizeLines } from "../text/sizes.js";
import { type EngineChoice, refuseUnable, sizeOf } from "./engine-flags.js";
import { classCodes, type EngineRun, engineReport, numbering } from "./engine-report.js";

/** The options of the plans, by the names of the methods' own. */
const KNOWN = ["k", "init", "restarts", "maxIterations", "tolerance", "costs", "metrics", "matrix", "effort"];

/** The column of known classes in every sample set. */
const SAMPLE_CLASS = "class";

export interface EngineLine {
  readonly name: EngineChoice;
  readonly why?: string | undefined;
  readonly data: string | undefined;
  readonly method: Method;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** The file that holds the first centres, where the line names one. */
  readonly centres: string | undefined;
  readonly targets: readonly Target[];
  readonly values: Values;
}

export function isPlanned(name: string): name is PlannedMethod {
  return (PLANNED as readonly string[]).includes(name);
}

export async function clusterOnEngine(line: EngineLine, io: Io): Promise<number> {
  const { values, method, options, targets, data } = line;
  const quiet = values.quiet === true;
  if (!isPlanned(method.name)) throw new UsageError(`${method.name} cannot be had on an engine; ${PLANNED.join(", ")} can.`);
  refuseUnable(values, options, KNOWN);
  const reads = [line.name === "spark" ? undefined : data, line.centres, ...(listOf(values, "constraints") ?? [])];
  const outputs = openOutputs(
    { writes: targets.map(({ path }) => ({ path, sided: false })), reads: reads.filter((name) => !/[*?[]/.test(name ?? "")) },
    io,
    quiet,
  );
  if (line.why && !quiet) io.say(`Note: ${line.why}`);
  const progress = createProgress(io, quiet);
  const engine = await openEngine(line, io, progress);
  try {
    const run = await runPlan(line, method.name, engine, io, progress);
    const report = engineReport(run);
    await outputs.write(await outputsOf(report, run, values, io));
    if (!quiet)
      io.say(
        ...summary(report, titleOf(method, options), countConstraints(run.input.constraints), io.columns),
        ...writtenLines(targets),
      );
    if (values.json) await io.out(`${JSON.stringify(report)}\n`);
    return values.strict && violationCount(report.violations) > 0 ? 4 : 0;
  } finally {
    progress.clear();
    await engine.engine.close();
  }
}

interface OpenEngine {
  readonly engine: Engine;
  readonly classes: () => Promise<Int32Array | undefined>;
  readonly notices: readonly string[];
}

/** The table is one of the cluster's, or a path that the cluster can read. */
async function openSpark({ data, values }: EngineLine, io: Io): Promise<OpenEngine> {
  const { createSparkEngine } = await import("@coterie/engines");
  const { id, features, ignore } = tableOptions(values);
  const table = textOf(values, "table");
  if ((table === undefined) === (data === undefined))
    throw new UsageError("Name one table: --table NAME, or DATA, a path that the cluster can read.");
  if (id === undefined) throw new UsageError("Rows of a cluster have no order: say which column names them (--id COL).");
  if (values.truth !== undefined || values.missing !== undefined)
    throw new UsageError(
      "--truth and --missing cannot be had with --engine spark: score the labels with `coterie evaluate`, drop rows by a view.",
    );
  const connect = textOf(values, "connect")!;
  const engine = await createSparkEngine({ connect, table, path: data, id, features, ignore, signal: io.signal });
  return { engine, classes: async () => undefined, notices: engine.notices };
}

async function openEngine(line: EngineLine, io: Io, progress: Progress): Promise<OpenEngine> {
  const { name, data, values } = line;
  if (name === "spark") return openSpark(line, io);
  const { createDuckdbEngine, createMemoryEngine } = await import("@coterie/engines");
  if (data === undefined) throw new UsageError("Name the table to cluster: coterie cluster DATA -k K.");
  const asked = tableOptions(values);
  if (name === "memory") {
    const { scale: _, ...reading } = asked;
    const table = await readTable(data, {
      ...reading,
      forDistances: false,
      signal: io.signal,
      onProgress: (done, total) => progress.show({ phase: "reading (bytes)", done, total }),
    });
    const text = table.nominal?.indexOf(1) ?? -1;
    if (text >= 0) {
      throw badInput(`Column "${table.names![text]}" holds text; an engine clusters columns of numbers.`, {
        file: data,
        remedy: `Leave it out (--ignore ${table.names![text]}).`,
      });
    }
    const { n, d, x, ids, rows, total } = table;
    const engine = createMemoryEngine(
      { n, d, x, names: table.names!, ids, rows, total },
      { kernel: createPassKernel(), signal: io.signal },
    );
    const classes = async () => table.truth && inTheFile(table.truth.codes, rows, total);
    return { engine, classes, notices: table.notices };
  }
  if (data === "-")
    throw new UsageError("Standard input can be read only once, and an engine reads its rows many times: name a file.");
  const { id, truth, features, missing, delimiter, decimal } = asked;
  const sample = existsSync(data) || !sampleFacts(data) ? undefined : await findSample(data);
  // The classes of a sample set are no feature.
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
    notices: sample?.notices ?? [],
  };
}

/** Of the memory that may be used, DuckDB gets a third: the rest is for labels, chunks on their way, and Node. */
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

async function runPlan(
  line: EngineLine,
  method: PlannedMethod,
  open: OpenEngine,
  io: Io,
  progress: Progress,
): Promise<EngineRun> {
  const { values, options, seed } = line;
  const { drivePlan, fingerprintOf, openCheckpoint } = await import("@coterie/engines");
  const { engine } = open;
  const given = await constraintsOf(values, io);
  const folder = textOf(values, "checkpoint");
  const checkpoint = folder === undefined ? undefined : openCheckpoint(folder);
  const kept = values.resume ? checkpoint!.read() : undefined;
  const planned = {
    ...options,
    ...(line.centres === undefined ? {} : { init: await centresFrom(line, io) }),
  } as unknown as PlanOptions;
  const scale = (textOf(values, "scale") ?? "none") as PlanInput["scale"];
  const input = { method, options: planned, constraints: given.set, ids: given.ids, seed, scale };
  const started = performance.now();
  let fingerprint = "";
  const { outcome, facts } = await drivePlan(planSteps({ ...input, from: kept?.state }), engine, {
    signal: io.signal,
    onStep: progress.show,
    onStatistics(statistics) {
      fingerprint = fingerprintOf(input, statistics);
      if (kept && kept.fingerprint !== fingerprint) {
        throw badInput("This state belongs to another run.", {
          file: checkpoint!.folder,
          remedy: "Give the same data, constraints, options and seed, or leave --resume out.",
        });
      }
    },
    keep: checkpoint && ((state) => checkpoint.keep(state, fingerprint)),
  });
  progress.clear();
  const labelled = await engine.labelled();
  const truth = await open.classes();
  const resumed = kept ? [`The run went on after iteration ${kept.state.iteration}.`] : [];
  const notices = [...open.notices, ...given.notices, ...resumed];
  return { input, options, outcome, labelled, facts, notices, truth, timings: { clustering: performance.now() - started } };
}

async function constraintsOf(values: Values, io: Io): ReturnType<typeof readConstraintsAlone> {
  const files = listOf(values, "constraints") ?? [];
  if (files.length === 0) return { set: emptyConstraints(0), ids: [], notices: [] };
  const sources = [];
  for (const file of files) sources.push({ chunks: (await openBytes(file)).chunks, file });
  return readConstraintsAlone(sources, { signal: io.signal });
}

async function centresFrom({ centres, values }: EngineLine, io: Io): Promise<number[][]> {
  const { features } = tableOptions(values);
  const table = await readTable(centres!, { ...(features ? { features } : {}), signal: io.signal });
  const { n, d, x } = table;
  return Array.from({ length: n }, (_, c) => [...x.subarray(c * d, (c + 1) * d)]);
}

async function* labelPieces(labelled: Labelled, numbers: Int32Array): AsyncGenerator<string> {
  yield "id,cluster\n";
  for await (const { ids, clusters } of labelled.rows()) {
    let piece = "";
    for (let i = 0; i < ids.length; i++) piece += `${csvCell(String(ids[i]))},${numbers[clusters[i]!]}\n`;
    yield piece;
  }
}

async function outputsOf(report: Report, { labelled, outcome }: EngineRun, values: Values, io: Io): Promise<Output[]> {
  const { writeParquetLabels } = await import("@coterie/engines");
  const [out, file] = ["out", "report"].map((name) => textOf(values, name));
  const numbers = numbering(labelled.order, outcome.centres.length);
  const pieces = (): AsyncIterable<string> => labelPieces(labelled, numbers);
  const named = values.id !== undefined;
  const asParquet = out !== undefined && /\.(parquet|parq|pq)$/i.test(basename(out));
  return [
    ...(out === undefined
      ? []
      : [
          {
            path: out,
            pieces: pieces(),
            ...(asParquet ? { make: (part: string) => writeParquetLabels(part, pieces(), { named, signal: io.signal }) } : {}),
          },
        ]),
    ...(file === undefined ? [] : [{ path: file, pieces: [`${JSON.stringify(report)}\n`] }]),
  ];
}

function summary(report: Report, title: string, given: number, columns: number): string[] {
  const { engine, objective, iterations, stopped, scores } = report;
  return [
    `${title} put ${report.instances.toLocaleString("en")} rows with ${report.features.length} columns into ${report.k} clusters.`,
    "",
    ...sizeLines(report.sizes, report.instances, columns),
    "",
    `${keptInWords(given, report.violations)}.`,
    ...(scores ? [`Against the known classes: adjusted Rand ${scores.adjustedRand.toFixed(3)}.`] : []),
    `Objective ${Number((objective ?? Number.NaN).toPrecision(7))} after ${iterations} iterations (${stopped}).`,
    `Engine ${engine!.name} (${engine!.path}): ${engine!.passes} passes, ${engine!.rowsRead.toLocaleString("en")} rows read.`,
    ...report.notices.map((notice) => `Note: ${notice}`),
  ];
}
