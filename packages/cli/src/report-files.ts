/** What a run leaves behind for people and programs: labels, report, page, tree, each with the data it belongs to. */
import type { Report } from "@coterie/core";
import { treeOfMerges, writeLabels, writeNewick, writeTreeJson } from "@coterie/data";
import type { Io } from "./command.js";
import { type Flag, listOf, textOf, type Values } from "./flags.js";
import type { Inputs } from "./inputs.js";
import { type Provenance, writeWhole, writeWithSource } from "./outputs.js";
import { commandLine } from "./terminal.js";
import { VERSION } from "./version.js";

export const REPORT_FLAGS: readonly Flag[] = [
  {
    name: "out",
    short: "o",
    value: "FILE",
    kind: "file",
    description: "write the labels (id,cluster) here; - for standard output",
  },
  { name: "report", value: "FILE", kind: "file", description: "write the whole report here, as JSON" },
  { name: "html", value: "FILE", kind: "file", description: "write a page to look at here: one file, no network" },
];

export const JSON_FLAG: Flag = { name: "json", description: "print the report on standard output" };

/** Files that the line names for these flags; standard output is none. */
export function targetsOf(values: Values, names: readonly string[]): string[] {
  return names.map((name) => textOf(values, name)).filter((path) => path !== undefined && path !== "-") as string[];
}

export async function writeReport(
  report: Report,
  inputs: Inputs,
  { values, title }: { readonly values: Values; readonly title: string },
  io: Io,
): Promise<void> {
  const { instances, constraints } = inputs;
  const [out, html, reportFile] = ["out", "html", "report"].map((name) => textOf(values, name));
  const page =
    html === undefined
      ? undefined
      : (await import("@coterie/figures")).htmlReport({
          report,
          instances,
          constraints,
          title,
          command: commandLine(),
          files: [instances.file, ...(listOf(values, "constraints") ?? [])],
        });
  io.signal.throwIfAborted();
  const labels = () =>
    writeLabels(
      Int32Array.from(instances.rows, (row) => report.labels[row] ?? -1),
      instances.ids,
    );
  const source = () => provenanceOf(inputs);
  if (out !== undefined) await writeWithSource(out, labels(), source, io);
  if (reportFile !== undefined) await writeWithSource(reportFile, [`${JSON.stringify(report)}\n`], source, io);
  if (html !== undefined) await writeWhole(html, [page!], io);
  await writeTrees(report, inputs, values, source, io);
}

export async function provenanceOf({ instances }: Inputs): Promise<Provenance> {
  return { data: instances.file, sha256: await instances.contentHash(), version: VERSION };
}

async function writeTrees(
  { merges }: Report,
  { instances }: Inputs,
  values: Values,
  source: () => Promise<Provenance>,
  io: Io,
): Promise<void> {
  for (const [name, writer] of [
    ["newick", writeNewick],
    ["nested", writeTreeJson],
  ] as const) {
    const path = textOf(values, name);
    if (path === undefined) continue;
    const text = writer(treeOfMerges(merges!, instances.ids));
    await writeWithSource(path, [text], source, io);
  }
}
