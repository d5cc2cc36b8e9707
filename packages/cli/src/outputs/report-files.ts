/** The output files of a run: labels, report, page and tree, each with the data that it was made from. */
import { drive, type Report, type Result } from "@coterie/core/internal";
import { treeOfMerges, writeLabels, writeNewick, writeTreeJson } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { everyTurn, ownProbabilities } from "@coterie/workbench";
import type { Io } from "../command.js";
import { type Flag, flagList, listOf, textOf, type Values } from "../flags.js";
import { pause } from "../host.js";
import { type Inputs, type Provenance, readingOf } from "../inputs.js";
import { goldenFile, pairsFile } from "../scored-pairs.js";
import { commandLine } from "../terminal.js";
import { VERSION } from "../version.js";
import type { Output, Target } from "./outputs.js";

const MAPS = ["auto", "components", "neighbourhoods"] as const;

export const REPORT_FLAGS: readonly Flag[] = flagList({
  "--out, -o FILE": "write the labels as CSV (id,cluster) to FILE; - for standard output",
  "--report FILE": "write the full report to FILE as JSON",
  "--html FILE": "write one self-contained HTML page about the run to FILE",
  "--map KIND": {
    choices: MAPS,
    description:
      "the map of the page: components shows the directions of largest spread, neighbourhoods keeps near rows near; auto: neighbourhoods for more than 30 columns and at most 100,000 rows (default: auto)",
  },
});

export const JSON_FLAG: Flag = { name: "json", description: "print the report on standard output as JSON" };

/** Flags whose output files get no side file with their origin, because no command reads these files together with data. */
const WITHOUT_SIDE_FILE: readonly string[] = ["html", "model", "golden"];

export function targetsOf(values: Values, names: readonly string[]): Target[] {
  return names.flatMap((name) => {
    const path = textOf(values, name);
    return path === undefined || path === "-" ? [] : [{ path, sided: !WITHOUT_SIDE_FILE.includes(name) }];
  });
}

export function writtenLines(targets: readonly Target[]): string[] {
  return targets.length === 0 ? [] : [`Written: ${targets.map(({ path }) => path).join(", ")}`];
}

/** The parts of a result that output files need by row number. The report lists rows by id instead. */
export type RowsOfResult = Pick<Result, "labels" | "violations" | "matches">;

export async function reportOutputs(
  report: Report,
  result: RowsOfResult,
  inputs: Inputs,
  { values, title }: { readonly values: Values; readonly title: string },
  io: Io,
): Promise<Output[]> {
  const { instances, constraints } = inputs;
  const [out, html, reportFile] = ["out", "html", "report"].map((name) => textOf(values, name));
  const page =
    html === undefined
      ? undefined
      : await drive(
          (await import("@coterie/figures")).htmlReportSteps({
            report: { ...report, ...result, ...ownProbabilities(report, result.labels, instances.rows) },
            instances,
            constraints,
            title,
            ...(report.names ? { names: report.names.map((name) => name ?? "") } : {}),
            command: commandLine(),
            scale: textOf(values, "scale") ?? "none",
            kernels: createSimdKernels(),
            map: MAPS.find((kind) => kind === textOf(values, "map")) ?? "auto",
            files: [instances.file, ...(listOf(values, "constraints") ?? [])],
          }),
          { pause, due: everyTurn(), signal: io.signal },
        );
  io.signal.throwIfAborted();
  const labels = () => writeLabels(result.labels, instances.ids, undefined, report.names);
  const source = () => provenanceOf(inputs, values);
  return [
    ...(out === undefined ? [] : [{ path: out, pieces: labels(), source }]),
    ...(reportFile === undefined ? [] : [{ path: reportFile, pieces: [`${JSON.stringify(report)}\n`], source }]),
    ...(html === undefined ? [] : [{ path: html, pieces: [page!] }]),
    ...duplicatesOutputs(report, result, inputs, values, source),
    ...treeOutputs(report, inputs, values, source),
  ];
}

export async function provenanceOf({ instances }: Inputs, values: Values): Promise<Provenance> {
  const reading = readingOf(values);
  return {
    data: instances.file,
    sha256: await instances.contentHash(),
    version: VERSION,
    ...(Object.keys(reading).length > 0 ? { reading } : {}),
  };
}

function duplicatesOutputs(
  { sizes }: Report,
  { labels, matches }: RowsOfResult,
  { instances }: Inputs,
  values: Values,
  source: Output["source"],
): Output[] {
  const [pairs, golden] = [textOf(values, "pairs-out"), textOf(values, "golden")];
  return [
    ...(pairs === undefined || !matches
      ? []
      : [{ path: pairs, pieces: pairsFile({ labels }, matches, instances), ...(source ? { source } : {}) }]),
    ...(golden === undefined ? [] : [{ path: golden, pieces: goldenFile({ labels, sizes }, instances, values) }]),
  ];
}

function treeOutputs({ merges }: Report, { instances }: Inputs, values: Values, source: Output["source"]): Output[] {
  const writers = [
    ["newick", writeNewick],
    ["nested", writeTreeJson],
  ] as const;
  return writers.flatMap(([name, writer]) => {
    const path = textOf(values, name);
    if (path === undefined) return [];
    return [{ path, pieces: [writer(treeOfMerges(merges!, instances.ids))], ...(source ? { source } : {}) }];
  });
}
