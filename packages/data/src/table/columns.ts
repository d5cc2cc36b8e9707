/**
 * Columns as they are read, row after row, typed by CONTRACT's rule: numeric if every present cell is a finite number,
 * nominal if none is, bad input if both occur.
 *
 * A reader may hand in the same row twice (a record cut by the end of a piece of the file is read again), so every operation
 * may be repeated for a row without harm.
 */
import { MixedCells } from "./mixed-cells.js";
import { quoted } from "./sentences.js";
import type { Column, ReadOptions } from "./table.js";

export const UNDECIDED = 0;
export const NUMERIC = 1;
export const NOMINAL = 2;
/** Text whatever it holds, because the caller said so. */
export const TEXT = 3;
export const MIXED = 4;
export const SKIPPED = 5;

/** How a column begins: as text or left out if the caller said so, else undecided. */
export function modeFor(name: string, options: ReadOptions): typeof UNDECIDED | typeof TEXT | typeof SKIPPED {
  if (options.text?.includes(name)) return TEXT;
  return options.skip?.(name) ? SKIPPED : UNDECIDED;
}

export class ColumnBuilder {
  readonly name: string;
  mode: number;
  values: Float64Array = new Float64Array(0);
  /** Whether a number may be missing; most columns have no hole, and need not be searched for one. */
  holes = false;
  codes: Int32Array = new Int32Array(0);
  readonly levels: string[] = [];
  #capacity = 0;
  #codeOf: Map<string, number> | undefined;
  readonly #mixed = new MixedCells();
  #lastMixedRow = -1;

  constructor(name: string, mode: typeof UNDECIDED | typeof TEXT | typeof SKIPPED) {
    this.name = name;
    this.mode = mode;
  }

  /** Makes room for rows 0 … capacity-1. */
  grow(capacity: number): void {
    this.#capacity = capacity;
    if (this.mode === NUMERIC) this.values = enlarged(this.values, new Float64Array(capacity));
    if (this.mode === NOMINAL || this.mode === TEXT) this.codes = enlarged(this.codes, new Int32Array(capacity));
  }

  nothing(row: number): void {
    this.holes = true;
    if (this.mode === NUMERIC) this.values[row] = Number.NaN;
    else if (this.mode === NOMINAL || this.mode === TEXT) this.codes[row] = -1;
  }

  number(row: number, value: number, lineOf: (row: number) => number, shown = String(value)): void {
    if (this.mode === UNDECIDED) {
      this.mode = NUMERIC;
      this.holes ||= row > 0;
      this.values = new Float64Array(this.#capacity).fill(Number.NaN, 0, row);
    }
    if (this.mode === NUMERIC) {
      this.values[row] = value;
      return;
    }
    if (this.mode === NOMINAL) this.#mixNominal(row, lineOf);
    if (row <= this.#lastMixedRow) return;
    this.#lastMixedRow = row;
    this.#mixed.number(() => lineOf(row), shown);
  }

  text(row: number, text: string, lineOf: (row: number) => number): void {
    if (this.mode === UNDECIDED) {
      this.mode = NOMINAL;
      this.codes = new Int32Array(this.#capacity).fill(-1, 0, row);
    }
    if (this.mode === NOMINAL || this.mode === TEXT) {
      this.codes[row] = this.codeOf(text);
      return;
    }
    if (this.mode === NUMERIC) this.#mixNumeric(row, lineOf);
    if (row <= this.#lastMixedRow) return;
    this.#lastMixedRow = row;
    this.#mixed.text(() => lineOf(row), text);
  }

  codeOf(text: string): number {
    this.#codeOf ??= new Map(this.levels.map((level, code) => [level, code]));
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    this.#codeOf.set(text, this.levels.length);
    return this.levels.push(text) - 1;
  }

  #mixNumeric(row: number, lineOf: (row: number) => number): void {
    for (let r = 0; r < row; r++) {
      const value = this.values[r]!;
      if (!Number.isNaN(value)) this.#mixed.number(() => lineOf(r), String(value));
    }
    this.values = new Float64Array(0);
    this.mode = MIXED;
  }

  #mixNominal(row: number, lineOf: (row: number) => number): void {
    for (let r = 0; r < row; r++) {
      const code = this.codes[r]!;
      if (code >= 0) this.#mixed.text(() => lineOf(r), this.levels[code]!);
    }
    this.codes = new Int32Array(0);
    this.mode = MIXED;
  }

  /** The column of `n` rows; throws if it is mixed. What `lineOf` told are lines, or rows where the format has no lines. */
  finish(n: number, file: string, notices: string[], unit: "line" | "row" = "line"): Column {
    const { name } = this;
    if (this.mode === MIXED) throw this.#mixed.error(name, file, unit);
    if (this.mode === NUMERIC) {
      const values = this.values.subarray(0, n);
      let missing = 0;
      if (this.holes) for (let r = 0; r < n; r++) if (Number.isNaN(values[r]!)) missing++;
      return { kind: "numeric", name, values, missing };
    }
    if (this.mode === UNDECIDED) {
      notices.push(`Column ${quoted(name)} of ${file} has no values: every cell is missing.`);
      return { kind: "nominal", name, codes: new Int32Array(n).fill(-1), levels: [], missing: n };
    }
    const codes = this.codes.subarray(0, n);
    let missing = 0;
    for (let r = 0; r < n; r++) if (codes[r]! < 0) missing++;
    return { kind: "nominal", name, codes, levels: this.levels, missing };
  }
}

function enlarged<A extends Float64Array | Int32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
