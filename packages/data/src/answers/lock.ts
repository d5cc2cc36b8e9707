/**
 * One program at a time: a file beside the log names the process that writes to it. A lock whose process has ended is stale, and
 * may be taken over.
 *
 * To remove a stale lock is the dangerous part: by then somebody else may have done so, and the lock that is there may be theirs. So
 * whoever wants to first makes a claim, a file of a name that is never used again, and looks for claims of others afterwards. Of two
 * who remove, the later to claim would have seen the other's claim; so only one removes at a time. A stale lock that is looked at
 * by the only claimant is gone by nobody else's hand: its own process has ended, and nobody can make a lock where one is.
 */
import { closeSync, linkSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { badInput } from "@coterie/core/internal";
import { hasEnded, type Maker, makerIn, stamped, thisProcess } from "../writing/makers.js";
import { dropPart, newPart } from "../writing/parts.js";

/** A lock that was made but not written to is given this long: its process may be about to. */
const YOUNG_MS = 5_000;
/** Who meets other claims waits a little and tries again, so often. */
const TRIES = 60;
const LONGEST_WAIT_MS = 30;

/** What a lock is of, for the sentences about it. */
export interface LockedThing {
  readonly noun: string;
  /** What a program that holds it does. */
  readonly use: string;
  /** The option that names another. */
  readonly option: string;
  /** Whether nobody else is to read the lock. */
  readonly isPrivate?: boolean;
}

const LOG: LockedThing = { noun: "The log of answers", use: "is asking with this log of answers", option: "--answers" };

/** Takes the lock of a log, or says who has it; returns how to give it back. `path` is the file itself, no link to it. */
export function lockLog(path: string, name = path): () => void {
  return takeLock(`${path}.lock`, name, LOG);
}

/** Takes a lock, or says who has it; returns how to give it back. `name` is what people call the thing that is locked. */
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

/** Makes the lock with its text in it, at once; false if there is one. */
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

/** What disks say that know only one name for a file. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** On such a disk the lock is empty for a moment. */
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

/** A new file with this text, or none. */
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

/** Removes a lock that is still stale, unless others are about to; then waits a little for them. */
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

/** Whether no other process that may be there still has a claim on the lock. */
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
      ? `The disk is full: make room, or write elsewhere with ${option}.`
      : `Check the permissions of the folder, or write elsewhere with ${option}.`,
  });
}

function inUse(path: string, lock: string, holder: Maker | "unknown", { use }: LockedThing): Error {
  const who = holder === "unknown" ? "Another program" : `Process ${holder.pid} on ${holder.host}`;
  return badInput(`${who} ${use}.`, {
    file: path,
    remedy: `Finish there first; if nobody does, delete ${lock}.`,
  });
}
