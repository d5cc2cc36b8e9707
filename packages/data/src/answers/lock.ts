/** One program at a time: a file beside the log names the process that writes to it. A lock whose process is gone is stale. */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { badInput } from "@coterie/core";

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system tells: numbers of processes are used again. */
  readonly began: string | null;
}

/** A lock that was made but not written to is given this long: its process may be about to. */
const YOUNG_MS = 5_000;

/** Takes the lock of a log, or says who has it; returns how to give it back. */
export function lockLog(path: string): () => void {
  const lock = `${path}.lock`;
  const own = JSON.stringify({ pid: process.pid, host: hostname(), began: beginningOf(process.pid) } satisfies Holder);
  for (let tries = 0; ; tries++) {
    if (make(lock, own)) return () => giveBack(lock, own);
    const holder = holderOf(lock);
    if (holder === "gone") continue;
    if (holder === "unknown" || !isStale(holder) || tries >= 5) throw inUse(path, lock, holder);
    rmSync(lock, { force: true });
  }
}

function make(lock: string, own: string): boolean {
  let file: number;
  try {
    file = openSync(lock, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw badInput(`The log of answers cannot be locked (${(error as NodeJS.ErrnoException).code}).`, {
      file: lock,
      remedy: "Check the permissions of the folder, or write elsewhere with --answers.",
    });
  }
  try {
    writeSync(file, own);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // Somebody who took the same stale lock for stale may have removed this one in its place.
  return read(lock) === own;
}

function read(lock: string): string | undefined {
  try {
    return readFileSync(lock, "utf8");
  } catch {
    return undefined;
  }
}

function giveBack(lock: string, own: string): void {
  if (read(lock) === own) rmSync(lock, { force: true });
}

function holderOf(lock: string): Holder | "unknown" | "gone" {
  const text = read(lock);
  if (text === undefined) return "gone";
  try {
    const { pid, host, began = null } = JSON.parse(text);
    if (Number.isInteger(pid) && pid > 0 && typeof host === "string") return { pid, host, began };
  } catch {
    // Killed between making the lock and writing to it, or still writing.
  }
  return ageOf(lock) > YOUNG_MS ? { pid: 0, host: hostname(), began: null } : "unknown";
}

function ageOf(lock: string): number {
  try {
    return Date.now() - statSync(lock).mtimeMs;
  } catch {
    return 0;
  }
}

function isStale({ pid, host, began }: Holder): boolean {
  if (host !== hostname()) return false;
  if (pid === 0 || !isAlive(pid)) return true;
  const now = beginningOf(pid);
  return began !== null && now !== null && began !== now;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return beginningOf(pid) !== "ended";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process began, in the system's own units; "ended" for one that only waits to be buried; null where nobody can tell. */
function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold blanks and brackets; the fields after it do not.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function inUse(path: string, lock: string, holder: Holder | "unknown"): Error {
  const who = holder === "unknown" ? "Another program" : `Process ${holder.pid} on ${holder.host}`;
  return badInput(`${who} is asking with this log of answers.`, {
    file: path,
    remedy: `Finish there first; if nobody does, delete ${lock}.`,
  });
}
