/** The linkages in WebAssembly. Their state is one block of the arena, so that a run can stop and go on. */
import type { Arena, ChainLinkage, F32, F64, HeapLinkage, LinkageState } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** Codes of the linkages, as in assembly/linkage/update.ts. */
const CODES: Readonly<Record<ChainLinkage | HeapLinkage, number>> = {
  complete: 0,
  average: 1,
  weighted: 2,
  ward: 3,
  centroid: 4,
  median: 5,
};

/** Complete, average, weighted or Ward linkage by a nearest-neighbour chain. */
export function simdChainLinkage(
  host: Host,
  linkage: ChainLinkage,
  matrix: F64 | F32,
  n: number,
  arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  return openLinkage(host, "chain", CODES[linkage], matrix, n, arena, sizes);
}

/** Centroid or median linkage by a priority queue. */
export function simdHeapLinkage(
  host: Host,
  linkage: HeapLinkage,
  matrix: F64 | F32,
  n: number,
  arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  return openLinkage(host, "heap", CODES[linkage], matrix, n, arena, sizes);
}

/** Single linkage by a minimum spanning tree. */
export function simdTreeLinkage(host: Host, matrix: F64 | F32, n: number, arena: Arena): LinkageState {
  return openLinkage(host, "tree", 0, matrix, n, arena);
}

function openLinkage(
  host: Host,
  family: "chain" | "heap" | "tree",
  code: number,
  matrix: F64 | F32,
  n: number,
  arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  const merges = arena.f64(3 * Math.max(0, n - 1));
  const state = arena.u8(host.call(`${family}Bytes`, n) >>> 0);
  const single = matrix.type === "f32" ? 1 : 0;
  const given = sizes === undefined ? null : arena.i32(n);
  given?.view().set(sizes!.subarray(0, n));
  const places = [host.pointer(state), host.pointer(matrix), host.pointer(merges)];
  host.call(`${family}Open`, ...places, n, single, ...(family === "tree" ? [] : [given ? host.pointer(given) : 0]));
  let made = 0;
  return {
    advance(most) {
      made = host.call(`${family}Advance`, host.pointer(state), code, Math.min(most, n));
      return made;
    },
    merges: () => merges.view().slice(0, 3 * made),
  };
}
