import { drain } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rowMajor } from "./points.js";

test("every value goes to its row and column, scaled, and the columns stay", () => {
  const shape = fc.record({ n: fc.integer({ min: 0, max: 400 }), d: fc.integer({ min: 1, max: 9 }), scales: fc.boolean() });
  fc.assert(
    fc.property(shape, ({ n, d, scales }) => {
      const columns = Array.from({ length: d }, (_, j) => Float64Array.from({ length: n }, (_, i) => 1000 * j + i));
      const before = columns.map((column) => column.slice());
      const scaling = scales ? { offset: columns.map((_, j) => j), factor: columns.map((_, j) => j + 2) } : null;
      const x = drain(rowMajor(columns, n, scaling));
      expect(x.length).toBe(n * d);
      const wrong = x.findIndex((value, p) => {
        const [i, j] = [Math.floor(p / d), p % d];
        return value !== (scaling ? (1000 * j + i - j) / (j + 2) : 1000 * j + i);
      });
      expect(wrong).toBe(-1);
      expect(columns).toEqual(before);
    }),
  );
});
