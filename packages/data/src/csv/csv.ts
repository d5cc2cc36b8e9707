/**
 * CSV and TSV, read as a stream of bytes in Node and browsers alike, so that a file means the same everywhere.
 *
 * A header row is required. Quotes as in RFC 4180; lines end in LF, CRLF or CR. Types follow CONTRACT's rule. Beyond the
 * columns themselves the reader holds one piece of the file and one unfinished record.
 */
import { badInput } from "@coterie/core/internal";
import { CARRIAGE_RETURN, type CsvRecord, LINE_FEED, recordAt, SPACE } from "../lines/csv-record.js";
import { refuseLongRecord, type TextWindow, Window } from "../lines/window.js";
import { builderFor, ColumnBuilder, SKIPPED, TEXT } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import { numberOf } from "../table/parse-number.js";
import type { Chunks, ReadOptions, Table } from "../table/table.js";
import { textBytes } from "../table/utf8.js";
import { createRowReader, type RowReader } from "./csv-kernel.js";
import { CsvScanner } from "./csv-scan.js";
import { type Dialect, dialectOf } from "./csv-sniff.js";

/** How much of a file is looked at to recognise its separator and decimal mark. */
const SAMPLE = 1 << 18;
const COMMA = 44;
/** Rows after which the length of a file predicts how many there will be. */
const TELLING_ROWS = 1000;

/** What the readers of small formats in CSV (constraints, labels) change. */
export interface CsvRules {
  /** The separator that needs no announcement; tab for TSV. */
  readonly expectedDelimiter?: string;
  /** Every column is text, and only empty cells are missing. */
  readonly allText?: boolean;
  /** A table without rows is fine. */
  readonly allowEmpty?: boolean;
  /** A record may leave out its last cells. */
  readonly shortRecords?: boolean;
  /** The fast way for plain rows; null for none. By default one is made. */
  readonly reader?: RowReader | null;
}

/** A text in UTF-8, ready to be read. */
export interface CsvSource {
  readonly window: TextWindow;
  /** The fast way for plain rows, over the memory that the window is in; null for none. */
  readonly reader: RowReader | null;
  /** What was found before the first byte of text. */
  readonly notices: readonly string[];
  readonly contentHash: () => Promise<string>;
}

/** Reads a CSV table from pieces of any length. */
export function readCsv(chunks: Chunks, options: ReadOptions, rules: CsvRules = {}): Promise<Table> {
  const { chunks: text, notices, contentHash } = textBytes(chunks, options);
  const reader = rules.reader === undefined && !rules.allText ? createRowReader() : (rules.reader ?? null);
  return readCsvSource({ window: new Window(text, reader?.store), reader, notices, contentHash }, options, rules);
}

/** Reads a CSV table. */
export async function readCsvSource(source: CsvSource, options: ReadOptions, rules: CsvRules = {}): Promise<Table> {
  const { file } = options;
  const { window } = source;
  await window.more(SAMPLE);
  const { start, line } = skipBlankLines(window);
  if (start === window.end) throw badInput("The file is empty.", { file, remedy: "A table needs a header row and data rows." });
  refuseBinary(window, file);
  const notices: string[] = [];
  const expected = (rules.expectedDelimiter ?? ",").charCodeAt(0);
  const dialect = dialectOf(window.bytes, start, window.end, window.atEnd, options, expected, notices);
  const header = await readHeader(window, start, line, dialect, options);
  const columns = header.names.map((name) => (rules.allText ? new ColumnBuilder(name, TEXT) : builderFor(name, options)));
  if (options.rowNames === undefined && header.names.every((name) => numberOf(name) !== undefined)) {
    notices.push(`The first row of ${file} looks like data: every column name is a number. A header row is required.`);
  }
  const scanner = new CsvScanner(
    columns,
    {
      file,
      ...dialect,
      firstLine: line + header.record.lines,
      onlyEmptyIsMissing: rules.allText ?? false,
      shortRecords: rules.shortRecords ?? false,
    },
    source.reader,
  );
  await scanAll(window, header.record.next, scanner, options);
  const n = scanner.row;
  if (n === 0 && !rules.allowEmpty) {
    throw badInput("The file has a header but no data rows.", { file, line, remedy: "Add at least one row." });
  }
  const kept = columns.filter((column) => column.mode !== SKIPPED);
  const decimal = dialect.decimal === COMMA ? "," : ".";
  return {
    n,
    columns: kept.flatMap((column) => column.finish(n, { file, notices, decimal })),
    skipped: header.names.filter((_, j) => columns[j]!.mode === SKIPPED),
    lineOf: scanner.lineOf,
    file,
    notices: [...source.notices, ...notices],
    contentHash: source.contentHash,
  };
}

async function scanAll(window: TextWindow, from: number, scanner: CsvScanner, options: ReadOptions): Promise<void> {
  let consumed = from - window.start;
  let start = from;
  for (;;) {
    const next = scanner.scan(window.bytes, start, window.end, window.atEnd);
    consumed += next - start;
    if (window.atEnd) return;
    if (options.bytesTotal !== undefined && scanner.row >= TELLING_ROWS) {
      // A little more than expected, and only when it will not do: each time copies every column.
      const expected = (options.bytesTotal / consumed) * scanner.row;
      if (expected > scanner.capacity) scanner.reserve(Math.ceil(1.03 * expected));
    }
    window.drop(next);
    refuseLongRecord(window, options.file, scanner.lineOf(scanner.row));
    // Twice the unfinished record at least: reading it again and again stays linear.
    await window.more(2 * (window.end - window.start) + 1);
    start = window.start;
  }
}

async function readHeader(
  window: TextWindow,
  start: number,
  line: number,
  dialect: Dialect,
  { file, rowNames }: ReadOptions,
): Promise<{ readonly names: readonly string[]; readonly record: CsvRecord }> {
  let record = recordAt(window.bytes, start, window.end, dialect.delimiter, window.atEnd, { file, line });
  while (!record) {
    window.drop(start);
    refuseLongRecord(window, file, line);
    await window.more(2 * (window.end - window.start) + 1);
    record = recordAt(window.bytes, window.start, window.end, dialect.delimiter, window.atEnd, { file, line });
  }
  const { cells, inQuotes } = record;
  const names = cells.map((cell, j) => (inQuotes[j] ? cell : cell.trim()));
  if (names[0] === "" && rowNames !== undefined) names[0] = rowNames;
  checkNames(names, { file, line });
  return { names, record };
}

function skipBlankLines(window: TextWindow): { readonly start: number; readonly line: number } {
  const { bytes, end } = window;
  let line = 1;
  let { start } = window;
  for (let p = start; p < end; p++) {
    const c = bytes[p];
    if (c === LINE_FEED || (c === CARRIAGE_RETURN && bytes[p + 1] !== LINE_FEED)) {
      line++;
      start = p + 1;
    } else if (c !== SPACE && c !== CARRIAGE_RETURN) return { start, line };
  }
  return { start: end, line };
}

function refuseBinary(window: TextWindow, file: string): void {
  const zero = window.bytes.subarray(window.start, Math.min(window.end, window.start + SAMPLE)).indexOf(0);
  if (zero < 0) return;
  throw badInput(`The file is not text: byte ${zero} is zero.`, {
    file,
    remedy: "Tables are read from CSV, TSV, JSON lines, ARFF, Parquet, Arrow IPC and .npy files.",
  });
}
