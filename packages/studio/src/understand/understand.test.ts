import fc from "fast-check";
import { expect, test } from "vitest";
import { waysOf } from "../ask/ask.js";
import { linesApart, numberPlaces } from "../compare/flows.js";
import { flowChart, isHigherBetter, twinSlots, withNone } from "../compare/matching.js";
import { fittingColumns, movedLines } from "../compare/moved.js";
import { letterOf } from "../state/groups.js";
import {
  bandOf,
  branchesAt,
  clustersAt,
  cutRows,
  heightAt,
  heightTicks,
  leastClusters,
  type Merge,
  scaleOf,
  shapeOf,
  slotsOfBranches,
} from "./dendrogram.js";
import { leavesOf, treeLayout } from "./tree.js";

/** 0 and 1 join at 1, 2 and 3 at 2, both pairs at 5. */
const merges: Merge[] = [
  [0, 1, 1, 2],
  [2, 3, 2, 2],
  [4, 5, 5, 4],
];

test("leaves of a branch lie side by side, and a merge lies over the middle of its two", () => {
  const shape = shapeOf(merges, 4);
  expect([...shape.order]).toEqual([0, 1, 2, 3]);
  expect([...shape.x]).toEqual([0, 1, 2, 3, 0.5, 2.5, 1.5]);
  expect(shape.top).toBe(5);
});

test("cuts: as many branches as asked for, and the band they lie in", () => {
  const shape = shapeOf(merges, 4);
  const count = (k: number) => new Set([...branchesAt(shape, k)].slice(0, 4)).size;
  expect([count(1), count(2), count(3), count(4)]).toEqual([1, 2, 3, 4]);
  expect(bandOf(shape, 2)).toEqual([2, 5]);
  expect([clustersAt(shape, 0.5), clustersAt(shape, 1.5), clustersAt(shape, 3), clustersAt(shape, 6)]).toEqual([4, 3, 2, 1]);
});

test("a merge that a constraint forbids is never cut through", () => {
  const shape = shapeOf([merges[0]!, merges[1]!, [4, 5, null, 4]], 4);
  expect(leastClusters(shape)).toBe(2);
  expect(clustersAt(shape, 100)).toBe(2);
});

test("the table of cuts: heights of each, and what joins next", () => {
  expect(cutRows(shapeOf(merges, 4))).toEqual([
    { k: 1, from: 5, to: 5.4, joins: null },
    { k: 2, from: 2, to: 5, joins: [2, 2] },
    { k: 3, from: 1, to: 2, joins: [1, 1] },
    { k: 4, from: 0, to: 1, joins: [1, 1] },
  ]);
  const forbidden = cutRows(shapeOf([merges[0]!, merges[1]!, [4, 5, null, 4]], 4));
  expect(forbidden.map(({ k, joins }) => [k, joins])).toEqual([
    [2, null],
    [3, [1, 1]],
    [4, [1, 1]],
  ]);
});

test("the tree as a table: each leaf with the answers that lead to it", () => {
  const leaf = (cluster: number, size: number) => ({ cluster, size });
  const inner = { test: { column: "island", among: ["Dream", "Biscoe"] }, size: 5, yes: leaf(1, 2), no: leaf(2, 3) };
  const root = { test: { column: "mass", above: 4000 }, size: 9, yes: inner, no: leaf(0, 4) };
  expect(leavesOf({ leaves: 3, root })).toEqual([
    { cluster: 0, size: 4, where: ["mass up to 4000"] },
    { cluster: 2, size: 3, where: ["mass over 4000", "island is not Dream or Biscoe"] },
    { cluster: 1, size: 2, where: ["mass over 4000", "island is Dream or Biscoe"] },
  ]);
});

test("branches take the letters of the clusters that they hold, each once", () => {
  const shape = shapeOf(merges, 4);
  const slots = Int32Array.of(1, 1, 0, 0);
  expect([...slotsOfBranches(branchesAt(shape, 2), slots, 4).values()].sort()).toEqual([0, 1]);
  expect(slotsOfBranches(branchesAt(shape, 2), slots, 4).get(4)).toBe(1);
  expect(new Set(slotsOfBranches(branchesAt(shape, 4), slots, 4).values()).size).toBe(4);
});

test("a property: every cut of a random tree has k branches, and rows of a branch are neighbours", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 40 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      fc.integer({ min: 1, max: 40 }),
      (n, randoms, wanted) => {
        const open = Array.from({ length: n }, (_, i) => i);
        const made: Merge[] = [];
        const draw = () => open.splice(Math.floor(randoms.next().value! * open.length * 0.999), 1)[0]!;
        while (open.length > 1) {
          made.push([draw(), draw(), made.length + 1, 2]);
          open.push(n + made.length - 1);
        }
        const shape = shapeOf(made, n);
        const k = Math.min(n, wanted);
        const branch = branchesAt(shape, k);
        const along = [...shape.order].map((row) => branch[row]!);
        expect(new Set(along).size).toBe(k);
        expect(along.filter((node, i) => i === 0 || along[i - 1] !== node)).toHaveLength(k);
      },
    ),
  );
});

test("a chain of ten thousand rows is laid out without a deep stack", () => {
  const chain = Array.from({ length: 9_999 }, (_, i): Merge => [i === 0 ? 0 : 10_000 + i - 1, i + 1, i + 1, i + 2]);
  expect(shapeOf(chain, 10_000).order[9_999]).toBe(9_999);
});

test("the scale of heights and its way back", () => {
  expect(heightAt(40, 400, scaleOf(40, 400)(10))).toBeCloseTo(10, 9);
  expect(scaleOf(40, 400)(40)).toBe(0);
});

test("a tree: the lower half goes left, no leaf lies on another", () => {
  const { nodes, width } = treeLayout({
    leaves: 3,
    root: {
      test: { column: "a", above: 2.4 },
      size: 9,
      no: { cluster: 0, size: 3 },
      yes: { test: { column: "b", among: ["x", "y"] }, size: 6, yes: { cluster: 1, size: 2 }, no: { cluster: 2, size: 4 } },
    },
  });
  const leaves = nodes.filter(({ kind }) => kind === "leaf");
  expect(leaves.map(({ x }) => x)).toEqual([32, 96, 160]);
  expect(nodes.find((node) => node.kind === "test" && node.column === "a")).toMatchObject({
    noWords: "to 2.4",
    yesWords: "over",
  });
  expect(width).toBe(192);
});

test("matched clusters share a letter, and the later run keeps its own", () => {
  const flows = [
    [0, 9, 0],
    [8, 1, 0],
  ];
  expect(twinSlots({ matched: [1, 0, -1], flows }, { letters: [2, 0, 1] })).toEqual({ before: [0, 2], after: [2, 0, 1] });
});

test("flows leave and arrive without a gap or an overlap", () => {
  const flows = [
    [5, 2],
    [1, 4],
  ];
  const { left, right, flows: ribbons, height } = flowChart(flows, { before: [0, 1], after: [0, 1] }, 1);
  expect(left).toEqual([
    { cluster: 0, y: 0, size: 7 },
    { cluster: 1, y: 8, size: 5 },
  ]);
  expect(right.map(({ size }) => size)).toEqual([6, 6]);
  expect(ribbons.map(({ y0, y1, count }) => [y0, y1, count])).toEqual([
    [0, 0, 5],
    [5, 7, 2],
    [8, 5, 1],
    [9, 9, 4],
  ]);
  expect(height).toBe(13);
});

test("rows in no cluster come and go like rows of a cluster: as the last bar, called none", () => {
  const moved = [
    { row: 0, id: 0, from: 0, to: -1, why: "follows" as const },
    { row: 1, id: 1, from: -1, to: 1, why: "follows" as const },
    { row: 2, id: 2, from: -1, to: 1, why: "follows" as const },
  ];
  const flows = [
    [5, 0],
    [0, 4],
  ];
  const all = withNone({ flows, matched: [0, 1], moved }, { before: [0, 1], after: [0, 1] }, 15);
  expect(all.flows).toEqual([
    [5, 0, 1],
    [0, 4, 0],
    [0, 2, 3],
  ]);
  const { left, right } = flowChart(all.flows, all.slots, 1);
  expect([left, right].map((bars) => bars.map(({ cluster, size }) => [letterOf(all.slots.before[cluster]!), size]))).toEqual([
    [
      ["A", 6],
      ["B", 4],
      ["none", 5],
    ],
    [
      ["A", 5],
      ["B", 6],
      ["none", 4],
    ],
  ]);
  const none = withNone({ flows, matched: [0, 1], moved: [] }, { before: [0, 1], after: [0, 1] }, 9);
  expect(flowChart(none.flows, none.slots, 1).left).toHaveLength(2);
});

test("scores: fewer broken answers are better, more agreement is better, shape is neither", () => {
  expect([isHigherBetter("Your knowledge"), isHigherBetter("Against known classes"), isHigherBetter("Shape")]).toEqual([
    false,
    true,
    null,
  ]);
});

test("moved rows are listed by the way they went, the rare ways first", () => {
  const row = (id: number, from: number, to: number) => ({ row: id, id, from, to, why: "follows" as const });
  const lines = movedLines([row(1, 1, 0), row(2, 1, 0), row(3, 0, 1)]);
  expect(lines.map((line) => ("count" in line ? `${line.from} ${line.to} ${line.count}` : line.row))).toEqual([
    "0 1 1",
    3,
    "1 0 2",
    1,
    2,
  ]);
  expect(waysOf([row(1, 1, 0), row(2, 1, 0), row(3, 0, 1)]).map(({ ids }) => ids)).toEqual([[1, 2], [3]]);
});

test("a tree says its thresholds as the rules do: rounding would move rows to the other side", () => {
  const root = { test: { column: "flipper", above: 206.5 }, size: 9, yes: { cluster: 1, size: 5 }, no: { cluster: 0, size: 4 } };
  expect(treeLayout({ leaves: 2, root }).nodes.at(-1)).toMatchObject({ noWords: "to 206.5" });
  expect(leavesOf({ leaves: 2, root })[0]!.where).toEqual(["flipper up to 206.5"]);
});

test("leaves of many rows have room for their counts", () => {
  const root = {
    test: { column: "a", above: 1 },
    size: 2e6,
    yes: { cluster: 1, size: 1_000_000 },
    no: { cluster: 0, size: 1_000_000 },
  };
  expect(treeLayout({ leaves: 2, root }).width).toBe(2 * (36 + 7 * "1,000,000".length));
});

test("the axis of heights has numbers enough to be read, none on another", () => {
  expect(heightTicks(3.33, 370)).toEqual([0, 0.05, 0.2, 0.5, 1, 2]);
  for (const top of [0.003, 0.5, 1, 7.2, 40, 12_345]) {
    const [y, found] = [scaleOf(top, 370), heightTicks(top, 370)];
    expect(found.length).toBeGreaterThanOrEqual(4);
    for (let i = 1; i < found.length; i++) expect(y(found[i - 1]!) - y(found[i]!)).toBeGreaterThanOrEqual(40);
  }
  expect(heightTicks(0, 370)).toEqual([0]);
});

test("numbers on ribbons cover no other number, and lines beside bars stay apart and inside", () => {
  const ribbon = (top0: number, top1: number, count: number) => ({ top0, top1, thick: 2, count });
  const places = numberPlaces([ribbon(10, 100, 12), null, ribbon(12, 100, 9), ribbon(14, 98, 30), ribbon(100, 10, 7)]);
  const shown = places.flatMap((place) => (place === null ? [] : [place]));
  expect(places[1]).toBe(null);
  expect(shown).toHaveLength(4);
  for (const [i, [x, y]] of shown.entries())
    for (const [u, v] of shown.slice(i + 1)) expect(Math.abs(x - u) >= 8 || Math.abs(y - v) >= 14).toBe(true);
  const lines = linesApart([4, 5, 6, 290], 290);
  expect(lines).toEqual([4, 18, 32, 290]);
  expect(linesApart([280, 285, 289], 290)).toEqual([262, 276, 290]);
});

test("columns of moved rows are as wide as their longest text, and as many as fit", () => {
  expect(fittingColumns([4, 4, 4, 4, 4])).toHaveLength(4);
  const dates = fittingColumns([10, 10, 10, 10]);
  expect(dates).toHaveLength(2);
  for (const width of dates) expect(width).toBeGreaterThanOrEqual(10 * 6.9);
  expect(fittingColumns([60])).toHaveLength(1);
});
