/**
 * How two clusterings of the same rows overlap: for each pair of clusters the rows they share, in O(n) time, without a
 * dense table unless that is small. All scores are made from it; none looks at pairs of rows.
 */

/** Row r of the table holds the columns `column[start[r]] … column[start[r + 1] - 1]`, ascending, none with count 0. */
export interface Contingency {
  /** Rows of the data that are counted: those with a label in both. */
  readonly n: number;
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly count: Int32Array;
  readonly rowSums: Int32Array;
  readonly columnSums: Int32Array;
}

/**
 * The table of `a` (its rows) by `b` (its columns). Labels are whole numbers from 0; an entry with a negative label in either
 * is left out. Labels beyond what the number of entries warrants are renumbered by first appearance, others keep their
 * numbers, so a table may have empty rows and columns.
 */
export function contingency(a: Int32Array, b: Int32Array): Contingency {
  if (a.length !== b.length) throw new RangeError(`${a.length} labels cannot be compared with ${b.length}.`);
  const rows = compact(a);
  const columns = compact(b);
  return isSmall(rows, columns) ? denseTable(rows, columns) : sparseTable(rows, columns);
}

/** Whether a full table costs no more than the labels themselves, and stays in the processor's cache. */
export function isSmall(rows: Codes, columns: Codes): boolean {
  return rows.count * columns.count <= Math.max(4096, Math.min(2 * rows.codes.length, 4194304));
}

export interface Codes {
  readonly codes: Int32Array;
  /** One past the largest code. */
  readonly count: number;
}

/** Labels as they are, or renumbered if there are gaps that would cost memory. */
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

/** Entries sorted by column and then, in that order, by row: equal cells come to stand side by side. */
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

/** A counting sort that keeps the order of equals. */
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
