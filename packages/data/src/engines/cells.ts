/**
 * Builds columns of typed formats (Parquet, Arrow) cell by cell. The rule for types is the same as for text formats: a column of numbers,
 * or of texts that are all numbers, is numeric; a mixture is an error. These formats have no lines, so errors name rows, from 0.
 */
import { badInput } from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { typeAsked } from "../table/column-types.js";
import { ColumnBuilder, modeFor, SKIPPED, TEXT, UNDECIDED } from "../table/columns.js";
import { isNonFiniteText, numberOf } from "../table/parse-number.js";
import { quoted } from "../table/sentences.js";
import { type Column, isMissingText, type Numbers, type ReadOptions } from "../table/table.js";
import { vectorColumns } from "../table/vectors.js";

export interface Cells {
  finish(n: number, notices: string[]): Column | readonly Column[];
}

export class VectorCells implements Cells {
  readonly #name: string;
  readonly #file: string;
  readonly #cells: (Numbers | null)[] = [];

  constructor(name: string, file: string) {
    this.#name = name;
    this.#file = file;
  }

  /** Stores the lists of rows `start` … `start + count - 1`. A missing number in a list becomes NaN. */
  fill(start: number, count: number, cell: (i: number) => Numbers | null): void {
    for (let i = 0; i < count; i++) this.#cells[start + i] = cell(i);
  }

  finish(n: number, notices: string[]): readonly Column[] {
    return vectorColumns(this.#name, this.#cells.slice(0, n), { file: this.#file }, notices);
  }
}

/** Whether to read a column of lists as vectors: yes, unless the column holds ids or an option gives it another type. */
export function wantsVectors(name: string, options: ReadOptions): boolean {
  const asked = typeAsked(options.types, name);
  return !options.text?.includes(name) && (asked === undefined || asked === "vector");
}

/** From this size on, a double cannot represent every whole number. */
const UNSAFE_INTEGER = 2 ** 53;

/** The number type in the file: single precision, whole numbers that can be too wide for a double, or anything else. */
export type NumberType = "double" | "single" | "whole";

export class NumberCells implements Cells {
  #values: Numbers = new Float64Array(0);
  readonly #name: string;
  readonly #file: string;
  readonly #type: NumberType;

  constructor(name: string, file: string, type: NumberType = "double") {
    this.#name = name;
    this.#file = file;
    this.#type = type;
  }

  #reserve(rows: number): void {
    if (rows <= this.#values.length) return;
    const length = Math.max(rows, 2 * this.#values.length);
    const larger = this.#type === "single" ? new Float32Array(length) : new Float64Array(length);
    larger.set(this.#values);
    this.#values = larger;
  }

  fill(start: number, count: number, cell: (i: number) => number | null): void {
    this.#reserve(start + count);
    const values = this.#values;
    for (let i = 0; i < count; i++) {
      const value = cell(i);
      if (value !== null && value > -UNSAFE_INTEGER && value < UNSAFE_INTEGER) values[start + i] = value;
      else this.#setOdd(start + i, value);
    }
  }

  /** Stores a missing number as NaN. Throws for a number that is not finite, or too large to be stored exactly. */
  #setOdd(row: number, value: number | null): void {
    if (value === null) {
      this.#values[row] = Number.NaN;
      return;
    }
    if (!Number.isFinite(value)) throw notFinite(this.#name, this.#file, row, String(value));
    if (this.#type === "whole" && Math.abs(value) >= UNSAFE_INTEGER) throw this.#tooWide(row, value);
    this.#values[row] = value;
  }

  #tooWide(row: number, value: number): Error {
    const name = this.#name;
    return badInput(
      `Column ${quoted(name)} holds whole numbers of 2^53 or more, about ${value} in row ${row}, which a double cannot distinguish.`,
      {
        file: this.#file,
        remedy: `If they are ids or categories, say so (${shellFlag("--id", name)} or ${shellListFlag("--nominal", name)}); otherwise leave the column out (${shellListFlag("--ignore", name)}) or scale it.`,
      },
    );
  }

  finish(n: number, notices: string[]): Column | readonly Column[] {
    const values = this.#values.slice(0, n);
    let missing = 0;
    for (let row = 0; row < n; row++) if (Number.isNaN(values[row]!)) missing++;
    if (missing === n && n > 0) return new ColumnBuilder(this.#name, UNDECIDED).finish(n, { file: this.#file, notices });
    return { kind: "numeric", name: this.#name, values, missing };
  }
}

/** Collects the cells of a text column. Its builder decides whether the column stays text or becomes numbers, dates or categories. */
export class TextCells implements Cells {
  readonly #builder: ColumnBuilder;
  readonly #file: string;
  #capacity = 0;

  constructor(builder: ColumnBuilder, file: string) {
    this.#builder = builder;
    this.#file = file;
  }

  fill(start: number, count: number, cell: (i: number) => string | null): void {
    this.#reserve(start + count);
    for (let i = 0; i < count; i++) this.#set(start + i, cell(i));
  }

  #reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    this.#capacity = Math.max(rows, 2 * this.#capacity);
    this.#builder.grow(this.#capacity);
  }

  #set(row: number, text: string | null): void {
    const trimmed = text === null ? "" : trimBlanks(text);
    if (text === null || isMissingText(trimmed)) {
      this.#builder.nothing(row);
      return;
    }
    if (this.#builder.mode === TEXT) {
      this.#builder.text(row, text, rowItself);
      return;
    }
    const value = numberOf(trimmed);
    if (value !== undefined && Number.isFinite(value)) {
      this.#builder.number(row, value, rowItself, trimmed);
      return;
    }
    if (value !== undefined || isNonFiniteText(trimmed)) throw notFinite(this.#builder.name, this.#file, row, trimmed);
    this.#builder.text(row, text, rowItself);
  }

  finish(n: number, notices: string[]): Column | readonly Column[] {
    this.#reserve(n);
    return this.#builder.finish(n, { file: this.#file, notices, unit: "row" });
  }
}

const rowItself = (row: number): number => row;

function trimBlanks(text: string): string {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  const blank = (code: number) => code === 32 || code === 9;
  return blank(first) || blank(last) ? text.replace(/^[ \t]+/, "").replace(/(?<![ \t])[ \t]+$/, "") : text;
}

function notFinite(name: string, file: string, row: number, text: string): Error {
  return badInput(`Column ${quoted(name)} holds ${quoted(text)} in row ${row} (from 0), which is not a finite number.`, {
    file,
    remedy: `Make the cell null if the value is missing, read the column as text (${shellListFlag("--nominal", name)}), or leave it out (${shellListFlag("--ignore", name)}).`,
  });
}

export function unsupportedType(name: string, file: string, content: string): Error {
  return badInput(`Column ${quoted(name)} holds ${content}, which are neither numbers nor text.`, {
    file,
    remedy: `Leave it out (${shellListFlag("--ignore", name)}), or split it into plain columns.`,
  });
}

export function isWanted(name: string, options: ReadOptions): boolean {
  return modeFor(name, options) !== SKIPPED;
}

export function isForcedText(name: string, options: ReadOptions): boolean {
  return modeFor(name, options) === TEXT;
}
