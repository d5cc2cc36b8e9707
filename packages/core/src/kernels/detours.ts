/** Detours over a few rows, of which each row takes those of a list. See Kernels.detours. */
import type { Arena, Detours, F32, F64 } from "./kernels.js";

export function plainDetours(
  over: F64 | F32, // in: m × n
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
