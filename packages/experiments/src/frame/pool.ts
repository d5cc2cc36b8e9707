/** Runs trials in parallel: one thread per core, each with its own kernels and data. */
import { Worker } from "node:worker_threads";
import { CoterieError, type Problem } from "@coterie/core/internal";
import type { Paper, Trial, TrialTable } from "./paper.js";

/** Some trials of one table. */
export interface TaskMessage {
  readonly paper: string;
  readonly table: string;
  readonly trials: readonly Trial[];
}

export type WorkerMessage =
  | { readonly text: string; readonly trial: Trial }
  | { readonly done: true }
  | { readonly problem: Problem }
  | { readonly bug: string };

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
  const idle: Worker[] = [];
  const all: Worker[] = [];
  const measure: Measure = async (task, onLine) => {
    const worker = idle.pop() ?? start(all);
    await new Promise<void>((resolve, reject) => {
      const onMessage = (message: WorkerMessage): void => {
        if ("text" in message) {
          onLine(message.text, message.trial);
          return;
        }
        leave();
        if ("done" in message) resolve();
        else reject("problem" in message ? new CoterieError(message.problem) : new Error(message.bug));
      };
      const onEnd = (cause: unknown): void => {
        leave();
        reject(cause instanceof Error ? cause : new Error(`A worker ended with ${String(cause)}.`));
      };
      const leave = (): void => void worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
      worker.postMessage(task);
    });
    idle.push(worker);
  };
  return { size, measure, close: async () => void (await Promise.all(all.map((worker) => worker.terminate()))) };
}

function start(all: Worker[]): Worker {
  const worker = new Worker(new URL("../worker.js", import.meta.url), { execArgv: [] });
  all.push(worker);
  return worker;
}
