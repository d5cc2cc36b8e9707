/** Work of placing units, counted in looks at a unit or a neighbour: the same on every machine, whatever its load. */
import type { Step, Steps } from "../../steps/index.js";

export interface Work {
  /** Looks that may still be taken; searches end where they stand once there are none. */
  left: number;
  /** Looks until the next step. */
  due: number;
}

/** Some milliseconds. */
const LOOKS_PER_STEP = 200_000;

export function openWork(looks: number): Work {
  return { left: looks, due: LOOKS_PER_STEP };
}

/** Counts looks; true when it is time for a step. */
export function spend(work: Work, looks: number): boolean {
  work.left -= looks;
  work.due -= looks;
  if (work.due > 0) return false;
  work.due = LOOKS_PER_STEP;
  return true;
}

export const PLACING: Step = { phase: "placing groups", done: 0, total: null };

/** A search of the diagnosis as steps of a method: each pause is one. */
export function* pausing<R>(search: Generator<undefined, R, void>, step: Step): Steps<R> {
  for (;;) {
    yield step;
    const turn = search.next();
    if (turn.done) return turn.value;
  }
}
