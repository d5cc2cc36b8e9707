import { kmeans, pointsFromRows, principalAxes, randomFrom } from "@coterie/core/internal";
import { htmlReport } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";

const random = randomFrom(3).split("page");
const [N, D] = [701, 45];
const points = pointsFromRows(
  Array.from({ length: N }, (_, i) => Array.from({ length: D }, (_, j) => (i % 4) * (j % 3) + random.normal())),
);

test("a page has the same bytes whatever kernels drew its map", () => {
  const report = { ...kmeans(points, undefined, { k: 4, restarts: 1 }), algorithm: "kmeans", options: { k: 4 } };
  const plain = htmlReport({ report, instances: points });
  expect(htmlReport({ report, instances: points, kernels: createSimdKernels() })).toBe(plain);
  expect(plain).toContain("PC 1");
});

test("principal components for --reduce have the same bits whatever kernels found them", () => {
  const { x } = points;
  expect(principalAxes(x, N, D, 3, createSimdKernels())).toEqual(principalAxes(x, N, D, 3));
});
