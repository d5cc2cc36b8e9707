import { type Kernels, pairKernelsOf, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise } from "./testing/tables.js";

interface Case {
  readonly n: number;
  readonly m: number;
  readonly matrix: ArrayLike<number>;
  readonly left: ArrayLike<number>;
  readonly right: ArrayLike<number>;
}

function product(
  kernels: Kernels,
  { n, m, matrix, left, right }: Case,
  type: "f64" | "f32",
  cut: number,
  kernel: "minPlus" | "minPlusBoth" = "minPlus",
): Float64Array | Float32Array {
  const arena = kernels.arena();
  const put = (values: ArrayLike<number>) => {
    const block = type === "f64" ? arena.f64(values.length) : arena.f32(values.length);
    block.view().set(values);
    return block;
  };
  const paths = put(kernel === "minPlus" ? matrix : mirrored(matrix, n));
  const toMiddle = put(left);
  const fromMiddle = put(right);
  pairKernelsOf(kernels)[kernel](paths, toMiddle, fromMiddle, n, m, 0, cut);
  pairKernelsOf(kernels)[kernel](paths, toMiddle, fromMiddle, n, m, cut, n);
  const result = paths.view().slice();
  arena.release();
  return result;
}

function mirrored(matrix: ArrayLike<number>, n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    return matrix[Math.min(i, j) * n + Math.max(i, j)]!;
  });
}

const simd = createSimdKernels();
const lengths = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constant(Number.POSITIVE_INFINITY),
);
const exactly = (length: number) => fc.array(lengths, { minLength: length, maxLength: length });

test("the fast product has the plain product's bits", () => {
  const cases = fc
    .record({ n: fc.integer({ min: 1, max: 21 }), m: fc.integer({ min: 0, max: 6 }) })
    .chain(({ n, m }) =>
      fc.record({ n: fc.constant(n), m: fc.constant(m), matrix: exactly(n * n), left: exactly(n * m), right: exactly(m * n) }),
    );
  fc.assert(
    fc.property(cases, fc.constantFrom("f64" as const, "f32" as const), fc.nat(21), (facts, type, cut) => {
      const end = cut % (facts.n + 1);
      for (const kernel of ["minPlus", "minPlusBoth"] as const) {
        const plain = product(plainKernels, facts, type, end, kernel);
        expect(firstDifference(product(simd, facts, type, end, kernel), plain)).toBe(-1);
      }
    }),
    { numRuns: 300 },
  );
});

test("several panels, and threads", async () => {
  const n = 531;
  const m = 37;
  const facts = { n, m, matrix: noise(n * n, 1), left: noise(n * m, 2), right: noise(n * m, 3) };
  const threaded = await createKernels({ threads: 2 });
  for (const type of ["f64", "f32"] as const) {
    for (const kernel of ["minPlus", "minPlusBoth"] as const) {
      const plain = product(plainKernels, facts, type, 0, kernel);
      expect(firstDifference(product(simd, facts, type, 100, kernel), plain)).toBe(-1);
      expect(firstDifference(product(threaded, facts, type, 301, kernel), plain)).toBe(-1);
    }
  }
  threaded.dispose();
});

test("matrices of two types are refused", () => {
  const arena = simd.arena();
  expect(() => pairKernelsOf(simd).minPlus(arena.f64(4), arena.f32(2), arena.f64(2), 2, 1, 0, 2)).toThrow("one type");
  arena.release();
});
