/** Runs trials in parallel: one thread per core, each with its own kernels and data. */
import { Worker } from "node:worker_threads";
import { Caller, nodePort, WorkerEnded } from "@coterie/workbench";
import type { Paper, Trial, TrialTable } from "./paper.js";

/** Some trials of one table. */
export interface TaskMessage {
  readonly paper: string;
  readonly table: string;
  readonly trials: readonly Trial[];
}

/** The line of a finished trial. */
export interface FinishedTrial {
  readonly text: string;
  readonly trial: Trial;
}

/** Runs the trials, and passes on the line of each finished trial. */
export type Measure = (task: TaskMessage, onLine: (text: string, trial: Trial) => void) => Promise<void>;

export interface Pool {
  readonly size: number;
  readonly measure: Measure;
  close(): Promise<void>;
}

export function findTable(papers: readonly Paper[], paper: string, name: string): TrialTable {
  const tables = papers.find((one) => one.name === paper)?.pages.flatMap((page) => page.tables) ?? [];
  const found = tables.find((table) => table.name === name);
  if (!found) throw new Error(`${paper} has no trials ${name}.`);
  return found;
}

/** A pool of `size` threads; a task waits for a free thread. */
export function threadPool(size: number): Pool {
  const idle: Caller[] = [];
  const all: Caller[] = [];
  const start = () => {
    const worker = new Caller(nodePort(new Worker(new URL("../worker.js", import.meta.url), { execArgv: [] })));
    all.push(worker);
    return worker;
  };
  return {
    size,
    async measure(task, onLine) {
      const worker = idle.pop() ?? start();
      try {
        await worker.call<unknown, FinishedTrial>(task, { onStep: ({ text, trial }) => onLine(text, trial) });
      } catch (error) {
        throw error instanceof WorkerEnded ? error.cause : error;
      }
      idle.push(worker);
    },
    close: async () => {
      for (const worker of all) worker.end(new Error("The pool is closed."));
    },
  };
}
