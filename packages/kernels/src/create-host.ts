/** Makes hosts: an instance over a memory of its own, with or without threads. */
import type { Block } from "@coterie/core/internal";
import { rest } from "./generated/rest.js";
import { rows } from "./generated/rows.js";
import type { Host, Routine } from "./host.js";
import { inflate } from "./inflate.js";
import { Allocator, LentBlock, MemoryBlock, memoryArena } from "./memory.js";
import { CONTROL_BYTES, startThreads, type ThreadPool } from "./threads.js";

const PAGE = 65_536;
const MOST_PAGES = 65_536;

/** A host with the allocator that its arenas use. */
export interface OwnedHost extends Host {
  readonly allocator: Allocator;
  dispose(): void;
}

/** A host on this thread alone. */
export function createHost(mostBytes: number): OwnedHost {
  return hostOver([compile(rows), compile(rest)], createMemory(false, mostBytes), mostBytes, null);
}

/** A host on this thread alone, without the routines over pairs of rows; see assembly/rows.ts. */
export function createRowsHost(mostBytes: number): OwnedHost {
  return hostOver([compile(rows)], createMemory(false, mostBytes), mostBytes, null);
}

/** How long no thread may finish a piece of work, short as pieces are, before the caller takes it for dead. */
const STALL_MILLISECONDS = 60_000;

/** How a threaded host may be made otherwise than usual. */
export interface ThreadedSetup {
  readonly stall?: number;
  /** A memory to work in, behind what it holds already. */
  readonly memory?: WebAssembly.Memory;
}

/** A host whose `parallel` uses threads besides this one; rejects if they cannot start. */
export async function createThreadedHost(
  mostBytes: number,
  threads: number,
  { stall = STALL_MILLISECONDS, memory: given }: ThreadedSetup = {},
): Promise<OwnedHost> {
  // A page without threads never loads these bytes.
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

/** The largest memory that this engine lets us reserve; it takes no space before it is used. */
function createMemory(isShared: boolean, mostBytes: number): WebAssembly.Memory {
  for (let maximum = Math.min(MOST_PAGES, Math.ceil(mostBytes / PAGE)); ; maximum = Math.ceil(maximum / 2)) {
    try {
      return new WebAssembly.Memory({ initial: 1, maximum, shared: isShared });
    } catch (error) {
      if (maximum <= 16) throw error;
    }
  }
}

/** Runs the modules over one memory; they have no static data. Threads run the first. */
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
