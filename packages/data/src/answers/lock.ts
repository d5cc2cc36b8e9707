/**
 * A lock file beside the log names the process that writes to the log. So only one process writes at a time. If that process has ended, the
 * lock is stale: another process can remove it and make its own lock.
 *
 * Removing a stale lock is dangerous. Between the check and the removal, another process can replace the stale lock by a valid lock.
 * Therefore a process removes a stale lock in three steps:
 * 1. It makes a claim: a file with a name that is never reused.
 * 2. It looks for claims of other processes. If there is one, it deletes its own claim, waits a little and tries again.
 * 3. If there is none, it checks the lock once more, and removes it if it is still stale.
 *
 * If two processes make claims, the later process sees the claim of the earlier process. So at most one process removes the lock.
 */
import { closeSync, linkSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { badInput } from "@coterie/core/internal";
import { hasEnded, type Maker, makerIn, stamped, thisProcess } from "../writing/makers.js";
import { dropPart, newPart } from "../writing/parts.js";

export interface LockedThing {
  readonly noun: string;
  readonly use: string;
  readonly option: string;
  readonly isPrivate?: boolean;
}

const LOG: LockedThing = { noun: "The log of answers", use: "is asking with this log of answers", option: "--answers" };

/**
 * Takes the lock of a log, and returns a function that releases it. Throws if another process holds it.
 * path: the log file itself, not a link to it. name: what error messages call the file.
 */
export function lockLog(path: string, name = path): () => void {
  return takeLock(`${path}.lock`, name, LOG);
}

/** Maximum number of attempts to take the lock. If another process has a claim, the next attempt waits a little. */
const TRIES = 60;

export function takeLock(lock: string, name: string, thing: LockedThing): () => void {
  const own = JSON.stringify(thisProcess());
  for (let tries = 0; tries < TRIES; tries++) {
    if (make(lock, own, thing)) return () => giveBack(lock, own);
    const holder = holderOf(lock);
    if (holder === "gone") continue;
    if (holder === "unknown" || !hasEnded(holder)) throw inUse(name, lock, holder, thing);
    removeStale(lock, thing);
  }
  throw inUse(name, lock, "unknown", thing);
}

/** Creates the lock file with its text in one atomic step, by a hard link to a finished file. Returns false if a lock exists. */
function make(lock: string, own: string, thing: LockedThing): boolean {
  const part = newPart(lock);
  try {
    writeNew(part, own, thing);
    linkSync(part, lock);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.includes(String(code))) throw notLocked(lock, code, thing);
    return makeInSteps(lock, own, thing);
  } finally {
    dropPart(part);
  }
}

const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Creates the lock on a file system without hard links. There the lock file is empty for a moment. Returns false if a lock exists. */
function makeInSteps(lock: string, own: string, thing: LockedThing): boolean {
  try {
    writeNew(lock, own, thing);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw notLocked(lock, code, thing);
  }
  return read(lock) === own;
}

function writeNew(path: string, text: string, { isPrivate = false }: LockedThing): void {
  const file = openSync(path, "wx", isPrivate ? 0o600 : 0o666);
  try {
    const bytes = Buffer.from(text);
    if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
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

const LONGEST_WAIT_MS = 30;

/** Removes a stale lock. If another process has a claim, waits a little instead. */
function removeStale(lock: string, thing: LockedThing): void {
  const claim = stamped(lock, "claim");
  try {
    writeNew(claim, "", thing);
    if (isAlone(claim, lock)) {
      const holder = holderOf(lock);
      if (typeof holder === "object" && hasEnded(holder)) rmSync(lock, { force: true });
      return;
    }
  } catch (error) {
    throw notLocked(lock, (error as NodeJS.ErrnoException).code, thing);
  } finally {
    rmSync(claim, { force: true });
  }
  wait(1 + Math.random() * LONGEST_WAIT_MS);
}

/** Whether this process has the only claim on the lock; claims of ended processes do not count. */
function isAlone(own: string, lock: string): boolean {
  const folder = dirname(lock);
  const claims = readdirSync(folder).filter((name) => name.startsWith(`${basename(lock)}.`) && name.endsWith(".claim"));
  return claims.every((name) => {
    const maker = makerIn(name);
    if (name === basename(own) || maker === null) return true;
    if (!hasEnded(maker)) return false;
    rmSync(join(folder, name), { force: true });
    return true;
  });
}

function wait(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** If an empty lock file is younger than this, in milliseconds, it counts as valid. Its process is perhaps about to write its name. */
const YOUNG_MS = 5_000;

function holderOf(lock: string): Maker | "unknown" | "gone" {
  const text = read(lock);
  if (text === undefined) return "gone";
  try {
    const { pid, host, began = null } = JSON.parse(text);
    if (Number.isInteger(pid) && pid > 0 && typeof host === "string") return { pid, host, began };
  } catch {
    // The lock is empty: its process was killed before it wrote its name, or is still writing.
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

function notLocked(lock: string, code: string | undefined, { noun, option }: LockedThing): Error {
  const full = code === "ENOSPC" || code === "EDQUOT";
  return badInput(`${noun} cannot be locked (${code}).`, {
    file: lock,
    remedy: full
      ? `The disk is full: free some space, or choose another place with ${option}.`
      : `Check the permissions of the folder, or choose another place with ${option}.`,
  });
}

function inUse(path: string, lock: string, holder: Maker | "unknown", { use }: LockedThing): Error {
  const who = holder === "unknown" ? "Another program" : `Process ${holder.pid} on ${holder.host}`;
  return badInput(`${who} ${use}.`, {
    file: path,
    remedy: `End that program first. If it is not running any more, delete ${lock}.`,
  });
}
