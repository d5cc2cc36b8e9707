/** Helpers of the linkage tests: blocks over given arrays, and distance matrices. */
import { plainArena } from "../index.js";
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, LinkageState } from "../kernels.js";
import { plainChainLinkage, plainHeapLinkage, plainTreeLinkage } from "../linkages.js";

export type Linkage = ChainLinkage | HeapLinkage | "single";

export const LINKAGES: readonly Linkage[] = ["single", "complete", "average", "weighted", "ward", "centroid", "median"];

function blockOf(arena: Arena, entries: Float64Array | Float32Array): F64 | F32 {
  const block = entries instanceof Float64Array ? arena.f64(entries.length) : arena.f32(entries.length);
  block.view().set(entries);
  return block;
}

function open(linkage: Linkage, matrix: F64 | F32, n: number, arena: Arena): LinkageState {
  if (linkage === "single") return plainTreeLinkage(matrix, n, arena);
  if (linkage === "centroid" || linkage === "median") return plainHeapLinkage(linkage, matrix, n, arena);
  return plainChainLinkage(linkage, matrix, n, arena);
}

/** Raw merges of a matrix, computed in steps of at most `step` merges. */
export function plainMerges(linkage: Linkage, matrix: Float64Array | Float32Array, n: number, step = n): Float64Array {
  const arena = plainArena();
  const state = open(linkage, blockOf(arena, matrix), n, arena);
  for (let calls = 0, made = 0; made < n - 1; calls++) {
    const now = state.advance(step);
    if (now - made > step || calls > 10 * n) throw new Error("The kernel does not keep to its steps.");
    made = now;
  }
  return state.merges();
}

/** Euclidean distances, each summed from the first feature to the last. */
export function euclideanMatrix(points: readonly (readonly number[])[]): Float64Array {
  const n = points.length;
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      points[i]!.forEach((value, f) => {
        const difference = value - points[j]![f]!;
        sum += difference * difference;
      });
      out[i * n + j] = Math.sqrt(sum);
    }
  }
  return out;
}

/** A symmetric matrix with zero diagonal from its upper entries, row by row. */
export function symmetricMatrix(n: number, entries: readonly number[]): Float64Array {
  const out = new Float64Array(n * n);
  let next = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      out[i * n + j] = entries[next]!;
      out[j * n + i] = entries[next]!;
      next++;
    }
  }
  return out;
}
