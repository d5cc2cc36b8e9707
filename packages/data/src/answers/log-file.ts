/**
 * The log of answers on disk. A record is appended and flushed before `append` returns, so that whoever is told that an answer
 * was taken can rely on it; a program that is killed leaves at most one unfinished last line, which the next one cuts off.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { badInput } from "@coterie/core";
import { lockLog } from "./lock.js";
import { type LogRecord, parseLog, recordLine, type Stretch } from "./records.js";

/** What the log needs of a file system, by number of an open file; handed in by tests. */
export interface LogFiles {
  open(path: string, how: "wx" | "r+"): number;
  read(path: string): Uint8Array;
  write(file: number, bytes: Uint8Array, from: number, at: number): number;
  size(file: number): number;
  truncate(file: number, length: number): void;
  /** Returns when everything written is on the disk. */
  sync(file: number): void;
  /** Returns when the folder knows of the file, also after a loss of power. */
  syncFolder(path: string): void;
  close(file: number): void;
}

export interface AnswersLog {
  /** What was in the file when it was opened. */
  readonly stretches: readonly Stretch[];
  /** Whether a last line that was never acknowledged was cut off. */
  readonly cut: boolean;
  /** Returns when the record is on the disk. */
  append(record: LogRecord): void;
  close(): void;
}

export interface OpenAnswersOptions {
  /** Go on with what the file holds; otherwise a file that holds anything is refused. */
  readonly resume: boolean;
  readonly files?: LogFiles;
}

export function openAnswers(path: string, { resume, files = nodeFiles }: OpenAnswersOptions): AnswersLog {
  const unlock = lockLog(path);
  try {
    return openLocked(path, resume, files, unlock);
  } catch (error) {
    unlock();
    throw error instanceof Error && "code" in error ? unusable(path, error) : error;
  }
}

function openLocked(path: string, resume: boolean, files: LogFiles, unlock: () => void): AnswersLog {
  const bytes = existsSync(path) ? files.read(path) : undefined;
  if (bytes && bytes.length > 0 && !resume) throw exists(path, bytes);
  const { stretches, whole, open } = parseLog(bytes ?? new Uint8Array(0), path);
  const file = files.open(path, bytes ? "r+" : "wx");
  let size = whole;
  const cut = bytes !== undefined && bytes.length > whole;
  const append = (text: string) => {
    size = appendWhole(path, file, text, size, files);
  };
  try {
    if (!bytes) files.syncFolder(path);
    if (cut) {
      files.truncate(file, whole);
      files.sync(file);
    }
    if (open) append("\n");
  } catch (error) {
    files.close(file);
    throw error;
  }
  return {
    stretches,
    cut,
    append: (record) => append(recordLine(record)),
    close() {
      files.close(file);
      // A log that was made for a dialogue that never began is no log.
      if (!bytes && size === 0) rmSync(path, { force: true });
      unlock();
    },
  };
}

/** All of the text on the disk, or none of it; the length of the file afterwards. */
function appendWhole(path: string, file: number, text: string, size: number, files: LogFiles): number {
  if (files.size(file) !== size) {
    throw badInput("Something else has changed the log of answers since it was opened.", {
      file: path,
      remedy: "Nothing more was written; look at its last lines, then go on with --resume.",
    });
  }
  const bytes = new TextEncoder().encode(text);
  try {
    for (let done = 0; done < bytes.length; ) done += files.write(file, bytes, done, size + done);
    files.sync(file);
  } catch (error) {
    takeBack(file, size, files);
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw badInput(`The answer could not be written (${String(code)}), so it was not taken.`, {
      file: path,
      remedy: "The answers before it are safe: make room, then go on with --resume.",
    });
  }
  return size + bytes.length;
}

function takeBack(file: number, size: number, files: LogFiles): void {
  try {
    files.truncate(file, size);
  } catch {
    // The next program to open the log cuts an unfinished line off.
  }
}

function exists(path: string, bytes: Uint8Array): Error {
  const remedy = "Go on with it (--resume), or name another file (--answers FILE).";
  let count: number;
  try {
    count = parseLog(bytes, path).stretches.reduce((sum, { answers }) => sum + answers.length, 0);
  } catch {
    return badInput("The file exists already, and is no log of answers.", {
      file: path,
      remedy: "Name another file (--answers FILE).",
    });
  }
  return badInput(`The file holds ${count} ${count === 1 ? "answer" : "answers"} already.`, { file: path, remedy });
}

function unusable(path: string, error: Error & { code?: unknown }): Error {
  return badInput(`The log of answers cannot be written here (${String(error.code)}).`, {
    file: path,
    remedy: "Check the permissions of file and folder, or write elsewhere with --answers.",
  });
}

export const nodeFiles: LogFiles = {
  open: (path, how) => openSync(path, how),
  read: (path) => readFileSync(path),
  write: (file, bytes, from, at) => writeSync(file, bytes, from, bytes.length - from, at),
  size: (file) => fstatSync(file).size,
  truncate: ftruncateSync,
  sync: fsyncSync,
  syncFolder(path) {
    // Windows cannot open a folder; its own journal keeps the name.
    if (process.platform === "win32") return;
    const folder = openSync(dirname(resolve(path)), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  },
  close: closeSync,
};
