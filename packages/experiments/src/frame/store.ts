/** The folder of results. It holds a line for each finished trial, so that an interrupted run can continue, and the pages. */

import { join } from "node:path";
import { badInput } from "@coterie/core/internal";
import { type LineFile, openLineFile, readIfThere, takeLock, writeWhole } from "@coterie/data";
import { headerOf, type Kept, parseTrials, sortedLines, type Trial, type TrialColumns } from "@coterie/workbench/trials";

export interface Made {
  readonly commit: string;
  readonly version: string;
  readonly node: string;
  readonly trials: number;
}

export interface TableRecord {
  readonly seed: number;
  readonly made: readonly Made[];
}

export interface Store {
  readonly folder: string;
  /** Reads the saved lines. Throws if they were made with another seed. */
  read(paper: string, table: TrialColumns, seed: number): Promise<ReadonlyMap<string, Kept>>;
  append(paper: string, table: TrialColumns, text: string): Promise<void>;
  tidy(paper: string, table: TrialColumns, trials: readonly Trial[]): Promise<void>;
  text(...path: string[]): Promise<string | null>;
  write(text: string, ...path: string[]): Promise<void>;
}

const REMEDY = "The finished trials are saved; the same command continues from there.";

export function openStore(folder: string): Store {
  const text = async (...path: string[]): Promise<string | null> => await readIfThere(join(folder, ...path));
  const opened = new Map<string, LineFile>();
  const fileOf = (paper: string, table: TrialColumns): LineFile => {
    const path = join(folder, paper, `${table.name}.csv`);
    const file = opened.get(path) ?? openLineFile(path, headerOf(table), REMEDY);
    opened.set(path, file);
    return file;
  };
  return {
    folder,
    text,
    write: async (content, ...path) => await writeWhole(join(folder, ...path), content, REMEDY),
    async read(paper, table, seed) {
      const file = fileOf(paper, table);
      const content = await file.read();
      if (content === null) return new Map();
      const record = await recordOf(text, paper, table);
      if (record && record.seed !== seed) {
        throw badInput(`These trials were made with seed ${record.seed}, not ${seed}.`, {
          file: file.path,
          remedy: "Choose another folder with --out.",
        });
      }
      return parseTrials(table, content, file.path);
    },
    append: async (paper, table, lines) => await fileOf(paper, table).append(lines),
    async tidy(paper, table, trials) {
      const file = fileOf(paper, table);
      const content = await file.read();
      if (content === null) return;
      const whole = sortedLines(table, parseTrials(table, content, file.path), trials, "drop");
      if (whole !== content) await file.replace(whole);
    },
  };
}

export async function recordOf(text: Store["text"], paper: string, table: TrialColumns): Promise<TableRecord | null> {
  const content = await text(paper, `${table.name}.csv.json`);
  return content === null ? null : (JSON.parse(content) as TableRecord);
}

/** Locks a folder, so that only one run at a time writes to it. Returns a function that releases the lock. */
export function lockFolder(folder: string): () => void {
  const thing = { noun: "The folder", use: "is running experiments into this folder", option: "--out" };
  return takeLock(join(folder, ".reproduce.lock"), folder, thing);
}
