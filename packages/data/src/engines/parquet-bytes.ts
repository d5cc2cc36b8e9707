/**
 * Reads Parquet from bytes, for browsers, through hyparquet. In Node, DuckDB reads Parquet instead: it is faster and need not hold the
 * whole file in memory. Both give the same table; dates and times are texts in DuckDB's form.
 */
import { badInput, CoterieError } from "@coterie/core/internal";
import type { AsyncBuffer, FileMetaData, ParquetParsers, SchemaTree } from "hyparquet";
import { builderFor } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import type { ReadOptions, Table } from "../table/table.js";
import type { Cells } from "./cells.js";
import { isForcedText, isWanted, NumberCells, TextCells, unsupportedType, VectorCells, wantsVectors } from "./cells.js";
import { Damage, refusal } from "./damage.js";
import { decodeLz4Block } from "./lz4.js";
import { nextTurn } from "./turns.js";

export async function readParquetBytes(
  bytes: Uint8Array,
  contentHash: Table["contentHash"],
  options: ReadOptions,
): Promise<Table> {
  const { file, signal, onProgress } = options;
  signal?.throwIfAborted();
  onProgress?.(bytes.length, bytes.length);
  checkEnds(bytes, file);
  try {
    const notices: string[] = [];
    const { n, columns } = await readColumns(bytes, options);
    const finished = columns.flatMap((column) => column.finish(n, notices));
    return { n, columns: finished, file, notices, contentHash };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CoterieError) throw error;
    const reason = error instanceof Damage ? error.message : "its pages cannot be decompressed";
    throw refusal({
      file,
      message: `The Parquet file is damaged: ${reason}.`,
      remedy: "Write it again, or copy it again.",
      cause: error,
    });
  }
}

function checkEnds(bytes: Uint8Array, file: string): void {
  const ascii = (part: Uint8Array) => String.fromCharCode(...part);
  if (ascii(bytes.subarray(-4)) === "PARE")
    throw badInput("The Parquet file is encrypted.", { file, remedy: "Write it without encryption." });
  if (bytes.length >= 12 && ascii(bytes.subarray(0, 4)) === "PAR1" && ascii(bytes.subarray(-4)) === "PAR1") return;
  throw badInput("This is not a whole Parquet file: it must begin and end with PAR1.", {
    file,
    remedy: "Check that it was copied completely.",
  });
}

async function readColumns(
  bytes: Uint8Array,
  options: ReadOptions,
): Promise<{ readonly n: number; readonly columns: readonly Cells[] }> {
  const [{ parquetMetadata, parquetScan, parquetSchema }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  const metadata = parquetMetadata(copyOf(bytes), { parsers, geoparquet: false });
  const fields = parquetSchema(metadata).children;
  checkNames(
    fields.map(({ element }) => element.name),
    { file: options.file },
  );
  const wanted = fields.filter(({ element }) => isWanted(element.name, options));
  const plans = new Map(wanted.map((field) => [field.element.name, planOf(field, options)]));
  const file: AsyncBuffer = { byteLength: bytes.length, slice: (start, end) => copyOf(bytes.subarray(start, end)) };
  const scan = await parquetScan({
    file,
    metadata,
    columns: [...plans.keys()],
    // hyparquet's decoder for LZ4 blocks without a frame is wrong for matches that overlap their target.
    compressors: { ...compressors, LZ4_RAW: decodeLz4Block },
    parsers,
    geoparquet: false,
  });
  let n = 0;
  for (const rows of groupSizes(metadata, bytes.length)) {
    // Read the columns one after the other: if two failed at once, the second error would be an unhandled rejection.
    for (const [column, { fill }] of plans) {
      const data = await scan.readColumn({ column, rowStart: n, rowEnd: n + rows });
      if (data.length !== rows) throw new Damage("a column and its group of rows have different lengths");
      fill(data, n);
    }
    n += rows;
    await nextTurn();
    options.signal?.throwIfAborted();
  }
  return { n, columns: [...plans.values()].map(({ cells }) => cells) };
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** The number of rows in each row group. Throws if the counts exceed what `bytes` bytes can hold, because then the file is damaged. */
function groupSizes({ row_groups }: FileMetaData, bytes: number): number[] {
  const sizes = row_groups.map(({ num_rows }) => Number(num_rows));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.some((size) => size < 0) || total > (1 << 20) + 4096 * bytes) throw new Damage("more rows than bytes can hold");
  return sizes;
}

interface Plan {
  readonly cells: Cells;
  readonly fill: (data: ArrayLike<unknown>, start: number) => void;
}

type Kind = "number" | "whole number" | "decimal" | "text" | "names" | "time";

/** How to read a column. If its type is not supported, returns a word for its content, such as "lists", for the error message. */
function kindOf({ element, children }: SchemaTree): Kind | { readonly content: string } {
  const { type, converted_type: old, logical_type: logical, repetition_type } = element;
  if (repetition_type === "REPEATED" || old === "LIST" || logical?.type === "LIST") return { content: "lists" };
  if (old === "MAP" || logical?.type === "MAP") return { content: "maps" };
  if (children.length > 0) return { content: "records" };
  if (old === "DECIMAL" || logical?.type === "DECIMAL") return "decimal";
  if (old === "TIME_MILLIS" || old === "TIME_MICROS" || logical?.type === "TIME") return "time";
  if (old === "DATE" || old?.startsWith("TIMESTAMP") || logical?.type === "DATE" || logical?.type === "TIMESTAMP") return "names";
  if (type === "BOOLEAN" || type === "INT96" || logical?.type === "UUID") return "names";
  if (type === "INT64") return "whole number";
  if (type === "INT32" || type === "FLOAT" || type === "DOUBLE" || logical?.type === "FLOAT16") return "number";
  const isText = old === "UTF8" || old === "ENUM" || old === "JSON" || ["STRING", "ENUM", "JSON"].includes(logical?.type ?? "");
  return isText ? "text" : { content: "raw bytes" };
}

function planOf(field: SchemaTree, options: ReadOptions): Plan {
  const { name, scale = 0 } = field.element;
  const { file } = options;
  const item = itemOf(field);
  if (item !== undefined && wantsVectors(name, options)) return vectorPlan(item, name, file);
  const kind = kindOf(field);
  if (typeof kind === "object") throw unsupportedType(name, file, kind.content);
  const forcedText = isForcedText(name, options);
  if ((kind === "number" || kind === "whole number" || kind === "decimal") && !forcedText) {
    const cells = new NumberCells(name, file, kind === "whole number" ? "whole" : "double");
    const number = kind === "decimal" ? (value: unknown) => decimal(Number(value), scale) : Number;
    return { cells, fill: (data, start) => cells.fill(start, data.length, (i) => (data[i] == null ? null : number(data[i]))) };
  }
  const cells = new TextCells(builderFor(name, options), file);
  const text = kind === "time" ? timeText(field) : kind === "decimal" ? (value: unknown) => Number(value).toFixed(scale) : String;
  return { cells, fill: (data, start) => cells.fill(start, data.length, (i) => (data[i] == null ? null : text(data[i]))) };
}

/** The schema of the items if the column holds lists of numbers; undefined for any other type. */
function itemOf({ element, children }: SchemaTree): SchemaTree | undefined {
  const isList = element.converted_type === "LIST" || element.logical_type?.type === "LIST";
  const [inside] = children;
  // A list is a repeated record with one item. Older writers use no record and repeat the item itself.
  const item = isList && children.length === 1 ? (inside!.children.length === 1 ? inside!.children[0] : inside) : undefined;
  if (item === undefined || item.children.length > 0) return undefined;
  const kind = kindOf({ ...item, element: { ...item.element, repetition_type: "OPTIONAL" } });
  return kind === "number" || kind === "whole number" || kind === "decimal" ? item : undefined;
}

function vectorPlan(item: SchemaTree, name: string, file: string): Plan {
  const cells = new VectorCells(name, file);
  const { scale = 0, converted_type: old, logical_type: logical } = item.element;
  const isDecimal = old === "DECIMAL" || logical?.type === "DECIMAL";
  const number = (value: unknown) => (value == null ? Number.NaN : isDecimal ? decimal(Number(value), scale) : Number(value));
  const vector = (list: unknown) => {
    if (!Array.isArray(list)) throw new Damage("a cell of a list column is not a list");
    return Float64Array.from(list, number);
  };
  return { cells, fill: (data, start) => cells.fill(start, data.length, (i) => (data[i] == null ? null : vector(data[i]))) };
}

/** Corrects a decimal below 2^53 that hyparquet rounded twice: recovers the digits as an integer, then divides once. */
function decimal(value: number, scale: number): number {
  const digits = Math.round(value * 10 ** scale);
  return Number.isSafeInteger(digits) ? digits / 10 ** scale : value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Damage("a text is not UTF-8");
  }
}

const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => moment(millis, 3),
  timestampFromMicroseconds: (micros) => moment(micros, 6),
  timestampFromNanoseconds: (nanos) => moment(nanos, 9),
  dateFromDays: (days) => (days == null ? undefined : new Date(days * 86_400_000).toISOString().slice(0, 10)),
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
};

/**
 * A timestamp as text in DuckDB's form. units: the time since 1970, in units of 10^-digits seconds. For example, digits = 3 means
 * milliseconds.
 */
function moment(units: bigint | null | undefined, digits: number): string | undefined {
  if (units == null) return undefined;
  const perSecond = 10n ** BigInt(digits);
  const seconds = (units - (((units % perSecond) + perSecond) % perSecond)) / perSecond;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ")}${fraction(units - seconds * perSecond, digits)}`;
}

function fraction(rest: bigint, digits: number): string {
  return rest === 0n
    ? ""
    : `.${String(rest)
        .padStart(digits, "0")
        .replace(/(?<!0)0+$/, "")}`;
}

function timeText({ element }: SchemaTree): (value: unknown) => string {
  const { logical_type: logical, converted_type: old } = element;
  const unit = logical?.type === "TIME" ? logical.unit : old === "TIME_MILLIS" ? "MILLIS" : "MICROS";
  const digits = unit === "MILLIS" ? 3 : unit === "MICROS" ? 6 : 9;
  return (value) => moment(BigInt(value as number), digits)!.slice(11);
}
