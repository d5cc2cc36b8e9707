/** Runs the trials that have no line yet, in batches on all workers, and estimates the remaining time. */
import type { TrialPool } from "./pool.js";
import type { Trial } from "./trial.js";

export interface Job<Work> {
  readonly work: Work;
  readonly title: string;
  readonly trials: readonly Trial[];
  readonly append: (line: string) => Promise<void>;
}

export interface Progress {
  readonly title: string;
  readonly done: number;
  readonly total: number;
  /** The estimated remaining time; null until enough trials have ended for an estimate. */
  readonly secondsLeft: number | null;
}

/** Approximate time of a batch of trials, in milliseconds. Sending a batch to a worker takes much less time. */
const BATCH_MILLISECONDS = 400;

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly clock: Clock;
}

export async function runJobs<Work>(jobs: readonly Job<Work>[], pool: TrialPool<Work>, options: RunOptions): Promise<void> {
  const { signal, onProgress = () => {}, clock } = options;
  const batches = jobs.flatMap((job) => batchesOf(job).map((trials) => ({ job, trials })));
  let next = 0;
  let failed = false;
  let writing: Promise<void> = Promise.resolve();
  const save = async ({ title, append }: Job<Work>, text: string, trial: Trial): Promise<void> => {
    await append(text);
    onProgress({ title, ...clock.tick(trial) });
  };
  const work = async (): Promise<void> => {
    while (next < batches.length && !failed && !signal?.aborted) {
      const { job, trials } = batches[next++]!;
      await pool.measure({ work: job.work, trials }, (text, trial) => {
        // Lines are written one after the other. If writing fails, for example because the disk is full, the run ends.
        if (!failed && !signal?.aborted) writing = writing.then(() => save(job, text, trial));
        writing.catch(() => {});
        return writing;
      });
      await writing;
    }
  };
  const stop = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    signal?.throwIfAborted();
    const workers = Array.from({ length: Math.min(pool.size, batches.length) }, work);
    await Promise.race([Promise.all(workers), ...(signal ? [stop] : [])]);
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    await writing.catch(() => {});
  }
}

function batchesOf({ trials }: Pick<Job<unknown>, "trials">): Trial[][] {
  const batches: Trial[][] = [];
  let room = 0;
  for (const trial of trials) {
    const last = batches.at(-1);
    const alike = last?.[0]?.needs.join() === trial.needs.join();
    const grouped = trial.group !== undefined && trial.group === last?.at(-1)?.group;
    if (last && (grouped || (alike && room >= trial.cost))) last.push(trial);
    else {
      batches.push([trial]);
      room = BATCH_MILLISECONDS;
    }
    room -= trial.cost;
  }
  return batches;
}

export interface Clock {
  tick(trial: Trial): Pick<Progress, "done" | "total" | "secondsLeft">;
}

export function startClock(trials: readonly Trial[]): Clock {
  const expected = trials.reduce((sum, { cost }) => sum + cost, 0);
  const begin = performance.now();
  let done = 0;
  let spent = 0;
  return {
    tick({ cost }) {
      done++;
      spent += cost;
      const passed = performance.now() - begin;
      const secondsLeft = passed < 3000 || spent < 0.02 * expected ? null : (((expected - spent) / spent) * passed) / 1000;
      return { done, total: trials.length, secondsLeft };
    },
  };
}

export function durationInWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}
