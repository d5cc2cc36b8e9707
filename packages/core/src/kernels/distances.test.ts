import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tuples } from "../testing/tuples.js";
import { referenceDistance } from "./distances.reference.js";
import { pairKernelsOf, plainKernels } from "./index.js";
import type { Metric } from "./kernels.js";

const METRICS: readonly Metric[] = ["euclidean", "sqeuclidean", "hamming", "gower", "cosine"];

function matrixOf(
  metric: Metric,
  rows: readonly (readonly number[])[],
  ranges: readonly number[],
  type: "f64" | "f32" = "f64",
): number[][] {
  const n = rows.length;
  const d = rows[0]!.length;
  const arena = plainKernels.arena();
  const x = arena.f64(n * d);
  x.view().set(rows.flat());
  const spans = arena.f64(d);
  spans.view().set(ranges);
  const out = type === "f64" ? arena.f64(n * n) : arena.f32(n * n);
  pairKernelsOf(plainKernels).distances(metric, x, n, d, spans, 0, n, out);
  const flat = Array.from(out.view());
  return rows.map((_, i) => flat.slice(i * n, (i + 1) * n));
}

const tables = fc.integer({ min: 1, max: 5 }).chain((d) =>
  fc.record({
    rows: fc.array(
      fc.array(
        fc.oneof(
          fc.integer({ min: -2, max: 2 }),
          fc.integer({ min: -9000, max: 9000 }).map((value) => value / 1000),
        ),
        {
          minLength: d,
          maxLength: d,
        },
      ),
      {
        minLength: 1,
        maxLength: 9,
      },
    ),
    ranges: fc.array(fc.constantFrom(-1, 0, 1, 18, 0.3), { minLength: d, maxLength: d }),
  }),
);

describe.each(METRICS)("%s", (metric) => {
  test("is its definition, symmetric, and 0 between equal rows", () => {
    fc.assert(
      fc.property(tables, ({ rows, ranges }) => {
        const matrix = matrixOf(metric, rows, ranges);
        rows.forEach((a, i) => {
          rows.forEach((b, j) => {
            const distance = matrix[i]![j]!;
            expect(distance).toBe(matrix[j]![i]);
            expect(distance).toBeGreaterThanOrEqual(0);
            expect(distance).toBeCloseTo(referenceDistance(metric, a, b, ranges), metric === "cosine" ? 12 : 15);
            if (a.every((value, f) => value === b[f])) expect(distance).toBe(0);
          });
        });
      }),
    );
  });

  test("in single precision, is rounded once", () => {
    fc.assert(
      fc.property(tables, ({ rows, ranges }) => {
        expect(matrixOf(metric, rows, ranges, "f32")).toEqual(matrixOf(metric, rows, ranges).map((row) => row.map(Math.fround)));
      }),
    );
  });
});

test("only the rows asked for are written", () => {
  const arena = plainKernels.arena();
  const x = arena.f64(3);
  x.view().set([0, 1, 3]);
  const out = arena.f64(9);
  out.view().fill(-1);
  pairKernelsOf(plainKernels).distances("sqeuclidean", x, 3, 1, null, 1, 2, out);
  expect([...out.view()]).toEqual([-1, -1, -1, 1, 0, 4, -1, -1, -1]);
});

test("cosine of zero rows, and of rows whose squares leave the range of numbers", () => {
  const rows = tuples("0 0, 0 0, 1 2, 1e200 2e200, 1e-200 2e-200, -1e-310 -2e-310");
  const matrix = matrixOf("cosine", rows, [0, 0]);
  const expected = [
    [0, 0, 1, 1, 1, 1],
    [0, 0, 1, 1, 1, 1],
    [1, 1, 0, 0, 0, 2],
    [1, 1, 0, 0, 0, 2],
    [1, 1, 0, 0, 0, 2],
    [1, 1, 2, 2, 2, 0],
  ];
  matrix.forEach((line, i) => {
    line.forEach((distance, j) => {
      expect(distance).toBeCloseTo(expected[i]![j]!, 14);
      expect(distance).toBeLessThanOrEqual(2);
    });
  });
});

test("Gower without ranges is refused", () => {
  const arena = plainKernels.arena();
  expect(() => pairKernelsOf(plainKernels).distances("gower", arena.f64(1), 1, 1, null, 0, 1, arena.f64(1))).toThrow("ranges");
});
