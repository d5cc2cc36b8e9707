/** Creates hosts: a WebAssembly instance over a memory of its own, with or without threads. */
import type { Block } from "@coterie/core/internal";
import { rest } from "./generated/rest.js";
import { rows } from "./generated/rows.js";
import type { Host, Routine } from "./host.js";
import { Allocator, LentBlock, MemoryBlock, memoryArena } from "./memory.js";
import { CONTROL_BYTES, startThreads, type ThreadPool } from "./threads.js";

const PAGE = 65_536;
const MOST_PAGES = 65_536;

export interface OwnedHost extends Host {
  readonly allocator: Allocator;
  dispose(): void;
}

export function createHost(mostBytes: number): OwnedHost {
  return hostOver([compile(rows), compile(rest)], createMemory(false, mostBytes), mostBytes, null);
}

/** Creates a host (see host.ts) on the calling thread only, without the routines over pairs of rows (see assembly/rows.ts). */
export function createRowsHost(mostBytes: number): OwnedHost {
  return hostOver([compile(rows)], createMemory(false, mostBytes), mostBytes, null);
}

/** If no thread finishes a piece of work in this time, the caller treats the threads as dead. Pieces normally take much less. */
const STALL_MILLISECONDS = 60_000;

export interface ThreadedSetup {
  readonly stall?: number;
  /** An existing memory to work in. The host uses only the addresses after its current content. */
  readonly memory?: WebAssembly.Memory;
}

/** Creates a host (see host.ts) with threads for its `parallel` calls; rejects if the threads cannot start. */
export async function createThreadedHost(
  mostBytes: number,
  threads: number,
  { stall = STALL_MILLISECONDS, memory: given }: ThreadedSetup = {},
): Promise<OwnedHost> {
  // Imported dynamically, so that a page without threads never loads this module.
  const { shared } = await import("./generated/shared.js");
  const module = compile(shared);
  const memory = given ?? createMemory(true, mostBytes);
  const base = given?.buffer.byteLength ?? CONTROL_BYTES;
  const pool = threads > 1 ? await startThreads(module, memory, threads - 1, stall) : null;
  return hostOver([module], memory, mostBytes, pool, base);
}

function compile({ length, deflated }: { readonly length: number; readonly deflated: string }): WebAssembly.Module {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0));
  return new WebAssembly.Module(inflate(bytes, length));
}

/** The largest memory that this engine can reserve. Unused memory takes no space. */
function createMemory(isShared: boolean, mostBytes: number): WebAssembly.Memory {
  for (let maximum = Math.min(MOST_PAGES, Math.ceil(mostBytes / PAGE)); ; maximum = Math.ceil(maximum / 2)) {
    try {
      return new WebAssembly.Memory({ initial: 1, maximum, shared: isShared });
    } catch (error) {
      if (maximum <= 16) throw error;
    }
  }
}

/** Runs the modules over one memory. This is possible because the modules have no static data. Threads run only the first module. */
function hostOver(
  modules: readonly WebAssembly.Module[],
  memory: WebAssembly.Memory,
  mostBytes: number,
  pool: ThreadPool | null,
  base = CONTROL_BYTES,
): OwnedHost {
  const exports = Object.assign(
    {},
    ...modules.map((module) => new WebAssembly.Instance(module, { env: { memory } }).exports),
  ) as Record<string, Routine>;
  const index = new Map(WebAssembly.Module.exports(modules[0]!).map(({ name }, position) => [name, position]));
  const allocator = new Allocator(memory, base, mostBytes);

  const routine = (name: string): Routine => {
    const found = exports[name];
    if (found === undefined) throw new Error(`There is no routine ${name} in the kernels.`);
    return found;
  };

  return {
    exports,
    memory,
    allocator,
    threads: 1 + (pool?.size ?? 0),

    call: (name, ...args) => routine(name)(...args),

    parallel: (name, args, rows, grain, first = 0) => {
      const here = routine(name);
      if (pool !== null && rows - first > grain) {
        pool.run(index.get(name)!, args, first, rows, grain, (from, to) => here(...args, from, to));
        return;
      }
      for (let from = first; from < rows; from += grain) here(...args, from, Math.min(from + grain, rows));
    },

    pointer: (block: Block<unknown>) => {
      if (!(block instanceof MemoryBlock || block instanceof LentBlock) || block.allocator !== allocator) {
        throw new Error("A block of another set of kernels was handed in.");
      }
      return block.address;
    },

    arena: () => memoryArena(allocator),

    scratch: (bytes, use) => {
      const address = allocator.take(bytes, false);
      try {
        return use(address);
      } finally {
        allocator.give(address, bytes);
      }
    },

    dispose: () => pool?.dispose(),
  };
}

/*
 * Decompresses raw deflate data (RFC 1951) synchronously, because browsers offer this only asynchronously. Used for the WebAssembly modules
 * in this package.
 *
 * The bits of each byte are read from the lowest bit on. A block has two tables of Huffman codes: one table for literals and lengths, and
 * one table for distances. Codes of equal length are consecutive numbers. So a table needs only the number of codes of each length and the
 * symbols in order of their codes.
 */

/**
 * LENGTHS, DISTANCES: the first value of each length code (from 257) and each distance code. LENGTH_EXTRA, DISTANCE_EXTRA: the number of
 * extra bits that are added to this value.
 */
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_EXTRA = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
const LENGTHS = [...firstOf(LENGTH_EXTRA, 3).slice(0, 28), 258];
const DISTANCES = firstOf(DISTANCE_EXTRA, 1);
/** A block first lists the lengths of its code-length codes, in this order. These codes then encode the two Huffman tables of the block. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;
/** The type of a block that contains its own Huffman tables. */
const OWN_TABLES = 2;

function firstOf(extra: readonly number[], first: number): number[] {
  let next = first;
  return extra.map((bits) => {
    const value = next;
    next += 1 << bits;
    return value;
  });
}

interface Table {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

function tableOf(lengths: readonly number[]): Table {
  const counts = Array.from({ length: 16 }, (_, bits) => (bits === 0 ? 0 : lengths.filter((length) => length === bits).length));
  const symbols = counts.flatMap((_, bits) => lengths.flatMap((length, symbol) => (bits > 0 && length === bits ? [symbol] : [])));
  return { counts, symbols };
}

export function inflate(source: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  let [at, bit] = [0, 0];

  const bits = (count: number): number => {
    let value = 0;
    for (let b = 0; b < count; b++, bit++) value |= ((source[bit >> 3]! >> (bit & 7)) & 1) << b;
    return value;
  };
  const symbolOf = ({ counts, symbols }: Table): number => {
    let [code, first, index] = [0, 0, 0];
    for (let size = 1; ; size++) {
      code |= (source[bit >> 3]! >> (bit & 7)) & 1;
      bit++;
      const count = counts[size]!;
      if (code < first + count) return symbols[index + code - first]!;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  };
  const codedTables = (): [Table, Table] => {
    const [literals, distances, listed] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const sizes = new Array<number>(19).fill(0);
    for (const symbol of LENGTH_ORDER.slice(0, listed)) sizes[symbol] = bits(3);
    const table = tableOf(sizes);
    const all: number[] = [];
    while (all.length < literals + distances) {
      const symbol = symbolOf(table);
      if (symbol < 16) all.push(symbol);
      else {
        const repeated = symbol === 16 ? all.at(-1)! : 0;
        const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let t = 0; t < times; t++) all.push(repeated);
      }
    }
    return [tableOf(all.slice(0, literals)), tableOf(all.slice(literals))];
  };

  for (let isLast = false; !isLast; ) {
    isLast = bits(1) === 1;
    // Compiled code always compresses well, so blocks of other types do not occur.
    if (bits(2) !== OWN_TABLES) throw new Error("The WebAssembly modules of this build are damaged.");
    const [literals, distances] = codedTables();
    for (let symbol = symbolOf(literals); symbol !== END_OF_BLOCK; symbol = symbolOf(literals)) {
      if (symbol < END_OF_BLOCK) out[at++] = symbol;
      else {
        const code = symbol - END_OF_BLOCK - 1;
        const copied = LENGTHS[code]! + bits(LENGTH_EXTRA[code]!);
        const back = symbolOf(distances);
        const distance = DISTANCES[back]! + bits(DISTANCE_EXTRA[back]!);
        for (let b = 0; b < copied; b++, at++) out[at] = out[at - distance]!;
      }
    }
  }
  return out;
}
