import type { Arena, Block } from "@coterie/core/internal";

/** A function of the WebAssembly module. Pointers are byte addresses; one that comes back must be made unsigned (`>>> 0`). */
export type Routine = (...args: number[]) => number;

/**
 * Where the fast kernels run: one WebAssembly instance, its memory, and the threads that share it, if any.
 *
 * A routine keeps no state of its own (no globals: each thread has an instance, and only memory is shared).
 */
export interface Host {
  readonly exports: Readonly<Record<string, Routine>>;
  readonly memory: WebAssembly.Memory;
  /** Threads that work on a `parallel` call, the calling one included. */
  readonly threads: number;

  /** Calls one routine on this thread. */
  call(name: string, ...args: number[]): number;

  /**
   * Calls `name(...args, from, to)` for ranges that cover `first` … `rows`-1, each at most `grain` rows long and starting at
   * `first` plus a multiple of `grain`. Any thread may take any range, in any order: each range must write to places of its
   * own. Returns when all are done, and throws if one failed. At most 24 args.
   */
  parallel(name: string, args: readonly number[], rows: number, grain: number, first?: number): void;

  /** The address of a block of this host's memory; it stays the same until its arena is released. */
  pointer(block: Block<unknown>): number;

  /** A new arena over this memory. */
  arena(): Arena;

  /** Memory for the length of one call, not zeroed: `use` gets the address, which is free again when it returns. */
  scratch<T>(bytes: number, use: (address: number) => T): T;
}
