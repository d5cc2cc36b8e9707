import { expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { tuples } from "../../../testing/tuples.js";
import { linksOf } from "./links.js";
import { columnMoments, farthestFirst, firstCentresSteps, type Init } from "./run.js";

/** Columns with means 2 and 10 and deviations 2 and 0. */
const points = pointsFromRows(tuples("0 10, 0 10, 4 10, 4 10"));

/** A stream whose normal numbers are 1, 2, 3, … */
function counting(): Random {
  let next = 0;
  return { ...randomFrom(1), normal: () => ++next };
}

const centresOf = (init: Init, mustLink: readonly (readonly [number, number])[], k: number): number[] =>
  Array.from(drain(firstCentresSteps(points, linksOf(constraints(points, { mustLink }), 1), k, init, counting())));

test("mean and population variance of each column; those of a constant column are exact", () => {
  expect(columnMoments(points)).toEqual({ mean: Float64Array.of(2, 10), variance: Float64Array.of(4, 0) });
  const third = pointsFromRows(Array.from({ length: 7 }, () => [0.1]));
  expect(columnMoments(third)).toEqual({ mean: Float64Array.of(0.1), variance: Float64Array.of(0) });
});

test("perturbed: the mean plus half a standard deviation of normal noise for each feature", () => {
  expect(centresOf("perturbed", [[0, 1]], 2)).toEqual([2 + 0.5 * 2 * 1, 10, 2 + 0.5 * 2 * 3, 10]);
});

test("neighbourhoods: their centroids first, then noise for the remaining clusters; single rows are no neighbourhoods", () => {
  expect(centresOf("neighbourhoods", [[1, 2]], 2)).toEqual([2, 10, 2 + 0.5 * 2 * 1, 10]);
  expect(
    centresOf(
      "neighbourhoods",
      [
        [0, 1],
        [2, 3],
      ],
      2,
    ),
  ).toEqual([0, 10, 4, 10]);
});

test("given centres are used unchanged; a wrong number is refused", () => {
  const given = tuples("1 2, 3 4");
  expect(centresOf(given, [], 2)).toEqual([1, 2, 3, 4]);
  expect(() => centresOf(given, [], 3)).toThrow("The first centres are 2 rows of 2 numbers; 3 rows of 2 are needed.");
  expect(() => centresOf([[1], [2]], [], 2)).toThrow("The first centres are 2 rows of 1 numbers; 2 rows of 2 are needed.");
});

test("weighted farthest-first starts from the largest and weighs distance by size", () => {
  const at = (...values: number[]): Float64Array[] => values.map((value) => Float64Array.of(value));
  // From 0 (size 5): 10·2 = 20, 7·3 = 21, 1·4 = 4, so 7 is next; then 10 is at distance 3: 3·2 = 6, and 1 at distance 1: 1·4 = 4.
  expect(farthestFirst(at(10, 0, 7, 1), [2, 5, 3, 4], 3)).toEqual([1, 2, 0]);
});
