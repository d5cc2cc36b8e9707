/** The processor time of a process, which does not depend on the load of the machine. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Processor time of a process so far, in seconds; null if the system does not report it. */
export function workOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

/** Resolves when the process has used `seconds` of processor time from now on, or has ended. */
export async function worked(child: ChildProcess, seconds: number): Promise<void> {
  const begun = workOf(child.pid!) ?? 0;
  for (let waits = 0; waits < 6_000 && child.exitCode === null; waits++) {
    const now = workOf(child.pid!);
    if (now !== null && now - begun >= seconds) return;
    // Without processor times, wait twice as long.
    if (now === null) return await pause(2_000 * seconds);
    await pause(10);
  }
}
