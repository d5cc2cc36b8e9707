/**
 * Writes files under a temporary name beside their target, so that no reader sees a half-written file. A killed process leaves its
 * temporary files behind. The next program that writes into the folder removes the temporary files of ended processes.
 */
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasEnded, makerIn, stamped, unstamped } from "./makers.js";
import { placeOf } from "./places.js";

/** The only operation on an open file that is needed here. With Node's own type, the declarations would depend on Node's types. */
export interface OpenFile {
  write(bytes: Uint8Array, offset?: number): Promise<{ readonly bytesWritten: number }>;
}

export type Write = (file: OpenFile, bytes: Uint8Array) => Promise<void>;

/** A temporary file that is complete and on disk, but not yet renamed to its target. */
export interface Part {
  readonly name: string;
  readonly place: string;
  readonly part: string;
}

/** The temporary files of this process. It removes them when it exits normally; a killed process cannot do this. */
const unfinished = new Set<string>();
let watchesEnd = false;

/** A temporary name begins with at most this number of characters of its target's name, so that it is recognisable and not too long. */
const SHOWN = 40;

/** Returns a new temporary name beside a target. The file counts as unfinished until it is removed or renamed. */
export function newPart(place: string): string {
  const part = join(dirname(place), stamped([...basename(place)].slice(0, SHOWN).join(""), "part"));
  unfinished.add(part);
  if (!watchesEnd) process.on("exit", dropAll);
  watchesEnd = true;
  return part;
}

export function dropPart(part: string): void {
  rmSync(part, { force: true });
  unfinished.delete(part);
}

function dropAll(): void {
  for (const part of unfinished) dropPart(part);
}

export async function stage(
  name: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  { signal, write = writeAll }: { signal?: AbortSignal; write?: Write },
): Promise<Part> {
  const { path: place, mode } = placeOf(name);
  const part = newPart(place);
  try {
    // Create the file synchronously first. If the process exits before `open` returns, the exit handler finds the file.
    writeFileSync(part, "", { flag: "wx", mode: mode ?? 0o666 });
    const file = await open(part, "r+");
    try {
      // Set the permissions again, because the umask can have removed some. Ignore errors: some file systems have no permissions.
      if (mode !== undefined) await file.chmod(mode).catch(() => undefined);
      for await (const piece of pieces) {
        signal?.throwIfAborted();
        await write(file, Buffer.from(piece));
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { name, place, part };
  } catch (error) {
    dropPart(part);
    throw error;
  }
}

/** Like `stage`, but the function `make` writes the file, under the temporary name that it receives. */
export async function stageMade(name: string, make: (part: string) => Promise<void>): Promise<Part> {
  const { path: place } = placeOf(name);
  const part = newPart(place);
  try {
    await make(part);
    const file = await open(part, "r+");
    await file.sync().finally(() => file.close());
    return { name, place, part };
  } catch (error) {
    dropPart(part);
    throw error;
  }
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
}

/**
 * Renames temporary files to their targets. At the first failure, removes the remaining temporary files and returns the reason in `error`.
 */
export function putInPlace(parts: readonly Part[]): { readonly placed: readonly Part[]; readonly error?: unknown } {
  const placed: Part[] = [];
  try {
    for (const each of parts) {
      renameSync(each.part, each.place);
      unfinished.delete(each.part);
      placed.push(each);
    }
  } catch (error) {
    for (const { part } of parts.slice(placed.length)) dropPart(part);
    return { placed, error };
  }
  for (const folder of new Set(placed.map(({ place }) => dirname(place)))) trySyncFolder(folder);
  return { placed };
}

/** Flushes a folder, if the file system supports it. The files themselves are already flushed. */
function trySyncFolder(folder: string): void {
  try {
    syncFolder(folder);
  } catch {
    return;
  }
}

/** Flushes the entries of a folder to disk, so that they survive a power failure. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder. Its journal protects the names of new files.
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A temporary file of another machine is removed if nothing was written to it for this time, in milliseconds. */
const DAY_MS = 86_400_000;

/** Removes temporary files that killed processes left in a folder. Returns the names of their targets. */
export function removeStaleParts(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const maker = makerIn(name);
    if (!maker) return [];
    const info = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (!info?.isFile()) return [];
    const isOld = maker.host === "" && Date.now() - info.mtimeMs > DAY_MS;
    if (!isOld && !hasEnded(maker)) return [];
    rmSync(join(folder, name), { force: true });
    return name.endsWith(".part") ? [unstamped(name)] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // If the folder cannot be read, the names of its files are unknown.
    return [];
  }
}
