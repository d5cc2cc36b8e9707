import fc from "fast-check";
import { expect, test } from "vitest";
import { pairKernelsOf, plainKernels } from "./index.js";

const lengths = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.double({ min: 0, max: 5, noNaN: true }),
  fc.constant(Number.POSITIVE_INFINITY),
);
const grid = (rows: number, columns: number) =>
  fc.array(fc.array(lengths, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });

/** A matrix, the two factors of a product, and the first and last row of a range. */
const cases = fc.record({ n: fc.integer({ min: 1, max: 7 }), m: fc.integer({ min: 0, max: 4 }) }).chain(({ n, m }) =>
  fc.record({
    n: fc.constant(n),
    m: fc.constant(m),
    matrix: grid(n, n),
    left: grid(n, m),
    right: grid(m, n),
    row: fc.nat(n - 1),
  }),
);

function putter(type: "f64" | "f32") {
  const arena = plainKernels.arena();
  return (values: number[][]) => {
    const block = type === "f64" ? arena.f64(values.flat().length) : arena.f32(values.flat().length);
    block.view().set(values.flat());
    return block;
  };
}

test.each(["f64", "f32"] as const)("%s: every entry is the least of itself and its detours, in the rows asked for", (type) => {
  const round = type === "f32" ? Math.fround : (value: number) => value;
  fc.assert(
    fc.property(cases, ({ n, m, matrix, left, right, row: from }) => {
      const put = putter(type);
      const paths = put(matrix);
      pairKernelsOf(plainKernels).minPlus(paths, put(left), put(right), n, m, from, n);
      const expected = matrix.map((row, i) =>
        row.map((length, j) =>
          i < from
            ? round(length)
            : Math.min(round(length), ...left[i]!.map((first, c) => round(round(first) + round(right[c]![j]!)))),
        ),
      );
      expect(Array.from(paths.view())).toEqual(expected.flat());
    }),
  );
});

test.each(["f64", "f32"] as const)("%s: the symmetric product is the product above the diagonal, mirrored", (type) => {
  fc.assert(
    fc.property(cases, ({ n, m, matrix, left, right, row: cut }) => {
      const put = putter(type);
      const [whole, both] = [put(matrix), put(matrix)];
      pairKernelsOf(plainKernels).minPlus(whole, put(left), put(right), n, m, 0, n);
      pairKernelsOf(plainKernels).minPlusBoth(both, put(left), put(right), n, m, 0, cut);
      pairKernelsOf(plainKernels).minPlusBoth(both, put(left), put(right), n, m, cut, n);
      for (let i = 0; i < n; i++) {
        expect(both.view()[i * n + i]).toBe(put(matrix).view()[i * n + i]);
        for (let j = i + 1; j < n; j++) {
          expect(both.view()[i * n + j]).toBe(whole.view()[i * n + j]);
          expect(both.view()[j * n + i]).toBe(whole.view()[i * n + j]);
        }
      }
    }),
  );
});
