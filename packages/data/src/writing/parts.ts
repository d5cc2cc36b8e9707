/**
 * Files that are being written: under another name beside their place, so that nothing is ever seen half-written. Whoever is killed
 * meanwhile leaves them behind; the next program that writes into the folder removes those whose process has ended.
 */
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasEnded, makerIn, stamped, unstamped } from "./makers.js";
import { placeOf } from "./places.js";

/** The one thing that is done to an open file; types of Node's stay out of the declarations. */
export interface OpenFile {
  write(bytes: Uint8Array, offset?: number): Promise<{ readonly bytesWritten: number }>;
}

/** Appends the bytes to an open file. */
export type Write = (file: OpenFile, bytes: Uint8Array) => Promise<void>;

/** A file that is complete, flushed, and not yet in its place. */
export interface Part {
  /** As the person named it. */
  readonly name: string;
  readonly place: string;
  readonly part: string;
}

export interface StageOptions {
  readonly signal?: AbortSignal;
  readonly write?: Write;
}

/** Enough of a name to tell whose part it is, and never too long for a disk. */
const SHOWN = 40;
/** A part of another machine that nobody has written to for so long is stale. */
const DAY_MS = 86_400_000;

/** Parts of this process. One that ends in a hurry removes them; one that is killed cannot. */
const unfinished = new Set<string>();
let watchesEnd = false;

/** The name of a new part beside a place. It is unfinished until it is dropped or put in its place. */
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

/** Writes a file beside its place. It has the permissions of the file that it will replace. */
export async function stage(
  name: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  { signal, write = writeAll }: StageOptions,
): Promise<Part> {
  const { path: place, mode } = placeOf(name);
  const part = newPart(place);
  try {
    // Made at once, opened later: a process that ends meanwhile finds all that it has to remove.
    writeFileSync(part, "", { flag: "wx", mode: mode ?? 0o666 });
    const file = await open(part, "r+");
    try {
      // What the umask took away; a disk without permissions has none to give.
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

/** The same for a file that somebody else writes, under the name that `make` is given. */
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

/** The default `write`. */
async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
}

/** Puts each part in its place, all in one go; at the first that cannot be, the rest is dropped and `error` says why. */
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

/** Not every disk can; the files themselves are flushed. */
function trySyncFolder(folder: string): void {
  try {
    syncFolder(folder);
  } catch {
    return;
  }
}

/** Returns when a folder knows of its files for good, also after a loss of power. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder; its own journal keeps the names.
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes what killed processes left unfinished in a folder; returns the names of the files that it was to become. */
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
    // Whoever cannot look into a folder may still write into it.
    return [];
  }
}
