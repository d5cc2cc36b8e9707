/** Gives a run in a browser its kernels (with threads if the page is allowed to use them), a pool of workers, and pauses. */
import { nextTurn } from "@coterie/data/browser";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { createPool, type RunHost, webPort } from "@coterie/workbench";

export interface BrowserHost {
  readonly host: Pick<RunHost, "kernels" | "pool" | "pause">;
  close(): Promise<void>;
}

/** A table with fewer rows uses one thread: its run would end before a second thread has started. */
const ROWS_WORTH_THREADS = 2_000;

/**
 * Creates the kernels and the pool for a run over n rows. Several starts run in parallel in workers; a single start uses threads inside its
 * kernels. The result does not depend on the number of workers.
 */
export async function createHost(n: number, workers = navigator.hardwareConcurrency || 1): Promise<BrowserHost> {
  if (workers === 1 || n < ROWS_WORTH_THREADS)
    return { host: { kernels: createSimdKernels(), pause: nextTurn }, close: async () => {} };
  const kernels = await createKernels({ threads: workers });
  const spawn = () => webPort(new Worker(new URL("./pool-worker.browser.js", import.meta.url), { type: "module" }));
  const pool = createPool(workers, spawn);
  const close = async () => {
    pool.close();
    kernels.dispose();
  };
  return { host: { kernels, pool, pause: nextTurn }, close };
}

export { nextTurn as pause };
