/**
 * Prepares the columns of a table for comparing cells. Each column lists its distinct values once, with text, words, frequency and kind.
 *
 * Kinds: `text` for nominal columns, `date` for dates, `code` for whole numbers, `number` for other numbers. Codes are compared digit by
 * digit. Numbers have the units of the table, before scaling. A missing cell stays missing, even if it was filled with a usual value.
 */
import { writtenValue } from "../../model/notation.js";
import type { Instances } from "../../model/points.js";
import type { Step } from "../../steps/index.js";
import { unscale } from "../../structures/column-scaling.js";
import { wordsOf } from "../text/grams.js";

export type CellKind = "text" | "date" | "code" | "number";

export interface RecordColumn {
  readonly name: string;
  readonly kind: CellKind;
  /** For each row: the index of its value in `texts`, or -1 if the cell is missing. */
  readonly value: Int32Array;
  /** The text of each distinct value: words in lower case without accents, digits of a code or date, or the number. */
  readonly texts: readonly string[];
  readonly words: readonly (readonly string[])[];
  /** Each distinct value of a column of kind `number`. Empty for other kinds. */
  readonly numbers: Float64Array;
  /** `frequency`: number of rows with each distinct value. `present`: number of rows with a value. */
  readonly frequency: Int32Array;
  readonly present: number;
}

/** The columns with at least two different values. Other columns cannot distinguish rows. */
export function* recordColumnsSteps(points: Instances): Generator<Step, RecordColumn[], void> {
  const columns: RecordColumn[] = [];
  for (let f = 0; f < points.d; f++) {
    const column = yield* columnSteps(points, f);
    if (column.texts.length > 1) columns.push(column);
  }
  return columns;
}

const ROWS_PER_STEP = 16384;

function* columnSteps(points: Instances, f: number): Generator<Step, RecordColumn, void> {
  const { n, d, x, nominal, levels, notations, filledRows } = points;
  const filled = new Set(filledRows?.[f]);
  const isNominal = nominal?.[f] === 1;
  const written = isNominal ? (code: number) => levels?.[f]?.[code] ?? String(code) : numberText(points, f);
  const indexOfCell = new Map<number, number>();
  const indexOfText = new Map<string, number>();
  const cells: string[] = [];
  const words: string[][] = [];
  const texts: string[] = [];
  const value = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "reading cells", done: f, total: d };
    const cell = x[i * d + f]!;
    if (Number.isNaN(cell) || filled.has(i)) continue;
    let index = indexOfCell.get(cell);
    if (index === undefined) {
      const original = written(cell);
      const own = isNominal ? wordsOf(original) : [original];
      const text = own.join(" ");
      index = text === "" ? -1 : (indexOfText.get(text) ?? texts.length);
      if (index === texts.length) {
        indexOfText.set(text, index);
        texts.push(text);
        words.push(own);
        cells.push(original);
      }
      indexOfCell.set(cell, index);
    }
    value[i] = index;
  }
  const kind = isNominal ? "text" : kindOf(cells, notations?.[f]?.kind);
  return {
    name: points.names?.[f] ?? `column ${f + 1}`,
    kind,
    value,
    texts: kind === "date" ? texts.map((text) => text.replaceAll(/\D/g, "")) : texts,
    words,
    numbers: kind === "number" ? Float64Array.from(cells, Number) : new Float64Array(0),
    ...countsOf(value, texts.length),
  };
}

/** Numbers are rounded to this number of significant digits. Undoing the scaling adds rounding errors. */
const DIGITS = 12;

function numberText({ scaling, notations }: Instances, f: number): (cell: number) => string {
  const notation = notations?.[f];
  const isDate = notation?.kind === "date" || notation?.kind === "time";
  return (cell) => {
    const value = scaling ? unscale(scaling, f, cell) : cell;
    const exact = Number(value.toPrecision(DIGITS));
    return isDate ? writtenValue(exact, notation) : String(Math.abs(exact) < 1e-9 ? 0 : exact);
  };
}

function kindOf(cells: readonly string[], notation: string | undefined): CellKind {
  if (notation === "date" || notation === "time") return "date";
  return cells.every((cell) => /^-?\d+$/.test(cell)) ? "code" : "number";
}

function countsOf(value: Int32Array, count: number): Pick<RecordColumn, "frequency" | "present"> {
  const frequency = new Int32Array(count);
  for (const index of value) if (index >= 0) frequency[index]!++;
  return { frequency, present: frequency.reduce((sum, times) => sum + times, 0) };
}
