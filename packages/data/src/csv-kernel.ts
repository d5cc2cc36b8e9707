/**
 * The fast way through a CSV file: `assembly/csv-rows.ts` in WebAssembly reads runs of plain rows from a window that lies in
 * its memory. Without WebAssembly or its SIMD the careful way reads everything.
 */
import { NUMERIC, SKIPPED } from "./columns.js";
import { csvRowsWasm } from "./csv-rows.wasm.js";
import { POWER_BYTES, powerTable } from "./parse-number.js";
import type { ByteStore } from "./window.js";

/** A run of plain rows: numbers and ends of text cells, column after column. */
export interface PlainRows {
  readonly rows: number;
  /** Where the run ends in the window. */
  readonly next: number;
  /** The address of the first column, and the bytes from one column to the next. */
  readonly at: number;
  readonly stride: number;
}

/** What the scanner needs of a kernel; positions count from the start of the window. */
export interface RowReader {
  readonly memory: WebAssembly.Memory;
  /** Where the window's bytes live. */
  readonly store: ByteStore;
  /** Says what the cells look like, before the first rows. */
  begin(dialect: { readonly delimiter: number; readonly decimal: number }): void;
  /** Says how columns are taken from now on. */
  takeColumns(modes: Uint8Array): void;
  /** Says what lies ahead: bytes[from … end) of the window, with a stop behind. */
  plan(from: number, end: number): void;
  /** The run of plain rows that begins at `from`, perhaps an empty one. */
  rowsAt(from: number, end: number): PlainRows;
}

export type ReadRows = (
  base: number,
  from: number,
  end: number,
  width: number,
  modes: number,
  delimiter: number,
  decimal: number,
  powers: number,
  out: number,
  capacity: number,
  stop: number,
) => number;

/** The memory's rooms. AssemblyScript's own data lie below POWERS. */
export const STOP = 0;
export const POWERS = 4096;
/** One byte for each of at most 100,000 columns. */
export const MODES = 24 * 1024;
/** Room for a run of rows: at least one of 100,000 columns. */
export const OUT = 128 * 1024;
const OUT_BYTES = 2 ** 20;
const WINDOW = OUT + OUT_BYTES;
const PAGE = 65536;
/** Rows in a run: few enough that they stay near the processor. */
const MOST_ROWS = 1024;
/** A decimal mark that no byte is. */
const NO_MARK = 256;

/** How the kernel takes a column: the constants of csv-rows.ts. */
const NUMBERS = 0;
const TEXTS = 1;
const LEFT_OUT = 2;

/** A kernel of one's own, or null where the platform cannot run it. */
export function createRowReader(): RowReader | null {
  try {
    const memory = new WebAssembly.Memory({ initial: WINDOW / PAGE });
    const module = new WebAssembly.Module(bytesOfBase64(csvRowsWasm));
    return rowReader(module, memory, WINDOW);
  } catch {
    return null;
  }
}

export interface SingleReader extends RowReader {
  readonly window: number;
  readonly dialect: () => readonly [width: number, delimiter: number, decimal: number];
}

/** A reader over a memory whose window begins at `window`. */
export function rowReader(module: WebAssembly.Module, memory: WebAssembly.Memory, window: number): SingleReader {
  const readRows = new WebAssembly.Instance(module, { env: { memory } }).exports.readRows as ReadRows;
  new Float64Array(memory.buffer, POWERS, POWER_BYTES / 8).set(powerTable());
  let width = 0;
  let delimiter = 0;
  let decimal = NO_MARK;
  return {
    memory,
    window,
    store: memoryStore(memory, window),
    dialect: () => [width, delimiter, decimal],
    begin(dialect) {
      delimiter = dialect.delimiter;
      decimal = dialect.decimal === dialect.delimiter ? NO_MARK : dialect.decimal;
    },
    takeColumns(modes) {
      width = modes.length;
      const room = new Uint8Array(memory.buffer, MODES, width);
      modes.forEach((mode, j) => {
        room[j] = mode === NUMERIC ? NUMBERS : mode === SKIPPED ? LEFT_OUT : TEXTS;
      });
    },
    plan() {},
    rowsAt(from, end) {
      const capacity = Math.min(MOST_ROWS, Math.floor(OUT_BYTES / (8 * width)));
      const at = window + from;
      const rows = readRows(window, at, window + end, width, MODES, delimiter, decimal, POWERS, OUT, capacity, STOP);
      const next = (new Uint32Array(memory.buffer, STOP, 1)[0]! >>> 0) - window;
      return { rows, next, at: OUT, stride: 8 * capacity };
    },
  };
}

function memoryStore(memory: WebAssembly.Memory, window: number): ByteStore {
  return (length) => {
    // Sixteen bytes behind the stop may be read, never used.
    const missing = window + length + 16 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return new Uint8Array(memory.buffer, window, length);
  };
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
