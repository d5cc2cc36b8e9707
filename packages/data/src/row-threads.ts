/**
 * The fast way through a large CSV file on several threads, in Node. The window is cut at line ends into blocks; threads and
 * the caller take them one after the other and leave runs of plain rows, which the scanner then collects in order. Where a
 * block's rows are not plain, or a quoted cell runs across a cut, the scanner reads on without it: the outcome never depends on
 * the threads.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { bytesOfBase64, MODES, PAGE, type PlainRows, POWERS, type RowReader, reach, rowReader, WINDOW } from "./csv-kernel.js";
import { csvRowsSharedWasm } from "./csv-rows.wasm.js";

export interface ThreadedReader extends RowReader {
  close(): void;
}

const MOST_THREADS = 4;
/** Windows shorter than this are read alone. */
const WORTHWHILE = 2 ** 20;
const BLOCK_BYTES = 2 ** 18;
const MOST_BLOCKS = 60;
/** Blocks leave their rows beyond any window, which is at most three of the longest lines. The addresses in between cost nothing. */
const BLOCK_ROOM = 512 * 2 ** 20;
const MOST_ROOM = 2 ** 30;
const STALL_MILLISECONDS = 60_000;

/** Words at CONTROL: a counter of jobs, blocks left to take, blocks done, a flag to stop, and what the kernel was told. */
const CONTROL = 256;
const JOB = 0;
const LEFT = 1;
const DONE = 2;
const HALT = 3;
const TOLD = 4;
/** Six words for each block: first byte, end, address of its rows, room for rows, rows, where they end. */
const BLOCKS = 2048;
const FACTS = 6;

/** The whole program of a thread. */
const PROGRAM = `
const { module, memory } = require("node:worker_threads").workerData;
const { readRows } = new WebAssembly.Instance(module, { env: { memory } }).exports;
const words = new Int32Array(memory.buffer, ${CONTROL}, 16);
const blocks = new Uint32Array(memory.buffer, ${BLOCKS}, ${MOST_BLOCKS * FACTS});
for (;;) {
  const job = Atomics.load(words, ${JOB});
  if (Atomics.load(words, ${HALT}) === 1) break;
  for (;;) {
    const i = Atomics.sub(words, ${LEFT}, 1) - 1;
    if (i < 0) break;
    const f = i * ${FACTS};
    const [width, delimiter, decimal] = words.subarray(${TOLD}, ${TOLD + 3});
    blocks[f + 4] = readRows(${WINDOW}, blocks[f], blocks[f + 1], width, ${MODES}, delimiter, decimal, ${POWERS}, blocks[f + 2], blocks[f + 3], ${BLOCKS} + 4 * (f + 5));
    Atomics.add(words, ${DONE}, 1);
    Atomics.notify(words, ${DONE});
  }
  Atomics.wait(words, ${JOB}, job);
}
`;

/**
 * Starts the threads; null where there is one processor only, or the platform refuses. `meanwhile` is called while the threads
 * are at work, before the caller joins them.
 */
export function createThreadedReader(meanwhile: () => void = () => undefined): ThreadedReader | null {
  const size = Math.min(availableParallelism(), MOST_THREADS) - 1;
  if (size < 1) return null;
  try {
    const memory = new WebAssembly.Memory({ initial: WINDOW / PAGE, maximum: 65536, shared: true });
    return threadedReader(memory, new WebAssembly.Module(bytesOfBase64(csvRowsSharedWasm)), size, meanwhile);
  } catch {
    return null;
  }
}

function threadedReader(
  memory: WebAssembly.Memory,
  module: WebAssembly.Module,
  size: number,
  meanwhile: () => void,
): ThreadedReader {
  const { reader, told, readRows } = rowReader(module, memory);
  const words = new Int32Array(memory.buffer, CONTROL, 16);
  const blocks = new Uint32Array(memory.buffer, BLOCKS, MOST_BLOCKS * FACTS);
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(PROGRAM, { eval: true, workerData: { module, memory } });
    thread.unref();
    // A thread that dies takes no more blocks; one that dies inside a block stalls the job, which is noticed.
    thread.on("error", () => undefined);
    return thread;
  });
  /** Blocks of the present window, by where they begin; -1 while there are none. */
  let count = -1;
  let settled = false;

  const run = (): void => {
    words.set([told.width, told.delimiter, told.decimal], TOLD);
    Atomics.store(words, DONE, 0);
    Atomics.store(words, LEFT, count);
    Atomics.add(words, JOB, 1);
    Atomics.notify(words, JOB);
    meanwhile();
    for (let i = Atomics.sub(words, LEFT, 1) - 1; i >= 0; i = Atomics.sub(words, LEFT, 1) - 1) {
      const f = i * FACTS;
      const [from, end, out, room] = [blocks[f]!, blocks[f + 1]!, blocks[f + 2]!, blocks[f + 3]!];
      const { width, delimiter, decimal } = told;
      const stop = BLOCKS + 4 * (f + 5);
      blocks[f + 4] = readRows(WINDOW, from, end, width, MODES, delimiter, decimal, POWERS, out, room, stop);
      Atomics.add(words, DONE, 1);
    }
    for (let done = Atomics.load(words, DONE); done < count; done = Atomics.load(words, DONE)) {
      if (Atomics.wait(words, DONE, done, STALL_MILLISECONDS) === "timed-out")
        throw new Error("A thread of the CSV reader stalled.");
    }
  };

  return {
    ...reader,
    takeColumns(modes) {
      reader.takeColumns(modes);
      count = -1;
      settled = false;
    },
    turn() {
      count = -1;
    },
    rowsAt(from, end) {
      if (count < 0 && settled && end - from >= WORTHWHILE) {
        count = cut(memory, blocks, from, end, told.width);
        if (count > 0) run();
      }
      settled = true;
      let limit = end;
      for (let i = 0; i < count; i++) {
        const start = blocks[i * FACTS]! - WINDOW;
        if (start === from) return taken(blocks, i * FACTS);
        if (start > from) {
          limit = start;
          break;
        }
      }
      return reader.rowsAt(from, limit);
    },
    close() {
      Atomics.store(words, HALT, 1);
      Atomics.add(words, JOB, 1);
      Atomics.notify(words, JOB);
      for (const thread of threads) void thread.terminate();
    },
  };
}

/** What a block left. It is handed out once: the scanner never comes back to where a block begins. */
function taken(blocks: Uint32Array, f: number): PlainRows {
  return { rows: blocks[f + 4]!, next: blocks[f + 5]! - WINDOW, at: blocks[f + 2]!, stride: 8 * blocks[f + 3]! };
}

/** Cuts bytes[from … end) of the window at line ends; returns the number of blocks, 0 if their rows would take too much room. */
function cut(memory: WebAssembly.Memory, blocks: Uint32Array, from: number, end: number, width: number): number {
  const bytes = new Uint8Array(memory.buffer, WINDOW, end);
  const size = Math.max(BLOCK_BYTES, Math.ceil((end - from) / MOST_BLOCKS));
  const room = Math.ceil(1.25 * size * lineDensity(bytes, from)) + 16;
  let count = 0;
  for (let start = from; start < end && count < MOST_BLOCKS; count++) {
    const line = start + size < end ? bytes.indexOf(10, start + size) : -1;
    const stop = line < 0 ? end : line + 1;
    blocks.set([WINDOW + start, WINDOW + stop, BLOCK_ROOM + count * room * width * 8, room, 0, WINDOW + start], count * FACTS);
    start = stop;
  }
  const needed = count * room * width * 8;
  if (needed > MOST_ROOM) return 0;
  try {
    reach(memory, BLOCK_ROOM + needed);
  } catch {
    return 0;
  }
  return count;
}

/** Lines per byte, from a sample. */
function lineDensity(bytes: Uint8Array, from: number): number {
  const sample = bytes.subarray(from, from + 2 ** 16);
  let lines = 1;
  for (let p = sample.indexOf(10); p >= 0; p = sample.indexOf(10, p + 1)) lines++;
  return lines / sample.length;
}
