import { type F32, type F64, type Kernels, type Metric, pairKernelsOf, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise, type Rows, tables } from "./testing/tables.js";

const METRICS: readonly Metric[] = ["euclidean", "sqeuclidean", "hamming", "gower", "cosine"];

const simd = createSimdKernels();
const threaded = await createKernels({ threads: 3 });
afterAll(() => threaded.dispose());

/** Every third column nominal, the others with their range. */
function rangesOf({ n, d, x }: Rows): Float64Array {
  return Float64Array.from({ length: d }, (_, f) => {
    const column = Array.from({ length: n }, (_, i) => x[i * d + f]!);
    return f % 3 === 2 ? -1 : Math.max(...column) - Math.min(...column);
  });
}

/** The matrix of a kernel set, made in ranges of rows that end at the cuts. */
function matrixOf(
  kernels: Kernels,
  metric: Metric,
  rows: Rows,
  type: "f64" | "f32",
  cuts: number[],
): Float64Array | Float32Array {
  const { n, d } = rows;
  const arena = kernels.arena();
  try {
    const out: F64 | F32 = type === "f64" ? arena.f64(n * n) : arena.f32(n * n);
    const x = arena.f64(n * d);
    x.view().set(rows.x);
    const ranges = arena.f64(d);
    ranges.view().set(rangesOf(rows));
    const ends = [...cuts.map((cut) => cut % (n + 1)).sort((a, b) => a - b), n];
    ends.forEach((end, r) => {
      pairKernelsOf(kernels).distances(metric, x, n, d, metric === "gower" ? ranges : null, r === 0 ? 0 : ends[r - 1]!, end, out);
    });
    return out.view().slice();
  } finally {
    arena.release();
  }
}

describe.each(METRICS)("%s", (metric) => {
  test("the fast kernel has the plain kernel's bits, in any ranges of rows", () => {
    fc.assert(
      fc.property(
        tables(40, 9),
        fc.constantFrom("f64" as const, "f32" as const),
        fc.array(fc.nat(40), { maxLength: 2 }),
        (rows, type, cuts) => {
          expect(firstDifference(matrixOf(simd, metric, rows, type, cuts), matrixOf(plainKernels, metric, rows, type, []))).toBe(
            -1,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test("any number of threads gives the same bits, over several panels and pieces", () => {
    const rows = { n: 701, d: 13, x: noise(701 * 13, 5).map((value) => value - 0.5) };
    for (const type of ["f64", "f32"] as const) {
      const plain = matrixOf(plainKernels, metric, rows, type, []);
      expect(firstDifference(matrixOf(simd, metric, rows, type, []), plain)).toBe(-1);
      expect(firstDifference(matrixOf(threaded, metric, rows, type, [333]), plain)).toBe(-1);
    }
  });
});

test("rows wider than a panel of columns", () => {
  const rows = { n: 9, d: 3001, x: noise(9 * 3001, 6) };
  expect(
    firstDifference(matrixOf(simd, "euclidean", rows, "f64", []), matrixOf(plainKernels, "euclidean", rows, "f64", [])),
  ).toBe(-1);
});
