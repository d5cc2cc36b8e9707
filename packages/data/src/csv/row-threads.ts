/**
 * The fast way through a large CSV file on several threads, in Node. What is in memory is cut at line ends into blocks; threads
 * take them one after the other and leave runs of plain rows, which the scanner collects in order. The caller parses too
 * whenever the block that it needs is not ready. Where a block's rows are not plain, or a quoted cell runs across a cut, the
 * scanner reads on without it: the outcome never depends on the threads.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { LINE_FEED } from "../lines/window.js";
import { bytesOfBase64, PAGE, type PlainRows, type RowReader, reach, rowReader, type Told, WINDOW } from "./csv-kernel.js";
import { csvRowsSharedWasm } from "./csv-rows.wasm.js";

export interface ThreadedReader extends RowReader {
  /** Says that bytes[from … end) will be in the window, after those offered before. At most two such stretches at a time. */
  offer(from: number, end: number): void;
  /** Takes the first offer back: from now on no thread touches those bytes. */
  release(): void;
  close(): void;
}

interface Stretch {
  readonly from: number;
  readonly end: number;
  /** The address for the rows of its blocks. */
  readonly out: number;
  /** Whether it was cut into blocks: from the first to the one before the last, if it was worth it. */
  posted: boolean;
  first: number;
  last: number;
}

const MOST_THREADS = 4;
/** Shorter stretches are read alone. */
const WORTHWHILE = 2 ** 20;
const BLOCK_BYTES = 2 ** 18;
/** In a stretch. */
const MOST_BLOCKS = 60;
/** Blocks leave their rows beyond any window, those of two stretches in turn. The addresses in between cost nothing. */
const BLOCK_ROOM = 512 * 2 ** 20;
const MOST_ROOM = 512 * 2 ** 20;
/** A position before any stretch. */
const NOWHERE = -1;
const STALL_MILLISECONDS = 60_000;

/** Words and blocks as in assembly/csv-blocks.ts; BELL is struck when there is news for a thread that waits. */
const CONTROL = 256;
const POSTED = 0;
const TAKEN = 1;
const BELL = 2;
const HALT = 3;
const TOLD = 4;
const BLOCKS = 124 * 1024;
const RING = 128;
const FACTS = 8;
const DONE = 6;
type Facts = [from: number, end: number, out: number, room: number, rows: number, next: number, done: number, hole: number];

/** The whole program of a thread. */
const PROGRAM = `
const { module, memory } = require("node:worker_threads").workerData;
const { takeBlock } = new WebAssembly.Instance(module, { env: { memory } }).exports;
const words = new Int32Array(memory.buffer, ${CONTROL}, 8);
for (;;) {
  const bell = Atomics.load(words, ${BELL});
  if (Atomics.load(words, ${HALT}) === 1) break;
  while (takeBlock());
  Atomics.wait(words, ${BELL}, bell);
}
`;

/** Starts the threads; null where there is one processor only, or the platform refuses. */
export function createThreadedReader(): ThreadedReader | null {
  const size = Math.min(availableParallelism(), MOST_THREADS) - 1;
  if (size < 1) return null;
  try {
    const memory = new WebAssembly.Memory({ initial: WINDOW / PAGE, maximum: 65536, shared: true });
    return threadedReader(memory, new WebAssembly.Module(bytesOfBase64(csvRowsSharedWasm)), size);
  } catch {
    return null;
  }
}

function threadedReader(memory: WebAssembly.Memory, module: WebAssembly.Module, size: number): ThreadedReader {
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: { module, memory } });
    thread.unref();
    // A thread that dies takes no more blocks; one that dies inside a block stalls the reading, which is noticed.
    thread.on("error", () => undefined);
    return thread;
  });
  const { reader, told, exports } = rowReader(module, memory);
  const board = blockBoard(memory, told, exports.takeBlock as () => number);
  const stretches: Stretch[] = [];
  let offers = 0;
  /** Whether columns stayed the same for a run of rows. */
  let areColumnsSteady = false;

  return {
    ...reader,
    takeColumns(modes) {
      stretches.forEach(board.withdraw);
      reader.takeColumns(modes);
      areColumnsSteady = false;
    },
    offer(from, end) {
      const stretch = { from, end, out: BLOCK_ROOM + (offers++ % 2) * MOST_ROOM, posted: false, first: 0, last: 0 };
      stretches.push(stretch);
      if (areColumnsSteady) board.post(stretch, NOWHERE);
    },
    release() {
      const stretch = stretches.shift();
      if (stretch) board.withdraw(stretch);
    },
    rowsAt(from, end) {
      if (areColumnsSteady) for (const stretch of stretches) if (!stretch.posted) board.post(stretch, from);
      areColumnsSteady = true;
      let limit = end;
      for (const { first, last } of stretches) {
        for (let block = first; block < last; block++) {
          const start = board.startOf(block);
          if (start === from) return board.collected(block);
          if (start > from && start < limit) limit = start;
        }
      }
      return reader.rowsAt(from, limit);
    },
    close() {
      board.halt();
      for (const thread of threads) void thread.terminate();
    },
  };
}

/** The blocks in the shared memory, where threads find them and leave their rows. */
interface BlockBoard {
  /** Cuts a stretch into blocks, from the scanner's position on if it is there, and lets the threads begin. */
  post(stretch: Stretch, position: number): void;
  /** Takes blocks back that nobody took yet, and waits for the others. Earlier stretches go first, as they were posted. */
  withdraw(stretch: Stretch): void;
  /** Where a block begins. */
  startOf(block: number): number;
  /** The rows of a block, when it is done. */
  collected(block: number): PlainRows;
  /** Tells the threads to end. */
  halt(): void;
}

function blockBoard(memory: WebAssembly.Memory, told: Told, takeBlock: () => number): BlockBoard {
  const words = new Int32Array(memory.buffer, CONTROL, 8);
  const blocks = new Uint32Array(memory.buffer, BLOCKS, RING * FACTS);
  const signs = new Int32Array(memory.buffer, BLOCKS, RING * FACTS);
  const factsOf = (block: number) => (block % RING) * FACTS;
  const strike = () => {
    Atomics.add(words, BELL, 1);
    Atomics.notify(words, BELL);
  };
  /** Waits for a block that was taken. */
  const wait = (block: number): void => {
    const sign = factsOf(block) + DONE;
    while (Atomics.load(signs, sign) === 0) {
      if (Atomics.wait(signs, sign, 0, STALL_MILLISECONDS) === "timed-out")
        throw new Error("A thread of the CSV reader stalled.");
    }
  };

  return {
    post(stretch, position) {
      stretch.posted = true;
      const plan = planOf(memory, stretch, position, told.width);
      if (!plan) return;
      const { cuts, room, length } = plan;
      words.set([told.width, told.delimiter, told.decimal], TOLD);
      stretch.first = Atomics.load(words, POSTED);
      stretch.last = stretch.first + cuts.length - 1;
      for (let i = 0; i + 1 < cuts.length; i++) {
        blocks.set([cuts[i]!, cuts[i + 1]!, stretch.out + i * length, room, 0, cuts[i]!, 0], factsOf(stretch.first + i));
      }
      Atomics.store(words, POSTED, stretch.last);
      strike();
    },
    withdraw(stretch) {
      let taken = Atomics.load(words, TAKEN);
      while (taken < stretch.last) {
        const found = Atomics.compareExchange(words, TAKEN, taken, stretch.last);
        if (found === taken) break;
        taken = found;
      }
      for (let block = stretch.first; block < Math.min(taken, stretch.last); block++) wait(block);
      stretch.first = stretch.last;
      stretch.posted = false;
    },
    startOf: (block) => blocks[factsOf(block)]!,
    collected(block) {
      const f = factsOf(block);
      while (Atomics.load(signs, f + DONE) === 0 && takeBlock() === 1);
      wait(block);
      const [, end, at, room, rows, next, , hole] = Array.from(blocks.subarray(f, f + FACTS)) as Facts;
      return { rows, next, at, stride: 8 * room, cut: next === end || rows === room, holes: hole === 1 };
    },
    halt() {
      Atomics.store(words, HALT, 1);
      strike();
    },
  };
}

interface Plan {
  /** Positions at line ends, the first and the last included. */
  readonly cuts: readonly number[];
  /** Rows that each block has room for, and the bytes that they take. */
  readonly room: number;
  readonly length: number;
}

/** How to cut a stretch into blocks; undefined where it is not worth it, or there is no memory for the rows. */
function planOf(memory: WebAssembly.Memory, { from, end, out }: Stretch, position: number, width: number): Plan | undefined {
  const bytes = new Uint8Array(memory.buffer, 0, end);
  const start = position >= from && position < end ? position : bytes.indexOf(LINE_FEED, from) + 1;
  if (start === 0 || end - start < WORTHWHILE) return undefined;
  const cuts = cutsOf(bytes, start, end);
  const room = roomFor(bytes, cuts);
  const length = 8 * room * width;
  const needed = (cuts.length - 1) * length;
  return needed <= MOST_ROOM && reaches(memory, out + needed) ? { cuts, room, length } : undefined;
}

/** Positions that cut bytes[start … end) into blocks of whole lines; a line that is not whole at the end is left out. */
function cutsOf(bytes: Uint8Array, start: number, end: number): number[] {
  const size = Math.max(BLOCK_BYTES, Math.ceil((end - start) / MOST_BLOCKS));
  const stop = bytes.lastIndexOf(LINE_FEED) + 1;
  const cuts = [start];
  for (let cut = start; cut < stop; cuts.push(cut)) {
    cut = cut + size < stop ? bytes.indexOf(LINE_FEED, cut + size) + 1 : stop;
  }
  return cuts;
}

/** Rows that any of the blocks should have room for, by a sample of their lines. */
function roomFor(bytes: Uint8Array, cuts: readonly number[]): number {
  const longest = cuts.reduce((most, cut, i) => Math.max(most, cut - (cuts[i - 1] ?? cut)), 0);
  const sample = bytes.subarray(cuts[0], cuts[0]! + 2 ** 16);
  let lines = 1;
  for (let p = sample.indexOf(LINE_FEED); p >= 0; p = sample.indexOf(LINE_FEED, p + 1)) lines++;
  return Math.ceil((1.25 * longest * lines) / sample.length) + 16;
}

function reaches(memory: WebAssembly.Memory, address: number): boolean {
  try {
    reach(memory, address);
    return true;
  } catch {
    return false;
  }
}
