/**
 * Single-precision rows in memory that the kernels can use directly. A large single-precision table is read into this memory;
 * kernels created over the same memory need no copy of the rows.
 *
 * The memory is shared, because views of shared memory stay valid when it grows. Without WebAssembly it is ordinary memory.
 */

const PAGE = 65_536;
const MOST_PAGES = 65_536;
/** Rows start after the control block of the threads. */
const ROWS_AT = PAGE;

const memories = new WeakMap<object, WebAssembly.Memory>();

/** A zeroed array for rows, in memory that kernels can use, or in ordinary memory if the engine has no shared memory. */
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

/** Shared memory with the largest maximum that the engine allows; unused pages take no space. */
function sharedMemory(initial: number): WebAssembly.Memory | undefined {
  for (let maximum = MOST_PAGES; maximum >= initial; maximum = Math.ceil(maximum / 2)) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch {
      // The engine may accept a smaller maximum.
    }
  }
  return undefined;
}
