/**
 * A symmetric matrix by its rows above the diagonal. The linkage consumes the whole matrix; half of it is kept aside, and whoever
 * reads distances again reads either by the same two numbers.
 */
import type { F32, F64 } from "../../../kernels/index.js";
import type { Step } from "../../../steps/index.js";

export type HalfMatrix = Float64Array | Float32Array;

/** Entry (i, j) of n rows, for j > i, is at `at(i) + j` of the values. */
export interface RowsAbove {
  readonly n: number;
  readonly values: () => HalfMatrix;
  readonly at: (i: number) => number;
  /** The block of a whole matrix, which may be written over; null if the values must stay. */
  readonly whole: F64 | F32 | null;
}

/** Numbers that one step copies. */
const PER_STEP = 8_000_000;
/** Rows and columns that are mirrored together, so that both sides stay in a near cache. */
const TILE = 64;

/** The rows of a whole n × n matrix at the start of a block. */
export function rowsOfWhole(matrix: F64 | F32, n: number): RowsAbove {
  return { n, values: () => matrix.view(), at: (i) => i * n, whole: matrix };
}

/** The rows of a half that was kept. */
export function rowsOfHalf(half: HalfMatrix, n: number): RowsAbove {
  return { n, values: () => half, at: (i) => placeOf(i, n) - i - 1, whole: null };
}

/** Where row i begins in half a matrix, at column i + 1. */
function placeOf(i: number, n: number): number {
  return i * (n - 1) - (i * (i - 1)) / 2;
}

/** Copies what is above the diagonal of the n × n numbers at the start of a block. */
export function* keepHalf(matrix: F64 | F32, n: number): Generator<Step, HalfMatrix, void> {
  const length = (n * (n - 1)) / 2;
  const half: HalfMatrix = matrix.type === "f64" ? new Float64Array(length) : new Float32Array(length);
  const every = Math.ceil(PER_STEP / n);
  let d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % every === 0) {
      yield { phase: "keeping distances", done: i, total: n };
      d = matrix.view();
    }
    half.set(d.subarray(i * n + i + 1, (i + 1) * n), placeOf(i, n));
  }
  return half;
}

/** Writes what is above the diagonal of an n × n matrix below it, too. */
export function* mirrorSteps(matrix: F64 | F32, n: number): Generator<Step, void, void> {
  const every = TILE * Math.ceil(PER_STEP / n / TILE);
  for (let first = 0; first < n; first += TILE) {
    if (first % every === 0) yield { phase: "mirroring distances", done: first, total: n };
    const d = matrix.view();
    const last = Math.min(n, first + TILE);
    for (let column = first; column < n; column += TILE) {
      const end = Math.min(n, column + TILE);
      for (let i = first; i < last; i++) for (let j = Math.max(column, i + 1); j < end; j++) d[j * n + i] = d[i * n + j]!;
    }
  }
}
