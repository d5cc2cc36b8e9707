/** `coterie cluster` for rows that an engine holds. */
import { basename } from "node:path";
import type { Instances, Report, Result } from "@coterie/core/internal";
import { catalogue, countConstraints, emptyConstraints, keptInWords, titleOf } from "@coterie/core/internal";
import type { CoreGround, CoreSet, Plan } from "@coterie/core/scale";
import { coreGround, coreLabels, corePoints, isSampled, microClusters, sampledPoints, scaleNotice } from "@coterie/core/scale";
import { csvCell } from "@coterie/data";
import type { Driven } from "@coterie/engines";
import { type RunHost, run } from "@coterie/workbench";
import type { Io } from "../command.js";
import { listOf, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { createHost } from "../host.js";
import { type Output, openOutputs } from "../outputs/outputs.js";
import { writtenLines } from "../outputs/report-files.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress, type Progress } from "../progress.js";
import { sizeLines } from "../text/sizes.js";
import { refuseUnable, scaleOf, unableError } from "./engine-flags.js";
import type { EngineLine } from "./engine-line.js";
import { type EngineRun, engineReport } from "./engine-report.js";
import { type OpenEngine, openEngine } from "./open-engine.js";
import { constraintsOf } from "./read-constraints.js";
import { PLAN_OPTIONS, runPlan } from "./run-plan.js";

/**
 * Number of micro-clusters (small groups of similar rows) in a core set. The core set replaces the whole table. If the table has fewer
 * rows, each row is its own micro-cluster.
 */
const MICRO_CLUSTERS = 1000;

/** Iterations of k-means on the sample. The resulting centres are the starting centres of the micro-clusters. */
const TURNS = 5;

/** Maximum number of constrained rows in a core set: a hierarchy over more rows takes too long. */
const MOST_CONSTRAINED = 20_000;

export async function clusterOnEngine(line: EngineLine, io: Io): Promise<number> {
  const { values, method, options, targets, data } = line;
  const { name, onEngine } = method;
  const quiet = values.quiet === true;
  refuseUnable(values);
  if (onEngine === undefined) throw unableError(values, unableSentence(name));
  const isPlanned = typeof onEngine === "object";
  if (isPlanned) refuseOthers(values, options);
  else refuseUnapproximated(values, options);
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
    const run = isPlanned ? await runPlan(line, engine, io, progress) : await runOnCoreSet(line, engine, io, progress);
    const report = engineReport(run);
    await outputs.write(await outputsOf(report, run, values, io));
    if (!quiet)
      io.say(
        ...engineSummary(report, titleOf(method, options), countConstraints(run.constraints), io.columns),
        ...writtenLines(targets),
      );
    if (values.json) await io.out(`${JSON.stringify(report)}\n`);
    return strictCode(report.violations, values, io);
  } finally {
    progress.clear();
    await engine.engine.close();
  }
}

function namesOf(kind: "plans" | "core sets"): string[] {
  const isOf = { plans: "object", "core sets": "string" }[kind];
  return catalogue.filter(({ onEngine }) => typeof onEngine === isOf).map(({ name }) => name);
}

function unableSentence(name: string): string {
  const approximated = namesOf("core sets")
    .join(", ")
    .replace(/, (?=\w+$)/, " and ");
  return `Engines do not support ${name}; they support ${namesOf("plans").join(", ")}, and ${approximated} as an approximation.`;
}

function refuseOthers(values: Values, options: Readonly<Record<string, unknown>>): void {
  const option = Object.keys(options).find((name) => !PLAN_OPTIONS.includes(name));
  if (option !== undefined)
    throw unableError(values, `Engines do not support the option ${option}; they support ${PLAN_OPTIONS.join(", ")}.`);
}

async function* labelPieces({ labelled, numbers }: EngineRun): AsyncGenerator<string> {
  yield "id,cluster\n";
  for await (const { ids, clusters } of labelled.rows()) {
    let piece = "";
    for (let i = 0; i < ids.length; i++) piece += `${csvCell(String(ids[i]))},${numbers[clusters[i]!]}\n`;
    yield piece;
  }
}

export async function outputsOf(report: Report, run: EngineRun, values: Values, io: Io): Promise<Output[]> {
  const { writeParquetLabels } = await import("@coterie/engines");
  const [out, file] = ["out", "report"].map((name) => textOf(values, name));
  const pieces = (): AsyncIterable<string> => labelPieces(run);
  const named = run.idColumn !== undefined;
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

export function engineSummary(report: Report, title: string, given: number, columns: number): string[] {
  const { engine, objective, iterations, stopped, scores, noise, rules } = report;
  return [
    `${title} put ${report.instances.toLocaleString("en")} rows with ${report.features.length} columns into ${report.k} clusters.`,
    "",
    ...sizeLines(report.sizes, report.instances, columns),
    ...(noise > 0 ? [`${noise.toLocaleString("en")} rows are in no cluster.`] : []),
    "",
    ...(rules ? [...rules.map((rule, c) => `Cluster ${c}: ${rule}`), ""] : []),
    `${keptInWords(given, report.violations)}.`,
    ...(scores ? [`Against the known classes: adjusted Rand ${scores.adjustedRand.toFixed(3)}.`] : []),
    ...(iterations === undefined
      ? []
      : [`Objective ${Number((objective ?? Number.NaN).toPrecision(7))} after ${iterations} iterations (${stopped}).`]),
    `Engine ${engine!.name} (${engine!.path}): ${engine!.passes} passes, ${engine!.rowsRead.toLocaleString("en")} rows read.`,
    ...report.notices.map((notice) => `Note: ${notice}`),
  ];
}

/*
 * Runs a method that compares pairs of rows, for rows that an engine holds. The method clusters a core set (a small weighted summary of the
 * rows), and each row gets the cluster of the nearest core-set point. This is an approximation; the report and a notice say so.
 */

/**
 * Throws for options that this approximation does not support, such as other distances: each row gets the cluster of the nearest core-set
 * point by Euclidean distance.
 */
function refuseUnapproximated(values: Values, options: Readonly<Record<string, unknown>>): void {
  const { distance, learnedMetric, outliers } = options;
  if ((distance !== undefined && distance !== "euclidean" && distance !== "sqeuclidean") || learnedMetric !== undefined)
    throw new UsageError(
      "An engine assigns each row to the nearest point of a core set by Euclidean distance: leave --distance and --learned-metric out, or cluster a sample in memory (--sample N).",
    );
  if (outliers !== undefined && !String(outliers).endsWith("%") && Number(outliers) > 0)
    throw new UsageError(`On an engine --outliers is a share of the rows, such as 1%, not ${outliers} of them.`);
  if (values.checkpoint !== undefined)
    throw new UsageError(`--checkpoint saves the state of methods that iterate over all rows: ${namesOf("plans").join(", ")}.`);
}

async function runOnCoreSet(line: EngineLine, open: OpenEngine, io: Io, progress: Progress): Promise<EngineRun> {
  const { values, options, seed } = line;
  const method = line.method.name;
  const given = await constraintsOf(values, open, io);
  if (given.ids.length > MOST_CONSTRAINED)
    throw new UsageError(
      `${method} on an engine takes constraints about at most ${MOST_CONSTRAINED.toLocaleString("en")} rows, and there are ${given.ids.length.toLocaleString("en")}: pck-means takes any number.`,
    );
  const scale = scaleOf(values);
  const input = { method, constraints: given.set, ids: given.ids, seed, scale, microClusters: MICRO_CLUSTERS };
  const drive = await driver(open, io, progress);
  const started = performance.now();
  const { host, close } = await createHost(MICRO_CLUSTERS * 5, workersOf(values));
  try {
    const watched = { ...host, signal: io.signal, onStep: progress.show };
    const ground = await drive(coreGround(input));
    const set = isSampled(input)
      ? sampledPoints(ground)
      : await drive(microClusters(ground, await starts(ground, seed, watched)));
    const core = corePoints(input, ground, set);
    const rescaled = inPoints(options, core.points.n, ground.statistics.rows);
    const written = open.notations ? { notations: open.notations } : {};
    const { result } = await run(
      { ...core.points, ...written },
      core.constraints,
      { algorithm: method, options: rescaled.options, seed },
      watched,
    );
    const { clusters, sizes, noise, placed } = await drive(coreLabels(ground, set, core, result.labels, result.k));
    progress.clear();
    const labelled = await open.engine.labelled();
    const { order, numbers } = byAppearance(labelled.order, clusters, result.k);
    return {
      ...input,
      options,
      rows: ground.statistics.rows,
      names: ground.statistics.names,
      ...written,
      idColumn: open.idColumn,
      numbers,
      sizes: order.map((cluster) => sizes[cluster]!),
      noise,
      placed: placed.map((cluster) => (cluster < 0 ? -1 : order.indexOf(cluster))),
      found: foundOf(result, order),
      labelled,
      facts: {
        ...drive.facts(),
        coreSet: { points: core.points.n, microClusters: set.counts.length, constrained: given.ids.length },
      },
      notices: [
        ...open.notices,
        ...given.notices,
        ...(scale === "auto" ? [scaleNotice(ground.statistics.ranges)] : []),
        approximation(set, core.points, given.ids.length),
        ...rescaled.notices,
        ...result.notices,
      ],
      truth: await open.classes(),
      timings: { clustering: performance.now() - started },
      out: textOf(values, "out"),
    };
  } finally {
    await close();
  }
}

async function driver({ engine }: OpenEngine, io: Io, progress: Progress) {
  const { drivePlan } = await import("@coterie/engines");
  let facts: Driven<unknown>["facts"] | undefined;
  let rows = 0;
  const drive = async <R>(plan: Plan<R>): Promise<R> => {
    const driven = await drivePlan(plan, engine, {
      signal: io.signal,
      onStep: progress.show,
      onStatistics: (statistics) => {
        rows = statistics.rows;
      },
    });
    const passes = (facts?.passes ?? 0) + driven.facts.passes;
    facts = { ...driven.facts, passes, rowsRead: passes * rows };
    return driven.outcome;
  };
  return Object.assign(drive, { facts: () => facts! });
}

/** Starting centres of the micro-clusters, from a few iterations of k-means on the sample. */
async function starts({ sample, statistics }: CoreGround, seed: number, host: RunHost): Promise<Float64Array> {
  const d = statistics.names.length;
  const points: Instances = { n: sample.n, d, x: sample.x };
  const k = Math.min(MICRO_CLUSTERS, sample.n);
  if (k === sample.n) return sample.x;
  const options = { k, restarts: 1, maxIterations: TURNS };
  const { result } = await run(points, emptyConstraints(sample.n), { algorithm: "kmeans", options, seed }, host);
  const centres = new Float64Array(result.centres!.length * d);
  result.centres!.forEach((centre, c) => {
    centres.set(centre, c * d);
  });
  return centres;
}

function inPoints(options: Readonly<Record<string, unknown>>, points: number, rows: number) {
  const { minClusterSize } = options;
  if (typeof minClusterSize !== "number" || points >= rows) return { options, notices: [] };
  const scaled = Math.max(2, Math.round((minClusterSize * points) / rows));
  const notice = `A cluster has at least ${scaled} points of the core set, which represent about ${Math.round((scaled * rows) / points).toLocaleString("en")} rows.`;
  return { options: { ...options, minClusterSize: scaled }, notices: [notice] };
}

function approximation({ counts, radius }: CoreSet, { n }: Instances, constrained: number): string {
  const what = Number.isNaN(radius)
    ? `a sample of ${counts.length.toLocaleString("en")} rows`
    : `${counts.length.toLocaleString("en")} micro-clusters (${(n - constrained).toLocaleString("en")} weighted points; the root mean square distance of a row to its point is ${Number(radius.toPrecision(3))})`;
  return `An approximation: the method clustered ${what} and the ${constrained.toLocaleString("en")} constrained rows; every other row has the cluster of the nearest point. docs/engines.md compares the quality with exact runs.`;
}

/**
 * Renumbers the clusters in the order of their first rows. `order`: the old cluster numbers in the new order. `numbers`: the new number of
 * each core-set cluster, -1 for noise.
 */
function byAppearance(seen: readonly number[], clusters: Int32Array, k: number): { order: number[]; numbers: Int32Array } {
  const order = [...new Set(seen.map((place) => clusters[place]!).filter((cluster) => cluster >= 0))];
  const numbers = clusters.map((cluster) => (cluster < 0 ? -1 : order.indexOf(cluster)));
  return { order, numbers: k === 0 ? numbers.fill(-1) : numbers };
}

/** The parts of a result that are also true for all rows of the table. Merges and tree describe core-set points, so they are left out. */
function foundOf({ rules, chosen }: Result, order: readonly number[]): EngineRun["found"] {
  return {
    ...(rules ? { rules: order.map((cluster) => rules[cluster]!) } : {}),
    ...(chosen ? { chosen } : {}),
  };
}
