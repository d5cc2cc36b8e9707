/** A worker of the pool, as a worker thread of Node. */
import { parentPort } from "node:worker_threads";
import { createSimdKernels } from "@coterie/kernels";
import { serveStarts } from "@coterie/workbench";
import { pause } from "./host.js";

const port = parentPort!;
serveStarts(
  {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on("message", listener),
    onError: () => {},
    close: () => port.close(),
  },
  createSimdKernels,
  pause,
);
