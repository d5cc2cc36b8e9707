import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints, emptyConstraints, randomTriplets } from "../../constraints/index.js";
import type { Instances } from "../../model/points.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { tuples } from "../../testing/tuples.js";
import { kmeans } from "./kmeans.js";
import { svmKmeans } from "./svm-kmeans.js";

/** Two classes that differ only in the first column; the second is strong noise. */
function noisy(seed = 4): Instances {
  const random = randomFrom(seed);
  const codes = Int32Array.from({ length: 120 }, (_, row) => row % 2);
  const rows = Array.from(codes, (code) => [code + 0.1 * random.normal(), 20 * random.normal()]);
  return { ...pointsFromRows(rows), truth: { codes, names: ["a", "b"] } };
}

test("a metric from relative constraints finds classes that plain k-means misses", () => {
  const points = noisy();
  const known = randomTriplets(points.truth!, { count: 60, random: randomFrom(1) });
  const result = svmKmeans(points, known, { k: 2 });
  expect(kmeans(points, undefined, { k: 2 }).scores!.adjustedRand).toBeLessThan(0.1);
  expect(result.scores!.adjustedRand).toBeGreaterThan(0.95);
  const [weights] = result.metric!.matrices;
  expect(weights![0]).toBeGreaterThan(100 * weights![1]!);
});

test("centres are means in the units of the input, in label order", () => {
  const points = noisy();
  const result = svmKmeans(points, randomTriplets(points.truth!, { count: 60, random: randomFrom(1) }), { k: 2 });
  const first = [...result.labels.keys()].filter((row) => result.labels[row] === 0);
  const mean = [0, 1].map((j) => first.reduce((sum, row) => sum + points.x[row * 2 + j]!, 0) / first.length);
  expect(result.centres![0]![0]).toBeCloseTo(mean[0]!, 10);
  expect(result.centres![0]![1]).toBeCloseTo(mean[1]!, 10);
});

test("without constraints it is k-means, with a notice", () => {
  const points = noisy();
  const result = svmKmeans(points, emptyConstraints(points.n), { k: 3, seed: 5 });
  const plain = kmeans(points, undefined, { k: 3, seed: 5 });
  expect(result.labels).toEqual(plain.labels);
  expect(result.objective).toBe(plain.objective);
  expect(result.notices).toContain("No metric can be learned from the relative constraints: every column has the weight 1.");
});

test("the same seed gives the same bytes", () => {
  const points = noisy();
  const known = randomTriplets(points.truth!, { count: 30, random: randomFrom(2) });
  const runs = [0, 1].map(() => JSON.stringify(svmKmeans(points, known, { k: 3, seed: 9 })));
  expect(runs[0]).toBe(runs[1]);
});

test("the unit of the table does not matter: doubled, halved or in thousandths it has the same clusters", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), fc.constantFrom(2, 0.5, 1024, 1000, 0.001), (seed, count, factor) => {
      const points = noisy(seed);
      const known = randomTriplets(points.truth!, { count, random: randomFrom(seed) });
      const other = { ...points, x: points.x.map((value) => factor * value) };
      const [one, two] = [points, other].map((table) => svmKmeans(table, known, { k: 3, seed, restarts: 3 }));
      expect(two!.labels).toEqual(one!.labels);
      one!.metric!.matrices[0]!.forEach((weight, j) => {
        expect(two!.metric!.matrices[0]![j]! * factor * factor).toBeCloseTo(weight, 6);
      });
    }),
    { numRuns: 25 },
  );
});

test('cost scale "unit" is as published: C = 1 for the columns as given', () => {
  // a = (0,0), b = (0,1), c = (2,0): z is (4,-1) and (4,0), so w = 1/4 for every large C; with C = 1/1000, w = 8 C.
  const points = pointsFromRows(tuples("0 0, 0 1, 2 0, 9 9"));
  const known = constraints(points, { relative: [[0, 1, 2]] });
  const weight = (options: Partial<Parameters<typeof svmKmeans>[2]>) =>
    svmKmeans(points, known, { k: 2, ...options }).metric!.matrices[0]![0]!;
  expect(weight({ costScale: "unit" })).toBeCloseTo(1 / 4, 6);
  expect(weight({ costScale: "unit", cost: 0.001 })).toBeCloseTo(0.008, 8);
  // The variances of the columns are 219/16 and 57/4; the lower median of two is the smaller one.
  expect(weight({ cost: 0.001 * (219 / 16) ** 2 })).toBeCloseTo(0.008, 8);
});
