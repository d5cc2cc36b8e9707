/** `coterie cluster` where an engine keeps the rows. */
import { basename } from "node:path";
import { countConstraints, keptInWords, type Report, titleOf } from "@coterie/core/internal";
import { CORE_SET_METHODS, PLANNED } from "@coterie/core/scale";
import { csvCell } from "@coterie/data";
import type { Io } from "../command.js";
import { listOf, textOf, type Values } from "../flags.js";
import { type Output, openOutputs } from "../outputs/outputs.js";
import { writtenLines } from "../outputs/report-files.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress } from "../progress.js";
import { sizeLines } from "../text/sizes.js";
import { refuseUnable, unableError } from "./engine-flags.js";
import type { EngineLine } from "./engine-line.js";
import { type EngineRun, engineReport } from "./engine-report.js";
import { openEngine } from "./open-engine.js";
import { isApproximated, refuseUnapproximated, runOnCoreSet } from "./run-core-set.js";
import { isPlanned, PLAN_OPTIONS, runPlan } from "./run-plan.js";

/** Whether rows that are elsewhere can be clustered by this method. */
export function isForEngines(name: string): boolean {
  return isPlanned(name) || isApproximated(name);
}

export async function clusterOnEngine(line: EngineLine, io: Io): Promise<number> {
  const { values, method, options, targets, data } = line;
  const { name } = method;
  const quiet = values.quiet === true;
  refuseUnable(values);
  if (isPlanned(name)) refuseOthers(values, options);
  else if (isApproximated(name)) refuseUnapproximated(values, options);
  else
    throw unableError(
      values,
      `${name} cannot be had on an engine; ${PLANNED.join(", ")} can, and ${CORE_SET_METHODS.join(", ").replace(/, (?=\w+$)/, " and ")} by an approximation.`,
    );
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
    const run = isPlanned(name)
      ? await runPlan(line, name, engine, io, progress)
      : await runOnCoreSet(line, engine, io, progress);
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

function refuseOthers(values: Values, options: Readonly<Record<string, unknown>>): void {
  const option = Object.keys(options).find((name) => !PLAN_OPTIONS.includes(name));
  if (option !== undefined)
    throw unableError(values, `The option ${option} cannot be had on an engine; it has ${PLAN_OPTIONS.join(", ")}.`);
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
