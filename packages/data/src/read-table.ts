/** Reads a table in any format from a file or standard input, in Node, and turns it into instances. */
import { existsSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { badInput, type Instances, nearestName, withMore } from "@coterie/core/internal";
import { type PairTable, pairReading, pairTableOf } from "./constraints/scored-pairs.js";
import { readCsvSource } from "./csv/csv.js";
import type { PlainRows, ReaderSettings, ThreadedReader } from "./csv/csv-kernel.js";
import { bytesOfBase64, OVERRUN, PAGE, reach, rowReader, WINDOW } from "./csv/csv-kernel.js";
import { csvRowsSharedWasm } from "./csv/csv-rows.wasm.js";
import { laterHash, nodeHasher } from "./engines/file.js";
import { nextTurn } from "./engines/turns.js";
import { formatOf, HEAD, peek, readStream } from "./formats/formats.js";
import { type DistanceTable, distancesOf, ROW_NAMES } from "./instances/distances.js";
import { type InstanceOptions, instanceSteps, type LoadedInstances, readingOf } from "./instances/instances.js";
import { idGuess, settledRoles } from "./instances/roles.js";
import { LINE_FEED, LONGEST_RECORD, type TextWindow, withLineEnd } from "./lines/window.js";
import type { Chunks, ReadOptions, Table } from "./table/table.js";
import { encodingOf, markNotice } from "./table/utf8.js";

/**
 * CONTROL: the address of eight control words in the memory that all threads share. BELL, HALT: indices of two of these words. Threads
 * without work wait until the word BELL changes. The same numbers are in assembly/csv-blocks.ts.
 */
const CONTROL = 256;

const BELL = 2;

const HALT = 3;

/** Options for reading a table: id and class columns, features, scaling, missing cells, format. */
export interface ReadTableOptions
  extends InstanceOptions,
    Pick<ReadOptions, "delimiter" | "decimal" | "mixed" | "signal" | "onProgress"> {
  /** A second table with the same rows. It can provide ids, classes, groups, weights, and the features that `features` names. */
  readonly columnsFrom?: string;
}

/** Instances and facts about their file. Reports, constraint files and other outputs need these facts. */
export interface TableInstances extends Omit<Instances, "notices">, Omit<LoadedInstances, "instances"> {
  readonly file: string;
  /** SHA-256 of the file's bytes. Reads the file again, and rejects if the file changed. Copies of this object lack this method. */
  contentHash(): Promise<string>;
}

/** The name of the class column in every sample set. */
const SAMPLE_CLASS = "class";

/**
 * Reads a data file. `-` is CSV from standard input. If no file has this name, it can be the name of a sample set.
 *
 * ```ts
 * const iris = await readTable("iris-fisher", { truth: "class", scale: "zscore" });
 * ```
 */
export async function readTable(path: string, given: ReadTableOptions = {}): Promise<TableInstances> {
  const located = await locate(path);
  const options: ReadTableOptions = {
    ...(located.sample ? { knownClass: SAMPLE_CLASS } : {}),
    ...(given.forCells ? { mixed: "text" } : {}),
    ...given,
  };
  return await instancesFrom((reading) => readColumns(located.path, reading), options, located.notices);
}

/** Reads a table with `read`, settles the roles of its columns, and turns it into instances. */
export async function instancesFrom(
  read: (reading: Omit<ReadOptions, "file">) => Promise<Table>,
  options: ReadTableOptions,
  before: readonly string[] = [],
): Promise<TableInstances> {
  const reading = readingOf(options);
  const guess = idGuess(options, reading.skip);
  const main = await read({ ...options, ...reading, guess, singles: true });
  const settled = settledRoles(main, options, guess);
  const table = await withSideColumns(settled.table, { ...options, ...settled.options });
  const { instances, notices, ...loaded } = await inTurns(instanceSteps(table, settled.options), options.signal);
  const { file, contentHash } = table;
  const said = { notices: [...before, ...table.notices, ...settled.notices, ...notices] };
  const made = withMore(instances, { ...loaded, ...said, file, contentHash });
  // Workers receive copies of instances, but a function cannot be copied. A copy leaves out properties that are not enumerable.
  return Object.defineProperty(made, "contentHash", { enumerable: false });
}

async function inTurns<R>(steps: Generator<void, R>, signal?: AbortSignal): Promise<R> {
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
    await nextTurn();
    signal?.throwIfAborted();
  }
}

async function withSideColumns(main: Table, options: ReadTableOptions): Promise<Table> {
  const path = options.columnsFrom;
  if (path === undefined) return main;
  const { id, truth, coarserTruth = [], exclusive = [], rowWeight, features = [] } = options;
  const wanted = new Set([id, truth, ...coarserTruth, rowWeight, ...exclusive, ...features]);
  const skip = (name: string) => !wanted.has(name);
  const { onProgress: _, ...rest } = options;
  const side = await readColumns(path, { ...rest, ...readingOf(options), skip });
  if (side.n !== main.n) {
    throw badInput(`The table has ${side.n} rows, but ${main.file} has ${main.n}.`, {
      file: side.file,
      remedy: "Side columns (--columns-from) need one row for each row of the data, in the same order.",
    });
  }
  const own = new Set([...(main.singles?.names ?? []), ...main.columns.map(({ name }) => name), ...(main.skipped ?? [])]);
  const twice = side.columns.find(({ name }) => own.has(name));
  if (twice)
    throw badInput(`Both ${main.file} and ${side.file} have a column ${JSON.stringify(twice.name)}.`, {
      file: side.file,
      remedy: "Rename one of the two.",
    });
  return {
    ...main,
    columns: [...main.columns, ...side.columns],
    ...(main.skipped ? { skipped: [...main.skipped, ...(side.skipped ?? [])] } : {}),
    notices: [...main.notices, ...side.notices],
  };
}

interface Located {
  readonly path: string;
  readonly notices: readonly string[];
  /** Whether the path is the name of a sample set and not of a file. */
  readonly sample?: boolean;
}

async function locate(path: string): Promise<Located> {
  if (path === "-" || existsSync(path)) return { path, notices: [] };
  const { findSample, sampleCatalogue, sampleFacts } = await import("./samples/index.js");
  if (sampleFacts(path)) return { ...(await findSample(path)), sample: true };
  const names = sampleCatalogue().map(({ name }) => name);
  const near = nearestName(path, names);
  if (near === undefined) return { path, notices: [] };
  throw badInput("There is no such file.", { file: path, remedy: `Did you mean the sample set "${near}"?` });
}

/** Files with at least this many bytes are read with threads. */
const LARGE = 32 * 2 ** 20;

export async function readColumns(path: string, options: Omit<ReadOptions, "file">): Promise<Table> {
  if (path === "-") return readStream("csv", process.stdin, { hasher: nodeHasher(), ...options, file: "standard input" });
  const source = await openFile(path);
  try {
    const { head, chunks } = await source.begin();
    const format = formatOf(path, head);
    if (format === "parquet") return await (await import("./engines/duckdb.js")).readParquet(path, { ...options, file: path });
    if (format === "arrow") return await (await import("./engines/duckdb.js")).readArrow(path, { ...options, file: path });
    const reading = { ...options, ...source.hashing, file: path, bytesTotal: source.bytes };
    const { contentHash } = source.hashing;
    if (contentHash && source.bytes >= LARGE && (format === "csv" || format === "tsv")) {
      const large = readLargeCsv({ head, readAt: source.readAt, contentHash }, reading, format === "tsv" ? "\t" : ",");
      if (large) return await large;
    }
    return await readStream(format, chunks, reading);
  } finally {
    await source.close();
  }
}

export async function openBytes(
  path: string,
): Promise<{ readonly chunks: Chunks; readonly file: string; readonly bytesTotal?: number }> {
  if (path === "-") return { chunks: process.stdin, file: "standard input" };
  const { begin, bytes } = await openFile(path);
  const { chunks } = await begin();
  return { chunks, file: path, bytesTotal: bytes };
}

interface OpenFile {
  readonly bytes: number;
  readonly begin: () => Promise<{ readonly head: Uint8Array; readonly chunks: Chunks }>;
  /**
   * Fills `target` from its start with the bytes of the file at `position`. Returns the number of bytes read; 0 after the end of the file.
   */
  readonly readAt: (target: Uint8Array, position: number) => number;
  /** How to compute the content hash. A file can be read again for it. A pipe must be hashed while it is read. */
  readonly hashing: Pick<ReadOptions, "contentHash" | "hasher">;
  close(): Promise<void>;
}

async function openFile(path: string): Promise<OpenFile> {
  let handle: FileHandle;
  try {
    handle = await open(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  const close = () => handle.close().catch(() => undefined);
  const about = await handle.stat();
  if (about.isDirectory()) {
    await close();
    throw badInput("This is a folder, not a file.", { file: path, remedy: "Name a file in it." });
  }
  const chunks = pieces(handle, path, about.size);
  const readAt = (target: Uint8Array, position: number): number => {
    try {
      return readSync(handle.fd, target, 0, target.length, position);
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  const begin = async () => {
    // For a pipe, read only the first bytes here: it cannot be read again.
    if (!about.isFile()) return await peek(chunks, HEAD);
    const head = new Uint8Array(HEAD);
    return { head: head.subarray(0, readAt(head, 0)), chunks };
  };
  return {
    begin,
    readAt,
    bytes: about.size,
    hashing: about.isFile() ? { contentHash: laterHash(path, path, about) } : { hasher: nodeHasher() },
    async close() {
      await chunks.return();
      await close();
    },
  };
}

const PIECE = 8 * 2 ** 20;
const BUFFERS = 2;

/** The pieces of a file. The next piece is read while the caller handles the current one. */
async function* pieces(handle: FileHandle, path: string, size: number): AsyncGenerator<Uint8Array, void, void> {
  const length = Math.max(1, Math.min(PIECE, size));
  const buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(length));
  const read = (turn: number) => handle.read(buffers[turn % BUFFERS]!, 0, length, null);
  let next = read(0);
  try {
    for (let turn = 0; ; turn++) {
      const { bytesRead, buffer } = await next.catch((error) => {
        throw unreadable(path, error);
      });
      if (bytesRead === 0) return;
      next = read(turn + 1);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await next.catch(() => undefined);
    await handle.close().catch(() => undefined);
  }
}

function unreadable(path: string, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return badInput("There is no such file.", { file: path, remedy: "Check the name and the folder." });
  }
  if (code === "EACCES" || code === "EPERM") {
    return badInput("You have no permission to read the file.", { file: path, remedy: "Check its permissions." });
  }
  if (code === "EISDIR") return badInput("This is a folder, not a file.", { file: path, remedy: "Name a file in it." });
  return badInput(`The file cannot be read (${String(code ?? error)}).`, { file: path });
}

/*
 * The fast path for large CSV files on several threads, in Node. The bytes in memory are cut into blocks at line ends. Threads parse the
 * blocks into runs of plain rows (rows without quotes), and the scanner collects the runs in file order. If the next block is not ready,
 * the calling thread parses blocks too. The slow path reads all other rows, and cells in quotes that extend over two blocks. The result
 * never depends on the threads.
 */

interface Stretch {
  readonly from: number;
  readonly end: number;
  readonly out: number;
  /** Whether the threads received the stretch as blocks. Stretches that are too short are parsed by the calling thread alone. */
  posted: boolean;
  first: number;
  last: number;
}

type Facts = [from: number, end: number, out: number, room: number, rows: number, next: number, done: number, hole: number];

const MOST_THREADS = 4;

/** Starts the threads; null if there is only one processor, or if the platform has no threads. */
function createThreadedReader(): ThreadedReader | null {
  const size = Math.min(availableParallelism(), MOST_THREADS) - 1;
  if (size < 1) return null;
  try {
    const memory = new WebAssembly.Memory({ initial: WINDOW / PAGE, maximum: 65536, shared: true });
    return threadedReader(memory, new WebAssembly.Module(bytesOfBase64(csvRowsSharedWasm)), size);
  } catch {
    return null;
  }
}

/**
 * BLOCK_ROOM: the address after the window where parsed rows begin. MOST_ROOM: maximum number of bytes for the rows of a stretch. There are
 * two areas of this size, used alternately.
 */
const BLOCK_ROOM = 512 * 2 ** 20;
const MOST_ROOM = 512 * 2 ** 20;
/** A position outside every stretch. With it, the blocks of `post` begin after the first line end of the stretch. */
const NOWHERE = -1;
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

function threadedReader(memory: WebAssembly.Memory, module: WebAssembly.Module, size: number): ThreadedReader {
  const threads = Array.from({ length: size }, () => {
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: { module, memory } });
    thread.unref();
    // A crashed thread takes no more blocks. If it crashes inside a block, `wait` times out and throws.
    thread.on("error", () => undefined);
    return thread;
  });
  const { reader, settings, exports } = rowReader(module, memory);
  const board = blockBoard(memory, settings, exports.takeBlock as () => number);
  const stretches: Stretch[] = [];
  let offers = 0;
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

/** A table of blocks in shared memory. Threads take blocks from it, parse them, and write the rows back. */
interface BlockBoard {
  /** Cuts a stretch into blocks and wakes the threads. If `position` is in the stretch, the blocks begin there. */
  post(stretch: Stretch, position: number): void;
  /** Ends the work on a stretch: removes blocks that no thread has started, and waits for started blocks. Stretches end in order. */
  withdraw(stretch: Stretch): void;
  startOf(block: number): number;
  collected(block: number): PlainRows;
  halt(): void;
}

const STALL_MILLISECONDS = 60_000;
const POSTED = 0;
const TAKEN = 1;
const TOLD = 4;
const BLOCKS = 124 * 1024;
const RING = 128;
const FACTS = 8;
const DONE = 6;

function blockBoard(memory: WebAssembly.Memory, settings: ReaderSettings, takeBlock: () => number): BlockBoard {
  const words = new Int32Array(memory.buffer, CONTROL, 8);
  const blocks = new Uint32Array(memory.buffer, BLOCKS, RING * FACTS);
  const signs = new Int32Array(memory.buffer, BLOCKS, RING * FACTS);
  const factsOf = (block: number) => (block % RING) * FACTS;
  const strike = () => {
    Atomics.add(words, BELL, 1);
    Atomics.notify(words, BELL);
  };
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
      const plan = planOf(memory, stretch, position, settings.width);
      if (!plan) return;
      const { cuts, room, length } = plan;
      words.set([settings.width, settings.delimiter, settings.decimal], TOLD);
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
  readonly cuts: readonly number[];
  readonly room: number;
  readonly length: number;
}

/** A stretch of a file with fewer bytes than this is read without threads. */
const WORTHWHILE = 2 ** 20;

/** Where to cut a stretch into blocks, and how much memory the rows need. Undefined if the stretch is too short or the memory too small. */
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

const BLOCK_BYTES = 2 ** 18;
const MOST_BLOCKS = 60;

/** Positions that cut bytes[start … end) into blocks of complete lines. An incomplete line at the end is in no block. */
function cutsOf(bytes: Uint8Array, start: number, end: number): number[] {
  const size = Math.max(BLOCK_BYTES, Math.ceil((end - start) / MOST_BLOCKS));
  const stop = bytes.lastIndexOf(LINE_FEED) + 1;
  const cuts = [start];
  for (let cut = start; cut < stop; cuts.push(cut)) {
    cut = cut + size < stop ? bytes.indexOf(LINE_FEED, cut + size) + 1 : stop;
  }
  return cuts;
}

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

export type ReadDistancesOptions = Pick<ReadOptions, "delimiter" | "decimal" | "signal" | "onProgress">;

/**
 * Reads a distance matrix, square or condensed: CSV, Parquet, Arrow or .npy.
 *
 * ```ts
 * const { distances } = await readDistances("distances.npy");
 * ```
 */
export async function readDistances(path: string, options: ReadDistancesOptions = {}): Promise<DistanceTable> {
  return distancesOf(await readColumns(path, { ...options, text: [ROW_NAMES], rowNames: ROW_NAMES }));
}

/**
 * Reads scored pairs of rows: CSV, JSON lines, Parquet or Arrow. `pairsFor` then finds their ids in the rows of a table; `pairsAlone` makes
 * a row of each id.
 *
 * ```ts
 * const { pairs } = pairsFor(await readPairs("scores.csv"), table);
 * ```
 */
export async function readPairs(path: string, options: ReadDistancesOptions = {}): Promise<PairTable> {
  return pairTableOf(await readColumns(path, { ...options, ...pairReading() }));
}

/* Reads a large UTF-8 file in CSV into memory that several threads share, so that they parse it without copies. */

interface LargeFile {
  readonly head: Uint8Array;
  /**
   * Fills `target` from its start with the bytes of the file at `position`. Returns the number of bytes read; 0 after the end of the file.
   */
  readonly readAt: (target: Uint8Array, position: number) => number;
  readonly contentHash: () => Promise<string>;
}

/** Reads a table with several threads. Returns null if threads are not available, or if the text is not UTF-8. */
export function readLargeCsv(
  { head, readAt, contentHash }: LargeFile,
  options: ReadOptions,
  expectedDelimiter: string,
  slotBytes?: number,
): Promise<Table> | null {
  const { encoding, mark } = encodingOf(head);
  const reader = encoding === "utf-8" ? createThreadedReader() : null;
  if (!reader) return null;
  let position = mark;
  const readInto = (target: Uint8Array): number => {
    const read = readAt(target, position);
    position += read;
    return read;
  };
  const notices = mark > 0 ? [markNotice(options.file)] : [];
  const window = new SlotWindow(readInto, reader, options, slotBytes);
  return readCsvSource({ window, reader, notices, contentHash }, options, { expectedDelimiter }).finally(reader.close);
}

/*
 * A window on a large file that is read directly into the memory of the row reader. The memory has two slots, used alternately: while the
 * scanner collects the rows of one slot, the threads parse the other slot. The unfinished record at the end of a slot is copied in front of
 * the other slot.
 */

const SLOT_BYTES = 2 ** 21;

/** Fills `target` from its start with the next bytes of a file. Returns the number of bytes read; 0 at the end of the file. */
type ReadInto = (target: Uint8Array) => number;

class SlotWindow implements TextWindow {
  readonly bytes: Uint8Array;
  start: number;
  end: number;
  atEnd = false;
  readonly #readInto: ReadInto;
  readonly #reader: ThreadedReader;
  readonly #options: ReadOptions;
  readonly #length: number;
  /** The address in each slot where bytes of the file begin. The space before it is for a record that began in the other slot. */
  readonly #slots: readonly [number, number];
  /** The slot in which the window ends; null before the first bytes are read. */
  #slot: 0 | 1 | null = null;
  /** The threads parse bytes ahead of the window. This is the address where these bytes end. */
  #ahead = 0;
  #done = 0;

  constructor(readInto: ReadInto, reader: ThreadedReader, options: ReadOptions, length = SLOT_BYTES) {
    this.#readInto = readInto;
    this.#reader = reader;
    this.#options = options;
    this.#length = length;
    const distance = LONGEST_RECORD + PAGE + Math.ceil((length + OVERRUN) / PAGE) * PAGE;
    const first = WINDOW + LONGEST_RECORD + PAGE;
    reach(reader.memory, first + 2 * distance);
    this.bytes = new Uint8Array(reader.memory.buffer, 0, first + 2 * distance);
    this.#slots = [first, first + distance];
    this.start = first;
    this.end = first;
  }

  /** Moves the window to the slot that the threads have parsed. Reads the next bytes of the file into the other slot. */
  async more(): Promise<void> {
    // Let the event loop handle signals and progress.
    await setImmediate();
    this.#options.signal?.throwIfAborted();
    if (this.#slot === null) this.#ahead = this.#fill(0);
    const next = this.#slot === 0 ? 1 : 0;
    const begun = this.end - this.start;
    this.bytes.copyWithin(this.#slots[next] - begun, this.start, this.end);
    this.start = this.#slots[next] - begun;
    this.end = this.#ahead;
    if (this.#slot !== null) this.#reader.release();
    this.#slot = next;
    const other = next === 0 ? 1 : 0;
    this.#ahead = this.#fill(other);
    if (this.#ahead > this.#slots[other]) return;
    this.atEnd = true;
    this.end = withLineEnd(this);
    this.bytes[this.end] = 0;
  }

  drop(position: number): void {
    this.start = position;
  }

  #fill(slot: 0 | 1): number {
    const from = this.#slots[slot];
    let end = from;
    for (let read = 1; read > 0 && end < from + this.#length; end += read) {
      read = this.#readInto(this.bytes.subarray(end, from + this.#length));
    }
    this.bytes[end] = 0;
    if (end > from) this.#reader.offer(from, end);
    this.#done += end - from;
    this.#options.onProgress?.(this.#done, this.#options.bytesTotal ?? null);
    return end;
  }
}
