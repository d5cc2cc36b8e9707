/** From files to a project: the table, and what comes along with it. */
import type { Project, ReadingChange } from "@coterie/workbench/protocol";
import type { Client } from "../state/client.js";
import type { Offer } from "../state/spoken.js";

export async function projectFromFiles(
  client: Client,
  files: readonly File[],
  me: string,
  signal: AbortSignal,
  reading: ReadingChange = {},
): Promise<Project> {
  const roles = await Promise.all(files.map(async (file) => ({ file, knows: isKnowledge(await file.slice(0, 2_000).text()) })));
  const data = roles.find(({ knows }) => !knows)?.file ?? files[0]!;
  const { call } = client;
  const { upload } = await call("upload", { name: data.name, bytes: data }, { signal });
  const project = await call(
    "createProject",
    { upload, name: nameOf(data.name), reading: { scale: "zscore", ...reading } },
    { signal },
  );
  for (const { file } of roles) {
    if (file === data) continue;
    const kind = file.name.endsWith(".jsonl") ? "answers" : "constraints";
    await call("importConstraints", { project: project.id, name: file.name, by: me, kind, bytes: file }, { signal });
  }
  return project;
}

/** A table that nobody has read yet, read as an offer says; what was taken up before stays. */
export function readingWith(before: ReadingChange, offer: Offer): ReadingChange {
  if (offer.kind === "missing") return { ...before, missing: offer.missing };
  if (offer.kind === "scale") return { ...before, scale: offer.scale };
  if (offer.kind === "type") return { ...before, types: { ...before.types, [offer.column]: offer.type } };
  if (offer.role === "id" || offer.role === "truth") return { ...before, [offer.role]: offer.column };
  if (offer.role === "feature") return { ...before, id: null };
  return { ...before, ignore: [...(before.ignore ?? []), offer.column] };
}

/** Files of lines that are short enough to be mended here. */
const LINES = /\.(csv|tsv|txt|jsonl|ndjson|arff)$/i;
const MOST_BYTES = 50_000_000;

export function canMend(file: File): boolean {
  return LINES.test(file.name) && file.size <= MOST_BYTES;
}

/** The line that is wrong with the one before it, each with its number, from 1. */
export function linesAround(text: string, line: number): readonly (readonly [number, string])[] {
  const lines = text.split(/\r?\n/, line);
  return [line - 1, line].flatMap((number) => {
    const found = lines[number - 1];
    return found === undefined ? [] : [[number, found.slice(0, 200)] as const];
  });
}

export function withoutLine(text: string, line: number): string {
  const lines = text.split("\n");
  lines.splice(line - 1, 1);
  return lines.join("\n");
}

/** Whether a text says things about rows, and is no table of rows itself. */
export function isKnowledge(head: string): boolean {
  return /(^|[\s,;"'{])(must-link|cannot-link|ml,|cl,|"answer"\s*:|"ask"\s*:)/i.test(head);
}

/** "penguins" for "penguins.csv". */
export function nameOf(file: string): string {
  const name = file.replace(/\.(csv|tsv|txt|jsonl|ndjson|json|parquet|arrow|feather|arff|npy|gz)$/i, "");
  return name === "" ? file : name;
}
