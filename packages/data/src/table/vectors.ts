/**
 * Vector columns: each cell is a list of numbers, and all lists have the same length. Each position in the lists becomes a numeric column.
 */
import { badInput } from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { numberOf } from "./parse-number.js";
import { counted, quoted } from "./sentences.js";
import type { Numbers, NumericColumn } from "./table.js";

/** Longest list of numbers in a cell. */
const MOST_PARTS = 20_000;

const bracketed = /^\s*[[(]([^[\]()]*)[\])]\s*$/;

/** Reads a text such as "[0.1, 0.2]" or "(1 2 3)" as a list of numbers; undefined for any other text. */
export function vectorOf(text: string): Float64Array | undefined {
  const inside = bracketed.exec(text)?.[1]?.trim();
  if (inside === undefined || inside === "") return undefined;
  const parts = inside.includes(",") ? inside.split(",") : inside.split(/\s+/);
  const values = new Float64Array(parts.length);
  for (let i = 0; i < parts.length; i++) {
    const value = numberOf(parts[i]!.trim());
    if (value === undefined || !Number.isFinite(value)) return undefined;
    values[i] = value;
  }
  return values;
}

export interface VectorPlace {
  readonly file: string;
  /** The line number of a row in the file; absent for formats without lines. */
  readonly lineOf?: (row: number) => number;
}

/** Makes the numeric columns of a vector column. cells: n lists of numbers, null for a missing cell. */
export function vectorColumns(
  name: string,
  cells: ArrayLike<Numbers | null>,
  { file, lineOf }: VectorPlace,
  notices: string[],
): NumericColumn[] {
  const n = cells.length;
  let first = 0;
  while (first < n && cells[first] === null) first++;
  const width = cells[first]?.length ?? 0;
  const refuse = (row: number, what: string): Error =>
    badInput(`Column ${quoted(name)} holds ${what}${lineOf ? "" : ` in row ${row} (from 0)`}.`, {
      file,
      ...(lineOf ? { line: lineOf(row) } : {}),
      remedy: `Give lists of one length, or leave the column out (${shellListFlag("--ignore", name)}).`,
    });
  if (width === 0) throw refuse(Math.min(first, Math.max(0, n - 1)), "an empty list");
  if (width > MOST_PARTS) throw refuse(first, `a list of ${width} numbers; at most ${MOST_PARTS} are allowed`);
  const isSingle = cells[first] instanceof Float32Array;
  const parts = Array.from({ length: width }, () => (isSingle ? new Float32Array(n) : new Float64Array(n)));
  let missing = 0;
  for (let row = 0; row < n; row++) {
    const cell = cells[row]!;
    if (cell !== null && cell.length !== width)
      throw refuse(row, `a list of ${counted(cell.length, "number")}, while others have ${width}`);
    if (cell === null) missing++;
    for (let j = 0; j < width; j++) {
      const value = cell === null ? Number.NaN : cell[j]!;
      if (cell !== null && !Number.isFinite(value)) throw refuse(row, "a list with a number that is missing or not finite");
      parts[j]![row] = value;
    }
  }
  notices.push(
    `Column ${quoted(name)} holds vectors of ${counted(width, "number")}, each number a feature. ${shellFlag("--type", `${name}=ignore`)} leaves it out.`,
  );
  return parts.map((values, j) => ({ kind: "numeric", name: `${name}[${j}]`, values, missing, vector: name }));
}
