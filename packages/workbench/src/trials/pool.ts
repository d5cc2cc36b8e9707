/** Runs trials in parallel: each worker has its own kernels and its own data. */
import { type Caller, WorkerEnded } from "../calls.js";
import type { Trial } from "./trial.js";

export interface Batch<Work> {
  readonly work: Work;
  readonly trials: readonly Trial[];
}

export interface FinishedTrial {
  readonly text: string;
  readonly trial: Trial;
}

export interface TrialPool<Work> {
  readonly size: number;
  /** Runs the trials of a batch. Calls `onLine` with the line of each finished trial, and waits until `onLine` has saved it. */
  measure(batch: Batch<Work>, onLine: (text: string, trial: Trial) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export type Measure<Work> = (trial: Trial, work: Work) => Promise<string>;

export async function runBatch<Work>(
  { work, trials }: Batch<Work>,
  measure: Measure<Work>,
  onStep: (finished: FinishedTrial) => void,
): Promise<void> {
  for (const trial of trials) onStep({ text: await measure(trial, work), trial });
}

/** Makes a pool of `size` workers. Workers are started when they are needed; a batch waits until a worker is free. */
export function workerPool<Work>(size: number, start: () => Caller | Promise<Caller>): TrialPool<Work> {
  const idle: Caller[] = [];
  const all: Caller[] = [];
  const closed = new Error("The pool is closed.");
  let isClosed = false;
  const started = async (): Promise<Caller> => {
    const worker = await start();
    all.push(worker);
    if (isClosed) worker.end(closed);
    return worker;
  };
  return {
    size,
    async measure(batch, onLine) {
      const worker = idle.pop() ?? (await started());
      try {
        await worker.call<unknown, FinishedTrial>(batch, { onStep: ({ text, trial }) => void onLine(text, trial) });
      } catch (error) {
        throw error instanceof WorkerEnded ? error.cause : error;
      }
      idle.push(worker);
    },
    close: async () => {
      isClosed = true;
      for (const worker of all) worker.end(closed);
    },
  };
}

/** A pool without workers. It runs the trials in this thread, and saves the line of each trial before the next trial begins. */
export function poolHere<Work>(measure: Measure<Work>, size = 1): TrialPool<Work> {
  return {
    size,
    async measure({ work, trials }, onLine) {
      for (const trial of trials) await onLine(await measure(trial, work), trial);
    },
    close: async () => {},
  };
}
