import { expect, test } from "vitest";
import { pointsOfSingles, rowValues, withMore } from "./points.js";

const singles = Float32Array.of(0.1, 2, 3, 4);

test("points of singles have the same numbers as doubles when somebody asks, and not before", () => {
  const points = pointsOfSingles({ n: 2, d: 2 }, singles);
  expect(rowValues(points)).toBe(singles);
  expect(points.x).toEqual(Float64Array.of(Math.fround(0.1), 2, 3, 4));
  expect(points.x).toBe(points.x);
  expect(rowValues(points)).toBe(singles);
});

test("a copy with other values has these values, and a copy with more properties keeps the single-precision rows", () => {
  const points = pointsOfSingles({ n: 2, d: 2 }, singles);
  const other = { ...points, x: Float64Array.of(5, 6, 7, 8) };
  expect(rowValues(other)).toBe(other.x);
  expect(rowValues({ ...points })).toEqual(Float64Array.from(singles));
  const named = withMore(points, { names: ["a", "b"], file: "f.npy" });
  expect(rowValues(named)).toBe(singles);
  expect([named.names, named.file, named.n, [...named.x]]).toEqual([["a", "b"], "f.npy", 2, [...singles]]);
  expect(Object.keys(named)).toContain("x");
});

test("points of doubles are kept as they are", () => {
  const points = { n: 1, d: 2, x: Float64Array.of(1, 2) };
  expect(rowValues(points)).toBe(points.x);
  expect(withMore(points, { names: ["a", "b"] })).toEqual({ ...points, names: ["a", "b"] });
});
