/** A table from a file or standard input, in Node: any format of CONTRACT, straight to instances. */
import { existsSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { badInput, type Instances, nearestName, withMore } from "@coterie/core/internal";
import { readLargeCsv } from "./csv/large-csv.js";
import { laterHash, nodeHasher } from "./engines/file.js";
import { nextTurn } from "./engines/turns.js";
import { formatOf, HEAD, peek, readStream } from "./formats/formats.js";
import { type InstanceOptions, instanceSteps, type LoadedInstances, readingOf } from "./instances/instances.js";
import { idGuess, settledRoles } from "./instances/roles.js";
import type { Chunks, ReadOptions, Table } from "./table/table.js";

const PIECE = 8 * 2 ** 20;
const BUFFERS = 2;
/** From this length on threads are worth their start. */
const LARGE = 32 * 2 ** 20;
/** The column of known classes in every sample set. */
const SAMPLE_CLASS = "class";

/** How a file is read: id and class columns, features, scaling, missing cells, format. */
export interface ReadTableOptions extends InstanceOptions, Pick<ReadOptions, "delimiter" | "decimal" | "signal" | "onProgress"> {
  /** Another table of the same rows: ids, classes, groups and weights, or features that `features` names. */
  readonly columnsFrom?: string;
}

/** Instances that know their file: what reports, constraint files and side files need. */
export interface TableInstances extends Omit<Instances, "notices">, Omit<LoadedInstances, "instances"> {
  readonly file: string;
  /** SHA-256 of the file's bytes; the file is read again for it, and must not have changed since. A copy does not have it. */
  contentHash(): Promise<string>;
}

/**
 * Reads a data file; `-` is CSV from standard input; the name of a sample set stands for its file where there is no such file.
 *
 * ```ts
 * const iris = await readTable("iris-fisher", { truth: "class", scale: "zscore" });
 * ```
 */
export async function readTable(path: string, given: ReadTableOptions = {}): Promise<TableInstances> {
  const located = await locate(path);
  const options = located.sample ? { knownClass: SAMPLE_CLASS, ...given } : given;
  const reading = readingOf(options);
  const guess = idGuess(options, reading.skip);
  const main = await readColumns(located.path, { ...options, ...reading, guess, singles: true });
  const settled = settledRoles(main, options, guess);
  const table = await withSideColumns(settled.table, { ...options, ...settled.options });
  const { instances, notices, ...loaded } = await inTurns(instanceSteps(table, settled.options), options.signal);
  const { file, contentHash } = table;
  const said = { notices: [...located.notices, ...table.notices, ...settled.notices, ...notices] };
  const read = withMore(instances, { ...loaded, ...said, file, contentHash });
  // Instances are sent to workers, but a function cannot be.
  return Object.defineProperty(read, "contentHash", { enumerable: false });
}

/** Carries out steps; a signal that is raised meanwhile ends them. */
async function inTurns<R>(steps: Generator<void, R>, signal?: AbortSignal): Promise<R> {
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** The table with columns of another one, which must have as many rows. */
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
  /** Whether a name of the catalogue stood for the file. */
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

/** The typed columns of a data file. */
export async function readColumns(path: string, options: Omit<ReadOptions, "file">): Promise<Table> {
  if (path === "-") return readStream("csv", process.stdin, { hasher: nodeHasher(), ...options, file: "standard input" });
  const source = await openFile(path);
  try {
    const { head, chunks } = await source.begin();
    const format = formatOf(path, head);
    if (format === "parquet") return await (await import("./engines/duckdb.js")).readParquet(path, { ...options, file: path });
    if (format === "arrow") return await (await import("./engines/arrow.js")).readArrow(path, { ...options, file: path });
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

/** The bytes of a file that is no table: constraints, labels, trees; or of standard input. */
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
  /** The first bytes, and all of them. */
  readonly begin: () => Promise<{ readonly head: Uint8Array; readonly chunks: Chunks }>;
  /** Fills an array from its start with the bytes at a position; returns how many, 0 behind the end. */
  readonly readAt: (target: Uint8Array, position: number) => number;
  /** A file can be read again for its hash; a pipe is hashed as its bytes pass. */
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
    // A piece is too much for a look at the head, but a pipe has no other way back.
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

/** The next piece is under way while the last one is worked on. */
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
    return badInput("The file may not be read.", { file: path, remedy: "Check its permissions." });
  }
  if (code === "EISDIR") return badInput("This is a folder, not a file.", { file: path, remedy: "Name a file in it." });
  return badInput(`The file cannot be read (${String(code ?? error)}).`, { file: path });
}
