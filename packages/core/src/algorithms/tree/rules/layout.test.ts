import { expect, test } from "vitest";
import type { ClusterTree } from "../../../model/tree.js";
import { treeLayout } from "./rules.js";

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
  const { nodes, leaves, depth } = treeLayout(tree);
  expect({ leaves, depth }).toEqual({ leaves: 3, depth: 2 });
  expect(
    nodes.map(({ x, depth: level, test: text, cluster, parent, passed }) => [x, level, text ?? cluster, parent, passed]),
  ).toEqual([
    [1.25, 0, "x > 2", -1, false],
    [0.5, 1, "y > 1", 0, true],
    [0, 2, 0, 1, true],
    [1, 2, 1, 1, false],
    [2, 1, 0, 0, false],
  ]);
});
