/** Which process made a file, and whether the process is still running. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

export interface Maker {
  readonly pid: number;
  readonly host: string;
  /** The start time of the process, if the system reports it. Systems reuse process ids, so the id alone does not identify a process. */
  readonly began: string | null;
}

export function thisProcess(): Maker {
  return { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
}

/** Whether the process has certainly ended. This is not known for processes of other machines, so the answer for them is false. */
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

/** The start time of a process in the system's own unit; "ended" for a zombie; null if the system does not report it. */
function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program is in brackets, and can itself contain blanks and brackets. So fields are counted after the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
}

const STAMP = /\.coterie-([0-9a-f]{8})-(\d+)-(\d+|x)-[0-9a-f]{12}\.(part|claim)$/;

/** A unique file name that identifies this process: `labels.csv.coterie-1f0c3a5e-812-99371-….part`. */
export function stamped(name: string, ending: "part" | "claim"): string {
  const { pid, began } = thisProcess();
  return `${name}.coterie-${hostStamp()}-${pid}-${began ?? "x"}-${randomBytes(6).toString("hex")}.${ending}`;
}

export function unstamped(name: string): string {
  return name.replace(STAMP, "");
}

/** The process that made a stamped name; null for other names. `host` is empty if the name was made on another machine. */
export function makerIn(name: string): Maker | null {
  const [all, host, pid, began] = STAMP.exec(name) ?? [];
  if (all === undefined) return null;
  return { pid: Number(pid), host: host === hostStamp() ? hostname() : "", began: began === "x" ? null : began! };
}

function hostStamp(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
