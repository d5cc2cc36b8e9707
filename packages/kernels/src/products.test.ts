import { plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise, tables } from "./testing/tables.js";

const simd = createSimdKernels();

/** Of each line the numbers up to the diagonal. */
function lowerHalf(products: Float64Array, d: number): Float64Array {
  return products.filter((_, p) => p % d <= Math.floor(p / d));
}

test("sums of products have the plain one's bits, whatever the blocks", () => {
  fc.assert(
    fc.property(
      tables(40, 21),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(1 as const, 4 as const),
      (rows, fours, together) => {
        const { n, d, x } = rows;
        const found = [plainKernels, simd].map((kernels) => {
          const arena = kernels.arena();
          const state = kernels.products(d, arena, together);
          for (let from = 0; from < n; from += 4 * fours) state.add(x.subarray(from * d, n * d), Math.min(4 * fours, n - from));
          const said = { sums: state.sums(), products: lowerHalf(state.products(), d) };
          arena.release();
          return said;
        });
        expect(firstDifference(found[1]!.sums, found[0]!.sums)).toBe(-1);
        expect(firstDifference(found[1]!.products, found[0]!.products)).toBe(-1);
      },
    ),
    { numRuns: 200 },
  );
});

test("products with lines have the plain one's bits", () => {
  fc.assert(
    fc.property(tables(30, 9), fc.integer({ min: 1, max: 11 }), fc.nat(), ({ n, d, x }, k, seed) => {
      const lines = noise(k * d, seed).map((value) => value - 0.5);
      const [plain, fast] = [plainKernels, simd].map((kernels) => kernels.projections(x, n, lines, k, d));
      expect(firstDifference(fast!, plain!)).toBe(-1);
    }),
    { numRuns: 200 },
  );
});

test("wide rows, more than a block of them, on threads; by hand", async () => {
  const [n, d] = [1001, 67];
  const x = noise(n * d, 5);
  const two = await createKernels({ threads: 2 });
  const [plain, fast, threaded] = [plainKernels, simd, two].map((kernels) => {
    const arena = kernels.arena();
    const state = kernels.products(d, arena);
    state.add(x, n);
    const products = state.products();
    arena.release();
    return products;
  });
  expect(firstDifference(lowerHalf(fast!, d), lowerHalf(plain!, d))).toBe(-1);
  expect(firstDifference(lowerHalf(threaded!, d), lowerHalf(plain!, d))).toBe(-1);
  let byHand = 0;
  for (let i = 0; i < n; i++) byHand += x[i * d + 66]! * x[i * d + 2]!;
  expect(plain![66 * d + 2]).toBeCloseTo(byHand, 9);
  two.dispose();
});
