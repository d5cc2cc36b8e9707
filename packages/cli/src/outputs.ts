/**
 * Files that Coterie writes: whole or not at all. A file is written beside its place under another name, flushed, and then
 * renamed; a side file names the data that it was made from.
 */
import { constants } from "node:fs";
import { access, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { badInput } from "@coterie/core/errors";
import { UsageError } from "./flags.js";

/**
 * Throws before any work is done when a file could not be written later, or would be written over what is read or over another
 * file of this line.
 */
export async function checkWritable(paths: readonly string[], inputs: readonly (string | undefined)[] = []): Promise<void> {
  const read = new Set(inputs.filter((file) => file !== undefined).map((file) => resolve(file)));
  const taken = new Set<string>();
  for (const path of paths) {
    if (read.has(resolve(path))) throw new UsageError(`${path} is read here, and would be written over: write elsewhere.`);
    if (taken.has(resolve(path))) throw new UsageError(`${path} is named for two files: give each its own name.`);
    taken.add(resolve(path));
    const folder = dirname(resolve(path));
    const info = await stat(folder).catch(() => null);
    if (!info?.isDirectory())
      throw badInput(`The folder ${folder} does not exist.`, { file: path, remedy: "Make it first, or write elsewhere." });
    const target = await stat(path).catch(() => null);
    if (target?.isDirectory()) throw badInput("This is a folder.", { file: path, remedy: "Name a file." });
    await access(folder, constants.W_OK).catch(() => {
      throw notWritable(path);
    });
    await probe(path);
  }
}

/** Permissions alone do not tell (a read-only disk, a full quota): a file is made and removed. */
async function probe(path: string): Promise<void> {
  const temporary = besideOf(path);
  try {
    await (await open(temporary, "wx")).close();
  } catch {
    throw notWritable(path);
  } finally {
    await rm(temporary, { force: true });
  }
}

function notWritable(path: string) {
  return badInput("This file cannot be written here.", {
    file: path,
    remedy: "Check the permissions of the folder, or write elsewhere.",
  });
}

function besideOf(path: string): string {
  return `${path}.${process.pid}.part`;
}

export interface Provenance {
  readonly data: string;
  readonly sha256: string;
  readonly version: string;
}

/** Writes the text pieces to the file, all of them or nothing. */
export async function writeWhole(path: string, pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const temporary = besideOf(path);
  try {
    const file = await open(temporary, "w");
    try {
      for (const batch of batches(pieces)) {
        signal?.throwIfAborted();
        await file.writeFile(batch);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    signal?.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof Error && "code" in error)
      throw badInput(`The file could not be written (${error.code}).`, { file: path, remedy: "Nothing was left behind." });
    throw error;
  }
}

function* batches(pieces: Iterable<string>): Generator<string> {
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < 1 << 20) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

/** The file, and beside it `FILE.source.json` that says which data it belongs to. */
export async function writeWithSource(
  path: string,
  pieces: Iterable<string>,
  source: Provenance,
  signal?: AbortSignal,
): Promise<void> {
  await writeWhole(path, pieces, signal);
  await writeWhole(`${path}.source.json`, [`${JSON.stringify(source, null, 2)}\n`]);
}
