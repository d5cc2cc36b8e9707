/**
 * The fast way through a CSV file: `assembly/csv-rows.ts` in WebAssembly reads runs of plain rows from a window that lies in
 * its memory. Without WebAssembly or its SIMD the careful way reads everything.
 */

import type { ByteStore } from "../lines/window.js";
import { NUMERIC, SKIPPED } from "../table/columns.js";
import { POWER_BYTES, powerTable } from "../table/parse-number.js";
import { csvRowsWasm } from "./csv-rows.wasm.js";

/** A run of plain rows: numbers and ends of text cells, column after column. */
export interface PlainRows {
  readonly rows: number;
  /** Where the run ends in the window. */
  readonly next: number;
  /** Whether it ends there for want of room or bytes, not because the next row is not plain. */
  readonly cut: boolean;
  /** Whether a number may be missing among them. */
  readonly holes: boolean;
  /** The address of the first column, and the bytes from one column to the next. */
  readonly at: number;
  readonly stride: number;
}

/** What the scanner needs of a kernel; positions in the window are addresses of the memory. */
export interface RowReader {
  readonly memory: WebAssembly.Memory;
  /** Where the window's bytes live. */
  readonly store: ByteStore;
  /** Says what the cells look like, before the first rows. */
  begin(dialect: { readonly delimiter: number; readonly decimal: number }): void;
  /** Says how columns are taken from now on. */
  takeColumns(modes: Uint8Array): void;
  /** The run of plain rows that begins at `from`, perhaps an empty one; bytes[end] is a stop. */
  rowsAt(from: number, end: number): PlainRows;
}

/** A row reader whose threads parse stretches of bytes ahead of time. */
export interface ThreadedReader extends RowReader {
  /** Says that bytes[from … end) will be in the window, after those offered before. At most two such stretches at a time. */
  offer(from: number, end: number): void;
  /** Takes the first offer back: from now on no thread touches those bytes. */
  release(): void;
  close(): void;
}

type ReadRows = (
  from: number,
  end: number,
  width: number,
  delimiter: number,
  decimal: number,
  out: number,
  capacity: number,
  stop: number,
) => number;

/** The memory's rooms; POWERS and MODES are known to assembly/ too. AssemblyScript's own data lie below POWERS. */
const STOP = 0;
const POWERS = 4096;
/** One byte for each of at most 100,000 columns. */
const MODES = 24 * 1024;
/** Room for a run of rows: at least one of 100,000 columns. */
const OUT = 128 * 1024;
const OUT_BYTES = 2 ** 20;
export const WINDOW = OUT + OUT_BYTES;
export const PAGE = 65536;
/** Bytes behind the stop that may be read, though never used. */
export const OVERRUN = 64;
/** Rows in a run: few enough that they stay near the processor. */
const MOST_ROWS = 1024;
/** A decimal mark that no byte is. */
const NO_MARK = 256;

/** How the kernel takes a column: the constants of csv-rows.ts. */
const NUMBERS = 0;
const TEXTS = 1;
const LEFT_OUT = 2;

let compiled: WebAssembly.Module | undefined;

/** A kernel of one's own, or null where the platform cannot run it. */
export function createRowReader(): RowReader | null {
  try {
    compiled ??= new WebAssembly.Module(bytesOfBase64(csvRowsWasm));
    return rowReader(compiled, new WebAssembly.Memory({ initial: WINDOW / PAGE })).reader;
  } catch {
    return null;
  }
}

/** What the reader was told about the file. */
export interface Told {
  width: number;
  delimiter: number;
  decimal: number;
}

/** A reader on one thread, and what it is made of. */
export function rowReader(module: WebAssembly.Module, memory: WebAssembly.Memory) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const readRows = exports.readRows as ReadRows;
  const takeHole = exports.takeHole as () => number;
  new Float64Array(memory.buffer, POWERS, POWER_BYTES / 8).set(powerTable());
  const told: Told = { width: 0, delimiter: 0, decimal: NO_MARK };
  const reader: RowReader = {
    memory,
    store: memoryStore(memory),
    begin({ delimiter, decimal }) {
      told.delimiter = delimiter;
      told.decimal = decimal === delimiter ? NO_MARK : decimal;
    },
    takeColumns(modes) {
      told.width = modes.length;
      const room = new Uint8Array(memory.buffer, MODES, modes.length);
      modes.forEach((mode, j) => {
        room[j] = mode === NUMERIC ? NUMBERS : mode === SKIPPED ? LEFT_OUT : TEXTS;
      });
    },
    rowsAt(from, end) {
      const capacity = Math.min(MOST_ROWS, Math.floor(OUT_BYTES / (8 * told.width)));
      const { width, delimiter, decimal } = told;
      const rows = readRows(from, end, width, delimiter, decimal, OUT, capacity, STOP);
      const next = new Uint32Array(memory.buffer, STOP, 1)[0]!;
      return { rows, next, at: OUT, stride: 8 * capacity, cut: next === end || rows === capacity, holes: takeHole() === 1 };
    },
  };
  return { reader, told, exports };
}

function memoryStore(memory: WebAssembly.Memory): ByteStore {
  return {
    start: WINDOW,
    room(length) {
      reach(memory, WINDOW + length + OVERRUN);
      return new Uint8Array(memory.buffer, 0, WINDOW + length);
    },
  };
}

/** Makes the memory reach up to an address. */
export function reach(memory: WebAssembly.Memory, address: number): void {
  const missing = address - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
