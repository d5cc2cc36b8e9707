/** A worker of the pool, as a worker thread of Node: runs the trials that it receives, one after the other. */
import { parentPort } from "node:worker_threads";
import { nodePort, serve } from "@coterie/workbench";
import { type Batch, type FinishedTrial, runBatch } from "@coterie/workbench/trials";
import { measured, type TableName } from "./frame/pool.js";
import { papers } from "./papers.js";

serve<Batch<TableName>, FinishedTrial>(nodePort(parentPort!), (batch, { onStep }) =>
  runBatch(batch, (trial, name) => measured(papers, trial, name), onStep),
);
