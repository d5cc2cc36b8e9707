import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints } from "../constraints/index.js";
import { pairKernelsOf, plainKernels } from "../kernels/index.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { instancesFromDistances, rowsOfCondensed, selectDistances } from "./given-distances.js";
import { ccl } from "./hierarchical/ccl/index.js";
import { linkages } from "./hierarchical/linkage.js";
import { recon } from "./hierarchical/recon/index.js";

const rowsOfPoints = fc.array(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 2 }), {
  minLength: 4,
  maxLength: 12,
});

/** The square matrix of Euclidean distances, computed by the kernels of the methods. */
function squareOf(rows: readonly (readonly number[])[]): Float64Array {
  const n = rows.length;
  const arena = plainKernels.arena();
  const x = arena.f64(2 * n);
  x.view().set(rows.flat());
  const matrix = arena.f64(n * n);
  pairKernelsOf(plainKernels).distances("euclidean", x, n, 2, null, 0, n, matrix);
  return matrix.view().slice();
}

function halfOf(square: Float64Array, n: number): Float64Array {
  const half: number[] = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) half.push(square[i * n + j]!);
  return Float64Array.from(half);
}

test("methods about distances give the same result from points, from a square matrix and from its half", () => {
  fc.assert(
    fc.property(rowsOfPoints, (rows) => {
      const n = rows.length;
      const points = pointsFromRows(rows);
      const square = squareOf(rows);
      const known = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 2]] });
      const relative = constraints(points, { relative: [[0, 1, 2]] });
      for (const given of [instancesFromDistances(square, "square"), instancesFromDistances(halfOf(square, n), "condensed")]) {
        for (const kind of ["complete", "single", "average", "ward", "centroid"] as const)
          expect(linkages[kind](given, undefined, { k: 2 }).merges).toEqual(linkages[kind](points, undefined, { k: 2 }).merges);
        expect(ccl(given, known, { k: 2 })).toEqual(ccl(points, known, { k: 2 }));
        expect(recon(given, relative, { k: 2 }).labels).toEqual(recon(points, relative, { k: 2 }).labels);
      }
    }),
    { numRuns: 40 },
  );
});

test("a subset of the rows, in any order, keeps its distances", () => {
  const square = squareOf(tuples("0 0, 3 4, 0 1, 6 8"));
  const half = halfOf(square, 4);
  expect([...selectDistances(half, 4, [3, 0, 1])]).toEqual([10, 5, 5]);
  expect(rowsOfCondensed(6)).toBe(4);
  expect(rowsOfCondensed(0)).toBe(1);
  expect(rowsOfCondensed(7)).toBeUndefined();
});

test.each([
  ["square", [0, 1, 2, 0], "Rows a and b: the distance is 1 one way and 2 the other. A distance matrix is symmetric"],
  ["square", [0, -1, -1, 0], "Rows a and b: the distance is -1, which is negative."],
  ["square", [0, 1, 1, 0.5], "Rows b and b: the distance of a row from itself is 0.5, not 0. Are these similarities?"],
  ["square", [0, 1, 1, Number.NaN], "the distance of a row from itself is NaN"],
  ["square", [0, Infinity, Infinity, 0], "the distance is Infinity, which is not a finite number."],
  ["condensed", [Number.NaN], "the distance is NaN, which is not a finite number."],
  ["condensed", [1, 2], "2 numbers are no condensed distance matrix. A condensed matrix of n rows has n(n-1)/2 numbers."],
  ["square", [0, 1, 1], "3 numbers are no square distance matrix. A square matrix of n rows has n × n numbers."],
] as const)("a %s matrix of %j is refused", (shape, values, sentence) => {
  expect(() => instancesFromDistances(Float64Array.from(values), shape, ["a", "b"])).toThrow(sentence);
});

test("halves that differ by rounding are averaged; distance and linkages are checked", () => {
  const near = Float64Array.of(0, 1, 1 + 1e-12, 0);
  expect(instancesFromDistances(near, "square").distances![0]).toBeCloseTo(1 + 5e-13, 14);
  const given = instancesFromDistances(Float64Array.of(1, 2, 3), "condensed");
  expect(() => linkages.complete(given, undefined, { k: 2, distance: "cosine" })).toThrow(
    "left out when the distances are given",
  );
  expect(linkages.ward(given, undefined, { k: 2 }).notices).toEqual([
    "With ward linkage the given distances are taken to be Euclidean.",
  ]);
  const known = constraints(given, { relative: [[0, 1, 2]] });
  expect(() => recon(given, known, { k: 2, learnedMetric: "svm" })).toThrow("left out when the distances are given");
});
