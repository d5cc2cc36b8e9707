/**
 * Reads cells of Arrow's types as numbers or texts.
 *
 * A damaged file can have fewer cells in its buffers than it announces, or invalid offsets. The Arrow library reads such cells as undefined
 * or as arbitrary values. Therefore every buffer is checked before a cell is read; a fault throws Damage.
 */
import type { Data, DataType, Vector } from "apache-arrow";
import type { Numbers } from "../table/table.js";
import { Damage } from "./damage.js";

type Arrow = typeof import("apache-arrow");

/** A function that returns the cell of a row, null for a missing cell. */
export type CellOf<V> = (row: number) => V | null;

/**
 * How to read a column: as numbers, as texts that can be numbers, or as texts that are never numbers ("names": dates, booleans). Null: the
 * type is not supported.
 */
export type Reading = "number" | "whole number" | "text" | "names" | null;

export function readingOf(arrow: Arrow, type: DataType): Reading {
  const { Type } = arrow;
  switch (type.typeId) {
    case Type.Int:
      return (type as { bitWidth?: number }).bitWidth === 64 ? "whole number" : "number";
    case Type.Float:
    case Type.Decimal:
      return "number";
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
    case Type.Null:
      return "text";
    case Type.Bool:
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Duration:
      return "names";
    case Type.Dictionary:
      return readingOf(arrow, (type as unknown as { dictionary: DataType }).dictionary);
    default:
      return null;
  }
}

export function contentOf(arrow: Arrow, type: DataType): string {
  const { Type } = arrow;
  switch (type.typeId) {
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList:
      return "lists";
    case Type.Struct:
      return "records";
    case Type.Map:
      return "maps";
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return "raw bytes";
    case Type.Interval:
      return "spans of months and days";
    case Type.Dictionary:
      return contentOf(arrow, (type as unknown as { dictionary: DataType }).dictionary);
    default:
      return "values of several types";
  }
}

export function numbersOf(arrow: Arrow, data: Data): CellOf<number> {
  const { Type } = arrow;
  if (data.type.typeId === Type.Dictionary) return lookedUp(arrow, data, numbersOf);
  if (data.type.typeId === Type.Decimal) {
    const digits = decimalTexts(data);
    return (row) => {
      const text = digits(row);
      return text === null ? null : Number(text);
    };
  }
  const values = measured(data, data.values, data.length);
  const isThere = presence(data);
  if (data.type.typeId === Type.Float && (data.type as { precision?: number }).precision === arrow.Precision.HALF) {
    const vector = new arrow.Vector([data]);
    return (row) => (isThere(row) ? (vector.get(row) as number) : null);
  }
  return (row) => (isThere(row) ? Number(values[row]) : null);
}

export function isSingleType(arrow: Arrow, type: DataType): boolean {
  return type.typeId === arrow.Type.Float && (type as { precision?: number }).precision === arrow.Precision.SINGLE;
}

export function isVectorType(arrow: Arrow, type: DataType): boolean {
  const { Type } = arrow;
  if (![Type.List, Type.LargeList, Type.FixedSizeList].includes(type.typeId)) return false;
  const inside = type.children?.[0]?.type;
  return inside !== undefined && (inside.typeId === Type.Float || inside.typeId === Type.Int);
}

export function vectorsOf(arrow: Arrow, data: Data): CellOf<Numbers> {
  const child = data.children[0];
  if (!child) throw new Damage("a list has no child");
  const numbers = numbersOf(arrow, child);
  const isSingle = isSingleType(arrow, child.type);
  const isThere = presence(data);
  const size = (data.type as { listSize?: number }).listSize;
  const offsets = size === undefined ? checkedOffsets(data, child.length) : undefined;
  if (size !== undefined && !(size >= 0 && data.offset === 0 && child.length >= size * data.length))
    throw new Damage("lists are shorter than their rows");
  return (row) => {
    if (!isThere(row)) return null;
    const from = offsets ? Number(offsets[row]) : size! * row;
    const to = offsets ? Number(offsets[row + 1]) : from + size!;
    const cell = isSingle ? new Float32Array(to - from) : new Float64Array(to - from);
    for (let i = from; i < to; i++) cell[i - from] = numbers(i) ?? Number.NaN;
    return cell;
  };
}

export function textsOf(arrow: Arrow, data: Data): CellOf<string> {
  const { Type } = arrow;
  switch (data.type.typeId) {
    case Type.Null:
      return () => null;
    case Type.Dictionary:
      return lookedUp(arrow, data, textsOf);
    case Type.Decimal:
      return decimalTexts(data);
    case Type.Bool:
      return throughVector(arrow, data, () => measured(data, data.values, Math.ceil(data.length / 8)));
    case Type.Utf8:
    case Type.LargeUtf8:
      return throughVector(arrow, data, () => checkOffsets(data));
    case Type.Utf8View:
      return throughVector(arrow, data, () => checkViews(data));
    case Type.Date:
    case Type.Time:
    case Type.Timestamp:
    case Type.Duration:
      return momentTexts(arrow, data);
    default: {
      const numbers = numbersOf(arrow, data);
      const isWide = data.values instanceof BigInt64Array || data.values instanceof BigUint64Array;
      return (row) => {
        const value = numbers(row);
        if (value === null) return null;
        return String(isWide ? data.values[row] : value);
      };
    }
  }
}

function throughVector(arrow: Arrow, data: Data, check: () => void): CellOf<string> {
  check();
  const isThere = presence(data);
  const vector = new arrow.Vector([data]);
  return (row) => (isThere(row) ? String(vector.get(row)) : null);
}

function measured(data: Data, buffer: unknown, needed: number): ArrayLike<number | bigint> {
  const values = (buffer ?? []) as ArrayLike<number | bigint>;
  if (data.offset !== 0 || values.length < needed) throw new Damage("a buffer is shorter than its rows");
  return values;
}

function presence(data: Data): (row: number) => boolean {
  if (data.nullCount === 0) return () => true;
  const bitmap = data.nullBitmap;
  if (!bitmap || bitmap.length < Math.ceil(data.length / 8)) throw new Damage("a bitmap is shorter than its rows");
  return (row) => ((bitmap[row >> 3]! >> (row & 7)) & 1) === 1;
}

function checkOffsets(data: Data): void {
  checkedOffsets(data, (data.values as Uint8Array | undefined)?.length ?? 0);
}

function checkedOffsets(data: Data, end: number): ArrayLike<number | bigint> {
  const { length } = data;
  const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined;
  // A column without rows can come without offsets.
  if (length === 0) return [];
  if (!offsets || data.offset !== 0 || offsets.length < length + 1) throw new Damage("offsets are shorter than their rows");
  let previous = 0;
  for (let i = 0; i <= length; i++) {
    const offset = Number(offsets[i]);
    if (!(offset >= previous && offset <= end)) throw new Damage("an offset is invalid");
    previous = offset;
  }
  return offsets;
}

const VIEW = 16;
const LONGEST_INLINE = 12;

/**
 * Checks the views of a text column. A view starts with the length of the text. A short text follows completely. For a long text, the first
 * bytes and its place follow.
 */
function checkViews(data: Data): void {
  const views = measured(data, data.values, VIEW * data.length) as Uint8Array;
  const isThere = presence(data);
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const buffers = data.variadicBuffers as readonly Uint8Array[];
  for (let row = 0; row < data.length; row++) {
    const at = VIEW * row;
    const length = view.getInt32(at, true);
    if (!isThere(row) || (length >= 0 && length <= LONGEST_INLINE)) continue;
    const buffer = buffers[view.getInt32(at + 8, true)];
    const offset = view.getInt32(at + 12, true);
    if (length < 0 || offset < 0 || !buffer || offset + length > buffer.length) throw new Damage("an offset is invalid");
  }
}

/** The decoded cells of dictionaries. Several batches can share a dictionary, so its cells are decoded only once. */
const dictionaries = new WeakMap<Vector, Map<unknown, readonly unknown[]>>();

function lookedUp<V>(arrow: Arrow, data: Data, read: (arrow: Arrow, data: Data) => CellOf<V>): CellOf<V> {
  const { dictionary } = data;
  if (!dictionary) throw new Damage("a dictionary is missing");
  const readings = dictionaries.get(dictionary) ?? new Map<unknown, readonly unknown[]>();
  dictionaries.set(dictionary, readings);
  let entries = readings.get(read) as readonly (V | null)[] | undefined;
  if (!entries) {
    entries = dictionary.data.flatMap((part) => {
      const cell = read(arrow, part);
      return Array.from({ length: part.length }, (_, i) => cell(i));
    });
    readings.set(read, entries);
  }
  const keys = measured(data, data.values, data.length);
  const isThere = presence(data);
  const known = entries;
  return (row) => {
    if (!isThere(row)) return null;
    const entry = known[Number(keys[row])];
    if (entry === undefined) throw new Damage("a dictionary has no entry for an index");
    return entry;
  };
}

/** The texts of decimals, which are stored as little-endian two's complement numbers in 32-bit words. */
function decimalTexts(data: Data): CellOf<string> {
  const { scale, bitWidth } = data.type as unknown as { scale: number; bitWidth: number };
  const words = bitWidth / 32;
  if (!Number.isInteger(words) || words < 1 || words > 8 || Math.abs(scale) > 100) throw new Damage("no such decimal");
  const values = measured(data, data.values, words * data.length);
  const isThere = presence(data);
  return (row) => {
    if (!isThere(row)) return null;
    let integer = 0n;
    for (let w = words - 1; w >= 0; w--) integer = (integer << 32n) | BigInt(values[row * words + w]!);
    return withPoint(BigInt.asIntN(bitWidth, integer), scale);
  };
}

function withPoint(integer: bigint, scale: number): string {
  if (scale <= 0) return String(integer * 10n ** BigInt(-scale));
  const sign = integer < 0n ? "-" : "";
  const digits = String(integer < 0n ? -integer : integer).padStart(scale + 1, "0");
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Number of units in a second, for the time units in Arrow's order: seconds, milliseconds, microseconds, nanoseconds. */
const perSecond = [1n, 1_000n, 1_000_000n, 1_000_000_000n];

/** Reads dates, times of day, timestamps and durations as texts, written as DuckDB writes them. */
function momentTexts(arrow: Arrow, data: Data): CellOf<string> {
  const { Type, DateUnit } = arrow;
  const values = measured(data, data.values, data.length);
  const isThere = presence(data);
  const { unit, timezone } = data.type as unknown as { unit: number; timezone?: string | null };
  const rate = perSecond[unit] ?? 1n;
  const write = (value: bigint): string => {
    switch (data.type.typeId) {
      case Type.Date:
        return dateText(unit === DateUnit.DAY ? value * 86_400n : floorDivide(value, 1000n));
      case Type.Time:
        return timeText(value, rate);
      case Type.Timestamp: {
        const days = floorDivide(value, 86_400n * rate);
        return `${dateText(days * 86_400n)} ${timeText(value - days * 86_400n * rate, rate)}${timezone ? "+00" : ""}`;
      }
      default:
        return `${value} ${["s", "ms", "us", "ns"][unit] ?? ""}`;
    }
  };
  return (row) => (isThere(row) ? write(BigInt(values[row]!)) : null);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The date, as text, of a moment in seconds since 1970. Outside the range of `Date` (275,000 years) it returns the number as text. */
function dateText(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().slice(0, -14);
}

function timeText(value: bigint, rate: bigint): string {
  const seconds = value / rate;
  const two = (part: bigint) => String(part).padStart(2, "0");
  const fraction =
    rate === 1n
      ? ""
      : String(value % rate)
          .padStart(String(rate).length - 1, "0")
          .replace(/(?<!0)0+$/, "");
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction === "" ? "" : `.${fraction}`}`;
}
