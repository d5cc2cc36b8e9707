/**
 * The folder of results. Raw numbers grow line by line while trials run, so that an interrupted run goes on from there; pages are
 * written whole or not at all.
 */
import { randomUUID } from "node:crypto";
import { access, appendFile, constants, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { badInput, CoterieError } from "@coterie/core/internal";
import { takeLock } from "@coterie/data";
import type { Trial, TrialTable } from "./paper.js";
import { headerOf, type Kept, nameOf, parseTrials } from "./trials.js";

/** Which program made how many lines of a table. */
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
  /** The lines that are there. Throws where they were made with another seed. */
  read(paper: string, table: TrialTable, seed: number): Promise<ReadonlyMap<string, Kept>>;
  append(paper: string, table: TrialTable, text: string): Promise<void>;
  /** Puts the lines into the order of their trials, once all are there. */
  tidy(paper: string, table: TrialTable, trials: readonly Trial[]): Promise<void>;
  /** The text of any file, null where there is none. */
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
          remedy: "Write elsewhere with --out.",
        });
      }
      return parseTrials(table, content, file);
    },
    async append(paper, table, lines) {
      const file = fileOf(paper, table);
      await onDisk(file, async () => {
        const begun = opened.has(file) || (await mendEnd(file));
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

/** Cuts off a line that was not finished; false where not even the header is there. */
async function mendEnd(file: string): Promise<boolean> {
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

/** A full disk or a folder without permission is told in a sentence. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CoterieError || !(error instanceof Error && "code" in error)) throw error;
    throw badInput(`The file could not be written (${String(error.code)}).`, {
      file: path,
      remedy: "Trials that are there already are kept; the same command goes on from them.",
    });
  }
}

/** Throws before any work is done when nothing could be written here. */
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

/** One run at a time writes into a folder; returns how to give it back. */
export function lockFolder(folder: string): () => void {
  const thing = { noun: "The folder", use: "is running experiments into this folder", option: "--out" };
  return takeLock(join(folder, ".reproduce.lock"), folder, thing);
}
