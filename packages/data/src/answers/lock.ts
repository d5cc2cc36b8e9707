/**
 * A lock for one program at a time: a file beside the log names the process that writes to the log. A lock whose process has ended
 * is stale, and another process can remove it and take its own.
 *
 * Removing a stale lock is the dangerous step: meanwhile another process can have removed it and made its own lock. Therefore a
 * process first makes a claim, a file with a name that is never reused, and then looks for claims of other processes. Of two
 * processes, the later one sees the claim of the earlier one, so at most one process removes at a time. While it is the only
 * claimant, the stale lock cannot change: its own process has ended, and a new lock cannot be made where one exists.
 */
import { closeSync, linkSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { badInput } from "@coterie/core/internal";
import { hasEnded, type Maker, makerIn, stamped, thisProcess } from "../writing/makers.js";
import { dropPart, newPart } from "../writing/parts.js";

/** The thing that a lock protects, for error sentences. */
export interface LockedThing {
  readonly noun: string;
  /** What a program that holds the lock does, as the end of a sentence. */
  readonly use: string;
  /** The command-line option that chooses another file. */
  readonly option: string;
  /** Whether other users must not read the lock. */
  readonly isPrivate?: boolean;
}

const LOG: LockedThing = { noun: "The log of answers", use: "is asking with this log of answers", option: "--answers" };

/** Takes the lock of a log, or throws an error that names its holder. Returns a function that releases it. `path` is not a link. */
export function lockLog(path: string, name = path): () => void {
  return takeLock(`${path}.lock`, name, LOG);
}

/** How often a process tries again, after a short wait, if it sees other claims. */
const TRIES = 60;

/** Takes a lock, or throws an error that names its holder. Returns a function that releases it. `name` appears in error sentences. */
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

/** Creates the lock together with its text in one atomic step; false if a lock exists. */
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

/** Error codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Creates the lock on a file system without hard links, where the lock is empty for a moment. */
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

/** Creates a file with this text; after a failure it removes the file. */
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

/** Whether no other process that can still be running has a claim on the lock. */
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

/** An empty lock counts as valid for this long, because its process can be about to write its name. */
const YOUNG_MS = 5_000;

function holderOf(lock: string): Maker | "unknown" | "gone" {
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
