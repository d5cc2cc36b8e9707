/** Finds the clusters of new rows with a clustering tree. */
import { badInput } from "../../../errors.js";
import type { Instances } from "../../../model/points.js";
import type { ClusterTree, TreeNode } from "../../../model/tree.js";
import { originalValue } from "../../../structures/column-scaling.js";
import { levelName } from "../grow/prune.js";
import { columnName } from "../grow/space.js";

/** A row by column name. Values are numbers in original units, or names of levels. */
export type NamedRow = Readonly<Record<string, number | string>>;

/** The cluster to which the tree assigns a row. If a level was not in the training data, it fails every test for levels. */
export function predictTree(tree: ClusterTree, row: NamedRow): number {
  return descend(tree.root, (column) => row[column]);
}

/** The cluster of each row of `points`, which must have the columns of the tree. */
export function predictRows(tree: ClusterTree, points: Instances): Int32Array {
  const { n, d, x, nominal } = points;
  const columns = new Map(Array.from({ length: d }, (_, j) => [columnName(points, j), j]));
  return Int32Array.from({ length: n }, (_, i) =>
    descend(tree.root, (name) => {
      const j = columns.get(name);
      if (j === undefined) return undefined;
      const value = x[i * d + j]!;
      return nominal?.[j] === 1 ? levelName(points, j, value) : originalValue(points, j, value);
    }),
  );
}

function descend(root: TreeNode, read: (column: string) => number | string | undefined): number {
  let node = root;
  while (!("cluster" in node)) {
    const { test } = node;
    const value = read(test.column);
    if (value === undefined) {
      throw badInput(`The row has no column "${test.column}", which the tree tests.`, {
        remedy: "Give the columns that the tree was made from.",
      });
    }
    const pass = "above" in test ? aboveNumber(value, test.above, test.column) : test.among.includes(String(value));
    node = pass ? node.yes : node.no;
  }
  return node.cluster;
}

function aboveNumber(value: number | string, threshold: number, column: string): boolean {
  const number = Number(value);
  if (value === "" || !Number.isFinite(number))
    throw badInput(`The column "${column}" is ${value || "empty"}; the tree needs a number.`);
  return number > threshold;
}
