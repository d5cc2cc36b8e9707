import type { Notations } from "./notation.js";

/** A tree with a cluster at each leaf; all leaves with the same cluster number form one cluster. */
export interface ClusterTree {
  readonly leaves: number;
  readonly root: TreeNode;
  /** How the thresholds of these columns are written; the thresholds themselves are numbers. */
  readonly notations?: Notations;
}

export type TreeNode = TreeLeaf | TreeSplit;

export interface TreeLeaf {
  readonly cluster: number;
  /** Number of training rows in the leaf. */
  readonly size: number;
}

export interface TreeSplit {
  readonly test: TreeTest;
  readonly size: number;
  /** `yes`: subtree of the rows that pass the test. `no`: subtree of all other rows. */
  readonly yes: TreeNode;
  readonly no: TreeNode;
}

/** A test of a column. `above`: values above this number pass, in original units. `among`: these levels pass. */
export type TreeTest =
  | { readonly column: string; readonly above: number }
  | { readonly column: string; readonly among: readonly string[] };
