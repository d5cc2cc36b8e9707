/**
 * Reads labels files: `id,cluster`, one line per row. Clusters can have any name, but cluster -1 means noise: the row is in no cluster.
 * An optional third column, `name`, holds a display name for the cluster, taken from labelled rows.
 */
import { badInput, type InstanceId, type Labelling } from "@coterie/core/internal";
import { readCsv } from "../csv/csv.js";
import { csvCell } from "../csv/csv-write.js";
import { counted, listed, quoted } from "../table/sentences.js";
import type { Chunks, NominalColumn, ReadOptions } from "../table/table.js";
import { unhashed } from "../table/utf8.js";
import { type NamedRows, rowFinder } from "./row-names.js";

const NOISE = "-1";

export interface LabelsReadOptions extends Pick<ReadOptions, "file" | "signal" | "onProgress" | "bytesTotal"> {
  readonly rows: NamedRows;
}

export interface ReadLabels {
  readonly labels: Labelling;
  /** The display name of each cluster, from the column `name`; null for a cluster without a name. Absent if the file has no such column. */
  readonly called?: readonly (string | null)[];
  readonly noise: number;
  readonly labelled: Uint8Array;
  readonly notices: readonly string[];
}

export async function readLabels(chunks: Chunks, options: LabelsReadOptions): Promise<ReadLabels> {
  const { file, rows } = options;
  const { rows: _, ...reading } = options;
  const table = await readCsv(chunks, { ...reading, ...unhashed }, { allText: true, allowEmpty: true });
  const ids = columnNamed("id");
  const clusters = columnNamed("cluster");
  const finder = rowFinder(rows);
  const calls = table.columns.find((column) => column.kind === "nominal" && column.name.toLowerCase() === "name");
  const codes = new Int32Array(rows.n).fill(-1);
  const seen = new Uint8Array(rows.n);
  const noiseCode = clusters.levels.indexOf(NOISE);
  const names = inOrder(clusters.levels.filter((level) => level !== NOISE));
  const codeOf = new Map(names.map((name, code) => [name, code]));
  const codesHere = clusters.levels.map((level) => codeOf.get(level) ?? -1);
  const called = names.map((): string | null => null);
  let noise = 0;
  for (let i = 0; i < table.n; i++) {
    const place = { file, line: table.lineOf?.(i) ?? i + 2 };
    const id = ids.levels[ids.codes[i]!];
    const cluster = clusters.codes[i]!;
    if (id === undefined || cluster < 0) {
      throw badInput(`The line has no ${id === undefined ? "id" : "cluster"}.`, {
        ...place,
        remedy: "Write id,cluster on every line.",
      });
    }
    const row = finder.byId(id, place);
    if (seen[row] === 1)
      throw badInput(`The id ${quoted(id)} is labelled twice.`, { ...place, remedy: "Keep one of the lines." });
    seen[row] = 1;
    codes[row] = codesHere[cluster]!;
    if (cluster === noiseCode) noise++;
    else if (calls?.kind === "nominal" && calls.codes[i]! >= 0) called[codes[row]!] = calls.levels[calls.codes[i]!]!;
  }
  const without = seen.reduce((count, flag) => count - flag, rows.n);
  const notices = [...table.notices];
  if (without > 0) notices.push(`${file} has no label for ${counted(without, "row")} of ${rows.n}.`);
  return { labels: { codes, names }, ...(calls ? { called } : {}), noise, labelled: seen, notices };

  function columnNamed(name: string): NominalColumn {
    const found = table.columns.find((column) => column.name.toLowerCase() === name);
    if (found?.kind === "nominal") return found;
    throw badInput(`The file has no column ${quoted(name)}.`, {
      file,
      line: 1,
      remedy: `A labels file has the header id,cluster; this one has ${listed(table.columns.map((column) => column.name))}.`,
    });
  }
}

function inOrder(names: readonly string[]): readonly string[] {
  return names.every((name) => /^\d+$/.test(name)) ? [...names].sort((a, b) => Number(a) - Number(b)) : names;
}

/**
 * Yields the lines of a labels file. A label below 0 is written as -1, noise.
 * names: names of the clusters, by label. Default: the labels themselves.
 * classes: display names of the clusters, by label, for a third column.
 */
export function* writeLabels(
  labels: ArrayLike<number>,
  ids?: readonly InstanceId[],
  names?: readonly string[],
  classes?: readonly (string | null)[],
): Generator<string, void, void> {
  let piece = classes ? "id,cluster,name\n" : "id,cluster\n";
  for (let row = 0; row < labels.length; row++) {
    const label = labels[row]!;
    const cluster = label < 0 ? NOISE : (names?.[label] ?? String(label));
    const ofClass = classes ? `,${csvCell(classes[label] ?? "")}` : "";
    piece += `${csvCell(String(ids?.[row] ?? row))},${csvCell(cluster)}${ofClass}\n`;
    if (piece.length < 1 << 16) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
