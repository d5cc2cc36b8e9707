/** Half of a symmetric matrix, kept aside while the linkage consumes the whole: rows below the diagonal, one after the other. */
import type { F32, F64 } from "../../kernels/index.js";
import type { Step } from "../../steps/index.js";

export type HalfMatrix = Float64Array | Float32Array;

/** Numbers that one step copies. */
const PER_STEP = 8_000_000;
/** Rows and columns that are mirrored together, so that both sides stay in a near cache. */
const TILE = 64;

/** Copies the half below the diagonal of the m × m numbers at the start of a block. */
export function* keepHalf(matrix: F64 | F32, m: number): Generator<Step, HalfMatrix, void> {
  const length = (m * (m - 1)) / 2;
  const half: HalfMatrix = matrix.type === "f64" ? new Float64Array(length) : new Float32Array(length);
  const every = Math.ceil(PER_STEP / m);
  for (let i = 0, place = 0; i < m; place += i, i++) {
    if (i % every === 0) yield { phase: "keeping distances", done: i, total: m };
    half.set(matrix.view().subarray(i * m, i * m + i), place);
  }
  return half;
}

/** Writes the whole m × m matrix to the start of a block, with a diagonal of 0. */
export function* restoreHalf(half: HalfMatrix, m: number, matrix: F64 | F32): Generator<Step, void, void> {
  const every = TILE * Math.ceil(PER_STEP / m / TILE);
  for (let first = 0; first < m; first += TILE) {
    if (first % every === 0) yield { phase: "restoring distances", done: first, total: m };
    const d = matrix.view();
    const last = Math.min(m, first + TILE);
    for (let i = first; i < last; i++) {
      const place = (i * (i - 1)) / 2;
      d.set(half.subarray(place, place + i), i * m);
      d[i * m + i] = 0;
    }
    for (let column = 0; column < last; column += TILE) {
      for (let i = first; i < last; i++) {
        for (let j = column; j < Math.min(i, column + TILE); j++) d[j * m + i] = d[i * m + j]!;
      }
    }
  }
}
