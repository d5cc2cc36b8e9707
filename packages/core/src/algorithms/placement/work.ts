/**
 * Counts the work of placing units. One unit of work is one read of a unit or neighbour. Limits by this count give the same result on every
 * machine; limits by time do not.
 */
import type { Step, Steps } from "../../steps/index.js";

export interface Work {
  left: number;
  /** Number of reads before the next yield. */
  due: number;
}

/** Number of reads between two yields, some milliseconds of work. */
const READS_PER_STEP = 200_000;

export function openWork(reads: number): Work {
  return { left: reads, due: READS_PER_STEP };
}

export function spend(work: Work, reads: number): boolean {
  work.left -= reads;
  work.due -= reads;
  if (work.due > 0) return false;
  work.due = READS_PER_STEP;
  return true;
}

export const PLACING: Step = { phase: "placing groups", done: 0, total: null };

export function* pausing<R>(search: Generator<undefined, R, void>, step: Step): Steps<R> {
  for (;;) {
    yield step;
    const result = search.next();
    if (result.done) return result.value;
  }
}
