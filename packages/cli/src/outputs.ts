/**
 * Files that Coterie writes: whole or not at all. A file is written beside its place under another name, flushed, and then
 * renamed; a side file names the data that it was made from. `-` is standard output. What is no file on a disk (a pipe,
 * /dev/null) is written as it comes, for a rename would put a file in its place, and has no side file.
 */
import { constants } from "node:fs";
import { access, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { badInput } from "@coterie/core/errors";
import type { Io } from "./command.js";
import { UsageError } from "./flags.js";

/**
 * Throws before any work is done when a file could not be written later, or would be written over what is read or over another
 * file of this line.
 */
export async function checkWritable(paths: readonly string[], inputs: readonly (string | undefined)[] = []): Promise<void> {
  const read = new Set(inputs.filter((file) => file !== undefined).map((file) => resolve(file)));
  const taken = new Set<string>();
  for (const path of paths) {
    if (path === "-" || (await isStream(path))) continue;
    if (read.has(resolve(path))) throw new UsageError(`${path} is read here, and would be written over: write elsewhere.`);
    if (taken.has(resolve(path))) throw new UsageError(`${path} is named for two files: give each its own name.`);
    taken.add(resolve(path));
    const folder = dirname(resolve(path));
    const info = await stat(folder).catch(() => null);
    if (!info?.isDirectory())
      throw badInput(`The folder ${folder} does not exist.`, { file: path, remedy: "Make it first, or write elsewhere." });
    const target = await stat(path).catch(() => null);
    if (target?.isDirectory()) throw badInput("This is a folder.", { file: path, remedy: "Name a file." });
    const place = await placeOf(path);
    await access(dirname(resolve(place)), constants.W_OK).catch(() => {
      throw notWritable(path);
    });
    await probe(path, place);
  }
}

/** Names of open files: what stands behind them is somebody else's, even if it is a file. */
const OPEN_FILE = /^\/(dev\/(stdout|stderr|fd\/)|proc\/)/;

async function isStream(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => null);
  return info !== null && !info.isDirectory() && (!info.isFile() || OPEN_FILE.test(resolve(path)));
}

/** Where a link leads, so that the link stays one. */
async function placeOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

/** Permissions alone do not tell (a read-only disk, a full quota): a file is made and removed. */
async function probe(path: string, place: string): Promise<void> {
  const temporary = besideOf(place);
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

/** Writes the text pieces to the file, all of them or nothing; to standard output if the path is `-`. */
export async function writeWhole(path: string, pieces: Iterable<string>, io: Io): Promise<void> {
  if (path === "-") {
    for (const batch of batches(pieces)) await io.out(batch);
  } else if (await isStream(path)) {
    await writeFile(path, batches(pieces), { signal: io.signal }).catch((error) => {
      throw whyNotWritten(error, path);
    });
  } else await writeFileWhole(path, pieces, io.signal);
}

async function writeFileWhole(path: string, pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const place = await placeOf(path);
  const temporary = besideOf(place);
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
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw whyNotWritten(error, path);
  }
}

function whyNotWritten(error: unknown, path: string): unknown {
  if (!(error instanceof Error && "code" in error) || error.name === "AbortError") return error;
  return badInput(`The file could not be written (${error.code}).`, { file: path, remedy: "Nothing was left behind." });
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

/** The file, and beside it `FILE.source.json` that says which data it belongs to, if it belongs to any. */
export async function writeWithSource(
  path: string,
  pieces: Iterable<string>,
  source: () => Promise<Provenance | null>,
  io: Io,
): Promise<void> {
  if (path === "-" || (await isStream(path))) return await writeWhole(path, pieces, io);
  const made = await source();
  await writeFileWhole(path, pieces, io.signal);
  if (made) await writeFileWhole(`${path}.source.json`, [`${JSON.stringify(made, null, 2)}\n`]);
}
