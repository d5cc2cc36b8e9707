import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { leavesOf } from "../grow/prune.js";
import { predictTree } from "./predict.js";
import { type Condition, holds, NO_RULE, parseRule, ruleLines, rulesOf, ruleText, treeLines } from "./rules.js";

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

/** One row for every combination of values that the tests can distinguish. */
function* everyRow(): Generator<{ x: number; y: number; colour: string }> {
  for (let x = -0.25; x < 5; x += 0.25) {
    for (let y = -0.25; y < 5; y += 0.25) for (const colour of [...COLOURS, "unheard-of"]) yield { x, y, colour };
  }
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
  // The paper's L-shaped cluster: y ≤ 103.5, or y > 103.5 with x > 113.5.
  const paper = above("y", 103.5, above("x", 113.5, leaf(1), leaf(0)), leaf(1));
  expect(rulesOf({ leaves: 3, root: paper }).map((rule) => ruleLines(rule))).toEqual([
    ["y > 103.5 and x ≤ 113.5"],
    ["x > 113.5", "y ≤ 103.5"],
  ]);
  expect([ruleLines([]), ruleLines([[]])]).toEqual([[NO_RULE], ["always"]]);
  expect([parseRule(NO_RULE), parseRule("never")]).toEqual([[], []]);
  expect(rulesOf({ leaves: 3, root: paper }).map((rule) => ruleText(rule))).toEqual([
    "y > 103.5 and x ≤ 113.5",
    "x > 113.5 or y ≤ 103.5",
  ]);
  // Adjacent intervals of one cluster become one interval, and both limits of a column become one condition.
  const strips = above("x", 1, above("x", 3, leaf(0), above("x", 2, leaf(1), leaf(1))), leaf(2));
  expect(rulesOf({ leaves: 4, root: strips }).map((rule) => ruleText(rule))).toEqual(["x > 3", "1 < x ≤ 3", "x ≤ 1"]);
  expect(rulesOf({ leaves: 1, root: leaf(0) }).map((rule) => ruleText(rule))).toEqual(["always"]);
});

test("a rule reads in one way only, whatever columns and levels are called", () => {
  const words = ["and", "or", "x", "y > 2", "≤", "=", "{a, b}", '"', "\\", "(cm)", " ", "a or b", "3", "", "é", "\n", "\u0000"];
  const name = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((parts) => parts.join(" "));
  const number = fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0);
  const levels = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({ column: name, above: number, atMost: fc.oneof(number, fc.constant(Infinity)) }),
    fc.record({ column: name, above: fc.constant(-Infinity), atMost: number }),
    fc.record({ column: name, among: levels, not: fc.boolean() }),
  );
  const rule = fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
  fc.assert(
    fc.property(rule, (said) => {
      expect(parseRule(ruleText(said))).toEqual(said);
    }),
    { numRuns: 500 },
  );
  const plain = { column: "petal length (cm)", above: 2.4, atMost: Infinity };
  expect(ruleText([[plain], [{ ...plain, column: "either or" }]])).toBe('petal length (cm) > 2.4 or "either or" > 2.4');
  expect(() => parseRule("x is large")).toThrow('"x is large" in the rule "x is large" is no condition.');
});

test("levels read as equal, unequal, in or not in a list", () => {
  const split = (among: string[]): ClusterTree => ({
    leaves: 2,
    root: { test: { column: "colour", among }, size: 3, yes: { cluster: 0, size: 1 }, no: { cluster: 1, size: 2 } },
  });
  expect(rulesOf(split(["red"])).map((rule) => ruleText(rule))).toEqual(["colour = red", "colour ≠ red"]);
  expect(rulesOf(split(["red", "blue"])).map((rule) => ruleText(rule))).toEqual(["colour ∈ {red, blue}", "colour ∉ {red, blue}"]);
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
  expect(treeLines(tree)).toEqual([
    "x > 2.5?",
    "├─ yes: cluster 1 (1 row)",
    "└─ no:  colour = red?",
    "        ├─ yes: cluster 0 (4 rows)",
    "        └─ no:  cluster 1 (3 rows)",
  ]);
});
