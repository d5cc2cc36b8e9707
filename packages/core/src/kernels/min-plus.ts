/** The min-plus product, which shortens the paths in a matrix by detours over a few rows. See Kernels.minPlus and minPlusBoth. */
import type { Arena, Detours, F32, F64 } from "./kernels.js";

export function plainMinPlus(
  matrix: F64 | F32, // in and out: n x n
  left: F64 | F32,
  right: F64 | F32, // in: n x m and m x n
  n: number,
  m: number,
  from: number,
  to: number, // in: rows to update, from … to - 1
): void {
  for (let i = from; i < to; i++) takeDetours(matrix, left, right, n, m, i, 0);
}

export function plainMinPlusBoth(
  matrix: F64 | F32, // in and out: n x n
  left: F64 | F32,
  right: F64 | F32, // in: n x m and m x n
  n: number,
  m: number,
  from: number,
  to: number, // in: rows to update, from … to - 1, right of the diagonal
): void {
  const paths = matrix.view();
  for (let i = from; i < to; i++) {
    takeDetours(matrix, left, right, n, m, i, i + 1);
    for (let j = i + 1; j < n; j++) paths[j * n + i] = paths[i * n + j]!;
  }
}

/** Shortens row i of the paths, from column `start` on, by detours over the m middle rows. */
function takeDetours(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, i: number, start: number): void {
  const paths = matrix.view();
  const toMiddle = left.view();
  const fromMiddle = right.view();
  const single = matrix.type === "f32";
  for (let c = 0; c < m; c++) {
    const first = toMiddle[i * m + c]!;
    if (first === Number.POSITIVE_INFINITY) continue;
    for (let j = start, p = i * n + j, q = c * n + j; j < n; j++, p++, q++) {
      const sum = first + fromMiddle[q]!;
      const detour = single ? Math.fround(sum) : sum;
      if (detour < paths[p]!) paths[p] = detour;
    }
  }
}

/* Detours over a few rows, where each row has a list of the middle rows to use. See Kernels.detours. */

export function plainDetours(
  over: F64 | F32, // in: m x n
  m: number,
  n: number,
  order: Int32Array,
  _arena: Arena,
): Detours {
  return {
    shorten(matrix, from, to, start, middle, length) {
      const paths = matrix.view();
      const beyond = over.view().subarray(0, m * n);
      const single = matrix.type === "f32";
      for (let p = from; p < to; p++) {
        const row = order[p]! * n;
        for (let t = start[p - from]!; t < start[p - from + 1]!; t++) {
          const first = length[t]!;
          for (let q = p + 1; q < n; q++) {
            const j = order[q]!;
            const sum = first + beyond[middle[t]! * n + j]!;
            const detour = single ? Math.fround(sum) : sum;
            if (detour < paths[row + j]!) paths[row + j] = detour;
          }
        }
      }
    },
    mirror(matrix, from, to) {
      const paths = matrix.view();
      for (let i = from; i < to; i++) {
        for (let j = 0; j < i; j++) {
          const lesser = Math.min(paths[i * n + j]!, paths[j * n + i]!);
          paths[i * n + j] = lesser;
          paths[j * n + i] = lesser;
        }
      }
    },
  };
}
