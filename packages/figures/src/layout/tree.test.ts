import type { ClusterTree } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { treeLayout } from "./tree.js";

test("leaves stand side by side, splits midway above their sides, parents come first", () => {
  const tree: ClusterTree = {
    leaves: 3,
    root: {
      test: { column: "x", above: 2 },
      size: 9,
      yes: { test: { column: "y", above: 1 }, size: 5, yes: { cluster: 0, size: 2 }, no: { cluster: 1, size: 3 } },
      no: { cluster: 0, size: 4 },
    },
  };
  const drawn = (first: "yes" | "no") =>
    treeLayout(tree, first).map(({ x, depth, test: split, cluster, parent, passed }) => [
      x,
      depth,
      split?.column ?? cluster,
      parent,
      passed,
    ]);
  expect(drawn("yes")).toEqual([
    [1.25, 0, "x", -1, false],
    [0.5, 1, "y", 0, true],
    [0, 2, 0, 1, true],
    [1, 2, 1, 1, false],
    [2, 1, 0, 0, false],
  ]);
  expect(drawn("no")).toEqual([
    [0.75, 0, "x", -1, false],
    [0, 1, 0, 0, false],
    [1.5, 1, "y", 0, true],
    [1, 2, 1, 2, false],
    [2, 2, 0, 2, true],
  ]);
});
