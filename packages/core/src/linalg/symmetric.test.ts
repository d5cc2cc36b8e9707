import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../random/index.js";
import { eigen } from "./symmetric.js";

test("by hand: [[2, 1], [1, 2]] has the eigenvalues 1 and 3 along the diagonals", () => {
  const { values, vectors } = eigen(Float64Array.of(2, Number.NaN, 1, 2), 2);
  expect(values[0]).toBeCloseTo(1, 14);
  expect(values[1]).toBeCloseTo(3, 14);
  expect(vectors[0]! * vectors[1]!).toBeCloseTo(-0.5, 14);
  expect(vectors[2]! * vectors[3]!).toBeCloseTo(0.5, 14);
});

test("a diagonal matrix keeps its numbers, sorted, and an empty matrix has none", () => {
  expect(eigen(Float64Array.of(5, 0, 0, 0, -1, 0, 0, 0, 2), 3)).toEqual({
    values: Float64Array.of(-1, 2, 5),
    vectors: Float64Array.of(0, 1, 0, 0, 0, 1, 1, 0, 0),
  });
  expect(eigen(new Float64Array(4), 2).values).toEqual(Float64Array.of(0, 0));
  expect(eigen(new Float64Array(0), 0).values).toHaveLength(0);
});

test("vectors are orthonormal, and S v = λ v, also where eigenvalues repeat or differ by a factor of 10¹²", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(), fc.constantFrom("normal", "few", "scaled"), (d, seed, kind) => {
      const random = randomFrom(seed);
      const s = new Float64Array(d * d);
      const factor = Array.from({ length: d }, () => (kind === "scaled" ? 10 ** (random.int(7) - 6) : 1));
      for (let i = 0; i < d; i++)
        for (let j = 0; j <= i; j++) {
          const value = kind === "few" ? random.int(3) - 1 : random.normal() * factor[i]! * factor[j]!;
          s[i * d + j] = s[j * d + i] = value;
        }
      const { values, vectors } = eigen(s, d);
      const size = Math.max(...values.map(Math.abs), Number.MIN_VALUE);
      const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, j) => sum + value * b[j]!, 0);
      const row = (m: Float64Array, i: number) => m.subarray(i * d, (i + 1) * d);
      for (let e = 0; e < d; e++) {
        if (e > 0) expect(values[e]).toBeGreaterThanOrEqual(values[e - 1]!);
        for (let f = 0; f <= e; f++) expect(dot(row(vectors, e), row(vectors, f))).toBeCloseTo(e === f ? 1 : 0, 12);
        for (let i = 0; i < d; i++)
          expect(Math.abs(dot(row(s, i), row(vectors, e)) - values[e]! * vectors[e * d + i]!)).toBeLessThanOrEqual(
            1e-13 * d * size,
          );
      }
    }),
  );
});
