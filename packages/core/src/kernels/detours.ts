/** Detours over a few rows, of which each row takes those of a list. See Kernels.detours. */
import type { Arena, Detours, F32, F64 } from "./kernels.js";

export function plainDetours(
  over: F64 | F32, // in: m × n
  m: number,
  n: number,
  _order: Int32Array,
  _arena: Arena,
): Detours {
  return {
    shorten(matrix, from, to, start, middle, length) {
      const paths = matrix.view();
      const beyond = over.view().subarray(0, m * n);
      const single = matrix.type === "f32";
      for (let i = from; i < to; i++) {
        const half = largestOf(paths, i * n, n) / 2;
        for (let t = start[i - from]!; t < start[i - from + 1]!; t++) {
          const first = length[t]!;
          if (first > half) continue;
          for (let j = 0, p = i * n, q = middle[t]! * n; j < n; j++, p++, q++) {
            const detour = single ? Math.fround(first + beyond[q]!) : first + beyond[q]!;
            if (detour < paths[p]!) paths[p] = detour;
          }
        }
      }
    },
  };
}

function largestOf(values: Float64Array | Float32Array, from: number, count: number): number {
  let largest = 0;
  for (let p = from; p < from + count; p++) if (values[p]! > largest) largest = values[p]!;
  return largest;
}
