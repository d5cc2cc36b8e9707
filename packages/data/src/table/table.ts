/**
 * The types between a file and points: `Table` with its typed columns, and the options of readers. Every reader returns a `Table`, and
 * `instancesOf` turns it into points. This module runs in browsers.
 */
import type { Notation } from "@coterie/core/internal";
import type { ColumnTypes } from "./column-types.js";
import type { DateOrder } from "./dates.js";

/**
 * Tables with at least this number of single-precision values stay in single precision. For smaller tables the saved memory does not
 * matter.
 */
export const FEWEST_SINGLES = 2 ** 20;

export type Numbers = Float64Array | Float32Array;

/** A column in which every present cell is a finite number. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: Numbers;
  readonly missing: number;
  /** Present if the numbers are dates or times. For dates such as 01/02/2024, it says whether the day or the month comes first. */
  readonly date?: true | DateOrder;
  /** The notation of the cells if they were not plain digits, for example with currency signs. Pages show values in this notation. */
  readonly notation?: Notation;
  readonly vector?: string;
}

/** A text column. Each cell is stored as a code, the index of its text in `levels`. */
export interface NominalColumn {
  readonly kind: "nominal";
  readonly name: string;
  /** For each row, the index of its text in `levels`; -1 for a missing cell. */
  readonly codes: Int32Array;
  readonly levels: readonly string[];
  /** Present if the reader read the column as text only because the column can hold ids (`ReadOptions.guess`). */
  readonly guessed?: true;
  readonly missing: number;
}

export type Column = NumericColumn | NominalColumn;

/** Numeric columns in single precision, in one array, row by row. */
export interface Singles {
  readonly names: readonly string[];
  readonly rows: Float32Array;
}

export interface Table {
  readonly n: number;
  readonly columns: readonly Column[];
  /** Numeric columns without missing cells, as one block. They come before `columns`. Present only if `ReadOptions.singles` is true. */
  readonly singles?: Singles;
  /** Names of the columns that the reader left out because of `ReadOptions.skip`. */
  readonly skipped?: readonly string[];
  /** The line of a row in its file, from 1, for messages; absent for formats without lines. */
  readonly lineOf?: (row: number) => number;
  /** The file's name, for messages. */
  readonly file: string;
  readonly notices: readonly string[];
  /** SHA-256 of the file's bytes, in hexadecimal. Some tables read the file again to compute it. They reject if the file has changed. */
  contentHash(): Promise<string>;
}

/** Computes a SHA-256 from pieces of bytes. Node has a faster implementation; `sha256.ts` runs everywhere. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** Returns the hash in hexadecimal. After that, the hasher cannot be used any more. */
  digest(): string;
}

/** The bytes of a file, in pieces of any length. A piece is valid until the next piece is requested. */
export type Chunks = AsyncIterable<Uint8Array>;

export interface ReadOptions {
  /** The file's name, for messages. */
  readonly file: string;
  /** Columns that are always read as text: ids, classes, exclusive groups, `--nominal`. Unknown names are ignored. */
  readonly text?: readonly string[];
  /** Whether to read a column as text because it can hold ids. The reader calls this function once per column, in file order. */
  readonly guess?: ((column: string) => boolean) | undefined;
  /** The order of day and month in date columns, by column name. Default: detected from the cells. */
  readonly types?: ColumnTypes;
  /** For each date column by name: whether the day or the month comes first in its dates, if the caller knows it. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  /** "text": a column with numbers and texts is read as text, with a notice. Default: such a column is an error. */
  readonly mixed?: "text";
  /** Columns to leave out of the table (`--ignore`): true to skip. Skipped cells are not checked. */
  readonly skip?: (column: string) => boolean;
  /**
   * Set for distance matrices, whose header holds the names of rows. Then column names may be numbers, and a first column without a name
   * gets the value of this option as its name.
   */
  readonly rowNames?: string;
  /** Whether the reader can return a large single-precision array as `Table.singles`, which takes half the memory of ordinary columns. */
  readonly singles?: boolean;
  /** The field separator of CSV (default: detected). */
  readonly delimiter?: string;
  /** The decimal mark of CSV (default: detected). */
  readonly decimal?: "." | ",";
  readonly signal?: AbortSignal;
  /** Called while bytes are read; the total is null if the length of the file is not known. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number | null) => void;
  /** The length of the file in bytes, for `onProgress`. */
  readonly bytesTotal?: number;
  /** Hashes the bytes while they are read (default: the portable implementation). */
  readonly hasher?: Hasher;
  /** Computes the content hash on request. If present, the bytes are not hashed while they are read. */
  readonly contentHash?: () => Promise<string>;
}

/** Whether the text of a cell, without surrounding blanks, means a missing value. */
export function isMissingText(text: string): boolean {
  return text === "" || text === "NA" || text === "?";
}
