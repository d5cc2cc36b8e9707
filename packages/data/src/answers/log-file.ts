/**
 * The log of answers on disk. A record is appended and flushed before `append` returns, so a confirmed answer is never lost. If the program
 * is killed, at most the last line is unfinished; the next program removes it.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { badInput } from "@coterie/core/internal";
import { syncFolder } from "../writing/parts.js";
import { placeOf } from "../writing/places.js";
import { lockLog } from "./lock.js";
import { type LogRecord, parseLog, recordLine, type Stretch } from "./records.js";

/** The file operations that the log needs, by file descriptor. Tests pass their own implementation. */
export interface LogFiles {
  open(path: string, how: "wx" | "r+"): number;
  read(path: string): Uint8Array;
  write(file: number, bytes: Uint8Array, from: number, at: number): number;
  size(file: number): number;
  truncate(file: number, length: number): void;
  sync(file: number): void;
  /** Flushes the folder of the file `path`. Without this, a power failure can remove a new file from its folder. */
  syncFolder(path: string): void;
  close(file: number): void;
}

export interface AnswersLog {
  /** The start records of an existing log that is continued, each with the answers after it. Empty for a new log. */
  readonly stretches: readonly Stretch[];
  /** The line number of the last start record in the file, from 1; 0 if there is no start record. Messages use it. */
  readonly startLine: number;
  /** Whether an unfinished last line was removed when the log was opened. Its answer was never confirmed, so none is lost. */
  readonly cut: boolean;
  append(record: LogRecord): void;
  close(): void;
}

export interface OpenAnswersOptions {
  /** Whether to continue an existing log. If false, a log with answers, or a file that is not a log, is an error. */
  readonly resume: boolean;
  readonly files?: LogFiles;
}

export function openAnswers(path: string, { resume, files = nodeFiles }: OpenAnswersOptions): AnswersLog {
  // The lock is beside the real file, so that it also works if the log is opened through a link.
  const { path: place, kind } = placeOf(path);
  if (kind === "folder" || kind === "stream")
    throw badInput("The log of answers must be a file on a disk.", { file: path, remedy: "Name another (--answers FILE)." });
  const unlock = lockLog(place, path);
  try {
    return openLocked(path, place, resume, files, unlock);
  } catch (error) {
    unlock();
    throw error instanceof Error && "code" in error ? unusable(path, error) : error;
  }
}

function openLocked(path: string, place: string, resume: boolean, files: LogFiles, unlock: () => void): AnswersLog {
  const bytes = existsSync(place) ? files.read(place) : undefined;
  if (bytes && !resume) refuseAnswers(path, bytes);
  const { stretches, starts, whole, open } = parseLog(bytes ?? new Uint8Array(0), path);
  const file = files.open(place, bytes ? "r+" : "wx");
  let size = whole;
  const cut = bytes !== undefined && bytes.length > whole;
  const append = (text: string, what: LogRecord["record"] = "answer") => {
    size = appendWhole({ path, file, files }, text, size, what);
  };
  try {
    if (!bytes) files.syncFolder(place);
    if (cut) {
      files.truncate(file, whole);
      files.sync(file);
    }
    if (open) append("\n");
  } catch (error) {
    files.close(file);
    if (!bytes) rmSync(place, { force: true });
    throw error;
  }
  return {
    stretches: resume ? stretches : [],
    startLine: (resume ? starts.at(-1) : undefined) ?? 0,
    cut,
    append: (record) => append(recordLine(record), record.record),
    close() {
      try {
        files.close(file);
        // Remove the empty log of a dialogue that did not begin.
        if (!bytes && size === 0) rmSync(place, { force: true });
      } finally {
        unlock();
      }
    },
  };
}

interface OpenLog {
  readonly path: string;
  readonly file: number;
  readonly files: LogFiles;
}

function appendWhole({ path, file, files }: OpenLog, text: string, size: number, what: LogRecord["record"]): number {
  if (files.size(file) !== size) {
    throw badInput("Another program has changed the log of answers since it was opened.", {
      file: path,
      remedy: "Nothing more was written. Look at the last lines of the log, then continue with --resume.",
    });
  }
  const bytes = new TextEncoder().encode(text);
  try {
    for (let done = 0; done < bytes.length; ) {
      const taken = files.write(file, bytes, done, size + done);
      if (taken === 0) throw Object.assign(new Error("no room"), { code: "ENOSPC" });
      done += taken;
    }
    files.sync(file);
  } catch (error) {
    takeBack(file, size, files);
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw notWritten(path, String(code), what);
  }
  return size + bytes.length;
}

function notWritten(path: string, code: string, what: LogRecord["record"]): Error {
  if (what === "start") {
    return badInput(`The log of answers could not be created (${code}).`, {
      file: path,
      remedy: "Free some space, or choose another file with --answers.",
    });
  }
  return badInput(`The ${what} could not be written (${code}), so it was not accepted.`, {
    file: path,
    remedy: "The earlier answers are safe: free some space, then continue with --resume.",
  });
}

function takeBack(file: number, size: number, files: LogFiles): void {
  try {
    files.truncate(file, size);
  } catch {
    // If truncating fails too, the next program that opens the log removes the unfinished line.
  }
}

/** Throws if a log has answers. A log without answers can be used again; its old start record and its undone answers stay in the file. */
function refuseAnswers(path: string, bytes: Uint8Array): void {
  let count: number;
  try {
    count = parseLog(bytes, path).stretches.reduce((sum, { answers }) => sum + answers.length, 0);
  } catch {
    throw badInput("The file exists and is not a log of answers.", {
      file: path,
      remedy: "Name another file (--answers FILE).",
    });
  }
  if (count === 0) return;
  throw badInput(`The file already holds ${count} ${count === 1 ? "answer" : "answers"}.`, {
    file: path,
    remedy: "Continue it (--resume), or name another file (--answers FILE).",
  });
}

function unusable(path: string, error: Error & { code?: unknown }): Error {
  return badInput(`The log of answers cannot be written here (${String(error.code)}).`, {
    file: path,
    remedy: "Check the permissions of file and folder, or choose another file with --answers.",
  });
}

export const nodeFiles: LogFiles = {
  open: (path, how) => openSync(path, how),
  read: (path) => readFileSync(path),
  write: (file, bytes, from, at) => writeSync(file, bytes, from, bytes.length - from, at),
  size: (file) => fstatSync(file).size,
  truncate: ftruncateSync,
  sync: fsyncSync,
  syncFolder: (path) => syncFolder(dirname(resolve(path))),
  close: closeSync,
};
