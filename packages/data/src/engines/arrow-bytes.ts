/** Reads Arrow IPC files (Feather version 2) and streams from bytes. The library apache-arrow is loaded on first use. */
import { badInput, CoterieError } from "@coterie/core/internal";
import type { Field, RecordBatch } from "apache-arrow";
import { Decompress } from "fzstd";
import { builderFor } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import { quoted } from "../table/sentences.js";
import type { ReadOptions, Table } from "../table/table.js";
import { joined } from "../table/utf8.js";
import { contentOf, isSingleType, isVectorType, numbersOf, readingOf, textsOf, vectorsOf } from "./arrow-cells.js";
import type { Cells } from "./cells.js";
import { isForcedText, isWanted, NumberCells, TextCells, unsupportedType, VectorCells, wantsVectors } from "./cells.js";
import { Damage, refusal } from "./damage.js";
import { decodeLz4Frame } from "./lz4.js";
import { nextTurn } from "./turns.js";

const keyValue: Shape = { 0: "string", 1: "string" };

const encoding: Shape = { 1: { table: {} } };

const field: Shape = { 0: "string", 3: "type", 4: { table: encoding }, 5: () => ({ tables: field }), 6: { tables: keyValue } };

const schema: Shape = { 1: { tables: field }, 2: { tables: keyValue }, 3: { items: 8 } };

const recordBatch: Shape = { 1: { items: 16 }, 2: { items: 16 }, 3: { table: {} }, 4: { items: 8 } };

const dictionaryBatch: Shape = { 1: { table: recordBatch } };

const block = 24;

const footer: Shape = { 1: { table: schema }, 2: { items: block }, 3: { items: block }, 4: { tables: keyValue } };

/** Metadata fields to check, for two column types by number. 10 (timestamp): the time zone. 14 (union): the type ids. */
const typeSlots: Readonly<Record<number, Shape>> = { 10: { 1: "string" }, 14: { 1: { items: 4 } } };

const headers: Readonly<Record<number, Shape>> = { 1: schema, 2: dictionaryBatch, 3: recordBatch };

/** Column types, by number, that the Arrow format defines but the library apache-arrow does not support. */
const unreadTypes: Readonly<Record<number, string>> = {
  22: "run-end encoded values",
  25: "lists by views",
  26: "lists by views",
};

const LAST_TYPE = 26;

/** Largest number of bytes that one compressed buffer can expand to; a larger one is refused. */
const LARGE_BUFFER = 2 ** 29;

type Arrow = typeof import("apache-arrow");

export async function readArrowBytes(bytes: Uint8Array, contentHash: Table["contentHash"], options: ReadOptions): Promise<Table> {
  const { file, signal, onProgress } = options;
  signal?.throwIfAborted();
  onProgress?.(bytes.length, bytes.length);
  const isFile = checkFormat(bytes, file);
  const arrow = await import("apache-arrow");
  registerCodecs(arrow);
  try {
    const notices = verifyIpc(bytes, isFile, file);
    const { n, columns } = await readColumns(arrow, bytes, options);
    const finished = columns.flatMap((column) => column.finish(n, notices));
    return { n, columns: finished, file, notices, contentHash };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof CoterieError ? error : damaged(error, file);
  }
}

/** The number of rows and values of an Arrow IPC file or stream; null if it cannot be read. */
export async function arrowShape(bytes: Uint8Array): Promise<{ readonly rows: number; readonly values: number } | null> {
  const arrow = await import("apache-arrow");
  registerCodecs(arrow);
  try {
    let [rows, values] = [0, 0];
    for (const batch of arrow.RecordBatchReader.from(bytes)) {
      rows += batch.numRows;
      for (const { children, length } of batch.data.children)
        values += Math.max(length, ...children.map((child) => child.length));
    }
    return { rows, values };
  } catch {
    // The next call of `readArrowBytes` reports the damage.
    return null;
  }
}

const fileMagic = "ARROW1";

/**
 * Returns true for an Arrow file and false for an Arrow stream. Throws for any other format. A stream begins with a marker, or with the
 * small length of its first message.
 */
function checkFormat(bytes: Uint8Array, file: string): boolean {
  const ascii = (part: Uint8Array) => String.fromCharCode(...part);
  const head = ascii(bytes.subarray(0, 6));
  if (head.startsWith("FEA1")) {
    throw badInput("This is a Feather file of version 1.", { file, remedy: "Write it as version 2, which is Arrow IPC." });
  }
  if (head === fileMagic) {
    if (bytes.length > 20 && ascii(bytes.subarray(-6)) === fileMagic) return true;
    throw badInput("The Arrow file does not end as it must.", { file, remedy: "Check that it was copied completely." });
  }
  const first = bytes.length < 8 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
  if (first === -1 || (first > 0 && first < bytes.length)) return false;
  throw badInput("This is neither an Arrow IPC file nor an Arrow stream.", { file, remedy: "Check the format." });
}

function registerCodecs({ compressionRegistry, CompressionType }: Arrow): void {
  if (compressionRegistry.get(CompressionType.LZ4_FRAME)) return;
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: decodeLz4Frame });
  compressionRegistry.set(CompressionType.ZSTD, { decode: decodeZstandard });
}

async function readColumns(
  arrow: Arrow,
  bytes: Uint8Array,
  options: ReadOptions,
): Promise<{ readonly n: number; readonly columns: readonly Cells[] }> {
  const reader = arrow.RecordBatchReader.from(bytes);
  reader.open();
  const { fields } = reader.schema;
  checkNames(
    fields.map(({ name }) => name),
    { file: options.file },
  );
  const plans = fields.flatMap((field, j) => (isWanted(field.name, options) ? [planOf(arrow, field, j, options)] : []));
  let n = 0;
  for (const batch of reader) {
    const rows = batch.numRows;
    // Damaged data can announce a huge number of rows, and this loop would take very long. So the number of rows per byte is limited.
    if (!(rows >= 0 && n + rows <= (1 << 20) + 4096 * bytes.length)) throw new Damage("more rows than bytes can hold");
    for (const plan of plans) plan.fill(batch, n);
    n += rows;
    await nextTurn();
    options.signal?.throwIfAborted();
  }
  return { n, columns: plans.map(({ cells }) => cells) };
}

interface Plan {
  readonly cells: Cells;
  /** Copies the values of one column out of a batch. The first row of the batch is row `start` of the table. */
  readonly fill: (batch: RecordBatch, start: number) => void;
}

function planOf(arrow: Arrow, field: Field, j: number, options: ReadOptions): Plan {
  const { name, type } = field;
  const { file } = options;
  const part = (batch: RecordBatch) => {
    const data = batch.data.children[j];
    if (!data || data.length !== batch.numRows) throw new Damage("a column and its batch have different lengths");
    return data;
  };
  const reading = readingOf(arrow, type);
  if (isVectorType(arrow, type) && wantsVectors(name, options)) {
    const cells = new VectorCells(name, file);
    return { cells, fill: (batch, start) => cells.fill(start, batch.numRows, vectorsOf(arrow, part(batch))) };
  }
  if (reading === null) throw unsupportedType(name, file, contentOf(arrow, type));
  const forcedText = isForcedText(name, options);
  if ((reading === "number" || reading === "whole number") && !forcedText) {
    const kind = reading === "whole number" ? "whole" : isSingleType(arrow, type) ? "single" : "double";
    const cells = new NumberCells(name, file, kind);
    return { cells, fill: (batch, start) => cells.fill(start, batch.numRows, numbersOf(arrow, part(batch))) };
  }
  const cells = new TextCells(builderFor(name, options), file);
  return { cells, fill: (batch, start) => cells.fill(start, batch.numRows, textsOf(arrow, part(batch))) };
}

/** The error for damaged data. `cause` comes from the Arrow library if parts are valid but do not fit together. */
function damaged(cause: unknown, file: string): CoterieError {
  const reason = cause instanceof Damage ? cause.message : "their parts do not fit together";
  return refusal({
    file,
    message: `The Arrow data are damaged: ${reason}.`,
    remedy: "Write them again, or copy them again.",
    cause,
  });
}

/* Decompresses Zstandard with the library fzstd, in Node and in browsers. Node's own Zstandard needs version 22.15; browsers have none. */

/** The decompressed bytes of a frame. Output is counted while it is made, because a small frame can expand to gigabytes. */
function decodeZstandard(bytes: Uint8Array): Uint8Array {
  const most = LARGE_BUFFER + 4096 * bytes.length;
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((part) => {
    length += part.length;
    if (length > most) throw new Damage("a compressed part claims to be larger than any table");
    parts.push(part);
  });
  stream.push(bytes, true);
  return parts.length === 1 ? parts[0]! : joined(parts);
}

/*
 * Checks the metadata of Arrow IPC data before the Arrow library reads them.
 *
 * The library trusts the FlatBuffers of a message: one wrong length makes it loop over billions of fields. So this code checks every offset
 * and length in the tables of the format (Message.fbs, Schema.fbs, File.fbs). Any fault throws Damage.
 */

/** What a slot of a FlatBuffers table points to. Slots that are not listed hold plain numbers, or are never read. */
type Slot = "string" | "type" | { readonly table: Shape } | { readonly tables: Shape } | { readonly items: number };

interface Shape {
  readonly [slot: number]: Slot | (() => Slot);
}

/** Checks a file or stream. If a stream has no end mark, its last rows can be missing: this returns a notice. */
function verifyIpc(bytes: Uint8Array, isFile: boolean, file: string): string[] {
  try {
    return isFile ? verifyFile(bytes, file) : verifyStream(bytes, file);
  } catch (error) {
    // DataView throws a RangeError for positions beyond its end.
    throw error instanceof RangeError ? new Damage("an offset points beyond the data") : error;
  }
}

function verifyStream(bytes: Uint8Array, file: string): string[] {
  let at = 0;
  while (at >= 0 && at < bytes.length) at = verifyMessage(bytes, at, file);
  return at < 0 ? [] : [`${file} has no end mark, which Arrow streams need: rows can be missing at its end.`];
}

const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;
const MAGIC = 6;

function verifyFile(bytes: Uint8Array, file: string): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - MAGIC - 4;
  const length = view.getInt32(end, true);
  if (length <= 0 || length > end - MAGIC) throw new Damage("the length of the footer is wrong");
  const flat = new FlatBuffer(bytes.subarray(end - length, end));
  const root = flat.root();
  flat.verify(root, footer);
  verifySchema(flat, flat.child(root, 1), file);
  // The library waits forever if a footer entry for a batch of rows points to another kind of message.
  for (const [slot, kind] of [
    [2, DICTIONARY_BATCH],
    [3, RECORD_BATCH],
  ] as const) {
    for (const at of flat.items(root, slot, block)) verifyMessage(bytes, flat.int64(at), file, kind);
  }
  return [];
}

/**
 * Checks the message at position `at`. If `expected` is given, the message must be of this kind. Returns the start of the next message, or
 * -1 at the end of a stream.
 */
function verifyMessage(bytes: Uint8Array, at: number, file: string, expected?: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = at + 4;
  let length = view.getInt32(at, true);
  if (length === -1) {
    length = view.getInt32(start, true);
    start += 4;
  }
  if (length === 0 && expected === undefined) return -1;
  if (length < 0 || start + length > bytes.length) throw new Damage("a message is longer than the data");
  const flat = new FlatBuffer(bytes.subarray(start, start + length));
  const root = flat.root();
  const kind = flat.uint8(root, 1);
  const shape = headers[kind];
  if (!shape || kind !== (expected ?? kind)) throw new Damage("a message is of an unexpected kind");
  flat.verify(root, { 2: { table: shape }, 4: { tables: keyValue } });
  const bodyAt = flat.slot(root, 3);
  const body = bodyAt === 0 ? 0 : flat.int64(bodyAt);
  if (body < 0 || start + length + body > bytes.length) throw new Damage("a body is longer than the data");
  const header = flat.child(root, 2);
  if (shape === schema) verifySchema(flat, header, file);
  else verifyBatch(flat, kind === DICTIONARY_BATCH ? flat.child(header, 1) : header, body);
  return start + length + body;
}

function verifySchema(flat: FlatBuffer, at: number, file: string): void {
  const endianness = flat.slot(at, 0);
  if (endianness !== 0 && flat.uint8(at, 0) !== 0) {
    throw badInput("The Arrow data store numbers in big-endian order.", {
      file,
      remedy: "Write them in little-endian order.",
    });
  }
  for (const column of flat.tables(at, 1)) {
    const type = flat.uint8(column, 2);
    if (type > LAST_TYPE) throw new Damage("a column has an unknown type");
    const unread = unreadTypes[type];
    if (unread === undefined) continue;
    throw badInput(`Column ${quoted(flat.text(column, 0))} holds ${unread}, which cannot be read here.`, {
      file,
      remedy: "Write the file without that column, or as plain values.",
    });
  }
}

function verifyBatch(flat: FlatBuffer, batch: number, body: number): void {
  for (const at of flat.items(batch, 2, 16)) {
    const offset = flat.int64(at);
    const length = flat.int64(at + 8);
    if (offset < 0 || length < 0 || offset + length > body) throw new Damage("a buffer lies beyond its body");
  }
  for (const at of flat.items(batch, 1, 16)) {
    if (flat.int64(at) < 0 || flat.int64(at + 8) < 0) throw new Damage("a column has a negative number of rows");
  }
  const buffers = flat.items(batch, 2, 16).length;
  for (const at of flat.items(batch, 4, 8)) {
    if (!(flat.int64(at) >= 0 && flat.int64(at) <= buffers)) throw new Damage("a column has more buffers than its batch");
  }
}

const DEEPEST = 64;

/** Reads positions in one FlatBuffer; DataView throws for positions beyond its end. */
class FlatBuffer {
  readonly #view: DataView;
  /**
   * Number of tables that can still be visited. It starts with one table per byte, so that a cycle of tables ends the check with an error.
   */
  #budget: number;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = bytes.length;
  }

  root(): number {
    return this.#view.getUint32(0, true);
  }

  int64(at: number): number {
    return Number(this.#view.getBigInt64(at, true));
  }

  uint8(table: number, slot: number): number {
    const at = this.slot(table, slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  slot(table: number, slot: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    const size = this.#view.getUint16(vtable, true);
    const entry = 4 + 2 * slot;
    if (entry + 2 > size) return 0;
    const offset = this.#view.getUint16(vtable + entry, true);
    return offset === 0 ? 0 : table + offset;
  }

  child(table: number, slot: number): number {
    const at = this.slot(table, slot);
    if (at === 0) throw new Damage("a table is missing");
    return at + this.#view.getUint32(at, true);
  }

  text(table: number, slot: number): string {
    const items = this.items(table, slot, 1);
    return new TextDecoder().decode(Uint8Array.from(items, (at) => this.#view.getUint8(at)));
  }

  tables(table: number, slot: number): number[] {
    return this.items(table, slot, 4).map((at) => at + this.#view.getUint32(at, true));
  }

  items(table: number, slot: number, size: number): readonly number[] {
    const at = this.slot(table, slot);
    if (at === 0) return [];
    const vector = at + this.#view.getUint32(at, true);
    const length = this.#view.getUint32(vector, true);
    if (vector + 4 + length * size > this.#view.byteLength) throw new Damage("a vector is longer than its message");
    return Array.from({ length }, (_, i) => vector + 4 + i * size);
  }

  verify(table: number, shape: Shape, depth = 0): void {
    if (depth > DEEPEST || --this.#budget < 0) throw new Damage("tables are nested too deeply");
    this.slot(table, 0);
    for (const [key, entry] of Object.entries(shape) as [string, Slot | (() => Slot)][]) {
      const slot = Number(key);
      if (this.slot(table, slot) === 0) continue;
      const kind = typeof entry === "function" ? entry() : entry;
      if (kind === "string") this.items(table, slot, 1);
      else if (kind === "type") this.verify(this.child(table, slot), typeSlots[this.uint8(table, slot - 1)] ?? {}, depth + 1);
      else if ("items" in kind) this.items(table, slot, kind.items);
      else if ("table" in kind) this.verify(this.child(table, slot), kind.table, depth + 1);
      else for (const at of this.tables(table, slot)) this.verify(at, kind.tables, depth + 1);
    }
  }
}
