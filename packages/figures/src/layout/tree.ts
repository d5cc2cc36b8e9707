/** Computes positions for the nodes of a decision tree: leaves side by side, each split in the middle between its two subtrees. */
import type { ClusterTree, TreeNode, TreeTest } from "@coterie/core/internal";

export interface PlacedNode {
  /** The position across the leaves: 0 for the first leaf, number of leaves - 1 for the last leaf. */
  readonly x: number;
  /** Number of splits above the node. */
  readonly depth: number;
  readonly size: number;
  /** The test of a split; null for a leaf. */
  readonly test: TreeTest | null;
  /** The cluster of a leaf; null for a split. */
  readonly cluster: number | null;
  /** parent: index of the parent in the list of nodes, -1 for the root. passed: whether the rows of this node pass the parent's test. */
  readonly parent: number;
  readonly passed: boolean;
}

/** Lists the nodes of a tree with their positions, each node before its subtrees. first: the branch that gets the smaller positions. */
export function treeLayout({ root }: Pick<ClusterTree, "root">, first: "yes" | "no" = "yes"): readonly PlacedNode[] {
  const nodes: PlacedNode[] = [];
  let leaves = 0;
  const place = (node: TreeNode, depth: number, parent: number, passed: boolean): number => {
    const at = nodes.length;
    const common = { depth, size: node.size, parent, passed };
    if ("cluster" in node) {
      nodes.push({ ...common, x: leaves++, test: null, cluster: node.cluster });
      return nodes[at]!.x;
    }
    const split: PlacedNode = { ...common, x: 0, test: node.test, cluster: null };
    nodes.push(split);
    const sides = first === "yes" ? (["yes", "no"] as const) : (["no", "yes"] as const);
    const [left, right] = sides.map((side) => place(node[side], depth + 1, at, side === "yes")) as [number, number];
    nodes[at] = { ...split, x: (left + right) / 2 };
    return nodes[at].x;
  };
  place(root, 0, -1, false);
  return nodes;
}
