/**
 * The words between a file and the points: typed columns, as CONTRACT's rule types them, and what a reader is told.
 *
 * Every reader returns a `Table`; `instancesOf` turns it into points. Nothing here needs Node.
 */
import type { Notation } from "@coterie/core/internal";
import type { ColumnTypes } from "./column-types.js";
import type { DateOrder } from "./dates.js";

/** From this many numbers on, rows that come in single precision stay so: of fewer there is nothing to save. */
export const FEWEST_SINGLES = 2 ** 20;

/** Numbers of a column: singles where the file has them so. */
export type Numbers = Float64Array | Float32Array;

/** A column whose every present cell is a finite number. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  /** One value per row; NaN where the cell is missing. */
  readonly values: Numbers;
  /** How many cells are missing. */
  readonly missing: number;
  /** Whether the numbers are days of dates or times; which part of the dates came first, where that had to be found out. */
  readonly date?: true | DateOrder;
  /** How people write the values, where plain digits would lose something. */
  readonly notation?: Notation;
  /** The column of vectors that it is a part of. */
  readonly vector?: string;
}

/** A column of text: the code of each cell's level. */
export interface NominalColumn {
  readonly kind: "nominal";
  readonly name: string;
  /** One code per row; -1 where the cell is missing. */
  readonly codes: Int32Array;
  /** The texts, in order of first appearance. */
  readonly levels: readonly string[];
  /** It was read as text because it may name the rows (`ReadOptions.guess`). */
  readonly guessed?: true;
  /** How many cells are missing. */
  readonly missing: number;
}

export type Column = NumericColumn | NominalColumn;

/** Columns of numbers in single precision, row after row. */
export interface Singles {
  readonly names: readonly string[];
  readonly rows: Float32Array;
}

export interface Table {
  /** Data rows. */
  readonly n: number;
  readonly columns: readonly Column[];
  /** Columns before these, all of them without holes; only where the caller asked for it (`ReadOptions.singles`). */
  readonly singles?: Singles;
  /** Names of the columns that the file has but the caller told the reader to skip. */
  readonly skipped?: readonly string[];
  /** The line of a row in its file, from 1, for messages; absent where the format has no lines. */
  readonly lineOf?: (row: number) => number;
  /** The file's name, for messages. */
  readonly file: string;
  /** What the reader recognised or found odd, in sentences. */
  readonly notices: readonly string[];
  /** SHA-256 of the file's bytes, in hexadecimal; a file is read again for it, and must not have changed since. */
  contentHash(): Promise<string>;
}

/** An incremental SHA-256: Node's own is faster, the one in `sha256.ts` runs anywhere. */
export interface Hasher {
  update(bytes: Uint8Array): void;
  /** The digest in hexadecimal; ends the hasher. */
  digest(): string;
}

/** The bytes of a file, in pieces of any length. A piece is not used after the next one is asked for. */
export type Chunks = AsyncIterable<Uint8Array>;

export interface ReadOptions {
  /** The file's name, for messages. */
  readonly file: string;
  /** Columns to read as text whatever they hold: ids, truth, exclusive groups, `--nominal`. Unknown names are ignored. */
  readonly text?: readonly string[];
  /** Columns to read as text because they may name the rows; asked once for each column, in the order of the file. */
  readonly guess?: ((column: string) => boolean) | undefined;
  /** What columns hold, where the caller says so. */
  readonly types?: ColumnTypes;
  /** Whether day or month comes first in a column of dates, where that is known from elsewhere. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  /** Columns to leave out of the table (`--ignore`): true to skip. Skipped cells are not checked. */
  readonly skip?: (column: string) => boolean;
  /** The header of a CSV names rows, as that of a matrix does: numbers are fine, and a first column without a name gets this one. */
  readonly rowNames?: string;
  /** Whether a large array in single precision may come as `Table.singles`, which takes half the memory of columns. */
  readonly singles?: boolean;
  /** The field separator of CSV; recognised when absent. */
  readonly delimiter?: string;
  /** The decimal mark of CSV; recognised when absent. */
  readonly decimal?: "." | ",";
  readonly signal?: AbortSignal;
  /** Called as bytes are read; the total is null where it is not known. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number | null) => void;
  /** The file's length, for progress. */
  readonly bytesTotal?: number;
  /** Hashes the bytes as they pass; by default a portable one. */
  readonly hasher?: Hasher;
  /** Where the content hash comes from when it is asked for. Then no byte is hashed as it passes. */
  readonly contentHash?: () => Promise<string>;
}

/** Whether a cell's text, without surrounding blanks, stands for a missing value. */
export function isMissingText(text: string): boolean {
  return text === "" || text === "NA" || text === "?";
}
