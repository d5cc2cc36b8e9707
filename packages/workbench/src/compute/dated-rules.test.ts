import { expect, test } from "vitest";
import { datedTree, datedWords } from "./dated-rules.js";

test("limits of dates are dates, in rules and in trees; other columns stay as they are", () => {
  const words = "(18262 < seen ≤ 18350 and unseen > 18350) or (seen > 18350 and x ≤ 2) or first (day) ≤ 18350.5";
  expect(datedWords(words, ["seen", "first (day)"])).toBe(
    "(2020-01-01 < seen ≤ 2020-03-29 and unseen > 18350) or (seen > 2020-03-29 and x ≤ 2) or first (day) ≤ 2020-03-29 12:00:00",
  );
  const leaf = { cluster: 0, size: 1 };
  const inner = { test: { column: "x", above: 18350 }, size: 2, yes: leaf, no: leaf };
  const tree = { leaves: 3, root: { test: { column: "seen", above: 18350 }, size: 3, yes: inner, no: leaf } };
  expect(datedTree(tree, ["seen"]).root).toEqual({ ...tree.root, test: { column: "seen", above: "2020-03-29" } });
  expect(datedTree(tree, [])).toBe(tree);
});
