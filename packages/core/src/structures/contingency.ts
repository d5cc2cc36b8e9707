/**
 * Contingency table: for each pair of clusters of two clusterings, the number of shared rows, in O(n) time. The table is dense only if it
 * is small, else sparse. All scores are computed from this table, without visiting pairs of rows.
 */
import { badInput } from "../errors.js";

/** Row r of the table contains the columns `column[start[r]] … column[start[r + 1] - 1]`, ascending, without zero counts. */
export interface Contingency {
  /** Number of counted data rows: rows with a label in both clusterings. */
  readonly n: number;
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly count: Int32Array;
  readonly rowSums: Int32Array;
  readonly columnSums: Int32Array;
}

/**
 * The table of `a` (its rows) by `b` (its columns). Labels are integers from 0; an entry with a negative label in either array is
 * left out. Labels much larger than the number of entries are renumbered by first appearance. Other labels keep their numbers, so a
 * table can have empty rows and columns.
 */
export function contingency(a: Int32Array, b: Int32Array): Contingency {
  if (!a || !b) throw badInput("Labels are missing.", { remedy: "Give two arrays of labels, one label per row." });
  if (a.length !== b.length)
    throw badInput(`${a.length} labels cannot be compared with ${b.length}.`, { remedy: "Give one label per row in both." });
  const rows = compact(a);
  const columns = compact(b);
  return isSmall(rows, columns) ? denseTable(rows, columns) : sparseTable(rows, columns);
}

/** Whether a dense table takes no more memory than the labels, and fits into the processor's cache. */
export function isSmall(rows: Codes, columns: Codes): boolean {
  return rows.count * columns.count <= Math.max(4096, Math.min(2 * rows.codes.length, 4194304));
}

export interface Codes {
  readonly codes: Int32Array;
  /** The largest code + 1. */
  readonly count: number;
}

/** The labels, renumbered if they have large gaps, which would waste memory. */
export function compact(labels: Int32Array): Codes {
  let most = -1;
  for (let i = 0; i < labels.length; i++) if (labels[i]! > most) most = labels[i]!;
  if (most < 1024 || most < 2 * labels.length) return { codes: labels, count: most + 1 };
  const numbers = new Map<number, number>();
  const codes = labels.map((label) => {
    if (label < 0) return -1;
    let number = numbers.get(label);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(label, number);
    }
    return number;
  });
  return { codes, count: numbers.size };
}

function denseTable(rows: Codes, columns: Codes): Contingency {
  const width = columns.count;
  const table = new Int32Array(rows.count * width);
  const a = rows.codes;
  const b = columns.codes;
  for (let i = 0; i < a.length; i++) {
    const r = a[i]!;
    const c = b[i]!;
    if (r >= 0 && c >= 0) table[r * width + c]!++;
  }
  let cells = 0;
  for (let p = 0; p < table.length; p++) if (table[p]! > 0) cells++;
  const start = new Int32Array(rows.count + 1);
  const column = new Int32Array(cells);
  const count = new Int32Array(cells);
  let cell = 0;
  for (let r = 0; r < rows.count; r++) {
    for (let c = 0; c < width; c++) {
      if (table[r * width + c] === 0) continue;
      column[cell] = c;
      count[cell++] = table[r * width + c]!;
    }
    start[r + 1] = cell;
  }
  return withSums(start, column, count, rows.count, width);
}

/** Sorts the entries by row and column with two stable counting sorts, so that equal cells become adjacent. */
function sparseTable(rows: Codes, columns: Codes): Contingency {
  const sorted = sortedBy(sortedBy(bothLabelled(rows.codes, columns.codes), columns), rows);
  const start = new Int32Array(rows.count + 1);
  const column = new Int32Array(sorted.length);
  const count = new Int32Array(sorted.length);
  let cells = 0;
  let row = 0;
  for (const i of sorted) {
    const r = rows.codes[i]!;
    const c = columns.codes[i]!;
    while (row < r) start[++row] = cells;
    if (cells === start[r] || column[cells - 1] !== c) column[cells++] = c;
    count[cells - 1]!++;
  }
  while (row < rows.count) start[++row] = cells;
  return withSums(start, column.slice(0, cells), count.slice(0, cells), rows.count, columns.count);
}

export function bothLabelled(a: Int32Array, b: Int32Array): Int32Array {
  const kept = new Int32Array(a.length);
  let length = 0;
  for (let i = 0; i < a.length; i++) if (a[i]! >= 0 && b[i]! >= 0) kept[length++] = i;
  return kept.subarray(0, length);
}

export function sortedBy(items: Int32Array, { codes, count }: Codes): Int32Array {
  const next = new Int32Array(count + 1);
  for (let p = 0; p < items.length; p++) next[codes[items[p]!]! + 1]!++;
  for (let c = 0; c < count; c++) next[c + 1] = next[c + 1]! + next[c]!;
  const sorted = new Int32Array(items.length);
  for (let p = 0; p < items.length; p++) sorted[next[codes[items[p]!]!]!++] = items[p]!;
  return sorted;
}

function withSums(start: Int32Array, column: Int32Array, count: Int32Array, rows: number, columns: number): Contingency {
  const rowSums = new Int32Array(rows);
  const columnSums = new Int32Array(columns);
  let n = 0;
  for (let r = 0; r < rows; r++) {
    for (let p = start[r]!; p < start[r + 1]!; p++) {
      rowSums[r] = rowSums[r]! + count[p]!;
      columnSums[column[p]!] = columnSums[column[p]!]! + count[p]!;
      n += count[p]!;
    }
  }
  return { n, start, column, count, rowSums, columnSums };
}
