/** Positions of tree nodes in a drawing: leaves side by side in order, each split in the middle between its two children. */
import type { ClusterTree, TreeNode } from "../../../model/tree.js";
import { testText } from "./rules.js";

export interface PlacedNode {
  /** From 0 for the first leaf to leaves - 1 for the last leaf. */
  readonly x: number;
  /** Number of splits above the node. */
  readonly depth: number;
  readonly size: number;
  /** The test as text; null for a leaf. */
  readonly test: string | null;
  /** Null for a split. */
  readonly cluster: number | null;
  /** `parent`: index of the parent in `nodes`, -1 for the root. `passed`: whether the rows of this node pass the parent's test. */
  readonly parent: number;
  readonly passed: boolean;
}

export interface TreeLayout {
  /** The root first, each node before its children. */
  readonly nodes: readonly PlacedNode[];
  readonly leaves: number;
  readonly depth: number;
}

export function treeLayout(tree: ClusterTree): TreeLayout {
  const nodes: PlacedNode[] = [];
  let leaves = 0;
  const place = (node: TreeNode, depth: number, parent: number, passed: boolean): number => {
    const at = nodes.length;
    const common = { depth, size: node.size, parent, passed };
    if ("cluster" in node) {
      nodes.push({ ...common, x: leaves++, test: null, cluster: node.cluster });
      return nodes[at]!.x;
    }
    const split: PlacedNode = { ...common, x: 0, test: testText(node.test, tree.notations), cluster: null };
    nodes.push(split);
    const x = (place(node.yes, depth + 1, at, true) + place(node.no, depth + 1, at, false)) / 2;
    nodes[at] = { ...split, x };
    return x;
  };
  place(tree.root, 0, -1, false);
  return { nodes, leaves, depth: Math.max(...nodes.map(({ depth }) => depth)) };
}
