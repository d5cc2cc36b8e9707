/** The kernels of Coterie in WebAssembly with SIMD: the same bytes as the plain ones, faster. */

import type { Kernels } from "@coterie/core/internal";
import { createHost, createRowsHost, createThreadedHost, type OwnedHost } from "./create-host.js";
import { simdFarthest } from "./farthest.js";
import { simdKMeans, simdSeeding } from "./kmeans.js";
import { simdChainLinkage, simdHeapLinkage, simdScreenedLinkage, simdTreeLinkage } from "./linkage.js";
import { simdDetours, simdDistanceMatrix, simdDistances, simdMinPlus, simdMinPlusBoth } from "./pairs.js";
import { simdScreen, simdScreening } from "./screen.js";
import { simdMoments, simdProducts, simdProjections, simdSquares } from "./sums.js";
import { isNode } from "./threads.js";

export { createLpSolver, type LpSolverOptions } from "./lp.js";
export { createPassKernel } from "./pass.js";

export interface SimdOptions {
  /** Most memory that the kernels may take, in bytes; 4 GiB if not given, which is also the most there can be. */
  readonly mostBytes?: number;
}

export interface ThreadOptions extends SimdOptions {
  /** Threads, the calling one included; if not given, as many as there are processors, and at most 8. */
  readonly threads?: number;
  /** The memory that holds the rows already (see `memoryOf`): they are worked on where they are. */
  readonly memory?: WebAssembly.Memory | undefined;
}

/** Kernels that may have threads. `dispose` ends the threads; the kernels must not be used after it. */
export interface ThreadedKernels extends Kernels {
  dispose(): void;
}

const MOST_BYTES = 2 ** 32;

/** Memories that some kernels have begun to work in; others take their own, and copy rows there. */
const taken = new WeakSet<WebAssembly.Memory>();

/** The kernels on the calling thread alone, ready at once. */
export function createSimdKernels({ mostBytes = MOST_BYTES }: SimdOptions = {}): Kernels {
  return kernelsOver(createHost(mostBytes));
}

/** The same for methods of the k-means family: without routines over pairs of rows, so that a page need not load them. */
export function createRowKernels(): Kernels {
  return rowKernelsOver(createRowsHost(MOST_BYTES));
}

/**
 * The kernels with threads, in Node or inside a browser's worker. On a page's main thread, which may not wait, on pages
 * without cross-origin isolation, which have no shared memory, and wherever threads cannot be started, there is one thread:
 * `threads` of the result says so. The answers are the same bytes for any number of threads.
 */
export async function createKernels(options: ThreadOptions = {}): Promise<ThreadedKernels> {
  const { mostBytes = MOST_BYTES, threads, memory } = options;
  const wanted = mayWait() ? Math.max(1, Math.floor(threads ?? Math.min(8, await processors()))) : 1;
  const own = memory && !taken.has(memory) ? memory : undefined;
  if (own) taken.add(own);
  const host = wanted > 1 || own ? await withThreads(mostBytes, wanted, own) : createHost(mostBytes);
  return { ...kernelsOver(host), dispose: host.dispose };
}

async function withThreads(mostBytes: number, threads: number, memory: WebAssembly.Memory | undefined): Promise<OwnedHost> {
  const setup = memory ? { memory } : {};
  try {
    return await createThreadedHost(mostBytes, threads, setup);
  } catch {
    return memory ? await createThreadedHost(mostBytes, 1, setup) : createHost(mostBytes);
  }
}

function rowKernelsOver(host: OwnedHost): Kernels {
  return {
    name: "simd",
    threads: host.threads,
    arena: host.arena,
    moments: (...args) => simdMoments(host, ...args),
    products: (...args) => simdProducts(host, ...args),
    projections: (...args) => simdProjections(host, ...args),
    screen: (...args) => simdScreen(host, ...args),
    screening: (...args) => simdScreening(host, ...args),
    seeding: (...args) => simdSeeding(host, ...args),
    farthest: (...args) => simdFarthest(host, ...args),
    squares: (...args) => simdSquares(host, ...args),
    kmeans: (...args) => simdKMeans(host, ...args),
  };
}

function kernelsOver(host: OwnedHost): Kernels {
  return {
    ...rowKernelsOver(host),
    pairs: {
      distances: (...args) => simdDistances(host, ...args),
      distanceMatrix: (...args) => simdDistanceMatrix(host, ...args),
      minPlus: (...args) => simdMinPlus(host, ...args),
      minPlusBoth: (...args) => simdMinPlusBoth(host, ...args),
      detours: (...args) => simdDetours(host, ...args),
      chainLinkage: (...args) => simdChainLinkage(host, ...args),
      heapLinkage: (...args) => simdHeapLinkage(host, ...args),
      treeLinkage: (...args) => simdTreeLinkage(host, ...args),
      screenedLinkage: (...args) => simdScreenedLinkage(host, ...args),
    },
  };
}

/** Whether this thread may wait for others over shared memory: Node's threads and isolated workers may, pages may not. */
function mayWait(): boolean {
  if (typeof SharedArrayBuffer !== "function") return false;
  return (
    isNode() ||
    (typeof document === "undefined" && (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true)
  );
}

async function processors(): Promise<number> {
  if (typeof navigator === "object" && navigator.hardwareConcurrency > 0) return navigator.hardwareConcurrency;
  // A variable keeps bundlers for the browser from looking for the module.
  const name = "node:os";
  return ((await import(/* @vite-ignore */ name)) as typeof import("node:os")).availableParallelism();
}
