import fc from "fast-check";
import { expect, test } from "vitest";
import { sizeLines } from "./sizes.js";
import { widthOf } from "./width.js";

test("a few clusters have a bar each", () => {
  expect(sizeLines([30, 60, 10], 100, 60)).toEqual([
    "  cluster 0   30   30.0%  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇",
    "  cluster 1   60   60.0%  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇",
    "  cluster 2   10   10.0%  ▇▇▇▇▇▇",
  ]);
});

test("many clusters are a distribution, with the largest by name", () => {
  const sizes = Array.from({ length: 640 }, (_, c) => (c === 17 ? 90 : 1 + (c % 20)));
  expect(sizeLines(sizes, 0, 60)).toEqual([
    "The clusters have 1 to 90 rows, half of them at most 10.",
    "   rows  clusters",
    "      1        32  ▇▇▇▇▇",
    "    2–3        64  ▇▇▇▇▇▇▇▇▇▇",
    "    4–7       128  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇",
    "   8–15       256  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇",
    "  16–31       159  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇",
    "  32–63         0",
    "  64–90         1  ▇",
    "The largest are clusters 17 (90 rows), 19 (20 rows), 39 (20 rows).",
  ]);
  expect(sizeLines(Array(13).fill(4), 52, 60)[0]).toBe("Every cluster has 4 rows.");
});

test("every cluster is in one bar, in few lines that fit, whatever the sizes", () => {
  const size = fc.oneof(fc.nat(30), fc.nat(5_000_000));
  fc.assert(
    fc.property(fc.array(size, { minLength: 13, maxLength: 300 }), fc.integer({ min: 60, max: 200 }), (sizes, columns) => {
      const lines = sizeLines(sizes, 0, columns);
      const bars = lines.filter((line) => line.startsWith("  ") && !line.includes("clusters"));
      const counts = bars.map((line) => Number(/^ +[\d,–]+ +([\d,]+)/.exec(line)![1]!.replaceAll(",", "")));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(sizes.length);
      expect(lines.length).toBeLessThanOrEqual(16);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(columns, 100));
    }),
  );
});
