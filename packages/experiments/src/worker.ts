/** A worker of the pool, as a worker thread of Node: runs the trials that it receives, one after the other. */
import { parentPort } from "node:worker_threads";
import { CoterieError } from "@coterie/core/internal";
import { findTable, type TaskMessage, type WorkerMessage } from "./frame/pool.js";
import { textOf } from "./frame/trials.js";
import { papers } from "./papers.js";

const port = parentPort!;
const post = (message: WorkerMessage): void => port.postMessage(message);

port.on("message", async ({ paper, table: name, trials }: TaskMessage) => {
  try {
    const table = findTable(papers, paper, name);
    for (const trial of trials) post({ text: textOf(table, trial, await table.measure(trial)), trial });
    post({ done: true });
  } catch (error) {
    if (error instanceof CoterieError) post({ problem: error.problem });
    else post({ bug: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
