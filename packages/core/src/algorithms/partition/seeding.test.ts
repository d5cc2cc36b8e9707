import { expect, test } from "vitest";
import { plainKernels } from "../../kernels/index.js";
import { type Points, pointsOfSingles } from "../../model/points.js";
import { type Random, randomFrom } from "../../random/index.js";
import { drain } from "../../steps/index.js";
import { plusPlusByKernels, plusPlusSteps } from "./seeding.js";

const [N, D] = [60, 3];
const random = randomFrom(8).split("rows");
const rows = Float32Array.from({ length: N * D }, () => random.normal());
const points: Points = { n: N, d: D, x: Float64Array.from(rows) };
/** Rows of the second half are never drawn. */
const rowWeights = Float64Array.from({ length: N }, (_, i) => (i < N / 2 ? 1 + (i % 5) : 1e-9));

test("a start by kernels draws the same rows as the plain one, weighted", () => {
  const first = () => randomFrom(4).split("start");
  for (const each of [points, { ...points, rowWeights }, pointsOfSingles({ n: N, d: D, rowWeights }, rows)]) {
    const expected = drain(plusPlusSteps(each, 7, first()));
    expect(drain(plusPlusByKernels(each, 7, first(), plainKernels))).toEqual(expected);
  }
  const drawn = drain(plusPlusByKernels({ ...points, rowWeights }, 7, first(), plainKernels));
  expect(drawn).not.toEqual(drain(plusPlusByKernels(points, 7, first(), plainKernels)));
});

test("a draw at the very end takes the last row at a distance from the centres, despite rounding", () => {
  // 0.01 + 0.04 + 0.04 exceeds the sum subtracted row by row, so the running sum ends after the last row.
  const line: Points = { n: 6, d: 1, x: Float64Array.of(0, 0.1, 0.2, 0.2, 0, 0) };
  const atEnd: Random = { ...randomFrom(1), int: () => 0, unit: () => 1 - 2 ** -53 };
  expect(drain(plusPlusSteps(line, 2, atEnd))).toEqual(Float64Array.of(0, 0.2));
});
