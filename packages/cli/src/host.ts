/** What Node lends to a run: kernels with threads, a pool of workers, and a turn for the event loop. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { createPool, type Port, type RunHost } from "@coterie/workbench";

export interface NodeHost {
  readonly host: Pick<RunHost, "kernels" | "pool" | "pause">;
  close(): Promise<void>;
}

/** Rows of so many bytes are not copied for each worker of a pool. */
const LARGE = 2 ** 27;

/** Below this many rows a run is over before a second thread has started. */
const ROWS_WORTH_THREADS = 2_000;

/**
 * `workers` is the number of cores to use for a table of n rows. Starts run side by side in the pool, each on one core; a single
 * run uses the same number of threads inside its kernels. The answer does not depend on it.
 *
 * `memory`: where kernels can work on the rows as they are. If it is large, one start follows the other, since workers of a pool would need a copy each.
 */
export async function createHost(n: number, workers = availableParallelism(), memory?: WebAssembly.Memory): Promise<NodeHost> {
  if (memory && memory.buffer.byteLength >= LARGE) {
    const kernels = await createKernels({ threads: workers, memory });
    return { host: { kernels, pause }, close: async () => kernels.dispose() };
  }
  if (workers === 1 || n < ROWS_WORTH_THREADS) return { host: { kernels: createSimdKernels(), pause }, close: async () => {} };
  const kernels = await createKernels({ threads: workers });
  const pool = createPool(workers, spawn);
  const close = async () => {
    pool.close();
    kernels.dispose();
  };
  return { host: { kernels, pool, pause }, close };
}

export function pause(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

function spawn(): Port {
  // What the main thread was started with (`node -e`, say) is not for workers.
  const worker = new Worker(new URL("./pool-worker.js", import.meta.url), { execArgv: [] });
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on("message", listener),
    onError: (listener) => worker.on("error", listener),
    close: () => void worker.terminate(),
  };
}
