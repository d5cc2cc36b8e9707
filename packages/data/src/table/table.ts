/**
 * The types between files and points: typed columns, and the options of readers.
 *
 * Every reader returns a `Table`; `instancesOf` turns it into points. This module runs in browsers.
 */
import type { Notation } from "@coterie/core/internal";
import type { ColumnTypes } from "./column-types.js";
import type { DateOrder } from "./dates.js";

/** Tables with at least this many single-precision numbers stay in single precision. Below it, the saved memory does not matter. */
export const FEWEST_SINGLES = 2 ** 20;

export type Numbers = Float64Array | Float32Array;

/** A column whose every present cell is a finite number. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: Numbers;
  readonly missing: number;
  /** Set if the numbers are dates or times. For ambiguous dates such as 01/02/2024, it says whether day or month comes first. */
  readonly date?: true | DateOrder;
  /** The notation of the values, if they were not plain digits. */
  readonly notation?: Notation;
  readonly vector?: string;
}

/** A text column, as one code per cell. */
export interface NominalColumn {
  readonly kind: "nominal";
  readonly name: string;
  /** One code per row; -1 for a missing cell. */
  readonly codes: Int32Array;
  readonly levels: readonly string[];
  /** Set if the reader read the column as text because the column can have ids (`ReadOptions.guess`). */
  readonly guessed?: true;
  readonly missing: number;
}

export type Column = NumericColumn | NominalColumn;

/** Numeric columns in single precision, row by row. */
export interface Singles {
  readonly names: readonly string[];
  readonly rows: Float32Array;
}

export interface Table {
  readonly n: number;
  readonly columns: readonly Column[];
  /** Numeric columns without missing cells, which come before `columns`; only with `ReadOptions.singles`. */
  readonly singles?: Singles;
  /** Names of the columns that the reader skipped at the caller's request. */
  readonly skipped?: readonly string[];
  /** The line of a row in its file, from 1, for messages; absent for formats without lines. */
  readonly lineOf?: (row: number) => number;
  /** The file's name, for messages. */
  readonly file: string;
  readonly notices: readonly string[];
  /** SHA-256 of the file's bytes, in hexadecimal. Reads the file again, and rejects if it changed. */
  contentHash(): Promise<string>;
}

/** An incremental SHA-256. Node's implementation is faster; `sha256.ts` runs everywhere. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** The digest in hexadecimal; ends the hasher. */
  digest(): string;
}

/** The bytes of a file, in pieces of any length. A piece is valid until the next piece is requested. */
export type Chunks = AsyncIterable<Uint8Array>;

export interface ReadOptions {
  /** The file's name, for messages. */
  readonly file: string;
  /** Columns that are always read as text: ids, classes, exclusive groups, `--nominal`. Unknown names are ignored. */
  readonly text?: readonly string[];
  /** Whether to read a column as text because it can have ids. The reader calls it once per column, in file order. */
  readonly guess?: ((column: string) => boolean) | undefined;
  /** The types of columns; other types are detected. */
  readonly types?: ColumnTypes;
  /** For date columns: whether day or month comes first, if the caller knows it. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  /** "text": a column with numbers and texts is read as text, with a notice. Default: such a column is an error. */
  readonly mixed?: "text";
  /** Columns to leave out of the table (`--ignore`): true to skip. Skipped cells are not checked. */
  readonly skip?: (column: string) => boolean;
  /**
   * For distance matrices: the header contains row names, so numbers are allowed as column names. A first column without a name gets this
   * name.
   */
  readonly rowNames?: string;
  /** Whether a large single-precision array can be returned as `Table.singles`, which takes half the memory of columns. */
  readonly singles?: boolean;
  /** The field separator of CSV (default: detected). */
  readonly delimiter?: string;
  /** The decimal mark of CSV (default: detected). */
  readonly decimal?: "." | ",";
  readonly signal?: AbortSignal;
  /** Called as bytes are read; the total is null if it is not known. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number | null) => void;
  /** The file's length, for progress. */
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
