/** Processor time of this thread, in milliseconds. It does not depend on other programs on the machine. */
import { readFileSync } from "node:fs";

/** Linux reports the processor time of a thread; on other systems this is the elapsed time. */
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
