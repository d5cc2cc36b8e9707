/**
 * One loop per method. A method is a generator that yields a snapshot per step and returns its result; running it at once,
 * running it politely with cancellation, showing its progress and animating it are all drivers of that one loop.
 */

/** What a driver can show between two steps. Snapshots are copies: they never change after they were yielded. */
export interface Step {
  /** What is being done now, in words: "distances", "merging". */
  readonly phase: string;
  readonly done: number;
  /** Null while nobody can know. */
  readonly total: number | null;
  readonly objective?: number;
}

export type Steps<R> = Generator<Step, R, void>;

/** Runs a method, or any work that pauses, to its end, at once. */
export function drain<R>(steps: Generator<unknown, R, void>): R {
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
  }
}

export interface DriveOptions {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
  /** Gives the host a turn: setImmediate, a MessageChannel, whatever it has. Core owns no scheduler. */
  readonly pause: () => Promise<void>;
  /** Whether a pause is due; a host with a clock says so every 16 ms or so. Without it every step pauses. */
  readonly due?: () => boolean;
}

/** Runs a method step by step; the signal is heeded between steps, and the generator is closed whatever happens. */
export async function drive<R>(steps: Steps<R>, { signal, onStep, pause, due = always }: DriveOptions): Promise<R> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const turn = steps.next();
      if (turn.done) return turn.value;
      onStep?.(turn.value);
      if (due()) await pause();
    }
  } finally {
    steps.return(undefined as never);
  }
}

function always(): boolean {
  return true;
}
