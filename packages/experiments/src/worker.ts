/** A worker of the pool, as a worker thread of Node: runs the trials that it receives, one after the other. */
import { parentPort } from "node:worker_threads";
import { nodePort, serve } from "@coterie/workbench";
import { type FinishedTrial, findTable, type TaskMessage } from "./frame/pool.js";
import { textOf } from "./frame/trials.js";
import { papers } from "./papers.js";

serve<TaskMessage, FinishedTrial>(nodePort(parentPort!), async ({ paper, table: name, trials }, { onStep }) => {
  const table = findTable(papers, paper, name);
  for (const trial of trials) onStep({ text: textOf(table, trial, await table.measure(trial)), trial });
});
