/** The linkages in WebAssembly give the bytes of the plain ones, ties, forbidden merges and single precision included. */
import type { ChainLinkage, HeapLinkage, LinkageState } from "@coterie/core/internal";
import { ccl, generateConstraints, pairKernelsOf, plainKernels, pointsFromRows, randomFrom } from "@coterie/core/internal";

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHost } from "./create-host.js";
import { createSimdKernels } from "./index.js";
import { simdChainLinkage, simdHeapLinkage, simdTreeLinkage } from "./linkage.js";
import { memoryArena } from "./memory.js";

type Linkage = ChainLinkage | HeapLinkage | "single";
type Entries = Float64Array | Float32Array;

const LINKAGES: readonly Linkage[] = ["single", "complete", "average", "weighted", "ward", "centroid", "median"];
const host = createHost(2 ** 30);

function plainMerges(linkage: Linkage, entries: Entries, n: number, sizes?: Int32Array): Float64Array {
  const arena = plainKernels.arena();
  const matrix = entries instanceof Float64Array ? arena.f64(n * n) : arena.f32(n * n);
  matrix.view().set(entries);
  if (linkage === "single") return run(pairKernelsOf(plainKernels).treeLinkage(matrix, n, arena), n, n);
  if (linkage === "centroid" || linkage === "median")
    return run(pairKernelsOf(plainKernels).heapLinkage(linkage, matrix, n, arena, sizes), n, n);
  return run(pairKernelsOf(plainKernels).chainLinkage(linkage, matrix, n, arena, sizes), n, n);
}

function simdMerges(linkage: Linkage, entries: Entries, n: number, step = n, sizes?: Int32Array): Float64Array {
  const arena = memoryArena(host.allocator);
  try {
    const matrix = entries instanceof Float64Array ? arena.f64(n * n) : arena.f32(n * n);
    matrix.view().set(entries);
    if (linkage === "single") return run(simdTreeLinkage(host, matrix, n, arena), n, step);
    if (linkage === "centroid" || linkage === "median")
      return run(simdHeapLinkage(host, linkage, matrix, n, arena, sizes), n, step);
    return run(simdChainLinkage(host, linkage, matrix, n, arena, sizes), n, step);
  } finally {
    arena.release();
  }
}

function run(state: LinkageState, n: number, step: number): Float64Array {
  for (let calls = 0, made = 0; made < n - 1; calls++) {
    const now = state.advance(step);
    if (now - made > step || calls > 10 * n) throw new Error("The kernel does not keep to its steps.");
    made = now;
  }
  return state.merges();
}

/** A symmetric matrix whose entries are made from numbers in [0, 1) that depend on the seed and the pair alone. */
function matrixOf(n: number, seed: number, entry: (uniform: number) => number): Float64Array {
  const out = new Float64Array(n * n);
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      const value = entry((state >>> 0) / 2 ** 32);
      out[i * n + j] = value;
      out[j * n + i] = value;
    }
  }
  return out;
}

const kinds: Readonly<Record<string, (uniform: number) => number>> = {
  distinct: (u) => 1 + u,
  "many ties": (u) => 1 + Math.floor(5 * u),
  "zeros and ties": (u) => Math.floor(3 * u),
  "squares that overflow": (u) => 1e154 * (1 + 9 * u),
  "forbidden pairs": (u) => (u < 0.3 ? Number.POSITIVE_INFINITY : Math.floor(20 * u)),
  "mostly forbidden": (u) => (u < 0.97 ? Number.POSITIVE_INFINITY : u),
};

describe.each(LINKAGES)("%s", (linkage) => {
  test("small matrices of every kind, both precisions, in any steps", () => {
    const cases = fc.record({
      n: fc.integer({ min: 1, max: 90 }),
      seed: fc.nat(1e6),
      kind: fc.constantFrom(...Object.keys(kinds)),
      single: fc.boolean(),
      step: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(cases, ({ n, seed, kind, single, step }) => {
        const matrix = matrixOf(n, seed, kinds[kind]!);
        const entries = single ? Float32Array.from(matrix) : matrix;
        expect(simdMerges(linkage, entries, n, step)).toEqual(plainMerges(linkage, entries, n));
      }),
      { numRuns: 120 },
    );
  });

  test("rows that stand for several members", () => {
    for (const n of [2, 17, 700]) {
      const matrix = matrixOf(n, n, kinds.distinct!);
      const sizes = Int32Array.from({ length: n }, (_, i) => 1 + ((7 * i) % 5));
      expect(simdMerges(linkage, matrix, n, n, sizes)).toEqual(plainMerges(linkage, matrix, n, sizes));
    }
  });

  /** Wide enough for copied batches, whose columns do not divide by 16, and for several layouts. */
  test.each(Object.keys(kinds))("a wide matrix, %s", (kind) => {
    const n = 1103;
    const matrix = matrixOf(n, 7, kinds[kind]!);
    expect(simdMerges(linkage, matrix, n, 97)).toEqual(plainMerges(linkage, matrix, n));
    const single = Float32Array.from(matrix);
    expect(simdMerges(linkage, single, n)).toEqual(plainMerges(linkage, single, n));
  });
});

test.each([2, 3, 4])("ccl that completes the constraint set merges as with plain kernels (%i)", (seed) => {
  const random = randomFrom(seed);
  const n = 150;
  const codes = Int32Array.from({ length: n }, () => random.int(4));
  const points = pointsFromRows(Array.from(codes, (code) => [code + random.normal(), code - random.normal(), random.normal()]));
  const known = generateConstraints({ codes, names: ["a", "b", "c", "d"] }, { count: 40 * seed, random });
  const [fast, plain] = [createSimdKernels(), plainKernels].map((kernels) => ccl(points, known, { k: 4, kernels }));
  expect(fast!.merges).toEqual(plain!.merges);
  expect(plain!.notices.join(" ")).toContain("completed");
});
