/**
 * The fast path for CSV: reads runs of plain rows (rows without quotes) by `assembly/csv-rows.ts`, compiled to WebAssembly. Without SIMD,
 * `csv.ts` reads all rows.
 */

import type { ByteStore } from "../lines/window.js";
import { NUMERIC, SKIPPED } from "../table/columns.js";
import { POWER_BYTES, powerTable } from "../table/parse-number.js";
import { csvRowsWasm } from "./csv-rows.wasm.js";

/** Rows that the fast path has parsed. The memory holds the numbers, and the end positions of text cells, column by column. */
export interface PlainRows {
  readonly rows: number;
  readonly next: number;
  /** Why the run ends. True: the output is full, or the bytes end. False: the next row needs the slow path. */
  readonly cut: boolean;
  readonly holes: boolean;
  /** at: the address of the first output column. stride: the number of bytes from one column to the next. */
  readonly at: number;
  readonly stride: number;
}

/** The fast path as the scanner calls it. The window lies in the memory of the WebAssembly module, so its positions are addresses. */
export interface RowReader {
  readonly memory: WebAssembly.Memory;
  readonly store: ByteStore;
  begin(dialect: { readonly delimiter: number; readonly decimal: number }): void;
  takeColumns(modes: Uint8Array): void;
  rowsAt(from: number, end: number): PlainRows;
}

/** A row reader whose threads parse stretches of bytes before the scanner needs their rows. */
export interface ThreadedReader extends RowReader {
  /**
   * Passes bytes[from … end) to the threads before the window reaches them. Each call continues where the previous call ended. At most two
   * stretches can wait.
   */
  offer(from: number, end: number): void;
  /** Takes back the stretch that was announced first. Afterwards no thread reads its bytes, so they can be overwritten. */
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

/** Address in memory where the rows of a run are written. The space holds at least one row of 100,000 columns. */
const OUT = 128 * 1024;
const OUT_BYTES = 2 ** 20;

let compiled: WebAssembly.Module | undefined;

export const WINDOW = OUT + OUT_BYTES;
export const PAGE = 65536;

export function createRowReader(): RowReader | null {
  try {
    compiled ??= new WebAssembly.Module(bytesOfBase64(csvRowsWasm));
    return rowReader(compiled, new WebAssembly.Memory({ initial: WINDOW / PAGE })).reader;
  } catch {
    return null;
  }
}

export interface ReaderSettings {
  width: number;
  delimiter: number;
  decimal: number;
}

/**
 * Addresses in memory. STOP: where parsing stopped. POWERS: the powers of ten. The modules in assembly/ use the same addresses.
 * AssemblyScript keeps its own data below POWERS.
 */
const STOP = 0;
const POWERS = 4096;
/** Address of the modes of the columns: one byte for each of at most 100,000 columns. */
const MODES = 24 * 1024;
/** Maximum number of rows in a run, so that a run stays in the processor cache. */
const MOST_ROWS = 1024;
/** The value that means "there is no decimal mark". No byte is equal to it. */
const NO_MARK = 256;
const NUMBERS = 0;
const TEXTS = 1;
const LEFT_OUT = 2;

export function rowReader(module: WebAssembly.Module, memory: WebAssembly.Memory) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const readRows = exports.readRows as ReadRows;
  const takeHole = exports.takeHole as () => number;
  new Float64Array(memory.buffer, POWERS, POWER_BYTES / 8).set(powerTable());
  const settings: ReaderSettings = { width: 0, delimiter: 0, decimal: NO_MARK };
  const reader: RowReader = {
    memory,
    store: memoryStore(memory),
    begin({ delimiter, decimal }) {
      settings.delimiter = delimiter;
      settings.decimal = decimal === delimiter ? NO_MARK : decimal;
    },
    takeColumns(modes) {
      settings.width = modes.length;
      const room = new Uint8Array(memory.buffer, MODES, modes.length);
      modes.forEach((mode, j) => {
        room[j] = mode === NUMERIC ? NUMBERS : mode === SKIPPED ? LEFT_OUT : TEXTS;
      });
    },
    rowsAt(from, end) {
      const capacity = Math.min(MOST_ROWS, Math.floor(OUT_BYTES / (8 * settings.width)));
      const { width, delimiter, decimal } = settings;
      const rows = readRows(from, end, width, delimiter, decimal, OUT, capacity, STOP);
      const next = new Uint32Array(memory.buffer, STOP, 1)[0]!;
      return { rows, next, at: OUT, stride: 8 * capacity, cut: next === end || rows === capacity, holes: takeHole() === 1 };
    },
  };
  return { reader, settings, exports };
}

/** The kernel can read this number of bytes beyond the end of the window. It ignores their values, but the memory must be large enough. */
export const OVERRUN = 64;

function memoryStore(memory: WebAssembly.Memory): ByteStore {
  return {
    start: WINDOW,
    room(length) {
      reach(memory, WINDOW + length + OVERRUN);
      return new Uint8Array(memory.buffer, 0, WINDOW + length);
    },
  };
}

export function reach(memory: WebAssembly.Memory, address: number): void {
  const missing = address - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
