import { type Curve, compareCurves, curveCells, curveOf, meanAt, pointsOf } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { countFor, shareNeeded } from "./curves.js";

/** Three runs around each mean; null: two of three without a clustering. */
const curve = (...points: readonly (readonly [number, number | null])[]): Curve => ({
  counts: points.map(([count]) => count),
  values: points.map(([, mean]) => (mean === null ? [null, null, 0.9] : [mean - 0.01, mean, mean + 0.01])),
});

test("a curve from lines: by count, then by run", () => {
  const lines = [0, 10].flatMap((count) => [0, 1].map((run) => ({ set: "iris", count, run, F: count + run })));
  expect(curveOf(lines, "F")).toEqual({
    counts: [0, 10],
    values: [
      [0, 1],
      [10, 11],
    ],
  });
});

test("where more than half of the runs have no clustering there is a gap, and the share is printed", () => {
  expect(meanAt([null, null, 0.9])).toBeNull();
  expect(meanAt([null, 0.8, 0.9])).toBeCloseTo(0.85, 12);
  expect(pointsOf(curve([0, null]))[0]!.y).toBeNaN();
  expect(curveCells(curve([0, 0.5], [10, null]))).toEqual(["0.500 ± 0.006", "– (67% without)"]);
});

test("averages are compared run by run, over the counts at which both have a clustering", () => {
  const { first, second, p } = compareCurves(curve([0, 0.1], [10, 0.9], [20, null]), curve([0, 0.9], [10, 0.5], [20, 0.7]));
  expect(first).toBeCloseTo((0.89 + 0.9 + (0.91 + 0.9) / 2) / 3, 12);
  expect(second).toBeCloseTo((0.49 + 0.5 + (0.51 + 0.71) / 2) / 3, 12);
  expect(p).toBeLessThan(0.05);
  const one = { counts: [10], values: [[0.9]] };
  expect(compareCurves(one, curve([10, 0.5])).difference).toBeCloseTo(0.4, 12);
});

test("how many constraints a level takes, and what share of another method's, with its error", () => {
  const fast = curve([0, 0.5], [10, 0.9], [20, 1]);
  const slow = curve([0, 0.5], [10, null], [20, 0.6], [40, 0.7]);
  expect(countFor(0.7, fast)).toBeCloseTo(5, 9);
  expect(countFor(0.65, slow)).toBeCloseTo(30, 9);
  expect(countFor(0.99, slow)).toBe(Number.POSITIVE_INFINITY);
  const { share, error, from, to } = shareNeeded(fast, slow, 0);
  expect(share).toBeCloseTo(0.125, 2);
  expect(error).toBeGreaterThan(0);
  expect([from, to]).toEqual([0.5, expect.closeTo(0.7, 12)]);
});

test("two curves that never leave their start have no share: nothing is divided by nothing", () => {
  const level = curve([0, 0.5], [10, 0.5]);
  expect(shareNeeded(level, level, 0).share).toBeNaN();
  expect(shareNeeded(curve([0, 0.5], [10, 0.9]), level, 0).share).toBeNaN();
});
