/**
 * One loop per method. A method is a generator that yields a snapshot per step and returns its result. Drivers run this one loop in
 * different ways: at once, with pauses and cancellation, with progress, or as an animation.
 */

/** What a driver can show between two steps. Snapshots are copies and never change after they are yielded. */
export interface Step {
  /** The current activity in words: "distances", "merging". */
  readonly phase: string;
  readonly done: number;
  /** Null while unknown. */
  readonly total: number | null;
  readonly objective?: number;
}

export type Steps<R> = Generator<Step, R, void>;

/** Runs a method, or any generator with pauses, to its end without pausing. */
export function drain<R>(steps: Generator<unknown, R, void>): R {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

export interface DriveOptions {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
  /** Lets the host run other tasks: setImmediate, a MessageChannel, or similar. Core has no scheduler of its own. */
  readonly pause: () => Promise<void>;
  /** Whether a pause is due; a host with a clock returns true about every 16 ms. Default: pause after every step. */
  readonly due?: () => boolean;
}

/** Runs a method step by step. Checks the signal between steps, and always closes the generator. */
export async function drive<R>(steps: Steps<R>, { signal, onStep, pause, due = always }: DriveOptions): Promise<R> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = steps.next();
      if (next.done) return next.value;
      onStep?.(next.value);
      if (due()) await pause();
    }
  } finally {
    steps.return(undefined as never);
  }
}

function always(): boolean {
  return true;
}
