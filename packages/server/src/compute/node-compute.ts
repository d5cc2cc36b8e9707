/** Tasks in threads of Node's. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type Compute, createRemoteCompute } from "@coterie/workbench";

/** One for what people wait for, and at least two for long work. */
export function createNodeCompute(version: string, size = Math.max(3, availableParallelism())): Compute {
  return createRemoteCompute(size, () => {
    // What node was started with is not for threads.
    const worker = new Worker(workerFile(), { workerData: { version }, execArgv: [] });
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      onMessage: (listener) => worker.on("message", listener),
      onError: (listener) => worker.on("error", listener),
      close: () => void worker.terminate(),
    };
  });
}

/** Tests run the sources; a thread needs the build. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "../../dist/compute/task-worker.js" : "./task-worker.js", import.meta.url);
}
