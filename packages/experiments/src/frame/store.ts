/**
 * The folder of results. Each finished trial appends a line of raw numbers, so that an interrupted run can continue. Pages are written
 * completely or not at all.
 */
import { randomUUID } from "node:crypto";
import { access, appendFile, constants, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { badInput, CoterieError } from "@coterie/core/internal";
import { takeLock } from "@coterie/data";
import type { Trial, TrialTable } from "./paper.js";
import { headerOf, type Kept, nameOf, parseTrials } from "./trials.js";

/** A program, and the number of lines of a table that it made. */
export interface Made {
  readonly commit: string;
  readonly version: string;
  readonly node: string;
  readonly trials: number;
}

/** The side file of a table. */
export interface TableRecord {
  readonly seed: number;
  readonly made: readonly Made[];
}

export interface Store {
  readonly folder: string;
  /** The saved lines. Throws if they were made with another seed. */
  read(paper: string, table: TrialTable, seed: number): Promise<ReadonlyMap<string, Kept>>;
  append(paper: string, table: TrialTable, text: string): Promise<void>;
  /** Sorts the lines into the order of their trials, after all are written. */
  tidy(paper: string, table: TrialTable, trials: readonly Trial[]): Promise<void>;
  /** The text of a file, null if it does not exist. */
  text(...path: string[]): Promise<string | null>;
  write(text: string, ...path: string[]): Promise<void>;
}

export function openStore(folder: string): Store {
  const fileOf = (paper: string, table: TrialTable): string => join(folder, paper, `${table.name}.csv`);
  const text = async (...path: string[]): Promise<string | null> => await readIfThere(join(folder, ...path));
  const opened = new Set<string>();
  const write = async (content: string, ...path: string[]): Promise<void> => await writeWhole(join(folder, ...path), content);
  return {
    folder,
    text,
    write,
    async read(paper, table, seed) {
      const file = fileOf(paper, table);
      const content = await readIfThere(file);
      if (content === null) return new Map();
      const record = await recordOf(text, paper, table);
      if (record && record.seed !== seed) {
        throw badInput(`These trials were made with seed ${record.seed}, not ${seed}.`, {
          file,
          remedy: "Choose another folder with --out.",
        });
      }
      return parseTrials(table, content, file);
    },
    async append(paper, table, lines) {
      const file = fileOf(paper, table);
      await onDisk(file, async () => {
        const begun = opened.has(file) || (await cutUnfinished(file));
        opened.add(file);
        await mkdir(dirname(file), { recursive: true });
        await appendFile(file, begun ? lines : headerOf(table) + lines);
      });
    },
    async tidy(paper, table, trials) {
      const file = fileOf(paper, table);
      const content = await readIfThere(file);
      if (content === null) return;
      const kept = parseTrials(table, content, file);
      const ordered = trials.flatMap(({ key }) => kept.get(nameOf(table, key))?.text ?? []);
      const whole = headerOf(table) + ordered.join("");
      if (whole !== content) await writeWhole(file, whole);
    },
  };
}

export async function recordOf(text: Store["text"], paper: string, table: TrialTable): Promise<TableRecord | null> {
  const content = await text(paper, `${table.name}.csv.json`);
  return content === null ? null : (JSON.parse(content) as TableRecord);
}

/** Cuts off an unfinished last line; false if even the header is missing. */
async function cutUnfinished(file: string): Promise<boolean> {
  const content = await readIfThere(file);
  if (content === null) return false;
  const end = content.lastIndexOf("\n") + 1;
  if (end < content.length) await truncate(file, Buffer.byteLength(content.slice(0, end)));
  return end > 0;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw badInput(`The file cannot be read (${code}).`, { file: path });
  }
}

async function writeWhole(path: string, content: string): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  await onDisk(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(part, content, { flush: true });
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  });
}

/** Turns failures of the disk, such as a full disk, into error sentences. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CoterieError || !(error instanceof Error && "code" in error)) throw error;
    throw badInput(`The file could not be written (${String(error.code)}).`, {
      file: path,
      remedy: "The finished trials are saved; the same command continues from there.",
    });
  }
}

/** Throws, before any work is done, if the folder is not writable. */
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

/** Locks a folder for one run at a time; returns a function that releases the lock. */
export function lockFolder(folder: string): () => void {
  const thing = { noun: "The folder", use: "is running experiments into this folder", option: "--out" };
  return takeLock(join(folder, ".reproduce.lock"), folder, thing);
}
