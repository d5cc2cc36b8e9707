import { expect, test } from "vitest";
import type { ClusterTree, TreeNode } from "../../../model/tree.js";
import { leavesOf } from "../grow/prune.js";
import { FOLDED, foldTree, treeLines } from "./rules.js";

/** A chain: each split separates one row from the rest. */
function chain(leaves: number): ClusterTree {
  let root: TreeNode = { cluster: 0, size: 1 };
  for (let i = 1; i < leaves; i++)
    root = { test: { column: "x", above: i }, size: i + 1, yes: { cluster: i % 3, size: 1 }, no: root };
  return { leaves, root };
}

test("the largest parts stay open, the rest is folded, and no row is lost", () => {
  const folded = foldTree(chain(10), 4);
  const leaves = leavesOf(folded.root);
  expect(leaves.map(({ cluster, size }) => [cluster, size])).toEqual([
    [0, 1],
    [2, 1],
    [1, 1],
    [FOLDED, 7],
  ]);
  expect(folded.root.size).toBe(10);
  expect(treeLines(folded).at(-1)).toBe("                └─ no:  … (7 rows)");
});

test("a tree that fits stays as it is", () => {
  const tree = chain(5);
  expect(foldTree(tree, 5)).toBe(tree);
  expect(foldTree(tree, 1).root).toEqual({ cluster: FOLDED, size: 5 });
});
