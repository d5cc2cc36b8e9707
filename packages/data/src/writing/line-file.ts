/** Text files that grow by complete lines, so that a program can continue an interrupted file. */
import { access, appendFile, constants, mkdir, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { badInput, CoterieError } from "@coterie/core/internal";
import { putInPlace, stage } from "./parts.js";

export interface LineFile {
  readonly path: string;
  /** Returns the content of the file; null if the file does not exist. */
  read(): Promise<string | null>;
  /** Appends complete lines; the promise resolves when they are on disk. A new file gets the header first. */
  append(lines: string): Promise<void>;
  /** Replaces the whole file, completely or not at all. */
  replace(content: string): Promise<void>;
}

/** Opens a text file that grows by lines. header: the first line of a new file. remedy: advice in the error message of a failed write. */
export function openLineFile(path: string, header: string, remedy: string): LineFile {
  let isBegun = false;
  return {
    path,
    read: () => readIfThere(path),
    append: (lines) =>
      onDisk(path, remedy, async () => {
        const begun = isBegun || (await cutUnfinished(path));
        await mkdir(dirname(path), { recursive: true });
        await appendFile(path, begun ? lines : header + lines, { flush: true });
        isBegun = true;
      }),
    replace: (content) => writeWhole(path, content, remedy),
  };
}

/** Removes an unfinished last line, which a killed program leaves behind. Returns false if the file has no complete header. */
async function cutUnfinished(path: string): Promise<boolean> {
  const content = await readIfThere(path);
  if (content === null) return false;
  const end = content.lastIndexOf("\n") + 1;
  if (end < content.length) await truncate(path, Buffer.byteLength(content.slice(0, end)));
  return end > 0;
}

export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw badInput(`The file cannot be read (${code}).`, { file: path });
  }
}

/** Writes a file completely or not at all, and creates its missing folders. */
export async function writeWhole(path: string, content: string, remedy: string): Promise<void> {
  await onDisk(path, remedy, async () => {
    await mkdir(dirname(path), { recursive: true });
    const { error } = putInPlace([await stage(path, [content], {})]);
    if (error !== undefined) throw error;
  });
}

/** Creates the folder if it is missing. Throws if files cannot be written into it. Called before long work starts. */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw badInput(`Nothing can be written in this folder (${(error as NodeJS.ErrnoException).code}).`, {
      file: folder,
      remedy: "Name another with --out.",
    });
  }
}

async function onDisk<T>(path: string, remedy: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CoterieError || !(error instanceof Error && "code" in error)) throw error;
    throw badInput(`The file could not be written (${String(error.code)}).`, { file: path, remedy });
  }
}
