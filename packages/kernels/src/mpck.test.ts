import { constraints, mpckMeans, plainKernels, pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { createSimdKernels } from "./index.js";
import { noise } from "./testing/tables.js";

/** More rows than the exact farthest pair is looked for in, so that all kernels for metrics are used. */
const N = 20_500;

test.each(["single", "multiple"] as const)("mpck-means with %s diagonal metrics gives the plain kernels' bytes", (metrics) => {
  const x = noise(3 * N, 5);
  const points = pointsFromRows(Array.from({ length: N }, (_, i) => [x[3 * i]! + 4 * (i % 2), x[3 * i + 1]!, 9 * x[3 * i + 2]!]));
  const pairs = Array.from({ length: 60 }, (_, s) => [s, 17 * s + 1] as const);
  const known = constraints(points, {
    mustLink: pairs.filter(([a, b]) => a % 2 === b % 2),
    cannotLink: pairs.filter(([a, b]) => a % 2 !== b % 2),
  });
  const run = (kernels: typeof plainKernels) =>
    mpckMeans(points, known, { k: 3, metrics, restarts: 1, maxIterations: 3, search: 2, kernels });
  const expected = run(plainKernels);
  expect(expected.farthestPair).toBe("bound");
  expect(run(createSimdKernels())).toEqual(expected);
});

test.each([
  ["single", "diagonal"],
  ["multiple", "diagonal"],
  ["single", "full"],
] as const)("with %s %s metrics and large components too", (metrics, matrix) => {
  const n = 6000;
  const x = noise(3 * n, 6);
  const points = pointsFromRows(Array.from({ length: n }, (_, i) => [x[3 * i]! + 2 * (i % 4), x[3 * i + 1]!, 9 * x[3 * i + 2]!]));
  const known = constraints(points, {
    mustLink: Array.from({ length: 4400 }, (_, i) => [i, i + 8] as const),
    cannotLink: [[0, 1]],
  });
  const run = (kernels: typeof plainKernels) =>
    mpckMeans(points, known, { k: 4, metrics, matrix, restarts: 1, search: 2, kernels });
  expect(run(createSimdKernels())).toEqual(run(plainKernels));
});

test.each([
  ["single", "diagonal"],
  ["multiple", "diagonal"],
  ["single", "full"],
] as const)("with %s %s metrics on wide rows too, which are screened under each of them", (metrics, matrix) => {
  const [n, d] = [400, 27];
  const x = noise(n * d, 7);
  const rows = Array.from({ length: n }, (_, i) =>
    Array.from({ length: d }, (_, j) => x[i * d + j]! * (1 + (j % 5)) + (i % 9 === j ? 2 : 0)),
  );
  const points = pointsFromRows(rows);
  const known = constraints(points, {
    mustLink: Array.from({ length: 40 }, (_, s) => [s, s + 9] as const),
    cannotLink: Array.from({ length: 20 }, (_, s) => [3 * s, 3 * s + 1] as const),
  });
  const run = (kernels: typeof plainKernels) =>
    mpckMeans(points, known, { k: 9, metrics, matrix, restarts: 2, maxIterations: 2, search: 1, kernels });
  expect(run(createSimdKernels())).toEqual(run(plainKernels));
});
