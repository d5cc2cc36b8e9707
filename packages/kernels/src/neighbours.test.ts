import { type Kernels, pairKernelsOf, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { noise, type Rows, tables } from "./testing/tables.js";

const simd = createSimdKernels();
const threaded = await createKernels({ threads: 3 });
afterAll(() => threaded.dispose());

/** The lists after groups of rows, one round of joins, and optionally all pairs. */
function listsOf(kernels: Kernels, { n, d, x }: Rows, k: number, single: boolean, all: boolean) {
  const arena = kernels.arena();
  const rows = arena.rows(single ? Float32Array.from(x) : x);
  const search = pairKernelsOf(kernels).neighbours(rows, n, d, k, arena);
  const order = Int32Array.from({ length: n }, (_, i) => (i * 7 + 3) % n).sort((a, b) => (a % 3) - (b % 3) || b - a);
  const cut = Math.floor(n / 3);
  search.compareGroups(order, Int32Array.of(0, cut, cut, n), 0, 2);
  search.compareGroups(order, Int32Array.of(0, cut, cut, n), 2, 3);
  const { rows: found } = search.lists();
  const width = 4;
  const fresh = new Int32Array(n * width).fill(-1);
  const known = new Int32Array(n * width).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let p = 0; p < Math.min(k, 3) && found[i * k + p]! >= 0; p++) fresh[i * width + p] = found[i * k + p]!;
    known[i * width] = (i * 5 + 1) % n;
  }
  const join = search.openJoins(fresh, known, width, arena);
  join(0, cut);
  join(cut, n);
  if (all) for (let from = 0; from < n; from += 80) search.compareAll(from, Math.min(n, from + 80));
  const lists = search.lists();
  arena.release();
  return lists;
}

test("the same lists as the plain kernel, at any scale, with ties, in both precisions and on threads", () => {
  fc.assert(
    fc.property(tables(40, 19), fc.integer({ min: 1, max: 6 }), fc.boolean(), fc.boolean(), (rows, count, single, all) => {
      fc.pre(rows.n > 1);
      const k = Math.min(count, rows.n - 1);
      const wanted = listsOf(plainKernels, rows, k, single, all);
      expect(listsOf(simd, rows, k, single, all)).toEqual(wanted);
      expect(listsOf(threaded, rows, k, single, all)).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

test("the same lists where a block of rows is not complete, and in many columns", () => {
  for (const [n, d] of [
    [170, 33],
    [401, 8],
    [90, 384],
  ] as const) {
    const rows = { n, d, x: noise(n * d, n) };
    expect(listsOf(threaded, rows, 9, false, true)).toEqual(listsOf(plainKernels, rows, 9, false, true));
  }
});
