/** Which process made a file, and whether it is still there. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

export interface Maker {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system tells: numbers of processes are used again. */
  readonly began: string | null;
}

export function thisProcess(): Maker {
  return { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
}

/** Whether the process is known to have ended; those of other machines cannot be asked. */
export function hasEnded({ pid, host, began }: Maker): boolean {
  if (host !== hostname()) return false;
  if (!isAlive(pid)) return true;
  const now = beginningOf(pid);
  return began !== null && now !== null && began !== now;
}

function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
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

const STAMP = /\.coterie-([0-9a-f]{8})-(\d+)-(\d+|x)-[0-9a-f]{12}\.(part|claim)$/;

/** A file's name with this process in it, unlike any that was ever made: `labels.csv.coterie-1f0c3a5e-812-99371-….part`. */
export function stamped(name: string, ending: "part" | "claim"): string {
  const { pid, began } = thisProcess();
  return `${name}.coterie-${hostStamp()}-${pid}-${began ?? "x"}-${randomBytes(6).toString("hex")}.${ending}`;
}

/** The name that was stamped. */
export function unstamped(name: string): string {
  return name.replace(STAMP, "");
}

/** Who made a file of such a name; null for a file of anybody else. A machine that is not this one has no name. */
export function makerIn(name: string): Maker | null {
  const [all, host, pid, began] = STAMP.exec(name) ?? [];
  if (all === undefined) return null;
  return { pid: Number(pid), host: host === hostStamp() ? hostname() : "", began: began === "x" ? null : began! };
}

function hostStamp(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
