/** Copies the values of columns into one array, row by row. */
import { rowMemory, type Scaling, transform } from "@coterie/core/internal";
import { FEWEST_SINGLES, type Numbers } from "../table/table.js";

/** Number of rows that are copied before other work gets a pause. */
export const STRETCH = 2 ** 14;

/** Number of rows that are written in one block, so that their cells usually fit into the processor cache. */
const ROWS_AT_ONCE = 128;

export function* rowMajor(columns: readonly Numbers[], n: number, scaling: Scaling | null): Generator<void, Float64Array> {
  const x = new Float64Array(n * columns.length);
  yield* writeRows(x, columns, n, scaling);
  return x;
}

/**
 * Copies columns into single-precision rows. If a column is in double precision or there are few values, copies nothing and returns
 * undefined.
 */
export function* singleRows(columns: readonly Numbers[], n: number): Generator<void, Float32Array | undefined> {
  if (n * columns.length < FEWEST_SINGLES || !columns.every((values) => values instanceof Float32Array)) return undefined;
  const x = rowMemory(n * columns.length);
  yield* writeRows(x, columns, n, null);
  return x;
}

function* writeRows(x: Numbers, columns: readonly Numbers[], n: number, scaling: Scaling | null): Generator<void> {
  const d = columns.length;
  const whole = d - (d % 4);
  for (let from = 0; from < n; from += ROWS_AT_ONCE) {
    const end = Math.min(n, from + ROWS_AT_ONCE);
    if (from % STRETCH === 0) yield;
    for (let j = 0; j < whole; j += 4) writeFour(x, columns, j, d, from, end);
    for (let j = whole; j < d; j++) writeOne(x, columns[j]!, j, d, from, end);
    if (scaling) scaleRows(x, scaling, from * d, end * d);
  }
}

/** Writes four columns in one loop over the rows, because each pass over the rows takes time. */
function writeFour(x: Numbers, columns: readonly Numbers[], j: number, d: number, from: number, end: number): void {
  const [a, b, c, e] = [columns[j]!, columns[j + 1]!, columns[j + 2]!, columns[j + 3]!];
  for (let i = from, p = from * d + j; i < end; i++, p += d) {
    x[p] = a[i]!;
    x[p + 1] = b[i]!;
    x[p + 2] = c[i]!;
    x[p + 3] = e[i]!;
  }
}

function writeOne(x: Numbers, column: Numbers, j: number, d: number, from: number, end: number): void {
  for (let i = from, p = from * d + j; i < end; i++, p += d) x[p] = column[i]!;
}

function scaleRows(x: Numbers, { offset, factor, transforms }: Scaling, from: number, end: number): void {
  const d = offset.length;
  transforms?.forEach((by, j) => {
    if (by) for (let p = from + j; p < end; p += d) x[p] = Number.isNaN(x[p]!) ? x[p]! : transform(by, x[p]!);
  });
  for (let p = from; p < end; p += d) {
    for (let j = 0; j < d; j++) x[p + j] = (x[p + j]! - offset[j]!) / factor[j]!;
  }
}
