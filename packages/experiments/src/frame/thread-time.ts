/** Processor time of this thread, in milliseconds. Unlike elapsed time, it does not depend on other running programs. */
import { readFileSync } from "node:fs";

/** Processor time of this thread. Only Linux reports this time; other systems return the elapsed time. */
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
