/** Processor time of this thread, in milliseconds: what others do on the machine does not count. */
import { readFileSync } from "node:fs";

/** Linux tells how long a thread has been on a processor; elsewhere the clock has to do. */
function threadTime(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

export function timed<R>(work: () => R): { readonly result: R; readonly milliseconds: number } {
  const begin = threadTime();
  const result = work();
  return { result, milliseconds: threadTime() - begin };
}
