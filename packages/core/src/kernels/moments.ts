/**
 * Means and squared deviations of columns in plain TypeScript: the reference that the faster kernel matches bit by bit. See
 * Kernels.moments.
 */
import { CHUNK_ROWS, type Moments } from "./kernels.js";

export function plainMoments(x: Float64Array | Float32Array, n: number, d: number): Moments {
  const mean = sumOfRows(x, n, d, (value) => value);
  for (let f = 0; f < d; f++) mean[f]! /= n;
  const squares = sumOfRows(x, n, d, (value, f) => (value - mean[f]!) * (value - mean[f]!));
  return { mean, squares };
}

/** The sum over rows of a term for each column: rows in order inside a chunk, then the chunks in order. */
function sumOfRows(
  x: Float64Array | Float32Array,
  n: number,
  d: number,
  term: (value: number, f: number) => number,
): Float64Array {
  const sums = new Float64Array(d);
  const chunk = new Float64Array(d);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      for (let f = 0; f < d; f++) chunk[f]! += term(x[i * d + f]!, f);
    }
    for (let f = 0; f < d; f++) sums[f]! += chunk[f]!;
  }
  return sums;
}
