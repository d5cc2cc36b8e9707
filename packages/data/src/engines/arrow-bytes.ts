/**
 * Arrow IPC, as files (also known as Feather, version 2) and as streams, from bytes, in Node and in browsers. The library
 * apache-arrow is loaded on first use.
 */
import { badInput, CoterieError } from "@coterie/core/internal";
import type { Field, RecordBatch } from "apache-arrow";
import { builderFor } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import type { ReadOptions, Table } from "../table/table.js";
import { contentOf, isSingleType, isVectorType, numbersOf, readingOf, textsOf, vectorsOf } from "./arrow-cells.js";
import { verifyIpc } from "./arrow-verify.js";
import {
  type Cells,
  isForcedText,
  isWanted,
  NumberCells,
  TextCells,
  unsupportedType,
  VectorCells,
  wantsVectors,
} from "./cells.js";
import { Damage, refusal } from "./damage.js";
import { decodeLz4Frame } from "./lz4.js";
import { nextTurn } from "./turns.js";
import { decodeZstandard } from "./zstandard.js";

type Arrow = typeof import("apache-arrow");

/** The table of an Arrow IPC file or stream. */
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

/** How many rows and values an Arrow IPC file or stream has; null where it cannot be read. */
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
    // A damaged file is reported by the reading itself.
    return null;
  }
}

const fileMagic = "ARROW1";

/**
 * True for a file, false for a stream. Refuses what is no Arrow IPC, by its first and last bytes; a stream begins with a
 * continuation mark or a small length.
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

/** Decoders of packed buffers. */
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
    // Packed or not, a byte gives few rows: more are announced by damage, and would be waited for in vain.
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
  /** Takes over the column's part in a batch, whose first row is row `start` of the table. */
  readonly fill: (batch: RecordBatch, start: number) => void;
}

function planOf(arrow: Arrow, field: Field, j: number, options: ReadOptions): Plan {
  const { name, type } = field;
  const { file } = options;
  const part = (batch: RecordBatch) => {
    const data = batch.data.children[j];
    if (!data || data.length !== batch.numRows) throw new Damage("a column has another length than its batch");
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

/** An engine's error means that parts which were measured one by one do not go together. */
function damaged(cause: unknown, file: string): CoterieError {
  const reason = cause instanceof Damage ? cause.message : "their parts do not fit together";
  return refusal({
    file,
    message: `The Arrow data are damaged: ${reason}.`,
    remedy: "Write them again, or copy them again.",
    cause,
  });
}
