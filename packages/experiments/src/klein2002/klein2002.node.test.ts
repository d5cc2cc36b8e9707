import { readTable } from "@coterie/data";
import { expect, test } from "vitest";
import { activeCurve, type Curve, meanAt, panelOf, passiveCurves, tableRows } from "./curves.js";
import { syntheticSets } from "./data-sets.js";
import { compareAverages, countFor, largestFall, shareNeeded } from "./judge.js";
import { ACTIVE, CCL, CKM, passiveMethods } from "./methods.js";
import { countKept, keepers } from "./promises.js";

const curve = (name: string, ...points: readonly (readonly [number, number | null])[]): Curve => ({
  name,
  cells: points.map(([count, mean]) => ({ count, values: mean === null ? [null, null, 0.9] : [mean - 0.01, mean, mean + 0.01] })),
});

test("two runs on circles: every method has an accuracy, none sees other constraints, questions help", () => {
  const circles = { ...syntheticSets[0]!, counts: [0, 40] };
  const curves = [...passiveCurves(circles, passiveMethods, { seed: 1, runs: 2 }), activeCurve(circles, { seed: 1, runs: 2 })];
  expect(curves.map(({ name }) => name)).toEqual([...Object.keys(passiveMethods), ACTIVE]);
  expect(curves.every(({ cells }) => cells.every(({ values }) => values.length === 2))).toBe(true);
  const found = (name: string): number | null => meanAt(curves.find((one) => one.name === name)!.cells[1]!);
  expect(found(CCL)).toBeGreaterThan(0.9);
  expect(found(ACTIVE)).toBeGreaterThan(0.9);
  const { series } = panelOf({ data: "circles", curves });
  expect(series[0]!.points).toHaveLength(2);
  expect(tableRows({ data: "circles", curves })[0]!.slice(0, 2)).toEqual(["circles", CCL]);
  expect(passiveCurves(circles, passiveMethods, { seed: 1, runs: 2 })).toEqual(curves.slice(0, -1));
});

test("where more than half of the runs have no clustering there is no point", () => {
  expect(meanAt({ count: 1, values: [null, null, 0.9] })).toBeNull();
  expect(meanAt({ count: 1, values: [null, 0.8, 0.9] })).toBeCloseTo(0.85, 12);
});

test("how many constraints a level takes, and what share of another method's", () => {
  const fast = curve(CCL, [0, 0.5], [10, 0.9], [20, 1]);
  const slow = curve(CKM, [0, 0.5], [10, null], [20, 0.6], [40, 0.7]);
  expect(countFor(0.7, fast)).toBeCloseTo(5, 9);
  expect(countFor(0.65, slow)).toBeCloseTo(30, 9);
  expect(countFor(0.99, slow)).toBe(Number.POSITIVE_INFINITY);
  expect(shareNeeded(fast, slow).share).toBeLessThan(0.2);
  expect(shareNeeded(slow, fast).share).toBe(Number.POSITIVE_INFINITY);
});

test("a fall is certain beyond two standard errors; averages are compared run by run", () => {
  expect(largestFall(curve(CCL, [0, 0.5], [10, 0.9], [20, 0.8]))).toMatchObject({ from: 10, to: 20, certain: true });
  expect(largestFall(curve(CCL, [0, 0.5], [10, 0.9], [20, 0.895])).certain).toBe(false);
  const { first, second, p } = compareAverages(curve(CCL, [0, 0.1], [10, 0.9]), curve(CKM, [0, 0.9], [10, 0.5]));
  expect([first, second]).toEqual([expect.closeTo(0.9, 12), expect.closeTo(0.5, 12)]);
  expect(p).toBeLessThan(1e-9);
});

test("correct constraints are kept by both methods; the papers' versions fail on some", async () => {
  const iris = await readTable("iris-fisher", { truth: "class" });
  const linked = countKept("iris", iris, 100, 6, 0, keepers.ccl);
  const moved = countKept("iris", iris, 200, 6, 0, keepers.cop);
  expect([linked.ours, moved.ours]).toEqual([6, 6]);
  expect(linked.plain).toBeLessThan(6);
  expect(moved.plain).toBeLessThan(6);
});
