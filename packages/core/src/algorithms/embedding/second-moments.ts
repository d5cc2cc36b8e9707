/** Computes the mean and covariance of rows, and projections of rows on vectors, block by block with kernels. */
import type { Kernels } from "../../kernels/index.js";
import type { Steps } from "../../steps/index.js";

export type ReadRow = (i: number, row: Float64Array) => void;

export interface SecondMoments {
  readonly mean: Float64Array;
  /** The covariance of the columns: size × size, row-major. */
  readonly covariance: Float64Array;
}

const BLOCK_ROWS = 256;
const STEP = 2e7;

/**
 * Mean and population covariance in one pass over the rows. The first row is subtracted from all rows, because sums of large squares lose
 * digits.
 */
export function* secondMomentSteps(read: ReadRow, rows: number, size: number, kernels: Kernels): Steps<SecondMoments> {
  const shift = new Float64Array(size);
  if (rows > 0) read(0, shift);
  const arena = kernels.arena();
  try {
    const state = kernels.products(size, arena);
    const block = new Float64Array(BLOCK_ROWS * size);
    let work = 0;
    for (let from = 0; from < rows; from += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - from);
      readBlock(read, from, count, shift, block);
      state.add(block, count);
      work += count * size * size;
      if (work < STEP) continue;
      work = 0;
      yield { phase: "map", done: from, total: rows };
    }
    return momentsFrom(shift, state.sums(), state.products(), Math.max(1, rows));
  } finally {
    arena.release();
  }
}

/** Reads `count` rows, starting at row `from`, and subtracts an origin from each. */
function readBlock(read: ReadRow, from: number, count: number, origin: Float64Array, block: Float64Array): void {
  const size = origin.length;
  for (let r = 0; r < count; r++) {
    const row = block.subarray(r * size, (r + 1) * size);
    read(from + r, row);
    for (let j = 0; j < size; j++) row[j]! -= origin[j]!;
  }
}

function momentsFrom(shift: Float64Array, sum: Float64Array, covariance: Float64Array, n: number): SecondMoments {
  const size = shift.length;
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      const value = covariance[a * size + b]! / n - (sum[a]! / n) * (sum[b]! / n);
      covariance[a * size + b] = value;
      covariance[b * size + a] = value;
    }
  }
  return { mean: shift.map((value, j) => value + sum[j]! / n), covariance };
}

/** Subtracts the mean from n rows and projects them on the given vectors. Returns n × (number of vectors) values, row-major. */
export function* projectionSteps(
  read: ReadRow,
  n: number,
  mean: Float64Array,
  lines: readonly Float64Array[],
  kernels: Kernels,
): Steps<Float64Array> {
  const size = mean.length;
  const m = lines.length;
  const all = new Float64Array(m * size);
  lines.forEach((line, c) => {
    all.set(line, c * size);
  });
  const scores = new Float64Array(n * m);
  const block = new Float64Array(BLOCK_ROWS * size);
  for (let from = 0; from < n; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, n - from);
    readBlock(read, from, count, mean, block);
    scores.set(kernels.projections(block, count, all, m, size), from * m);
    if (from % (16 * BLOCK_ROWS) === 0) yield { phase: "map", done: from, total: n };
  }
  return scores;
}
