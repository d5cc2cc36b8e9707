/**
 * Rows of singles in a memory that kernels can work in. A large table that comes in single precision is read into one; kernels that are made
 * over the same memory need no copy of the rows.
 *
 * The memory is shared, since views of such memory stay good when it grows. Elsewhere than in WebAssembly it is ordinary memory.
 */

const PAGE = 65_536;
const MOST_PAGES = 65_536;
/** Rows begin behind the control block of threads. */
const ROWS_AT = PAGE;

const memories = new WeakMap<object, WebAssembly.Memory>();

/** Zeros for rows, in memory that kernels can work in, or in ordinary memory where this engine has none that is shared. */
export function rowMemory(length: number): Float32Array {
  const pages = Math.ceil((ROWS_AT + 4 * length) / PAGE);
  const memory = typeof SharedArrayBuffer === "function" && pages < MOST_PAGES ? sharedMemory(pages) : undefined;
  if (memory === undefined) return new Float32Array(length);
  const rows = new Float32Array(memory.buffer, ROWS_AT, length);
  memories.set(rows.buffer, memory);
  return rows;
}

/** The memory that `rowMemory` made for these rows, in this thread. */
export function memoryOf(rows: ArrayBufferView): WebAssembly.Memory | undefined {
  return memories.get(rows.buffer);
}

/** May grow as far as this engine lets it; it takes no space before it is used. */
function sharedMemory(initial: number): WebAssembly.Memory | undefined {
  for (let maximum = MOST_PAGES; maximum >= initial; maximum = Math.ceil(maximum / 2)) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch {
      // A smaller reservation may do.
    }
  }
  return undefined;
}
