import type { Arena, Block } from "@coterie/core/internal";

/** A function of the WebAssembly module. Pointers are byte addresses; a returned pointer must be made unsigned (`>>> 0`). */
export type Routine = (...args: number[]) => number;

/**
 * The environment of the fast kernels: one WebAssembly instance, its memory, and the threads that share the memory, if any.
 *
 * A routine has no state of its own and uses no globals, because each thread has its own instance and only the memory is shared.
 */
export interface Host {
  readonly exports: Readonly<Record<string, Routine>>;
  readonly memory: WebAssembly.Memory;
  /** Number of threads that work on a `parallel` call, including the calling thread. */
  readonly threads: number;

  call(name: string, ...args: number[]): number;

  /**
   * Calls `name(...args, from, to)` for ranges that cover `first` … `rows`-1. Each range has at most `grain` rows and starts at `first`
   * plus a multiple of `grain`. Any thread can process any range, in any order, so different ranges must write to different addresses.
   * Returns when all ranges are done, and throws if one failed. At most 24 args.
   */
  parallel(name: string, args: readonly number[], rows: number, grain: number, first?: number): void;

  /** The address of a block of this host's memory; it stays the same until its arena is released. */
  pointer(block: Block<unknown>): number;

  arena(): Arena;

  /** Memory for the duration of one call, not zeroed. `use` gets the address; the memory is free again when `use` returns. */
  scratch<T>(bytes: number, use: (address: number) => T): T;
}
