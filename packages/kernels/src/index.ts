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

type OnHost = (host: OwnedHost, ...args: never[]) => unknown;
type WithoutHost<F> = F extends (host: OwnedHost, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

/** The routines with their first argument given. */
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
  };
  return { ...rowKernelsOver(host), pairs: bound(host, pairs) };
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
