/**
 * Writes all output files of a command line, or none. Each file is written under a temporary name beside its target and flushed; after the
 * last file, all are renamed. A side file records the data that an output file was made from.
 *
 * `-` is standard output and is written last, so that its reader finds the other files complete. Outputs that are not files on a disk
 * (pipes, /dev/null) are written directly, before the renames, because a rename would replace them by a file. They have no side file.
 */
import { accessSync, constants, existsSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { badInput, CoterieError } from "@coterie/core/errors";
import {
  dropPart,
  keyOfFile,
  keyOfOpen,
  newPart,
  type Part,
  type Place,
  placeOf,
  putInPlace,
  removeStaleParts,
  sampleFiles,
  stage,
  stageMade,
} from "@coterie/data";
import type { Io } from "../command.js";
import { UsageError } from "../flags.js";
import type { Provenance } from "../inputs.js";

export interface Output {
  readonly path: string;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
  /** Writes the whole file under the given temporary name. Replaces `pieces` for files that are not text. */
  readonly make?: (part: string) => Promise<void>;
  /** The data that the file was made from, for the side file `FILE.source.json`. Absent if the file gets no side file. */
  readonly source?: () => Promise<Provenance | null>;
}

export interface Outputs {
  write(outputs: readonly Output[]): Promise<void>;
}

/** Throws before any work if a file cannot be written or would replace an input. Removes unfinished files of killed runs. */
export function openOutputs(files: Files, io: Io, quiet: boolean): Outputs {
  const places = placesOf(files).filter(({ kind }) => kind !== "stream");
  const left = [...new Set(places.map(({ path }) => dirname(path)))].flatMap(removeStaleParts);
  if (left.length > 0 && !quiet) io.say(`Note: removed unfinished files of a killed run: ${left.join(", ")}.`);
  for (const place of places) checkWritable(place);
  return { write: (outputs) => writeAll(outputs, files, io) };
}

function checkWritable({ name, path, mode }: Place & { readonly name: string }): void {
  if (mode !== undefined && (mode & 0o222) === 0)
    throw badInput("This file exists and is write-protected.", {
      file: name,
      remedy: "Change its permissions, or write to another file.",
    });
  // Permissions do not show a read-only disk or a full quota, so a test file is created and removed.
  const part = newPart(path);
  try {
    accessSync(dirname(path), constants.W_OK);
    writeFileSync(part, "", { flag: "wx" });
  } catch {
    throw badInput("This file cannot be written here.", {
      file: name,
      remedy: "Check the permissions of the folder, or write to another folder.",
    });
  } finally {
    dropPart(part);
  }
}

async function writeAll(outputs: readonly Output[], files: Files, io: Io): Promise<void> {
  const named = outputs.filter(({ path }) => path !== "-");
  const streams = new Set(placesOf(files).flatMap(({ name, kind }) => (kind === "stream" ? [name] : [])));
  const parts: Part[] = [];
  try {
    for (const output of named) if (!streams.has(output.path)) parts.push(...(await stageWithSource(output, io)));
    for (const { path, pieces } of named.filter(({ path }) => streams.has(path))) await writeStream(path, pieces, io);
    io.signal.throwIfAborted();
    // Check again, because links can have changed since the run began.
    placesOf(files);
  } catch (error) {
    for (const { part } of parts) dropPart(part);
    throw error;
  }
  placeAll(parts, named, io);
  for (const { pieces } of outputs.filter(({ path }) => path === "-"))
    for await (const batch of batches(pieces)) await io.out(batch);
}

async function stageWithSource({ path, pieces, make, source }: Output, io: Io): Promise<Part[]> {
  const made = await source?.();
  const parts: Part[] = [];
  try {
    parts.push(make ? await stageMade(path, make) : await stage(path, batches(pieces), io));
    if (made) parts.push(await stage(sideOf(path), [`${JSON.stringify(made, null, 2)}\n`], io));
    return parts;
  } catch (error) {
    for (const { part } of parts) dropPart(part);
    throw whyNotWritten(error, path, io);
  }
}

async function writeStream(path: string, pieces: Output["pieces"], io: Io): Promise<void> {
  try {
    await writeFile(path, batches(pieces), { signal: io.signal });
  } catch (error) {
    throw whyNotWritten(error, path, io);
  }
  io.written.push(path);
}

function placeAll(parts: readonly Part[], named: readonly Output[], io: Io): void {
  const { placed, error } = putInPlace(parts);
  io.written.push(...placed.map(({ name }) => name).filter((name) => named.some(({ path }) => path === name)));
  if (error === undefined) return;
  const missing = parts.slice(placed.length).map(({ name }) => name);
  throw badInput(`The finished file could not be renamed to its target (${codeOf(error)}).`, {
    file: missing[0]!,
    remedy: io.written.length === 0 ? "Nothing was written." : `Not written: ${missing.join(", ")}.`,
  });
}

function whyNotWritten(error: unknown, path: string, { written }: Io): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof CoterieError || (error as Error).name === "AbortError") return error;
  const full = code === "ENOSPC" || code === "EDQUOT" ? "The disk is full: free some space, or write to another disk. " : "";
  return badInput(`The file could not be written (${code}).`, {
    file: path,
    remedy: `${full}${written.length === 0 ? "Nothing was written." : ""}`.trimEnd(),
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

async function* batches(pieces: Output["pieces"]): AsyncGenerator<string> {
  let batch = "";
  for await (const piece of pieces) {
    batch += piece;
    if (batch.length < 1 << 20) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

/* Checks the paths of the output files, with links followed. An output must not be an input, and no two outputs may be the same file. */

export interface Target {
  readonly path: string;
  readonly sided: boolean;
}

export interface Files {
  readonly writes: readonly Target[];
  readonly reads: readonly (string | undefined)[];
  readonly replaceable?: readonly string[];
}

function sideOf(path: string): string {
  return `${path}.source.json`;
}

type NamedPlace = Place & { readonly name: string };

function placesOf({ writes, reads, replaceable = [] }: Files): NamedPlace[] {
  const read = keysOf(reads);
  const printed = keyOfOpen(1);
  if (printed !== null && read.has(printed))
    throw new UsageError(`Standard output goes to ${read.get(printed)}, an input: write to another file.`);
  const taken = new Map<string, string>(printed === null ? [] : [[printed, "standard output"]]);
  const allowed = new Set(replaceable.flatMap((name) => [name, sideOf(name)]).map((name) => resolve(name)));
  return writes
    .filter(({ path }) => path !== "-")
    .flatMap(({ path, sided }) => {
      const place = fileAt(path);
      const places = sided && place.kind !== "stream" ? [place, fileAt(sideOf(path))] : [place];
      for (const each of places) {
        if (each.key === "") continue;
        if (!allowed.has(resolve(each.name))) refuseInput(each, read);
        refuseTwice(each, taken);
        taken.set(each.key, each.name);
      }
      return places;
    });
}

function fileAt(name: string): NamedPlace {
  const place = placeOf(name);
  if (place.kind === "folder") throw badInput("This is a folder.", { file: name, remedy: "Name a file." });
  return { ...place, name };
}

function keysOf(reads: readonly (string | undefined)[]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const name of reads) {
    if (name === undefined) continue;
    if (name === "-") {
      const key = keyOfOpen(0);
      if (key !== null) keys.set(key, "standard input");
      continue;
    }
    for (const path of existsSync(name) ? [name, sideOf(name)] : sampleFiles(name)) {
      const key = keyOfFile(path);
      if (key !== null) keys.set(key, path);
    }
  }
  return keys;
}

function refuseInput({ key, name }: NamedPlace, read: ReadonlyMap<string, string>): void {
  const input = read.get(key);
  if (input === undefined) return;
  const same = resolve(input) === resolve(name) ? "" : ` is the same file as ${input}, which`;
  throw new UsageError(`${name}${same} is an input and would be overwritten: write to another file.`);
}

function refuseTwice({ key, name }: NamedPlace, taken: ReadonlyMap<string, string>): void {
  const other = taken.get(key);
  if (other === undefined) return;
  if (resolve(other) === resolve(name)) throw new UsageError(`${name} is the name of two output files: use different names.`);
  throw new UsageError(`${other} and ${name} are the same file: use different files.`);
}
