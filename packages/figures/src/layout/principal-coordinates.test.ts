import { distancesOf, instancesFromDistances, pointsFromRows, randomFrom } from "@coterie/core/internal";
import { principalCoordinates } from "@coterie/core/layout";
import { expect, test } from "vitest";
import { scatterFigure } from "../marks/scatter.js";

function condensed(rows: readonly (readonly number[])[]): Float64Array {
  const found: number[] = [];
  rows.forEach((a, i) => {
    for (const b of rows.slice(i + 1)) found.push(Math.hypot(...a.map((value, j) => value - b[j]!)));
  });
  return Float64Array.from(found);
}

function between(distances: Float64Array): (i: number, j: number) => number {
  return distancesOf(instancesFromDistances(distances, "condensed"), undefined).between;
}

function planeRows(n: number): number[][] {
  const random = randomFrom(3).split("plane");
  return Array.from({ length: n }, () => [10 * random.unit(), 3 * random.unit()]);
}

test.each([40, 450])("distances in a plane are kept: %i rows, with and without landmarks", (n) => {
  const given = condensed(planeRows(n));
  const { scores, share } = principalCoordinates(between(given), n);
  const again = condensed(Array.from({ length: n }, (_, i) => [scores[2 * i]!, scores[2 * i + 1]!]));
  expect(Math.max(...again.map((value, p) => Math.abs(value - given[p]!)))).toBeLessThan(1e-6);
  expect(share[0] + share[1]).toBeCloseTo(1, 6);
  expect(share[0]).toBeGreaterThan(0.8);
});

test("distances that no points have, equal ones and few rows are drawn without a fuss", () => {
  // 0–1 and 1–2 are near, 0–2 is far beyond their sum.
  const odd = principalCoordinates(between(Float64Array.of(1, 9, 1)), 3);
  expect([...odd.scores].every(Number.isFinite)).toBe(true);
  expect(odd.share[0]).toBeLessThan(1);
  expect([...principalCoordinates(between(Float64Array.of(0, 0, 0)), 3).scores]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([...principalCoordinates(between(new Float64Array(0)), 1).scores]).toEqual([0, 0]);
});

test("the map of rows without columns says what its axes are", () => {
  const points = { ...pointsFromRows([[], [], []]), distances: Float64Array.of(3, 4, 5) };
  const drawn = scatterFigure({ points, labels: [0, 0, 1] });
  expect(drawn).toMatch(/Rows by distances, axis 1: [\d.]+% of the spread and distances, axis 2: /);
  expect(drawn).not.toContain("all rows are alike");
});
