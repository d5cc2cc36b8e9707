/** A worker of the studio, in a thread of Node's. */
import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "@coterie/workbench";
import { nodeHost } from "./node-host.js";

const port = parentPort!;
serveTasks(
  {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on("message", listener),
    onError: () => {},
    close: () => port.close(),
  },
  nodeHost(String((workerData as { version?: unknown }).version ?? "")),
);
