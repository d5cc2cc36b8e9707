import { expect, test } from "vitest";
import { emptyConstraints, randomTriplets } from "../../constraints/index.js";
import { type Instances, pointsFromRows } from "../../model/points.js";
import { randomFrom } from "../../random/index.js";
import { kMeans } from "./kmeans.js";
import { svmKMeans } from "./svm-kmeans.js";

/** Two classes that only the first column tells apart; the second is loud noise. */
function noisy(): Instances {
  const random = randomFrom(4);
  const codes = Int32Array.from({ length: 120 }, (_, row) => row % 2);
  const rows = Array.from(codes, (code) => [code + 0.1 * random.normal(), 20 * random.normal()]);
  return { ...pointsFromRows(rows), truth: { codes, names: ["a", "b"] } };
}

test("a metric from relative statements finds classes that plain k-means misses", () => {
  const points = noisy();
  const known = randomTriplets(points.truth!, { count: 60, random: randomFrom(1) });
  const result = svmKMeans(points, known, { k: 2 });
  expect(kMeans(points, { k: 2 }).scores!.adjustedRand).toBeLessThan(0.1);
  expect(result.scores!.adjustedRand).toBeGreaterThan(0.95);
  const [weights] = result.metric!.matrices;
  expect(weights![0]).toBeGreaterThan(100 * weights![1]!);
});

test("centres are means in the units of the input, in label order", () => {
  const points = noisy();
  const result = svmKMeans(points, randomTriplets(points.truth!, { count: 60, random: randomFrom(1) }), { k: 2 });
  const first = [...result.labels.keys()].filter((row) => result.labels[row] === 0);
  const mean = [0, 1].map((j) => first.reduce((sum, row) => sum + points.x[row * 2 + j]!, 0) / first.length);
  expect(result.centres![0]![0]).toBeCloseTo(mean[0]!, 10);
  expect(result.centres![0]![1]).toBeCloseTo(mean[1]!, 10);
});

test("without statements it is k-means, with a notice", () => {
  const points = noisy();
  const result = svmKMeans(points, emptyConstraints(points.n), { k: 3, seed: 5 });
  const plain = kMeans(points, { k: 3, seed: 5 });
  expect(result.labels).toEqual(plain.labels);
  expect(result.objective).toBe(plain.objective);
  expect(result.notices).toContain("The relative constraints teach no metric: every column has the weight 1.");
});

test("the same seed gives the same bytes", () => {
  const points = noisy();
  const known = randomTriplets(points.truth!, { count: 30, random: randomFrom(2) });
  const runs = [0, 1].map(() => JSON.stringify(svmKMeans(points, known, { k: 3, seed: 9 })));
  expect(runs[0]).toBe(runs[1]);
});
