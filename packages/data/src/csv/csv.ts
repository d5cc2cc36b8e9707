/**
 * Reads CSV and TSV as a stream of bytes, with the same code in Node and browsers.
 *
 * A header row is required. Quotes are as in RFC 4180; lines end in LF, CRLF or CR. A column is numeric if all its cells are numbers.
 * Besides the columns, only one piece of the file and one unfinished record are in memory.
 */
import { badInput } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import {
  CARRIAGE_RETURN,
  type CsvRecord,
  closingQuote,
  decodeUtf8,
  endsCell,
  LINE_FEED,
  lineEnds,
  QUOTE,
  recordAt,
  SPACE,
  TAB,
  textAfterQuote,
  unclosedQuote,
} from "../lines/csv-record.js";
import { LineIndex } from "../lines/line-index.js";
import { refuseLongRecord, type TextWindow, Window } from "../lines/window.js";
import { builderFor, ColumnBuilder, NOMINAL, NUMERIC, SKIPPED, TEXT } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import { isNonFiniteText, numberAt, numberOf } from "../table/parse-number.js";
import { counted, quoted } from "../table/sentences.js";
import type { Chunks, ReadOptions, Table } from "../table/table.js";
import { textBytes } from "../table/utf8.js";
import { createRowReader, type RowReader } from "./csv-kernel.js";
import { type Dialect, dialectOf } from "./csv-sniff.js";

/** Separators that the fast path supports. It would misread other separators, such as a blank or a question mark. */
const usualDelimiters: readonly number[] = Array.from(",;\t|:", (c) => c.charCodeAt(0));

export interface CsvRules {
  readonly expectedDelimiter?: string;
  readonly allText?: boolean;
  /** Whether a table without rows is allowed. */
  readonly allowEmpty?: boolean;
  /** Whether records can omit their last cells. */
  readonly shortRecords?: boolean;
  readonly reader?: RowReader | null;
}

/** What the CSV reader reads: a window on text in UTF-8, and the fast path for it, if there is one. */
export interface CsvSource {
  readonly window: TextWindow;
  readonly reader: RowReader | null;
  readonly notices: readonly string[];
  readonly contentHash: () => Promise<string>;
}

export function readCsv(chunks: Chunks, options: ReadOptions, rules: CsvRules = {}): Promise<Table> {
  const { chunks: text, notices, contentHash } = textBytes(chunks, options);
  const reader = rules.reader === undefined && !rules.allText ? createRowReader() : (rules.reader ?? null);
  return readCsvSource({ window: new Window(text, reader?.store), reader, notices, contentHash }, options, rules);
}

/** Number of bytes from which the separator and the decimal mark are detected. */
const SAMPLE = 1 << 18;
const COMMA = 44;

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

/** After this number of rows, the total number of rows is predicted from the length of the file. */
const TELLING_ROWS = 1000;

async function scanAll(window: TextWindow, from: number, scanner: CsvScanner, options: ReadOptions): Promise<void> {
  let consumed = from - window.start;
  let start = from;
  for (;;) {
    const next = scanner.scan(window.bytes, start, window.end, window.atEnd);
    consumed += next - start;
    if (window.atEnd) return;
    if (options.bytesTotal !== undefined && scanner.row >= TELLING_ROWS) {
      // Allocates slightly more rows than predicted. The prediction matters because each later enlargement copies every column.
      const expected = (options.bytesTotal / consumed) * scanner.row;
      if (expected > scanner.capacity) scanner.reserve(Math.ceil(1.03 * expected));
    }
    window.drop(next);
    refuseLongRecord(window, options.file, scanner.lineOf(scanner.row));
    // An unfinished record is scanned again from its start. The window at least doubles each time, so the total time stays linear.
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

/*
 * The different texts of a column with their codes: a hash table with open addressing over the bytes of the texts. Finding the code of a
 * known text creates no string.
 */

class ByteLevels {
  #pool = new Uint8Array(256);
  /** The bytes of the text with code c are in #pool, from #ends[c-1] to #ends[c]. */
  #ends = new Float64Array(16);
  #hashes = new Int32Array(16);
  #slots = new Int32Array(32).fill(-1);
  #count = 0;

  /** The code of the text in `bytes`, or -1 if it is new. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const code = this.#slots[slot]!;
      if (code < 0) return -1;
      if (this.#hashes[code] === hash && this.#equals(code, bytes, start, end)) return code;
    }
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const code = this.#count++;
    const from = code === 0 ? 0 : this.#ends[code - 1]!;
    const to = from + end - start;
    if (to > this.#pool.length) this.#pool = copied(this.#pool, new Uint8Array(Math.max(to, 2 * this.#pool.length)));
    if (code === this.#ends.length) {
      this.#ends = copied(this.#ends, new Float64Array(2 * code));
      this.#hashes = copied(this.#hashes, new Int32Array(2 * code));
    }
    this.#pool.set(bytes.subarray(start, end), from);
    this.#ends[code] = to;
    this.#hashes[code] = hashOf(bytes, start, end);
    if (2 * this.#count > this.#slots.length) this.#rehash();
    else this.#place(code);
  }

  #place(code: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes[code]! & mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = code;
  }

  #rehash(): void {
    this.#slots = new Int32Array(4 * this.#slots.length).fill(-1);
    for (let code = 0; code < this.#count; code++) this.#place(code);
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = code === 0 ? 0 : this.#ends[code - 1]!;
    if (this.#ends[code]! - from !== end - start) return false;
    for (let p = start, q = from; p < end; p++, q++) if (bytes[p] !== this.#pool[q]) return false;
    return true;
  }
}

const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET;
  for (let p = start; p < end; p++) hash = Math.imul(hash ^ bytes[p]!, PRIME);
  // The low bits of the hash choose the slot, so the high bits are mixed into them.
  return hash ^ (hash >>> 15);
}

function copied<A extends Uint8Array | Int32Array | Float64Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

interface ScanSettings {
  readonly file: string;
  readonly delimiter: number;
  readonly decimal: number;
  readonly firstLine: number;
  /** If true, only empty cells are missing, and `NA` and `?` are ordinary texts. */
  readonly onlyEmptyIsMissing: boolean;
  readonly shortRecords: boolean;
}

/** Limit of rows × columns. The CSV code counts cells in signed 32-bit numbers. */
const MOST_CELLS = 2 ** 31;
/** If the fast path finds fewer rows than this, calling it costs more than it saves. Then the slow path reads the next rows. */
const FEW_ROWS = 16;
const LONGEST_PAUSE = 1000;
const UNFINISHED = -1;

/**
 * Scans the records of a CSV file from bytes into columns. Plain numbers go directly from bytes to a typed array; all other cells take the
 * slow path. A record is kept only if it is complete: `scan` returns where the first unfinished record begins.
 */
class CsvScanner {
  row = 0;
  readonly #columns: readonly ColumnBuilder[];
  readonly #settings: ScanSettings;
  readonly #modes: Uint8Array;
  readonly #values: Float64Array[];
  readonly #levels: ByteLevels[];
  readonly #number = new Float64Array(1);
  #scratch = new Uint8Array(256);
  capacity = 0;
  /** Number of blank lines since the last record. In tables with several columns, blank lines are allowed only at the end of the file. */
  #blanks = 0;
  #recordExtra = 0;
  readonly #lines: LineIndex;
  readonly lineOf: (row: number) => number;

  readonly #fast: RowReader | null;
  /** Number of rows that the slow path reads before the fast path is tried again. If the fast path finds few rows, this number grows. */
  #pause = 0;
  #nextPause = 0;
  #modesChanged = true;

  constructor(columns: readonly ColumnBuilder[], settings: ScanSettings, fast: RowReader | null = null) {
    this.#fast = usualDelimiters.includes(settings.delimiter) ? fast : null;
    this.#fast?.begin(settings);
    this.#columns = columns;
    this.#settings = settings;
    this.#modes = Uint8Array.from(columns, (column) => column.mode);
    this.#values = columns.map((column) => column.values);
    this.#levels = columns.map(() => new ByteLevels());
    this.#lines = new LineIndex(settings.firstLine);
    this.lineOf = this.#lines.lineOf;
  }

  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = rows;
    this.#columns.forEach((column, j) => {
      column.grow(rows);
      this.#values[j] = column.values;
    });
  }

  /**
   * Reads the records in bytes[from … end); returns where the first unfinished record begins. bytes[end] must be readable and must not be a
   * character of a number. If `atEnd` is true, the bytes must end with a line end, and all records are complete.
   */
  scan(bytes: Uint8Array, from: number, end: number, atEnd: boolean): number {
    const { delimiter } = this.#settings;
    const decimal = this.#settings.decimal === delimiter ? 0 : this.#settings.decimal;
    const modes = this.#modes;
    const values = this.#values;
    const last = modes.length - 1;
    let p = from;
    while (p < end) {
      const start = p;
      if (this.#fast && this.#pause === 0 && this.#blanks === 0) {
        p = this.#plainRows(this.#fast, bytes, p, end);
        if (p > start) continue;
      } else if (this.#pause > 0) this.#pause--;
      const blank = blankLineEnd(bytes, p, end);
      if (blank >= 0) {
        const next = this.#lineBreak(bytes, blank, end, atEnd);
        if (next < 0) return start;
        this.#blanks++;
        p = next;
        continue;
      }
      if (this.#blanks > 0) this.#acceptBlanks();
      if (this.row === this.capacity) this.#makeRoom();
      const row = this.row;
      this.#recordExtra = 0;
      for (let j = 0; ; j++) {
        let q = UNFINISHED;
        if (modes[j] === NUMERIC) q = numberAt(bytes, p, decimal, values[j]!, row);
        let c = q < 0 ? UNFINISHED : bytes[q]!;
        if (c !== delimiter && c !== LINE_FEED && c !== CARRIAGE_RETURN) {
          q = this.#cell(bytes, p, end, atEnd, j);
          if (q < 0) return start;
          c = bytes[q]!;
        }
        if (c === delimiter) {
          p = q + 1;
          if (j < last) continue;
          if (!this.#ragged(bytes, start, end, atEnd)) return start;
        }
        const next = this.#lineBreak(bytes, q, end, atEnd);
        if (next < 0) return start;
        if (j < last) {
          if (!this.#settings.shortRecords) this.#ragged(bytes, start, end, true);
          for (let k = j + 1; k <= last; k++) this.#columns[k]!.nothing(row);
        }
        p = next;
        break;
      }
      if (this.#recordExtra > 0) this.#lines.skip(row, this.#recordExtra);
      this.row = row + 1;
    }
    return p;
  }

  /** Reads a run of rows without quotes by the fast path. Returns the position after the last row that was read. */
  #plainRows(fast: RowReader, bytes: Uint8Array, from: number, end: number): number {
    if (this.#modesChanged) fast.takeColumns(this.#modes);
    this.#modesChanged = false;
    const { rows, next, at, stride, cut, holes } = fast.rowsAt(from, end);
    if (rows >= FEW_ROWS) this.#nextPause = 0;
    else if (!cut) this.#nextPause = Math.min(2 * this.#nextPause + 1, LONGEST_PAUSE);
    this.#pause = cut ? 0 : this.#nextPause;
    if (rows === 0) return from;
    const first = this.row;
    while (first + rows > this.capacity) this.#makeRoom();
    const texts: number[] = [];
    for (let j = 0; j < this.#modes.length; j++) {
      const address = at + j * stride;
      if (this.#modes[j] === NUMERIC) {
        this.#values[j]!.set(new Float64Array(fast.memory.buffer, address, rows), first);
        this.#columns[j]!.holes ||= holes;
      } else if (this.#modes[j] !== SKIPPED) texts.push(j);
    }
    if (texts.length > 0) this.#plainTexts(texts, new Uint32Array(fast.memory.buffer), bytes, at, stride, rows);
    this.row = first + rows;
    return next;
  }

  /** Takes the text cells of a run row by row, not column by column. So an error names the first wrong cell in the file. */
  #plainTexts(texts: readonly number[], ends: Uint32Array, bytes: Uint8Array, at: number, stride: number, rows: number): void {
    const { decimal, delimiter } = this.#settings;
    const mark = decimal === delimiter ? 0 : decimal;
    for (let i = 0; i < rows; i++, this.row++) {
      for (const j of texts) {
        const slot = (at + j * stride + 8 * i) / 4;
        this.#accept(bytes, ends[slot]!, ends[slot + 1]!, j, mark);
      }
    }
  }

  /** The position after the line end at `q`. Returns -1 if the bytes end with a carriage return, because a line feed can follow it. */
  #lineBreak(bytes: Uint8Array, q: number, end: number, atEnd: boolean): number {
    if (bytes[q] !== CARRIAGE_RETURN) return q + 1;
    if (q + 1 >= end) return atEnd ? q + 1 : UNFINISHED;
    return bytes[q + 1] === LINE_FEED ? q + 2 : q + 1;
  }

  #makeRoom(): void {
    const rows = Math.max(256, Math.floor(this.capacity * 1.6));
    if (this.row * this.#columns.length >= MOST_CELLS) {
      throw badInput(`The table has more than ${MOST_CELLS} cells.`, {
        file: this.#settings.file,
        line: this.lineOf(this.row),
        remedy: "Read fewer columns (--features), or a sample of the rows.",
      });
    }
    this.reserve(rows);
  }

  /**
   * Handles the blank lines before a record. In a table with one column, each blank line is a missing cell. In other tables it is an error.
   */
  #acceptBlanks(): void {
    if (this.#columns.length > 1) {
      throw badInput("The line is blank, but data follow.", {
        file: this.#settings.file,
        line: this.lineOf(this.row),
        remedy: "Delete the line.",
      });
    }
    for (; this.#blanks > 0; this.#blanks--) {
      if (this.row === this.capacity) this.#makeRoom();
      this.#columns[0]!.nothing(this.row++);
    }
  }

  #ragged(bytes: Uint8Array, start: number, end: number, atEnd: boolean): boolean {
    const { file, delimiter } = this.#settings;
    const line = this.lineOf(this.row);
    const record = recordAt(bytes, start, end, delimiter, atEnd, { file, line });
    if (!record) return false;
    const width = this.#columns.length;
    throw badInput(`The row has ${counted(record.cells.length, "cell")}, but the header has ${width}.`, {
      file,
      line,
      remedy: `Correct the row; a cell that contains the separator (${quoted(String.fromCharCode(delimiter))}) must be in quotes.`,
    });
  }

  #cell(bytes: Uint8Array, start: number, end: number, atEnd: boolean, j: number): number {
    const { delimiter, file } = this.#settings;
    if (bytes[start] !== QUOTE || start >= end) {
      let p = start;
      while (p < end && !endsCell(bytes[p]!, delimiter)) p++;
      if (p >= end) return UNFINISHED;
      this.#accept(bytes, start, p, j, this.#settings.decimal === delimiter ? 0 : this.#settings.decimal);
      return p;
    }
    const close = closingQuote(bytes, start + 1, end, atEnd);
    const line = this.lineOf(this.row) + this.#recordExtra;
    if (close < 0) {
      if (!atEnd) return UNFINISHED;
      throw unclosedQuote(file, line);
    }
    let p = close + 1;
    while (p < end && bytes[p] === SPACE && delimiter !== SPACE) p++;
    if (p >= end) return UNFINISHED;
    if (!endsCell(bytes[p]!, delimiter)) throw textAfterQuote(file, line);
    const length = this.#unquote(bytes, start + 1, close);
    this.#accept(this.#scratch, 0, length, j, this.#settings.decimal);
    this.#recordExtra += lineEnds(bytes, start + 1, close);
    return p;
  }

  /** Copies a quoted cell into the scratch array, with doubled quotes made single. Appends a byte that cannot be part of a number. */
  #unquote(bytes: Uint8Array, start: number, end: number): number {
    if (end - start >= this.#scratch.length) this.#scratch = new Uint8Array(2 * (end - start) + 1);
    let length = 0;
    for (let p = start; p < end; p++) {
      const c = bytes[p]!;
      this.#scratch[length++] = c;
      if (c === QUOTE) p++;
    }
    this.#scratch[length] = 0;
    return length;
  }

  #accept(bytes: Uint8Array, start: number, end: number, j: number, decimal: number): void {
    const column = this.#columns[j]!;
    const row = this.row;
    if (column.mode === SKIPPED) return;
    let from = start;
    let to = end;
    while (from < to && isBlank(bytes[from]!)) from++;
    while (to > from && isBlank(bytes[to - 1]!)) to--;
    if (from === to || (!this.#settings.onlyEmptyIsMissing && isMissing(bytes, from, to))) {
      column.nothing(row);
      return;
    }
    if (column.mode === NOMINAL || column.mode === TEXT) {
      const code = this.#levels[j]!.find(bytes, start, end);
      if (code >= 0) {
        column.codes[row] = code;
        return;
      }
    }
    const text = decodeUtf8(bytes, start, end, this.#settings.file, this.lineOf(row) + this.#recordExtra);
    if (column.mode !== TEXT) {
      if (numberAt(bytes, from, decimal, this.#number, 0) === to) {
        column.number(row, this.#number[0]!, this.lineOf, text.trim());
        this.#follow(j);
        return;
      }
      this.#refuseNonFinite(text.trim(), column.name, decimal);
    }
    const known = column.levels.length;
    column.text(row, text, this.lineOf);
    if (column.levels.length > known) this.#levels[j]!.add(bytes, start, end);
    this.#follow(j);
  }

  /** Updates the mode of a column (number, text, undecided) after one of its cells was read. The fast path receives the modes later. */
  #follow(j: number): void {
    const column = this.#columns[j]!;
    if (this.#modes[j] !== column.mode) this.#modesChanged = true;
    this.#modes[j] = column.mode;
    this.#values[j] = column.values;
  }

  #refuseNonFinite(text: string, name: string, decimal: number): void {
    const value = numberOf(decimal === 0 ? text : text.replace(String.fromCharCode(decimal), "."));
    const tooLarge = value !== undefined && !Number.isFinite(value);
    if (!tooLarge && !isNonFiniteText(text)) return;
    throw badInput(
      tooLarge
        ? `Column ${quoted(name)} holds ${quoted(text)}, a number too large for a double.`
        : `Column ${quoted(name)} holds ${quoted(text)}, which is not a finite number.`,
      {
        file: this.#settings.file,
        line: this.lineOf(this.row) + this.#recordExtra,
        remedy: `Leave the cell empty if the value is missing, read the column as text (${shellListFlag("--nominal", name)}), or leave it out (${shellListFlag("--ignore", name)}).`,
      },
    );
  }
}

/** If the line at `p` is blank, returns the position of its line end; otherwise -1. */
function blankLineEnd(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && bytes[p] === SPACE) p++;
  return p < end && (bytes[p] === LINE_FEED || bytes[p] === CARRIAGE_RETURN) ? p : -1;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

const QUESTION_MARK = 63;
const LETTER_N = 78;
const LETTER_A = 65;

function isMissing(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start === 1) return bytes[start] === QUESTION_MARK;
  return end - start === 2 && bytes[start] === LETTER_N && bytes[start + 1] === LETTER_A;
}
