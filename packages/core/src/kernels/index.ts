/** The kernels in plain TypeScript: a set over rows, a set over pairs of rows, and the arena that holds their data. */
import { badInput } from "../errors.js";
import type { Arena, Block, F32, F64, Kernels, PairKernels } from "./kernels.js";
import { plainChainLinkage, plainHeapLinkage, plainTreeLinkage } from "./linkages.js";
import { plainNeighbours } from "./neighbours.js";
import { plainDetours, plainDistanceMatrix, plainDistances, plainMinPlus, plainMinPlusBoth } from "./pairs.js";
import { plainFarthest, plainKMeans, plainMoments, plainProducts, plainProjections, plainSeeding, plainSquares } from "./rows.js";

export * from "./kernels.js";
export { expansionOf, LEAST_SQUARE, NEAR_SHARE, sampledNear } from "./pairs.js";

/** The kernels in plain TypeScript: no threads, no separate memory, bit-identical results. */
export const plainKernels: Kernels = {
  name: "plain",
  threads: 1,
  arena: plainArena,
  moments: (x, n, d) => plainMoments(x.view(), n, d),
  products: plainProducts,
  projections: plainProjections,
  screen: () => null,
  screening: () => null,
  seeding: plainSeeding,
  squares: plainSquares,
  farthest: plainFarthest,
  kmeans: plainKMeans,
};

const plainPairs: PairKernels = {
  distances: plainDistances,
  distanceMatrix: plainDistanceMatrix,
  minPlus: plainMinPlus,
  minPlusBoth: plainMinPlusBoth,
  detours: plainDetours,
  chainLinkage: plainChainLinkage,
  heapLinkage: plainHeapLinkage,
  treeLinkage: plainTreeLinkage,
  screenedLinkage: () => null,
  neighbours: plainNeighbours,
};

/** Returns the pair kernels of `kernels`, or the plain pair kernels if `kernels` has no pair kernels. */
export function pairKernelsOf(kernels: Kernels): PairKernels {
  return kernels.pairs ?? plainPairs;
}

type View = Float64Array | Float32Array | Int32Array | Uint8Array;

export function plainArena(): Arena {
  const live = new Set<PlainBlock<View>>();
  let hasSingle = false;
  const take = <V extends View>(type: Block<V>["type"], length: number, make: (length: number) => V): Block<V> => {
    hasSingle ||= type === "f32";
    const block = new PlainBlock(type, length, allocate(length, make, hasSingle));
    live.add(block);
    return block;
  };
  const rows = (x: Float64Array | Float32Array): F64 | F32 => {
    const block = new PlainBlock<View>(x instanceof Float32Array ? "f32" : "f64", x.length, x);
    live.add(block);
    return block as Block<View> as F64 | F32;
  };
  return {
    f64: (length) => take("f64", length, (size) => new Float64Array(size)),
    f32: (length) => take("f32", length, (size) => new Float32Array(size)),
    i32: (length) => take("i32", length, (size) => new Int32Array(size)),
    u8: (length) => take("u8", length, (size) => new Uint8Array(size)),
    rows,
    place: rows,
    release: () => {
      for (const block of live) block.release();
      live.clear();
    },
  };
}

class PlainBlock<V extends View> implements Block<V> {
  readonly type: Block<V>["type"];
  readonly length: number;
  #array: V | null;

  constructor(type: Block<V>["type"], length: number, array: V) {
    this.type = type;
    this.length = length;
    this.#array = array;
  }

  view(): V {
    if (this.#array === null) throw new Error("A block was used after its arena had been released.");
    return this.#array;
  }

  release(): void {
    this.#array = null;
  }
}

/** The remedy in an error about too little memory. `hasSingle`: whether single precision is already in use. */
export function memoryRemedy(hasSingle: boolean): string {
  return hasSingle
    ? "Use fewer rows, or a sample of the rows."
    : "Use fewer rows, a sample of the rows, or single precision (f32) where distances are stored.";
}

function allocate<V extends View>(length: number, make: (length: number) => V, hasSingle: boolean): V {
  try {
    return make(length);
  } catch (cause) {
    const bytes = length * make(0).BYTES_PER_ELEMENT;
    const error = badInput(`The run needs ${(bytes / 1e6).toFixed(0)} MB more memory than there is.`, {
      remedy: memoryRemedy(hasSingle),
    });
    error.cause = cause;
    throw error;
  }
}

/*
 * Single-precision rows in memory that the kernels can use directly. A large single-precision table is read into this memory;
 * kernels created over the same memory need no copy of the rows.
 *
 * The memory is shared, because views of shared memory stay valid when it grows. Without WebAssembly it is ordinary memory.
 */

const PAGE = 65_536;

const memories = new WeakMap<object, WebAssembly.Memory>();

const MOST_PAGES = 65_536;
/** Rows begin after the first page, which is the control block of the threads. */
const ROWS_AT = PAGE;

/**
 * A zeroed array for rows, in memory that kernels can use directly. If the engine has no shared memory, the array is in ordinary memory.
 */
export function rowMemory(length: number): Float32Array {
  const pages = Math.ceil((ROWS_AT + 4 * length) / PAGE);
  const memory = typeof SharedArrayBuffer === "function" && pages < MOST_PAGES ? sharedMemory(pages) : undefined;
  if (memory === undefined) return new Float32Array(length);
  const rows = new Float32Array(memory.buffer, ROWS_AT, length);
  memories.set(rows.buffer, memory);
  return rows;
}

/** The memory that `rowMemory` created for these rows in this thread. */
export function memoryOf(rows: ArrayBufferView): WebAssembly.Memory | undefined {
  return memories.get(rows.buffer);
}

/** Shared memory that can grow to the largest size that the engine allows. Unused pages take no space. */
function sharedMemory(initial: number): WebAssembly.Memory | undefined {
  for (let maximum = MOST_PAGES; maximum >= initial; maximum = Math.ceil(maximum / 2)) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch {
      // The engine can refuse this maximum; the next iteration tries a smaller one.
    }
  }
  return undefined;
}
