/**
 * Reads and writes NumPy's .npy matrices (NEP 1): a short header as a Python literal, then the numbers. An array with one dimension is
 * one column; an array with two is rows and columns, named x0, x1, …
 */
import { badInput, rowMemory } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { modeFor, SKIPPED, TEXT, UNDECIDED } from "../table/columns.js";
import { checkColumnCount } from "../table/names.js";
import { quoted } from "../table/sentences.js";
import type { Chunks, Column, Numbers, ReadOptions, Singles, Table } from "../table/table.js";
import { FEWEST_SINGLES } from "../table/table.js";
import { allBytes, watchedBytes } from "../table/utf8.js";

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

interface Header {
  /** Byte order, kind and size of the numbers, such as "<f8" for little-endian doubles. */
  readonly type: string;
  readonly fortran: boolean;
  readonly rows: number;
  readonly width: number;
  readonly start: number;
}

export async function readNpy(chunks: Chunks, options: ReadOptions): Promise<Table> {
  const { file } = options;
  const source = watchedBytes(chunks, options);
  const { header, rest } = await opened(source.chunks, file);
  checkColumnCount(header.width, { file });
  if (header.rows === 0 || header.width === 0)
    throw badInput("The array is empty.", { file, remedy: "Save an array with rows." });
  const table = { n: header.rows, file, notices: [], contentHash: source.contentHash };
  const singles = await singlesOf(header, rest, options);
  if (singles) return { ...table, columns: [], skipped: [], singles };
  const bytes = await allBytes(rest);
  refuseShort(header, bytes.length, file);
  return { ...table, ...columnsOf(header, bytes, options) };
}

async function opened(chunks: Chunks, file: string): Promise<{ readonly header: Header; readonly rest: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  while (head.length < headerBytes(head)) {
    const { done, value } = await iterator.next();
    if (done) break;
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
  const header = headerOf(head, file);
  async function* rest(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield head.subarray(header.start);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { header, rest: rest() };
}

function headerBytes(head: Uint8Array): number {
  if (head.length < 12) return 12;
  const view = new DataView(head.buffer, head.byteOffset);
  return isNpy(head) ? (head[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true)) : 0;
}

function refuseShort({ rows, width, start, type }: Header, length: number, file: string): void {
  const needed = rows * width * Number(type.slice(2));
  if (length >= needed) return;
  throw badInput(`The file ends early: ${rows} × ${width} numbers take ${start + needed} bytes, it has ${start + length}.`, {
    file,
    remedy: "Save the array again.",
  });
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Reads a large single-precision array as one block. Returns undefined if the array is small or needs a conversion, or if the caller does
 * not ask for a block.
 */
async function singlesOf(header: Header, rest: Chunks, options: ReadOptions): Promise<Singles | undefined> {
  const { rows: n, width, start, type, fortran } = header;
  const { file, bytesTotal = 0 } = options;
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const asTheyAre = type === "<f4" && !fortran && isLittleEndian && names.every((name) => modeFor(name, options) === UNDECIDED);
  // A damaged header can announce more rows than the file has. This comparison with the length of the file prevents a huge allocation.
  if (!options.singles || !asTheyAre || n * width < FEWEST_SINGLES || bytesTotal < start + 4 * n * width) return undefined;
  const rows = rowMemory(n * width);
  const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  let at = 0;
  for await (const chunk of rest) {
    const piece = chunk.subarray(0, bytes.length - at);
    bytes.set(piece, at);
    at += piece.length;
  }
  refuseShort(header, at, file);
  const odd = firstNonFinite(rows);
  if (odd >= 0) throw nonFinite(rows[odd]!, Math.floor(odd / width), names[odd % width]!, file);
  return { names, rows };
}

/** The index of the first number that is not finite; -1 if all are finite. */
function firstNonFinite(rows: Float32Array): number {
  // x - x is 0 for finite x and NaN otherwise, so the sum over a stretch is 0 exactly if all its numbers are finite.
  const stretch = 65_536;
  for (let from = 0; from < rows.length; from += stretch) {
    const end = Math.min(rows.length, from + stretch);
    let sum = 0;
    for (let p = from; p < end; p++) sum += rows[p]! - rows[p]!;
    if (sum === 0) continue;
    for (let p = from; p < end; p++) if (!Number.isFinite(rows[p]!)) return p;
  }
  return -1;
}

function columnsOf(header: Header, bytes: Uint8Array, options: ReadOptions): Pick<Table, "columns" | "skipped"> {
  const { rows, width, type } = header;
  const size = Number(type.slice(2));
  const read = elementReader(type, new DataView(bytes.buffer, bytes.byteOffset, rows * width * size));
  const columns: Column[] = [];
  const skipped: string[] = [];
  for (let j = 0; j < width; j++) {
    const name = `x${j}`;
    const mode = modeFor(name, options);
    if (mode === SKIPPED) {
      skipped.push(name);
      continue;
    }
    const values = type.endsWith("f4") ? new Float32Array(rows) : new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      const value = read((header.fortran ? j * rows + i : i * width + j) * size);
      if (!Number.isFinite(value)) throw nonFinite(value, i, name, options.file);
      values[i] = value;
    }
    columns.push(mode === TEXT ? nominalOf(name, values) : { kind: "numeric", name, values, missing: 0 });
  }
  return { columns, skipped };
}

function nonFinite(value: number, row: number, name: string, file: string): Error {
  return badInput(`Row ${row} of column ${quoted(name)} is ${value}, which is not a finite number.`, {
    file,
    remedy: `Replace it, or leave the column out (${shellListFlag("--ignore", name)}).`,
  });
}

function nominalOf(name: string, values: Numbers): Column {
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(values, (value) => {
    const text = String(value);
    const code = codeOf.get(text) ?? codeOf.size;
    codeOf.set(text, code);
    return code;
  });
  return { kind: "nominal", name, codes, levels: [...codeOf.keys()], missing: 0 };
}

function headerOf(bytes: Uint8Array, file: string): Header {
  const broken = (what: string) => badInput(what, { file, remedy: "Save the array with numpy.save." });
  if (bytes.length < 10 || !isNpy(bytes)) throw broken("The file is not a NumPy array.");
  const version = bytes[6]!;
  if (version < 1 || version > 3) throw broken(`The file has version ${version} of the .npy format, which is not supported.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (version > 1 && bytes.length < 12) throw broken("The header is cut off.");
  const start = version === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
  if (start > bytes.length) throw broken("The header is cut off.");
  const text = new TextDecoder().decode(bytes.subarray(version === 1 ? 10 : 12, start));
  const type = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(text)?.[1];
  if (type === undefined && /'descr'\s*:\s*\[/.test(text))
    throw broken("The array has fields (a structured type), not plain numbers.");
  if (type === undefined || order === undefined || shape === undefined) throw broken("The header cannot be read.");
  if (!/^(?:[<>=|]?(?:[iu][1248]|f[48]|b1))$/.test(type)) {
    throw broken(`The array holds ${type.includes("O") ? "Python objects" : `the type ${quoted(type)}`}, not real numbers.`);
  }
  const sizes = shape
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => Number.parseInt(part, 10));
  if (sizes.length < 1 || sizes.length > 2) {
    throw badInput(`The array has ${sizes.length} dimensions.`, { file, remedy: "Save a matrix: rows × columns." });
  }
  const [rows = 0, width = 1] = sizes;
  // A number with too many digits becomes Infinity, which cannot be the length of a buffer.
  if (!Number.isSafeInteger(8 * rows * width)) throw broken("The header gives the array a shape that no file can hold.");
  const ordered = /^[a-z]/.test(type) ? `<${type}` : type;
  return { type: ordered, fortran: order === "True", rows, width, start };
}

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

function elementReader(type: string, view: DataView): (offset: number) => number {
  const little = !type.startsWith(">");
  switch (type.slice(1)) {
    case "f4":
      return (offset) => view.getFloat32(offset, little);
    case "f8":
      return (offset) => view.getFloat64(offset, little);
    case "i1":
      return (offset) => view.getInt8(offset);
    case "i2":
      return (offset) => view.getInt16(offset, little);
    case "i4":
      return (offset) => view.getInt32(offset, little);
    case "i8":
      return (offset) => Number(view.getBigInt64(offset, little));
    case "u2":
      return (offset) => view.getUint16(offset, little);
    case "u4":
      return (offset) => view.getUint32(offset, little);
    case "u8":
      return (offset) => Number(view.getBigUint64(offset, little));
    default:
      return (offset) => view.getUint8(offset);
  }
}

/** Writes a matrix as a .npy file (version 1, doubles, row-major). */
export function writeNpy(values: Float64Array, rows: number, width: number): Uint8Array {
  const dictionary = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${width}), }`;
  // The numbers must begin at a multiple of 64 bytes.
  const padded = `${dictionary.padEnd(Math.ceil((dictionary.length + 11) / 64) * 64 - 11)}\n`;
  const bytes = new Uint8Array(10 + padded.length + 8 * values.length);
  bytes.set([...MAGIC, 1, 0, padded.length & 255, padded.length >> 8]);
  bytes.set(new TextEncoder().encode(padded), 10);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) view.setFloat64(10 + padded.length + 8 * i, values[i]!, true);
  return bytes;
}
