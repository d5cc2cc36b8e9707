import { expect, test } from "vitest";
import { waysOf } from "../ask/ask.js";
import { fittingColumns, movedLines } from "../compare/compare.js";
import { linesApart, numberPlaces } from "../compare/flows.js";
import { flowChart, isHigherBetter, twinSlots, withNone } from "../compare/matching.js";
import { letterOf } from "../state/groups.js";
import { leavesOf, placedTree, sidesOf } from "./understand.js";

test("the tree as a table: each leaf with the answers that lead to it", () => {
  const leaf = (cluster: number, size: number) => ({ cluster, size });
  const inner = { test: { column: "island", among: ["Dream", "Biscoe"] }, size: 5, yes: leaf(1, 2), no: leaf(2, 3) };
  const root = { test: { column: "mass", above: 4000 }, size: 9, yes: inner, no: leaf(0, 4) };
  expect(leavesOf({ root })).toEqual([
    { cluster: 0, size: 4, where: ["mass up to 4000"] },
    { cluster: 2, size: 3, where: ["mass over 4000", "island is not Dream or Biscoe"] },
    { cluster: 1, size: 2, where: ["mass over 4000", "island is Dream or Biscoe"] },
  ]);
});

test("a tree: the lower half goes left, no leaf lies on another", () => {
  const { nodes, width } = placedTree({
    root: {
      test: { column: "a", above: 2.4 },
      size: 9,
      no: { cluster: 0, size: 3 },
      yes: { test: { column: "b", among: ["x", "y"] }, size: 6, yes: { cluster: 1, size: 2 }, no: { cluster: 2, size: 4 } },
    },
  });
  const leaves = nodes.filter(({ test: split }) => split === null);
  expect(leaves.map(({ x }) => x)).toEqual([32, 96, 160]);
  expect(sidesOf(nodes[0]!.test!)).toEqual({ noWords: "to 2.4", yesWords: "over" });
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
  expect(sidesOf(root.test)).toMatchObject({ noWords: "to 206.5" });
  expect(leavesOf({ root })[0]!.where).toEqual(["flipper up to 206.5"]);
});

test("words beside a test have room up to the leaf beside it", () => {
  const date = 10_000;
  const notations = { day: { kind: "date" as const, time: false } };
  const root = {
    test: { column: "day", above: date },
    size: 9,
    no: { cluster: 0, size: 3 },
    yes: { test: { column: "day", above: date + 90 }, size: 6, yes: { cluster: 1, size: 2 }, no: { cluster: 2, size: 4 } },
  };
  const { nodes } = placedTree({ root, notations } as never);
  const [leaf, split] = nodes.filter(({ depth }) => depth === 1);
  const words = sidesOf(split!.test!, notations as never).noWords;
  expect(words).toMatch(/^to \d{4}-/);
  expect(split!.x - leaf!.x).toBeGreaterThan(25 + 5 + 6 * words.length);
});

test("leaves of many rows have room for their counts", () => {
  const root = {
    test: { column: "a", above: 1 },
    size: 2e6,
    yes: { cluster: 1, size: 1_000_000 },
    no: { cluster: 0, size: 1_000_000 },
  };
  expect(placedTree({ root }).width).toBe(2 * (36 + 7 * "1,000,000".length));
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
  expect(fittingColumns([20, 28, 28, 28, 28])).toEqual([28, 28, 28, 28]);
  expect(fittingColumns([76, 76, 76, 76])).toEqual([76, 76]);
  expect(fittingColumns([420])).toHaveLength(1);
});
