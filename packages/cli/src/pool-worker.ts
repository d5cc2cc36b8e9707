/** A worker thread of the pool in Node, which runs starts of a method in parallel. */
import { parentPort } from "node:worker_threads";
import { createSimdKernels } from "@coterie/kernels";
import { nodePort, serveStarts } from "@coterie/workbench";
import { pause } from "./host.js";

serveStarts(nodePort(parentPort!), createSimdKernels, pause);
