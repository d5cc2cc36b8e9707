import { expect, test } from "vitest";
import type { Instances } from "../model/points.js";
import { encodedColumns, MOST_LEVEL_COLUMNS, ONE_HOT, oneHot } from "./encode.js";

/** Rows with a number column and a text column of this many levels. */
function named(n: number, levels: number): Instances {
  const x = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) x.set([i % levels, i], 2 * i);
  const texts = Array.from({ length: levels }, (_, level) => `t${level}`);
  return { n, d: 2, x, names: ["name", "x"], nominal: Uint8Array.of(1, 0), levels: [texts, null] };
}

test("each level becomes a column; numbers stay", () => {
  const { points, notices } = oneHot(named(3, 2));
  expect(points.names).toEqual(["name=t0", "name=t1", "x"]);
  expect([...points.x]).toEqual([ONE_HOT, 0, 0, 0, ONE_HOT, 1, ONE_HOT, 0, 2]);
  expect(notices).toEqual(["1 nominal column is encoded as 0 or 1/√2 for each level, 3 columns in all."]);
});

test("numbers alone are not touched", () => {
  const points: Instances = { n: 1, d: 1, x: Float64Array.of(5) };
  expect(oneHot(points).points).toBe(points);
});

test("as many levels as the limit are encoded, one more is refused with a remedy", () => {
  expect(oneHot(named(MOST_LEVEL_COLUMNS, MOST_LEVEL_COLUMNS)).points.d).toBe(MOST_LEVEL_COLUMNS + 1);
  expect(() => oneHot(named(1500, MOST_LEVEL_COLUMNS + 1))).toThrow(
    'Column "name" has 1,001 different texts in 1,500 rows. Means need a column of numbers for each of them, and there may be at most 1,000. If it names the rows, say so (--id name); else compare it as text (--type name=text), leave it out (--ignore name), or choose a method that only uses distances (ccl, average-link) or by rules (clusilc).',
  );
});

test("levels of several columns count together", () => {
  const [n, half] = [1200, 600];
  const x = Float64Array.from({ length: 2 * n }, (_, p) => (p % 2 === 0 ? (p / 2) % half : ((p - 1) / 2) % (half - 1)));
  const points: Instances = { n, d: 2, x, names: ["a", "b"], nominal: Uint8Array.of(1, 1) };
  expect(() => oneHot(points)).toThrow('Column "a" has 600 different texts in 1,200 rows, 1,199 with the other text columns.');
});

test("very many rows get fewer columns, so that memory is not exhausted", () => {
  expect(() => oneHot(named(400_000, 900))).toThrow("there may be at most 334 for this many rows.");
});

test("200,000 levels are refused before they are encoded", () => {
  expect(() => oneHot(named(200_000, 200_000))).toThrow(/200,000 different texts in 200,000 rows/);
});

test("levels without names are counted by their codes", () => {
  const points: Instances = { n: 2, d: 1, x: Float64Array.of(0, 3), nominal: Uint8Array.of(1) };
  expect(encodedColumns(points).map(({ name }) => name)).toEqual(["x0=0", "x0=1", "x0=2", "x0=3"]);
});
