/** Gives a run in Node its kernels (with threads), a pool of workers, and pauses for the event loop. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { createPool, nodePort, type Port, type RunHost } from "@coterie/workbench";

export interface NodeHost {
  readonly host: Pick<RunHost, "kernels" | "pool" | "pause">;
  close(): Promise<void>;
}

/** If the memory of the table has at least this many bytes, the table is not copied to the workers of a pool. */
const LARGE = 2 ** 27;

const ROWS_WORTH_THREADS = 2_000;

/**
 * Creates the kernels and the pool for a run over n rows. `workers`: number of cores to use. Several starts run in parallel in the pool,
 * each on one core; a single start uses all these cores inside its kernels. The result does not depend on `workers`.
 *
 * `memory`: the WebAssembly memory that holds the rows, if kernels can use it directly. If it is large, starts run one after the other,
 * because each worker of a pool would need a copy.
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

export function spawn(): Port {
  // Workers must not inherit arguments of the main thread, such as `node -e`.
  const worker = new Worker(new URL("./pool-worker.js", import.meta.url), { execArgv: [] });
  worker.unref();
  return nodePort(worker);
}
