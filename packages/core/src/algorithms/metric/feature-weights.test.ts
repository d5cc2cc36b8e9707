import { expect, test } from "vitest";
import type { Instances } from "../../model/points.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { tuples } from "../../testing/tuples.js";
import { encodedVariances, oneHot } from "../encode.js";
import { featureWeights } from "./linear-maps.js";

const random = randomFrom(3);
const points: Instances = {
  ...pointsFromRows(
    Array.from({ length: 40 }, () => [random.normal(), 100 * random.normal(), random.int(3)]),
    ["a", "b", "kind"],
  ),
  nominal: Uint8Array.of(0, 0, 1),
  levels: [null, null, ["oak", "ash", "elm"]],
};

test("variances equal the variances of the encoded columns", () => {
  const { n, d, x } = oneHot(points).points;
  const variances = encodedVariances(points);
  for (let j = 0; j < d; j++) {
    const column = Array.from({ length: n }, (_, i) => x[i * d + j]!);
    const mean = column.reduce((sum, value) => sum + value, 0) / n;
    expect(variances[j]).toBeCloseTo(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n, 10);
  }
});

test("shares are shares of the mean squared distance between rows, and columns are sorted by share", () => {
  const weights = [2, 0.001, 1, 1, 4];
  const [found] = featureWeights({ kind: "diagonal", matrices: [weights] }, points);
  const { n, d, x } = oneHot(points).points;
  const sums = new Array<number>(d).fill(0);
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++) for (let j = 0; j < d; j++) sums[j]! += weights[j]! * (x[a * d + j]! - x[b * d + j]!) ** 2;
  const total = sums.reduce((sum, value) => sum + value, 0);
  for (const { column, share, weight } of found!) {
    expect(share).toBeCloseTo(sums[column]! / total, 10);
    expect(weight).toBe(weights[column]);
  }
  expect(found!.map(({ share }) => share)).toEqual(found!.map(({ share }) => share).sort((a, b) => b - a));
  expect(found!.map(({ name }) => name).sort()).toEqual(["a", "b", "kind=ash", "kind=elm", "kind=oak"]);
});

test("uses the diagonal of a full matrix; constant columns and empty metrics give no NaN", () => {
  const flat = pointsFromRows(tuples("1 5, 1 5"));
  const full = tuples("3 1, 1 7");
  const [found] = featureWeights({ kind: "full", matrices: [full] }, flat);
  expect(found).toEqual([
    { name: "x1", column: 1, weight: 7, share: 0 },
    { name: "x0", column: 0, weight: 3, share: 0 },
  ]);
});
