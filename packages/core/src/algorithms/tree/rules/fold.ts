/** A large tree cut down to what fits on a screen or a page. */
import type { ClusterTree, TreeNode } from "../../../model/tree.js";

/** The cluster of a leaf that stands for a part of the tree that is not shown. */
export const FOLDED = -1;

/** The tree with its largest nodes opened until it has `most` leaves; what stays closed is a leaf of cluster `FOLDED`. */
export function foldTree(tree: ClusterTree, most: number): ClusterTree {
  if (tree.leaves <= most) return tree;
  const open = new Set<TreeNode>();
  const waiting: TreeNode[] = [tree.root];
  for (let leaves = 1; leaves < most; leaves++) {
    let best = -1;
    waiting.forEach((node, at) => {
      if ("test" in node && (best < 0 || node.size > waiting[best]!.size)) best = at;
    });
    const [node] = waiting.splice(best, 1);
    if (node === undefined || "cluster" in node) break;
    open.add(node);
    waiting.push(node.yes, node.no);
  }
  const copy = (node: TreeNode): TreeNode => {
    if ("cluster" in node) return node;
    return open.has(node) ? { ...node, yes: copy(node.yes), no: copy(node.no) } : { cluster: FOLDED, size: node.size };
  };
  return { ...tree, leaves: most, root: copy(tree.root) };
}
