import type { Notations } from "./notation.js";

/** A tree whose leaves are labelled with clusters; leaves with one label make up one cluster. */
export interface ClusterTree {
  readonly leaves: number;
  readonly root: TreeNode;
  /** How people write the limits of these columns; the limits themselves are numbers. */
  readonly notations?: Notations;
}

export type TreeNode = TreeLeaf | TreeSplit;

export interface TreeLeaf {
  readonly cluster: number;
  /** Rows that the tree was made from. */
  readonly size: number;
}

export interface TreeSplit {
  readonly test: TreeTest;
  readonly size: number;
  /** Where rows go that pass the test, and the others. */
  readonly yes: TreeNode;
  readonly no: TreeNode;
}

/** A column by its name: values above a number pass, in original units, or values among some levels. */
export type TreeTest =
  | { readonly column: string; readonly above: number }
  | { readonly column: string; readonly among: readonly string[] };
