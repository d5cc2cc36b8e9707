/** A worker of the pool, as a worker thread of Node. */
import { parentPort } from "node:worker_threads";
import { createSimdKernels } from "@coterie/kernels";
import { nodePort, serveStarts } from "@coterie/workbench";
import { pause } from "./host.js";

serveStarts(nodePort(parentPort!), createSimdKernels, pause);
