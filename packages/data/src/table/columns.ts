/**
 * Builds columns row by row and determines their types:
 * - numeric, if every present cell is a finite number
 * - nominal, if no cell is a number
 * - an error, if a column has numbers and texts
 *
 * Texts such as "1,000" or "5%" are recognised as numbers only when all rows are read. Until then, a column can have cells of both kinds.
 *
 * A reader can pass the same row twice: if a piece of the file ends inside a record, it reads the record again. So repeating an operation
 * for a row has no effect.
 */
import { badInput } from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { type ColumnType, typeAsked } from "./column-types.js";
import type { DateOrder } from "./dates.js";

import { isNoValue, notationOf, saysMissing, writtenNumber } from "./number-notation.js";
import { areBooleans, datesAsked, datesIn, numbersIn, type Recognised, type Texts, truthOf } from "./recognise.js";
import { quoted } from "./sentences.js";
import type { Column, NumericColumn, ReadOptions } from "./table.js";
import { vectorColumns, vectorOf } from "./vectors.js";

/* For a column with numbers and texts: counts both kinds of cells, keeps the first examples of each, and writes the error message. */

const NAMED_CELLS = 3;

interface Example {
  /** The line of the cell, or its row if the format has no lines. */
  readonly place: number;
  readonly text: string;
}

class Kind {
  count = 0;
  readonly examples: Example[] = [];

  add(place: () => number, text: string): void {
    if (this.count++ < NAMED_CELLS) this.examples.push({ place: place(), text });
  }
}

class MixedCells {
  readonly #numbers = new Kind();
  readonly #texts = new Kind();
  /** #notations: number of texts that look like numbers in another notation. #missing: number of texts that look like missing values. */
  #notations = 0;
  #missing = 0;
  #notation: string | undefined;

  number(place: () => number, text: string): void {
    this.#numbers.add(place, text);
  }

  text(place: () => number, text: string): void {
    this.#texts.add(place, text);
    const notation = notationOf(text);
    this.#notation ??= notation;
    if (notation !== undefined) this.#notations++;
    else if (saysMissing(text)) this.#missing++;
  }

  /** The error for a column with numbers and texts. It lists the rarer kind of cells, because these are probably the mistakes. */
  error(name: string, file: string, unit: "line" | "row"): Error {
    const [texts, numbers] = [this.#texts.count, this.#numbers.count];
    const textOffends = texts <= numbers || 2 * (this.#notations + this.#missing) >= texts;
    const [offending, others] = textOffends ? [this.#texts, this.#numbers] : [this.#numbers, this.#texts];
    const at = ({ place, text }: Example) => `${unit} ${place} ${quoted(text)}`;
    const named = offending.examples.map(at).join(", ");
    const more = offending.count > offending.examples.length ? ", …" : "";
    const what = textOffends ? "text" : offending.count === 1 ? "a number" : "numbers";
    const rest = `the ${others.count === 1 ? "other is" : "others are"} ${textOffends ? (others.count === 1 ? "a number" : "numbers") : "text"}`;
    return badInput(
      `Column ${quoted(name)} mixes numbers and text: ${offending.count} of its ${texts + numbers} cells ${offending.count === 1 ? "is" : "are"} ${what} (${named}${more}); ${rest} (${at(others.examples[0]!)}${others.count > 1 ? ", …" : ""})${unit === "row" ? "; rows count from 0" : ""}.`,
      {
        file,
        ...(unit === "line" ? { line: offending.examples[0]!.place } : {}),
        remedy: `${this.#remedy(textOffends)}, read the column as text (${shellListFlag("--nominal", name)}), or leave it out (${shellListFlag("--ignore", name)}).`,
      },
    );
  }

  #remedy(textOffends: boolean): string {
    if (!textOffends || this.#notations + this.#missing === 0) return "Correct them";
    const plain = this.#notations > 0 ? `write the numbers without ${this.#notation}` : "";
    const empty = this.#missing > 0 ? "leave cells empty where there is no value" : "";
    const both = [plain, empty].filter((part) => part !== "").join(" and ");
    return `${both[0]!.toUpperCase()}${both.slice(1)}`;
  }
}

export const UNDECIDED = 0;
export const TEXT = 3;
export const SKIPPED = 5;

/** The mode of a column before its first cell. It is undecided, unless an option makes the column text or leaves it out. */
export function modeFor(name: string, options: ReadOptions): Mode {
  const isGuessed = options.guess?.(name);
  if (isGuessed || options.text?.includes(name)) return TEXT;
  if (options.skip?.(name)) return SKIPPED;
  const asked = typeAsked(options.types, name);
  return asked === undefined || asked === "number" ? UNDECIDED : asked === "ignore" ? SKIPPED : TEXT;
}

type Mode = typeof UNDECIDED | typeof TEXT | typeof SKIPPED;

export function builderFor(name: string, options: ReadOptions, preset: Mode = UNDECIDED): ColumnBuilder {
  const mode = modeFor(name, options);
  const isRole = options.text?.includes(name);
  const asked = isRole ? undefined : typeAsked(options.types, name);
  const order = options.dateOrders && Object.hasOwn(options.dateOrders, name) ? options.dateOrders[name] : undefined;
  const builder = new ColumnBuilder(name, mode === UNDECIDED && asked === undefined ? preset : mode, asked, order);
  // If the file itself declares a column as text, the column stays text, even if it holds no ids.
  builder.guessed = preset !== TEXT && !isRole && options.guess?.(name) === true;
  builder.mixtureIsText = options.mixed === "text" && asked === undefined;
  return builder;
}

export interface Finishing {
  readonly file: string;
  readonly notices: string[];
  readonly unit?: "line" | "row";
  readonly decimal?: "." | ",";
}

export const NUMERIC = 1;
export const NOMINAL = 2;
const MIXED = 4;

export class ColumnBuilder {
  readonly name: string;
  mode: number;
  values: Float64Array = new Float64Array(0);
  /** Whether the column can have missing numbers. If not, there is no need to search for NaN. */
  holes = false;
  codes: Int32Array = new Int32Array(0);
  readonly levels: string[] = [];
  guessed = false;
  /** What happens to a column with numbers and texts. True: it becomes a text column. False: it is an error. */
  mixtureIsText = false;
  #capacity = 0;
  #codeOf: Map<string, number> | undefined;
  readonly #mixed = new MixedCells();
  #lastMixedRow = -1;
  /** Whether the column is certainly an error, because one of its texts cannot be a number. Then its cells are no longer stored. */
  #hopeless = false;
  readonly #asked: ColumnType | undefined;
  readonly #order: DateOrder | undefined;
  #lineOf: (row: number) => number = (row) => row;

  constructor(name: string, mode: Mode, asked?: ColumnType, order?: DateOrder) {
    this.name = name;
    this.mode = mode;
    this.#asked = asked;
    this.#order = order;
  }

  grow(capacity: number): void {
    this.#capacity = capacity;
    const both = this.mode === MIXED && !this.#hopeless;
    if (this.mode === NUMERIC || both) this.values = enlarged(this.values, new Float64Array(capacity));
    if (this.mode === NOMINAL || this.mode === TEXT || both) this.codes = enlarged(this.codes, new Int32Array(capacity));
  }

  nothing(row: number): void {
    this.holes = true;
    const both = this.mode === MIXED && !this.#hopeless;
    if (this.mode === NUMERIC || both) this.values[row] = Number.NaN;
    if (this.mode === NOMINAL || this.mode === TEXT || both) this.codes[row] = -1;
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
    if (!this.#hopeless) {
      this.values[row] = value;
      this.codes[row] = -1;
    }
    if (row <= this.#lastMixedRow) return;
    this.#lastMixedRow = row;
    this.#mixed.number(() => lineOf(row), shown);
  }

  text(row: number, text: string, lineOf: (row: number) => number): void {
    this.#lineOf = lineOf;
    if (this.mode === UNDECIDED) {
      this.mode = NOMINAL;
      this.codes = new Int32Array(this.#capacity).fill(-1, 0, row);
    }
    if (this.mode === NOMINAL || this.mode === TEXT) {
      this.codes[row] = this.codeOf(text);
      return;
    }
    if (this.mode === NUMERIC) this.#mixNumeric(row, lineOf);
    if (!this.#hopeless && !isHopeful(text)) this.#giveUp();
    if (!this.#hopeless) {
      this.values[row] = Number.NaN;
      this.codes[row] = this.codeOf(text);
    }
    if (row <= this.#lastMixedRow) return;
    this.#lastMixedRow = row;
    this.#mixed.text(() => lineOf(row), text);
  }

  /** Frees the cells of a column that is certainly an error; only counts for the error message are kept. */
  #giveUp(): void {
    if (this.mixtureIsText) return;
    this.#hopeless = true;
    this.values = new Float64Array(0);
    this.codes = new Int32Array(0);
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
    this.codes = new Int32Array(this.#capacity).fill(-1, 0, row);
    this.mode = MIXED;
  }

  #mixNominal(row: number, lineOf: (row: number) => number): void {
    for (let r = 0; r < row; r++) {
      const code = this.codes[r]!;
      if (code >= 0) this.#mixed.text(() => lineOf(r), this.levels[code]!);
    }
    this.values = new Float64Array(this.#capacity).fill(Number.NaN, 0, row);
    this.mode = MIXED;
    if (!this.levels.every(isHopeful)) this.#giveUp();
  }

  finish(n: number, finishing: Finishing): Column | readonly Column[] {
    const { name } = this;
    if (this.mode === MIXED) return this.#recognisedMixture(n, finishing);
    if (this.mode === NUMERIC) return numericColumn(name, this.values.subarray(0, n), this.holes);
    if (this.mode === UNDECIDED) {
      finishing.notices.push(`Column ${quoted(name)} of ${finishing.file} has no values: every cell is missing.`);
      return { kind: "nominal", name, codes: new Int32Array(n).fill(-1), levels: [], missing: n };
    }
    return this.#vectors(n, finishing) ?? this.#recognised(n, finishing) ?? this.#nominal(n);
  }

  #vectors(n: number, { file, notices, unit = "line" }: Finishing): Column[] | undefined {
    const asked = this.#asked;
    if (asked === "vector" ? false : this.mode === TEXT || asked !== undefined || !/^\s*[[(]/.test(this.levels[0] ?? ""))
      return undefined;
    const vectors: Float64Array[] = [];
    for (const level of this.levels) {
      const vector = vectorOf(level);
      if (vector === undefined && asked !== "vector") return undefined;
      if (vector === undefined) throw this.#refused(level, n, { file, notices, unit });
      vectors.push(vector);
    }
    const cells = Array.from(this.codes.subarray(0, n), (code) => (code < 0 ? null : vectors[code]!));
    return vectorColumns(this.name, cells, { file, ...(unit === "line" ? { lineOf: this.#lineOf } : {}) }, notices);
  }

  #nominal(n: number): Column {
    const codes = this.codes.subarray(0, n);
    let missing = 0;
    for (let r = 0; r < n; r++) if (codes[r]! < 0) missing++;
    return { kind: "nominal", name: this.name, codes, levels: this.levels, missing, ...(this.guessed ? { guessed: true } : {}) };
  }

  #recognised(n: number, finishing: Finishing): Column | undefined {
    const asked = this.#asked;
    if (this.mode === TEXT && asked !== "date") return undefined;
    const texts = this.#texts(n, finishing);
    if (asked === "date") {
      const dates = datesAsked(texts, this.#order);
      if ("refused" in dates) throw this.#refused(dates.refused, n, finishing);
      return this.#numbers(n, dates, finishing);
    }
    const found = numbersIn(texts, asked === "number") ?? (asked === "number" ? undefined : datesIn(texts, this.#order));
    if (found) return this.#numbers(n, found, finishing);
    if (asked !== "number") return undefined;
    if (!areBooleans(this.levels)) throw this.#refused(undefined, n, finishing);
    const notice = `Column ${quoted(this.name)} is read as numbers: 1 for ${quoted("true")} or ${quoted("yes")}, 0 for ${quoted("false")} or ${quoted("no")}.`;
    return this.#numbers(n, { type: "number", values: Float64Array.from(this.levels, truthOf), notice }, finishing);
  }

  #recognisedMixture(n: number, finishing: Finishing): Column {
    const found = this.#hopeless ? undefined : numbersIn(this.#texts(n, finishing), this.#asked === "number");
    if (found) return this.#numbers(n, found, finishing);
    if (!this.mixtureIsText) throw this.#mixed.error(this.name, finishing.file, finishing.unit ?? "line");
    for (let r = 0; r < n; r++) if (!Number.isNaN(this.values[r]!)) this.codes[r] = this.codeOf(String(this.values[r]!));
    finishing.notices.push(`Column ${quoted(this.name)} mixes numbers and text, and is read as text.`);
    return this.#nominal(n);
  }

  #texts(n: number, { decimal = "." }: Finishing): Texts {
    const { name, levels } = this;
    const plain = { some: false, whole: true, zero: true };
    if (this.mode === MIXED) {
      for (let r = 0; r < n; r++) {
        const value = this.values[r]!;
        if (Number.isNaN(value)) continue;
        plain.some = true;
        plain.whole &&= Number.isInteger(value);
        plain.zero &&= value === 0;
      }
    }
    const counts = (level: number): number => {
      let count = 0;
      for (let r = 0; r < n; r++) if (this.codes[r] === level) count++;
      return count;
    };
    return { name, levels, counts, plain, decimal };
  }

  #numbers(n: number, { values: numberOf, notice, type, order, notation }: Recognised, { notices }: Finishing): NumericColumn {
    const values = this.mode === MIXED ? this.values.subarray(0, n) : new Float64Array(n);
    for (let r = 0; r < n; r++) {
      const code = this.codes[r]!;
      if (code >= 0) values[r] = numberOf[code]!;
      else if (this.mode !== MIXED) values[r] = Number.NaN;
    }
    notices.push(notice);
    const column = { ...numericColumn(this.name, values, true), ...(notation ? { notation } : {}) };
    return type === "date" ? { ...column, date: order ?? true } : column;
  }

  #refused(known: string | undefined, n: number, { file, unit = "line", decimal = "." }: Finishing): Error {
    const what = this.#asked === "date" ? "date or time" : this.#asked === "vector" ? "list of numbers" : "number";
    const { level, wrong } =
      known === undefined ? misfit(this.levels, decimal, what) : { level: this.levels.indexOf(known), wrong: `no ${what}` };
    const row = this.codes.subarray(0, n).indexOf(Math.max(0, level));
    const text = quoted(this.levels[Math.max(0, level)] ?? "");
    const place = this.#lineOf(Math.max(0, row));
    const option = shellFlag("--type", `${this.name}=${this.#asked}`);
    return badInput(
      `Column ${quoted(this.name)} holds ${text}${unit === "row" ? ` in row ${place} (from 0)` : ""}, which is ${wrong} (${option}).`,
      {
        file,
        ...(unit === "line" ? { line: place } : {}),
        remedy: `Correct the cell, read the column as text (${shellFlag("--type", `${this.name}=nominal`)}), or leave it out (${shellListFlag("--ignore", this.name)}).`,
      },
    );
  }
}

/**
 * Finds the text that prevents a column from being numeric, and says what is wrong with it: no number, a number with another decimal mark,
 * or a number with another unit.
 */
function misfit(levels: readonly string[], decimal: "." | ",", what: string): { readonly level: number; readonly wrong: string } {
  const none = levels.findIndex((text) => !isHopeful(text));
  if (none >= 0) return { level: none, wrong: `no ${what}` };
  const units = levels.map((text) => writtenNumber(text, decimal)?.unit);
  const unread = levels.findIndex((text, level) => units[level] === undefined && !isNoValue(text));
  const first = units.find((unit) => unit);
  const other = units.findIndex((unit) => unit && unit !== first);
  if (unread >= 0 || other < 0)
    return { level: Math.max(0, unread), wrong: `not a number with the decimal mark ${quoted(decimal)}` };
  return { level: other, wrong: `in ${quoted(units[other]!)}, while others are in ${quoted(first!)}` };
}

function isHopeful(text: string): boolean {
  return isNoValue(text) || notationOf(text) !== undefined;
}

function numericColumn(name: string, values: Float64Array, holes: boolean): NumericColumn {
  let missing = 0;
  if (holes) for (let r = 0; r < values.length; r++) if (Number.isNaN(values[r]!)) missing++;
  return { kind: "numeric", name, values, missing };
}

function enlarged<A extends Float64Array | Int32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
