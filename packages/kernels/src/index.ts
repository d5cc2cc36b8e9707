/** The kernels of Coterie in WebAssembly with SIMD. They return the same bytes as the plain kernels, faster. */

import type { Kernels } from "@coterie/core/internal";
import { createHost, createRowsHost, createThreadedHost, type OwnedHost } from "./create-host.js";
import { simdFarthest } from "./farthest.js";
import { simdKMeans, simdSeeding } from "./kmeans.js";
import { simdChainLinkage, simdHeapLinkage, simdScreenedLinkage, simdTreeLinkage } from "./linkage.js";
import { simdNeighbours } from "./neighbours.js";
import { simdDetours, simdDistanceMatrix, simdDistances, simdMinPlus, simdMinPlusBoth } from "./pairs.js";
import { simdScreen, simdScreening } from "./screen.js";
import { simdMoments, simdProducts, simdProjections, simdSquares } from "./sums.js";
import { isNode } from "./threads.js";

export { createLpSolver, type LpSolverOptions } from "./lp.js";
export { createPassKernel } from "./pass.js";

export interface SimdOptions {
  /** Maximum memory of the kernels, in bytes. Default and upper limit: 4 GiB. */
  readonly mostBytes?: number;
}

export interface ThreadOptions extends SimdOptions {
  /** Number of threads, including the calling thread. Default: the number of processors, at most 8. */
  readonly threads?: number;
  /** The memory that already holds the rows (see `memoryOf`). The kernels then use the rows without copying them. */
  readonly memory?: WebAssembly.Memory | undefined;
}

/** Kernels that can have threads. `dispose` ends the threads; after that the kernels must not be used. */
export interface ThreadedKernels extends Kernels {
  dispose(): void;
}

const MOST_BYTES = 2 ** 32;

/** Memories in which kernels already work. Other kernels do not use these memories: they allocate their own, and copy rows there. */
const taken = new WeakSet<WebAssembly.Memory>();

/** Creates kernels that use only the calling thread. They are ready at once. */
export function createSimdKernels({ mostBytes = MOST_BYTES }: SimdOptions = {}): Kernels {
  return kernelsOver(createHost(mostBytes));
}

/**
 * Like `createSimdKernels`, for methods of the k-means family. It has no routines over pairs of rows, so that a page need not load them.
 */
export function createRowKernels(): Kernels {
  return rowKernelsOver(createRowsHost(MOST_BYTES));
}

/**
 * Creates kernels with threads, in Node or in a browser's worker. There is only one thread if threads cannot be used: on a page's main
 * thread, which is not allowed to wait; on pages without cross-origin isolation, which have no shared memory; and if threads cannot be
 * started. `threads` of the result is the actual number. The results are the same bytes for any number of threads.
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

type OnHost = (host: OwnedHost, ...args: never[]) => unknown;
type WithoutHost<F> = F extends (host: OwnedHost, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

function bound<Routines extends Readonly<Record<string, OnHost>>>(host: OwnedHost, routines: Routines) {
  const all = Object.entries(routines).map(([name, routine]) => [name, (...args: never[]) => routine(host, ...args)]);
  return Object.fromEntries(all) as { readonly [Name in keyof Routines]: WithoutHost<Routines[Name]> };
}

function rowKernelsOver(host: OwnedHost): Kernels {
  const routines = {
    moments: simdMoments,
    products: simdProducts,
    projections: simdProjections,
    screen: simdScreen,
    screening: simdScreening,
    seeding: simdSeeding,
    farthest: simdFarthest,
    squares: simdSquares,
    kmeans: simdKMeans,
  };
  return { name: "simd", threads: host.threads, arena: host.arena, ...bound(host, routines) };
}

function kernelsOver(host: OwnedHost): Kernels {
  const pairs = {
    distances: simdDistances,
    distanceMatrix: simdDistanceMatrix,
    minPlus: simdMinPlus,
    minPlusBoth: simdMinPlusBoth,
    detours: simdDetours,
    chainLinkage: simdChainLinkage,
    heapLinkage: simdHeapLinkage,
    treeLinkage: simdTreeLinkage,
    screenedLinkage: simdScreenedLinkage,
    neighbours: simdNeighbours,
  };
  return { ...rowKernelsOver(host), pairs: bound(host, pairs) };
}

/**
 * Whether this thread is allowed to wait for other threads over shared memory. Threads of Node and cross-origin isolated workers are
 * allowed to wait; pages are not.
 */
function mayWait(): boolean {
  if (typeof SharedArrayBuffer !== "function") return false;
  return (
    isNode() ||
    (typeof document === "undefined" && (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true)
  );
}

async function processors(): Promise<number> {
  if (typeof navigator === "object" && navigator.hardwareConcurrency > 0) return navigator.hardwareConcurrency;
  // The name is in a variable, so that bundlers for the browser do not look for the module.
  const name = "node:os";
  return ((await import(/* @vite-ignore */ name)) as typeof import("node:os")).availableParallelism();
}
