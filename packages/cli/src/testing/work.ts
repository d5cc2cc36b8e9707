/** How much a process has worked, in processor time: a busy machine changes nothing. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Processor time of a process so far, in seconds; null where the system does not tell. */
export function workOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

/** Resolves once the process has worked for so many seconds from now on, or has ended. */
export async function worked(child: ChildProcess, seconds: number): Promise<void> {
  const begun = workOf(child.pid!) ?? 0;
  for (let waits = 0; waits < 6_000 && child.exitCode === null; waits++) {
    const now = workOf(child.pid!);
    if (now !== null && now - begun >= seconds) return;
    // Without a count, twice the time is as good a guess as any.
    if (now === null) return await pause(2_000 * seconds);
    await pause(10);
  }
}
