import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClusterTree, TreeNode, TreeTest } from "../../model/tree.js";
import { type Random, randomFrom } from "../../random/index.js";
import { leavesOf } from "./build-tree.js";
import { predictTree } from "./predict.js";
import { type Condition, holds, type Rule, rulesOf } from "./rules.js";
import { ruleLines, ruleText, treeText } from "./words.js";

const COLOURS = ["red", "blue", "green", "grey"];

/** A random tree on two numbers and a colour. */
function randomTree(random: Random): ClusterTree {
  const node = (depth: number): TreeNode => {
    if (depth === 0 || random.int(5) === 0) return { cluster: random.int(3), size: 1 + random.int(9) };
    const column = ["x", "y", "colour"][random.int(3)]!;
    const test: TreeTest =
      column === "colour"
        ? { column, among: [...random.sample(4, 1 + random.int(2))].map((code) => COLOURS[code]!) }
        : { column, above: random.int(9) / 2 };
    return { test, size: 0, yes: node(depth - 1), no: node(depth - 1) };
  };
  const root = node(5);
  return { leaves: leavesOf(root).length, root };
}

/** Every place that the tests can tell apart. */
function* everyRow(): Generator<{ x: number; y: number; colour: string }> {
  for (let x = -0.25; x < 5; x += 0.25) {
    for (let y = -0.25; y < 5; y += 0.25) for (const colour of [...COLOURS, "unheard-of"]) yield { x, y, colour };
  }
}

/** The rule that a text says. */
function parseRule(text: string): Rule {
  if (text === "always") return [[]];
  if (text === "never") return [];
  return text.split(" or ").map((term) =>
    term
      .replace(/^\(|\)$/g, "")
      .split(" and ")
      .map(parseCondition),
  );
}

function parseCondition(text: string): Condition {
  const between = /^(\S+) < (\S+) ≤ (\S+)$/.exec(text);
  if (between) return { column: between[2]!, above: Number(between[1]), atMost: Number(between[3]) };
  const [, column, sign, value] = /^(\S+) (\S+) (.+)$/.exec(text)!;
  if (sign === ">") return { column: column!, above: Number(value), atMost: Infinity };
  if (sign === "≤") return { column: column!, above: -Infinity, atMost: Number(value) };
  return { column: column!, among: value!.replace(/[{}]/g, "").split(", "), not: sign === "≠" || sign === "∉" };
}

test("on every row that can be, the printed rule of the tree's cluster holds and no other", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const tree = randomTree(randomFrom(seed));
      const rules = rulesOf(tree).map((rule) => parseRule(ruleText(rule)));
      const wrong = [...everyRow()].filter((row) => {
        const cluster = predictTree(tree, row);
        return rules.some((rule, other) => holds(rule, (column) => row[column as "x"]) !== (other === cluster));
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("intervals are merged, what follows from elsewhere is left out, and terms that others hold are dropped", () => {
  const leaf = (cluster: number): TreeNode => ({ cluster, size: 5 });
  const above = (column: string, value: number, yes: TreeNode, no: TreeNode): TreeNode => ({
    test: { column, above: value },
    size: 10,
    yes,
    no,
  });
  // The paper's L-shaped cluster: y ≤ 103.5, or y above it with x > 113.5.
  const paper = above("y", 103.5, above("x", 113.5, leaf(1), leaf(0)), leaf(1));
  expect(rulesOf({ leaves: 3, root: paper }).map(ruleLines)).toEqual([["y > 103.5 and x ≤ 113.5"], ["x > 113.5", "y ≤ 103.5"]]);
  expect([ruleLines([]), ruleLines([[]])]).toEqual([["never"], ["always"]]);
  expect(rulesOf({ leaves: 3, root: paper }).map(ruleText)).toEqual(["y > 103.5 and x ≤ 113.5", "x > 113.5 or y ≤ 103.5"]);
  // Neighbouring intervals of one cluster become one, and both bounds of a column one condition.
  const strips = above("x", 1, above("x", 3, leaf(0), above("x", 2, leaf(1), leaf(1))), leaf(2));
  expect(rulesOf({ leaves: 4, root: strips }).map(ruleText)).toEqual(["x > 3", "1 < x ≤ 3", "x ≤ 1"]);
  expect(rulesOf({ leaves: 1, root: leaf(0) }).map(ruleText)).toEqual(["always"]);
});

test("levels read as equal, unequal, in or not in a list", () => {
  const split = (among: string[]): ClusterTree => ({
    leaves: 2,
    root: { test: { column: "colour", among }, size: 3, yes: { cluster: 0, size: 1 }, no: { cluster: 1, size: 2 } },
  });
  expect(rulesOf(split(["red"])).map(ruleText)).toEqual(["colour = red", "colour ≠ red"]);
  expect(rulesOf(split(["red", "blue"])).map(ruleText)).toEqual(["colour ∈ {red, blue}", "colour ∉ {red, blue}"]);
});

test("a tree as text", () => {
  const tree: ClusterTree = {
    leaves: 3,
    root: {
      test: { column: "x", above: 2.5 },
      size: 8,
      yes: { cluster: 1, size: 1 },
      no: { test: { column: "colour", among: ["red"] }, size: 7, yes: { cluster: 0, size: 4 }, no: { cluster: 1, size: 3 } },
    },
  };
  expect(treeText(tree).split("\n")).toEqual([
    "x > 2.5?",
    "├─ yes: cluster 1 (1 row)",
    "└─ no:  colour = red?",
    "        ├─ yes: cluster 0 (4 rows)",
    "        └─ no:  cluster 1 (3 rows)",
  ]);
});
