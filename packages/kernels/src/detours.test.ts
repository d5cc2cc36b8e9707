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
  readonly over: ArrayLike<number>;
  readonly order: Int32Array;
  /** For the row at each place of the order its entries: middle and length. */
  readonly lists: readonly (readonly (readonly [number, number])[])[];
}

function shortened(
  kernels: Kernels,
  facts: Case,
  type: "f64" | "f32",
  cut: number,
  mirrored = false,
): Float64Array | Float32Array {
  const { n, m, lists } = facts;
  const arena = kernels.arena();
  const put = (values: ArrayLike<number>) => {
    const block = type === "f64" ? arena.f64(values.length) : arena.f32(values.length);
    block.view().set(values);
    return block;
  };
  const paths = put(facts.matrix);
  const detours = pairKernelsOf(kernels).detours(put(facts.over), m, n, facts.order, arena);
  for (const [from, to] of [
    [0, cut],
    [cut, n],
  ] as const) {
    const some = lists.slice(from, to);
    const start = Int32Array.from({ length: some.length + 1 }, (_, i) => some.slice(0, i).flat().length);
    const round = type === "f32" ? Math.fround : (value: number) => value;
    const middle = Int32Array.from(some.flat(), ([c]) => c);
    const length = Float64Array.from(some.flat(), ([, first]) => round(first));
    detours.shorten(paths, from, to, start, middle, length);
  }
  if (mirrored) {
    detours.mirror(paths, 0, cut);
    detours.mirror(paths, cut, n);
  }
  const result = paths.view().slice();
  arena.release();
  return result;
}

const simd = createSimdKernels();

/** Up to 40 entries for each row, and no more than there are middles; none for some. */
function listsOf(n: number, m: number, seed: number): Case["lists"] {
  const values = noise(n * 41, seed).map(Math.abs);
  const whole = (value: number, below: number): number => Math.floor(value * 1e6) % below;
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: whole(values[i * 41]!, Math.min(m, 40) + 1) }, (_, t) => {
      const value = values[i * 41 + 1 + t]!;
      return [whole(value, m), value / 3] as const;
    }),
  );
}

const cases = fc
  .record({ n: fc.integer({ min: 1, max: 140 }), m: fc.integer({ min: 1, max: 40 }), seed: fc.nat() })
  .chain(({ n, m, seed }) =>
    fc.record({
      n: fc.constant(n),
      m: fc.constant(m),
      matrix: fc.constant(noise(n * n, seed).map(Math.abs)),
      over: fc.constant(noise(m * n, seed + 1).map((value) => (value > 0.9 ? Infinity : Math.abs(value)))),
      order: fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n }).map((order) => Int32Array.from(order)),
      lists: fc.constant(listsOf(n, m, seed + 2)),
    }),
  );

test("the fast detours have the plain ones' bits, whatever the order of the rows", () => {
  fc.assert(
    fc.property(
      cases,
      fc.constantFrom("f64" as const, "f32" as const),
      fc.nat(140),
      fc.boolean(),
      (facts, type, cut, mirrored) => {
        const end = cut % (facts.n + 1);
        const plain = shortened(plainKernels, facts, type, end, mirrored);
        expect(firstDifference(shortened(simd, facts, type, end, mirrored), plain)).toBe(-1);
      },
    ),
    { numRuns: 60 },
  );
});

test("by hand: a detour that is shorter, one that is not, and one to a row that stands before", () => {
  const facts: Case = {
    n: 3,
    m: 2,
    matrix: [0, 9, 4, 9, 0, 8, 4, 8, 0],
    over: [5, 1, 2, 0, 0, 0],
    order: Int32Array.of(2, 0, 1),
    lists: [[[0, 1]], [[0, 3], [1, 5]], [[1, 1]]], // biome-ignore format: one line
  };
  for (const kernels of [plainKernels, simd]) {
    expect([...shortened(kernels, facts, "f64", 3)]).toEqual([0, 4, 4, 9, 0, 8, 4, 2, 0]);
    expect([...shortened(kernels, facts, "f64", 3, true)]).toEqual([0, 4, 4, 4, 0, 2, 4, 2, 0]);
  }
});

test("rows on a line with the nearest first, as paths have them: the same bits", () => {
  const [n, m] = [300, 24];
  const middles = Float64Array.from(noise(m, 5), (value) => 40 * value);
  const rows = Float64Array.from(noise(n, 6), (value) => 40 * value).sort();
  const between = (a: number, b: number): number => Math.abs(a - b) + 0.3 * Math.sin(a * b) ** 2;
  const over = Array.from(middles).flatMap((a) => Array.from(rows, (b) => between(a, b)));
  const matrix = Array.from(rows).flatMap((a) => Array.from(rows, (b) => 1.5 * Math.abs(a - b)));
  const lists = Array.from(rows, (_, i) =>
    Array.from(middles, (_, c) => [c, over[c * n + i]!] as const).sort((a, b) => a[1] - b[1]),
  );
  const facts = { n, m, matrix, over, order: Int32Array.from(rows.keys()), lists };
  for (const type of ["f64", "f32"] as const) {
    const plain = shortened(plainKernels, facts, type, 0);
    expect(firstDifference(plain, Float64Array.from(matrix))).not.toBe(-1);
    expect(firstDifference(shortened(simd, facts, type, 77), plain)).toBe(-1);
  }
});

test("threads give the same bits, and matrices of two types are refused", async () => {
  const [n, m] = [531, 37];
  const order = Int32Array.from({ length: n }, (_, i) => (i * 7) % n);
  const values = noise(n * m, 3);
  const lists = Array.from({ length: n }, (_, i) =>
    Array.from({ length: m }, (_, c) => [c, Math.abs(values[i * m + c]!) / 4] as const),
  );
  const facts = { n, m, matrix: noise(n * n, 1).map(Math.abs), over: noise(n * m, 2).map(Math.abs), order, lists };
  const threaded = await createKernels({ threads: 2 });
  for (const type of ["f64", "f32"] as const) {
    const plain = shortened(plainKernels, facts, type, 0);
    expect(firstDifference(shortened(simd, facts, type, 100), plain)).toBe(-1);
    expect(firstDifference(shortened(threaded, facts, type, 301), plain)).toBe(-1);
    expect(firstDifference(shortened(threaded, facts, type, 301, true), shortened(plainKernels, facts, type, 0, true))).toBe(-1);
  }
  threaded.dispose();
  const arena = simd.arena();
  const detours = pairKernelsOf(simd).detours(arena.f64(2), 1, 2, Int32Array.of(0, 1), arena);
  const none = Int32Array.of(0, 0, 0);
  expect(() => detours.shorten(arena.f32(4), 0, 2, none, none, new Float64Array(0))).toThrow("one type");
  arena.release();
});
