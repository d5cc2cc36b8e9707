/**
 * Reads and writes tables of trials as CSV, with one line per trial. Numbers are rounded to seven digits when they are measured. So a page
 * shows the same numbers before and after saving.
 */
import { badInput, randomFrom } from "@coterie/core/internal";
import { csvCell } from "@coterie/data/browser";
import type { Line, Trial, TrialColumns, TrialKey, Values } from "./trial.js";

const DIGITS = 7;

/** The seed of a trial. It follows from the seed of all trials, some words, and an index. */
export function seedFor(seed: number, words: string, index = 0): number {
  return randomFrom(seed)
    .split(words, index)
    .int(2 ** 31);
}

export function repeated(runs: number, seed: number, words: string, trial: Omit<Trial, "seed">): Trial[] {
  return Array.from({ length: runs }, (_, run) => ({
    ...trial,
    key: { ...trial.key, run },
    seed: seedFor(seed, words, run),
  }));
}

export function rounded(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(DIGITS));
}

export function headerOf({ keys, values, remark }: TrialColumns): string {
  return `${[...keys, "seed", ...values, ...(remark === undefined ? [] : [remark])].map(csvCell).join(",")}\n`;
}

/** The name of a trial: the values of its key, separated by commas. The values contain no commas. */
export function nameOf({ keys }: Pick<TrialColumns, "keys">, key: TrialKey): string {
  return keys.map((column) => String(key[column])).join(",");
}

/** The CSV line of a trial. A null value means that the method failed. An undefined value is a bug in the trial. */
export function textOf(table: TrialColumns, { key, seed }: Pick<Trial, "key" | "seed">, values: Values, remark = ""): string {
  for (const column of table.values) {
    if (values[column] === undefined) throw new Error(`The trial ${nameOf(table, key)} of ${table.name} has no ${column}.`);
  }
  const cells = table.values.map((column) => rounded(values[column]) ?? "");
  const last = table.remark === undefined ? [] : [csvCell(remark.replaceAll(/\s+/g, " "))];
  return `${[nameOf(table, key), seed, ...cells, ...last].join(",")}\n`;
}

export interface Kept {
  readonly seed: number;
  readonly values: Values;
  readonly remark: string;
  readonly text: string;
}

/** Reads the lines of a file, by the name of their trial. An incomplete last line is left out. */
export function parseTrials(table: TrialColumns, text: string, file: string): Map<string, Kept> {
  const header = headerOf(table);
  if (!text.startsWith(header)) {
    throw badInput("The columns differ from the trials of this version.", {
      file,
      line: 1,
      remedy: "Move the file away, or choose another place with --out.",
    });
  }
  const kept = new Map<string, Kept>();
  const lines = text.slice(header.length).split("\n").slice(0, -1);
  lines.forEach((line, at) => {
    const cells = line.split(",");
    const name = cells.slice(0, table.keys.length).join(",");
    // The remark is the last cell, and only the remark can contain commas.
    const first = table.keys.length + 1 + table.values.length;
    const remark = table.remark === undefined ? "" : textOfCell(cells.splice(first).join(","));
    const [seed, ...numbers] = cells.slice(table.keys.length).map((cell) => (cell === "" ? null : Number(cell)));
    const whole = numbers.length === table.values.length && typeof seed === "number";
    if (!whole || numbers.some((value) => value !== null && !Number.isFinite(value))) {
      throw badInput(`This line is not a trial: "${line.slice(0, 80)}".`, {
        file,
        line: at + 2,
        remedy: "Remove the line; the trial then runs again.",
      });
    }
    const values = Object.fromEntries(table.values.map((column, c) => [column, numbers[c]!]));
    kept.set(name, { seed, values, remark, text: `${line}\n` });
  });
  return kept;
}

function textOfCell(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** Sorts the lines of a file into the order of `trials`. others: "keep" appends lines of other trials, "drop" leaves them out. */
export function sortedLines(
  table: TrialColumns,
  kept: ReadonlyMap<string, Kept>,
  trials: readonly Pick<Trial, "key">[],
  others: "keep" | "drop",
): string {
  const names = new Set(trials.map(({ key }) => nameOf(table, key)));
  const rest = others === "drop" ? [] : [...kept.keys()].filter((name) => !names.has(name));
  return headerOf(table) + [...names, ...rest].map((name) => kept.get(name)?.text ?? "").join("");
}

export function lineOf(table: TrialColumns, { key }: Pick<Trial, "key">, { values }: Pick<Kept, "values">): Line {
  return { ...Object.fromEntries(table.keys.map((column) => [column, key[column]!])), ...values };
}

export function where(lines: readonly Line[], wanted: Line): readonly Line[] {
  const entries = Object.entries(wanted);
  return lines.filter((line) => entries.every(([column, value]) => line[column] === value));
}

export function columnOf(lines: readonly Line[], column: string): (number | null)[] {
  return lines.map((line) => line[column] as number | null);
}

/** The values of a column. Lines in which the method gave no clustering are left out. */
export function numbersOf(lines: readonly Line[], column: string): number[] {
  return columnOf(lines, column).filter((value) => value !== null);
}

export function distinct<T extends string | number>(lines: readonly Line[], column: string): T[] {
  return [...new Set(lines.map((line) => line[column] as T))];
}
