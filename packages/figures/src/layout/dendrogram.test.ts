import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bandOf,
  branchesAt,
  clustersAt,
  clustersOfBranches,
  cutsOf,
  heightAt,
  heightTicks,
  layOut,
  leastClusters,
  levelOf,
  type MergeRow,
} from "./dendrogram.js";

const shapeOf = (rows: readonly MergeRow[]) => layOut(rows, new Int32Array(rows.length + 1));

/** 0 and 1 join at 1, 2 and 3 at 2, both pairs at 5. */
const merges: MergeRow[] = [
  [0, 1, 1, 2],
  [2, 3, 2, 2],
  [4, 5, 5, 4],
];

test("leaves of a branch lie side by side, and a merge lies over the middle of its two", () => {
  const shape = shapeOf(merges);
  expect(shape.tips.map(({ node }) => node)).toEqual([0, 1, 2, 3]);
  expect([...shape.place]).toEqual([0.5, 1.5, 2.5, 3.5, 1, 3, 2]);
  expect(shape.highest).toBe(5);
});

test("cuts: as many branches as asked for, and the band they lie in", () => {
  const shape = shapeOf(merges);
  const count = (k: number) => new Set([...branchesAt(shape, k)].slice(0, 4)).size;
  expect([count(1), count(2), count(3), count(4)]).toEqual([1, 2, 3, 4]);
  expect(bandOf(shape, 2)).toEqual([2, 5]);
  expect([clustersAt(shape, 0.5), clustersAt(shape, 1.5), clustersAt(shape, 3), clustersAt(shape, 6)]).toEqual([4, 3, 2, 1]);
});

test("a merge that a constraint forbids is never cut through", () => {
  const shape = shapeOf([merges[0]!, merges[1]!, [4, 5, null, 4]]);
  expect(leastClusters(shape)).toBe(2);
  expect(clustersAt(shape, 100)).toBe(2);
});

test("the table of cuts: heights of each, and what joins next", () => {
  expect(cutsOf(shapeOf(merges))).toEqual([
    { k: 1, from: 5, to: 5.4, joins: null },
    { k: 2, from: 2, to: 5, joins: [2, 2] },
    { k: 3, from: 1, to: 2, joins: [1, 1] },
    { k: 4, from: 0, to: 1, joins: [1, 1] },
  ]);
  const forbidden = cutsOf(shapeOf([merges[0]!, merges[1]!, [4, 5, null, 4]]));
  expect(forbidden.map(({ k, joins }) => [k, joins])).toEqual([
    [2, null],
    [3, [1, 1]],
    [4, [1, 1]],
  ]);
});

test("branches take the clusters that most of their rows are in, each cluster once", () => {
  const shape = shapeOf(merges);
  const clusters = Int32Array.of(1, 1, 0, 0);
  expect([...clustersOfBranches(branchesAt(shape, 2), clusters, 4).values()].sort()).toEqual([0, 1]);
  expect(clustersOfBranches(branchesAt(shape, 2), clusters, 4).get(4)).toBe(1);
  expect(new Set(clustersOfBranches(branchesAt(shape, 4), clusters, 4).values()).size).toBe(4);
});

test("a property: every cut of a random tree has k branches, and rows of a branch are neighbours", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 40 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      fc.integer({ min: 1, max: 40 }),
      (n, randoms, wanted) => {
        const open = Array.from({ length: n }, (_, i) => i);
        const made: MergeRow[] = [];
        const draw = () => open.splice(Math.floor(randoms.next().value! * open.length * 0.999), 1)[0]!;
        while (open.length > 1) {
          made.push([draw(), draw(), made.length + 1, 2]);
          open.push(n + made.length - 1);
        }
        const shape = shapeOf(made);
        const k = Math.min(n, wanted);
        const branch = branchesAt(shape, k);
        const along = shape.tips.map(({ node }) => branch[node]!);
        expect(new Set(along).size).toBe(k);
        expect(along.filter((node, i) => i === 0 || along[i - 1] !== node)).toHaveLength(k);
      },
    ),
  );
});

test("a chain of ten thousand rows is laid out without a deep stack", () => {
  const chain = Array.from({ length: 9_999 }, (_, i): MergeRow => [i === 0 ? 0 : 10_000 + i - 1, i + 1, i + 1, i + 2]);
  expect(shapeOf(chain).tips[9_999]!.node).toBe(9_999);
});

test("the scale of heights and its way back", () => {
  expect(heightAt(40, 400, levelOf(40, 400)(10))).toBeCloseTo(10, 9);
  expect(levelOf(40, 400)(40)).toBe(400);
});

test("the axis of heights has numbers enough to be read, none on another", () => {
  expect(heightTicks(3.33, levelOf(3.33, 370))).toEqual([3, 2, 1, 0.5, 0.2, 0]);
  for (const top of [0.003, 0.5, 1, 7.2, 40, 12_345]) {
    const level = levelOf(top, 370);
    const found = heightTicks(top, level);
    expect(found.length).toBeGreaterThanOrEqual(4);
    for (let i = 1; i < found.length; i++) expect(level(found[i - 1]!) - level(found[i]!)).toBeGreaterThanOrEqual(30);
  }
  expect(heightTicks(0, levelOf(0, 370))).toEqual([0]);
});
