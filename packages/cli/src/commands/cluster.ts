/** `coterie cluster`: reads a table and constraints, runs a method, and writes labels, report and page. */
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import {
  badOption,
  CoterieError,
  catalogue,
  checkedOptions,
  countConstraints,
  type Kernels,
  type Method,
  type MissingRule,
  type Model,
  memoryOf,
  methodNamed,
  modelOf,
  needsK,
  type Report,
  rowValues,
  saveModel,
  takesK,
  titleOf,
} from "@coterie/core/internal";
import {
  clusterWords,
  fewerStarts,
  internalScores,
  type Run,
  type RunSpec,
  reportOf,
  run,
  startsNotice,
} from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { chosenEngine, ENGINE_FLAGS } from "../engine/engine-flags.js";
import { clusterOnEngine } from "../engine/run-on-engine.js";
import { longRunNotice } from "../estimate.js";
import {
  type Flag,
  flagList,
  listOf,
  type Parsed,
  seedOf,
  sentenceOf,
  textOf,
  UsageError,
  type Values,
  workersOf,
} from "../flags.js";
import { checkDistances, DISTANCES_FLAG } from "../given-distances.js";
import { createHost } from "../host.js";
import { type Inputs, loadInputs, readCentres } from "../inputs.js";
import { flagsOf, optionsFrom } from "../method-flags.js";
import { openOutputs, type Target } from "../outputs/outputs.js";
import { JSON_FLAG, REPORT_FLAGS, type RowsOfResult, reportOutputs, targetsOf, writtenLines } from "../outputs/report-files.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress, type Progress } from "../progress.js";
import { checkPairs, PAIRS_FLAGS } from "../scored-pairs.js";
import { summaryOf } from "../summary.js";
import { commandLine, withoutFlags } from "../terminal.js";
import { VERSION } from "../version.js";

/** Returns the method of `--algorithm`. The default is `duplicates` with `--pairs`, `auto` with constraints, and k-means otherwise. */
function methodName(values: Values): string {
  const named = textOf(values, "algorithm");
  if (named !== undefined) return named;
  if (values.pairs !== undefined) return "duplicates";
  const constrained = (listOf(values, "constraints") ?? []).length > 0 || (listOf(values, "exclusive") ?? []).length > 0;
  return constrained ? "auto" : "kmeans";
}

const OUTPUT_FLAGS: readonly Flag[] = [
  ...REPORT_FLAGS,
  ...flagList({
    "--newick FILE": "hierarchical methods: write the tree to FILE as Newick; - for standard output",
    "--nested FILE": "hierarchical methods: write the tree to FILE as nested JSON",
    "--model FILE": "save the model to FILE; `coterie predict` assigns new rows with it",
  }),
  JSON_FLAG,
];

const TARGETS = ["out", "report", "html", "newick", "nested", "model", "pairs-out", "golden"] as const;

export const clusterCommand: Command = {
  name: "cluster",
  summary: "Clusters the rows of a table, with or without constraints.",
  usage: [
    "cluster DATA -k K|A..B --algorithm NAME [--constraints FILE]… [--out labels.csv] [--html page.html]",
    "cluster [DATA] --distances FILE -k K --algorithm ccl …",
    "cluster DATA --algorithm duplicates [--exclusive COL] [--pairs-out pairs.csv] [--golden one-row-each.csv]",
    "cluster [DATA] --pairs scores.csv …",
    "cluster 'part-*.parquet' -k K --engine duckdb …",
  ],
  flags: [
    ...flagList({
      "--algorithm, -a NAME": {
        choices: catalogue.map((method) => method.name),
        description: `the method (default: auto with constraints, else kmeans); \`coterie cluster --algorithm NAME --help\` lists its options`,
      },
    }),
    CONSTRAINT_FLAG,
    DISTANCES_FLAG,
    ...PAIRS_FLAGS,
    ...OUTPUT_FLAGS,
    ...DATA_FLAGS,
    ...ENGINE_FLAGS,
  ],
  async moreFlags({ values }) {
    return flagsOf(methodNamed(methodName(values)));
  },
  elsewhere(flag, { values }) {
    const able = catalogue.filter((method) => flagsOf(method).some(({ name }) => name === flag)).map(({ name }) => name);
    if (able.length === 0) return undefined;
    if (flag === "k" && !takesK(methodNamed(methodName(values))))
      return `${methodName(values)} finds the number of clusters: leave -k out, or set --threshold.`;
    return `${methodName(values)} has no option --${flag}; ${able.join(", ")} ${able.length === 1 ? "has" : "have"} it.`;
  },
  notes: [
    "DATA is a CSV, TSV, JSON lines, Parquet, Arrow, ARFF or .npy file, - for CSV on standard input, or the name of a sample set (see `coterie data list`).",
    `Methods\n${catalogue.map((method) => `  ${method.name.padEnd(17)} ${method.summary}`).join("\n")}`,
  ],
  examples: {
    "three clusters of a sample set, scored against its classes": "coterie cluster iris-fisher -k 3 --truth class",
    "your own file, with constraints; writes labels and an HTML page":
      "coterie cluster sales.csv -k 5 --id customer --constraints known.csv --scale zscore --out labels.csv --html sales.html",
    "save a model, then assign new rows to its clusters":
      "coterie cluster sales.csv -k 5 --model sales.json && coterie predict sales.json new.csv --out new-labels.csv",
    "files larger than memory; every iteration is saved, so that the run can be resumed":
      "coterie cluster 'sales-*.parquet' -k 50 --algorithm pck-means --engine duckdb --constraints known.csv --checkpoint state --out labels.parquet",
    "people in several lists, at most one record of a person in each list":
      "coterie cluster people.csv --algorithm duplicates --exclusive list --golden people-once.csv --html people.html",
    "clusters of the pairs that another program scored":
      "coterie cluster --pairs scores.csv --constraints known.csv --out groups.csv",
    "a hierarchy, cut at a height, as JSON": "coterie cluster sales.csv --algorithm ward --height 12.5 --json",
  },
  run: cluster,
};

async function cluster(parsed: Parsed, io: Io): Promise<number> {
  try {
    return await clusterAndWrite(parsed, io);
  } catch (error) {
    if (parsed.values.json && error instanceof CoterieError && !io.signal.aborted) {
      await io.out(`${JSON.stringify({ error: errorFacts(error) })}\n`);
    }
    throw error;
  }
}

function errorFacts(error: CoterieError): Record<string, unknown> {
  const { problem } = error;
  return {
    code: problem.code,
    message: sentenceOf(error),
    ...(problem.code === "contradiction" ? { contradictions: problem.contradictions } : {}),
    ...(problem.code === "infeasible" ? { core: problem.core } : {}),
    ...(problem.code === "inconsistent" ? { conflict: problem.conflict } : {}),
    ...(problem.code === "gave-up" ? { gaveUp: true } : {}),
  };
}

interface Request {
  readonly data: string | undefined;
  readonly method: Method;
  readonly spec: RunSpec;
  readonly centres: string | undefined;
  readonly workers: number | undefined;
  readonly targets: readonly Target[];
  readonly values: Values;
  /** A notice about the number of starts that was chosen automatically. Absent if the command line sets the number. */
  readonly startNotices?: readonly string[];
}

function requestFrom({ values, positionals }: Parsed): Request {
  const method = methodNamed(methodName(values));
  const [data, ...rest] = positionals;
  if (data === undefined && values.distances === undefined && values.pairs === undefined && values.table === undefined)
    throw new UsageError("Name the table to cluster: coterie cluster DATA -k K.");
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  const flags = flagsOf(method);
  const choose = rangeOf(textOf(values, "k"));
  const options = optionsFrom(choose ? { ...values, k: String(choose.from) } : values, flags);
  if (options.k === undefined && needsK(method)) throw new UsageError(howMany());
  checkModel(textOf(values, "model"), method);
  const centres = centresFile(options.init, flags);
  const { init: _, ...others } = options;
  checkedOptions(method.options, centres === undefined ? options : others);
  refuseTreeless(method, values);
  refuseWeights(method, values);
  checkDistances(values, data, method);
  checkPairs(values, data, method.name);
  const canStart = centres === undefined && flags.some(({ option }) => option === "restarts");
  const starts = fewerStarts(options, canStart);
  const spec = {
    algorithm: method.name,
    options: starts === undefined ? options : { ...options, restarts: starts },
    seed: seedOf(values),
    ...(choose ? { choose } : {}),
  };
  return {
    ...(starts === undefined ? {} : { startNotices: [startsNotice(starts, Number(options.k))] }),
    data,
    method,
    spec,
    centres,
    workers: workersOf(values),
    targets: targetsOf(values, TARGETS),
    values,
  };
}

/** The bounds of `-k A..B`; undefined for a single number. */
function rangeOf(k: string | undefined): RunSpec["choose"] {
  if (k === undefined || !k.includes("..")) return undefined;
  const found = /^(\d+)\.\.(\d+)$/.exec(k.trim());
  const [from, to] = [Number(found?.[1]), Number(found?.[2])];
  if (!found || from < 1 || from > to) throw badOption("-k", k, "a number, or a range such as 2..10");
  return { from, to };
}

function howMany(): string {
  const able = catalogue.filter((method) => !needsK(method)).map((method) => method.name);
  return `Say how many clusters: -k K. Without -k, these methods find the number: ${able.join(", ")}.`;
}

function refuseTreeless({ name, family }: Method, values: Values): void {
  const flag = ["newick", "nested"].find((each) => values[each] !== undefined);
  if (family === "hierarchy" || flag === undefined) return;
  const able = catalogue.filter((method) => method.family === "hierarchy").map((method) => method.name);
  throw new UsageError(`--${flag} writes a hierarchy, and ${name} makes none; these do: ${able.join(", ")}.`);
}

function refuseWeights({ name, weighsRows }: Method, values: Values): void {
  if (values["row-weight"] === undefined || weighsRows) return;
  const able = catalogue.filter((method) => method.weighsRows).map((method) => method.name);
  throw new UsageError(`${name} cannot weigh rows (--row-weight); ${able.join(", ")} can.`);
}

/**
 * Throws if `--model` is set for a hierarchy or a search for duplicates: their clusters depend on all rows, so a model cannot place new
 * rows.
 */
function checkModel(model: string | undefined, { name, family }: Method): void {
  if (model === undefined) return;
  if (model === "-") throw badOption("--model", model, "the name of a file");
  if (needsK({ family })) return;
  const able = catalogue.filter(needsK).map((method) => method.name);
  throw badOption("--algorithm", name, `one of ${able.join(", ")} with --model: ${name} has no rule for new rows`);
}

async function clusterAndWrite(parsed: Parsed, io: Io): Promise<number> {
  const request = requestFrom(parsed);
  const { values, method, targets } = request;
  const engine = await chosenEngine(values, request.data, method.onEngine !== undefined);
  if (engine) {
    const { data, centres, spec } = request;
    if (spec.choose) throw new UsageError("An engine needs one number of clusters, not a range: -k K.");
    return clusterOnEngine({ ...engine, data, method, options: spec.options, seed: spec.seed, centres, targets, values }, io);
  }
  const quiet = values.quiet === true;
  const reads = [
    request.data,
    textOf(values, "distances"),
    textOf(values, "pairs"),
    textOf(values, "columns-from"),
    request.centres,
    ...(listOf(values, "constraints") ?? []),
  ];
  const outputs = openOutputs({ writes: targets, reads }, io, quiet);
  const progress = createProgress(io, quiet);
  const started = performance.now();
  const inputs = await loadInputs(request.data, values, io, progress, method.family === "pairs" ? "cells" : "points").finally(
    progress.clear,
  );
  const { report, result, model } = await runAndReport(request, inputs, io, progress, performance.now() - started);
  await outputs.write([
    ...(await reportOutputs(
      report,
      result,
      inputs,
      { values, title: basename(request.data ?? textOf(values, "distances") ?? textOf(values, "pairs")!) },
      io,
    )),
    ...(model ? [{ path: textOf(values, "model")!, pieces: [saveModel(model)] }] : []),
  ]);
  if (!quiet) {
    const given = countConstraints(inputs.constraints);
    io.say(
      ...summaryOf(
        report,
        inputs.instances,
        titleOf(methodNamed(report.chosen?.algorithm ?? method.name), report.options),
        given,
        io.columns,
      ),
      ...(model ? elsewhere(model, report, given > 0) : []),
      ...writtenLines(targets),
      ...(report.chosen?.algorithm === undefined ? [] : [repeatLine(report.chosen)]),
    );
  }
  if (values.json) await io.out(`${JSON.stringify(report)}\n`);
  return strictCode(report.violations, values, io);
}

function repeatLine({ algorithm, scale, k }: NonNullable<Report["chosen"]>): string {
  const scaled = scale === undefined || scale === "given" ? [] : ["--scale", scale];
  const words = withoutFlags(process.argv.slice(2), [
    "--algorithm",
    "-a",
    "--candidates",
    ...(scaled.length > 0 ? ["--scale"] : []),
    ...(k === undefined ? [] : ["-k", "--k"]),
  ]);
  const number = k === undefined ? [] : ["-k", String(k)];
  return `Repeat this choice: ${commandLine([...words, ...number, "--algorithm", "auto", "--candidates", algorithm!, ...scaled])}`;
}

interface Done {
  readonly report: Report;
  readonly result: RowsOfResult;
  readonly model: Model | undefined;
}

async function runAndReport(request: Request, inputs: Inputs, io: Io, progress: Progress, loading: number): Promise<Done> {
  const { instances, constraints } = inputs;
  const spec = await withCentres(request, inputs, io);
  const cores = request.workers ?? availableParallelism();
  const long = request.values.quiet
    ? undefined
    : longRunNotice(request.method, { points: instances, constraints }, spec.options, cores);
  if (long !== undefined) io.say(`Note: ${long}`);
  const { host, close } = await createHost(instances.n, request.workers, memoryOf(rowValues(instances)));
  try {
    const started = performance.now();
    const done = await run(instances, constraints, spec, { ...host, signal: io.signal, onStep: progress.show });
    const internal = await internalScores(done, { ...host, signal: io.signal, onStep: progress.show });
    const words = await clusterWords(done, { ...host, signal: io.signal, onStep: progress.show });
    const report = reportOf(done, {
      version: VERSION,
      points: done.points,
      internal,
      ...words,
      constraints,
      rows: instances.rows,
      total: instances.total,
      notices: [...inputs.notices, ...(request.startNotices ?? [])],
      dominance: instances.dominance,
      timings: { loading, clustering: performance.now() - started },
    });
    const model =
      textOf(request.values, "model") === undefined ? undefined : await modelFrom(done, inputs, request, host.kernels);
    const { labels, violations, matches } = done.result;
    return { report, result: { labels, violations, ...(matches ? { matches } : {}) }, model };
  } finally {
    progress.clear();
    await close();
  }
}

async function modelFrom(
  { spec, result, points }: Run,
  { instances }: Inputs,
  { values }: Request,
  kernels: Kernels,
): Promise<Model> {
  return modelOf(points, result, {
    ...spec,
    version: VERSION,
    missing: (textOf(values, "missing") ?? "auto") as MissingRule,
    fills: instances.fills,
    sources: instances.sources,
    reduction: instances.reduction,
    file: instances.file,
    sha256: await instances.contentHash(),
    kernels,
  });
}

/** A notice with the number of rows that the saved model assigns to another cluster than the run did, and the reason. */
function elsewhere({ reproduces, data }: Model, { stopped }: Report, constrained: boolean): string[] {
  const moved = data.rows - reproduces;
  if (moved === 0) return [];
  const why = constrained
    ? "it uses the nearest centre and no constraints"
    : stopped === "max-iterations" || stopped === "cycling"
      ? "the run stopped before it had converged"
      : "they are almost equally near to two centres, or the bounds on sizes kept them in another cluster";
  return [
    `Note: the model would put ${moved.toLocaleString("en")} of ${data.rows.toLocaleString("en")} rows into another cluster: ${why}.`,
  ];
}

/** The file that `--init` names; undefined if the value of `--init` is the name of a built-in choice. */
function centresFile(init: unknown, flags: readonly Flag[]): string | undefined {
  const words = flags.find((flag) => flag.option === "init")?.value?.split("|") ?? [];
  return typeof init === "string" && words.includes("FILE") && !words.includes(init) ? init : undefined;
}

async function withCentres({ spec, centres, values }: Request, inputs: Inputs, io: Io): Promise<RunSpec> {
  if (centres === undefined) return spec;
  return { ...spec, options: { ...spec.options, init: await readCentres(centres, inputs, values, io) } };
}
