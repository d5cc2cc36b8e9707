/** The min-plus product, which shortens the paths in a matrix by detours over a few rows. See PairKernels.minPlus and minPlusBoth. */
import type { F32, F64, PairKernels } from "./kernels.js";

export const plainMinPlus: PairKernels["minPlus"] = (matrix, left, right, n, m, from, to) => {
  for (let i = from; i < to; i++) takeDetours(matrix, left, right, n, m, i, 0);
};

export const plainMinPlusBoth: PairKernels["minPlusBoth"] = (matrix, left, right, n, m, from, to) => {
  const paths = matrix.view();
  for (let i = from; i < to; i++) {
    takeDetours(matrix, left, right, n, m, i, i + 1);
    for (let j = i + 1; j < n; j++) paths[j * n + i] = paths[i * n + j]!;
  }
};

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

/* Detours over a few rows, where each row has a list of the middle rows to use. See PairKernels.detours. */

export const plainDetours: PairKernels["detours"] = (over, m, n, order) => {
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
};
