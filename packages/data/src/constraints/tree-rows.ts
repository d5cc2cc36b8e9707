/** Converts hierarchies in both directions. For a file, finds the row of each leaf. For a clustering, makes a tree from the merges. */
import { badInput, type InstanceId, type Merge, type Hierarchy as RowHierarchy } from "@coterie/core/internal";
import { counted, listed, quoted } from "../table/sentences.js";
import { type NamedRows, rowFinder, rowLookup } from "./row-names.js";
import type { Hierarchy } from "./trees.js";

export interface TreeRows {
  readonly hierarchy: RowHierarchy;
  readonly n: number;
  readonly ids: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

export interface TreeRowsOptions {
  readonly file: string;
  /** What to do with leaves that are not rows of the table: throw an error, or drop them. Default: error. */
  readonly unknown?: "error" | "drop";
}

/** Finds the row of each leaf. Without a table the leaves are the rows, in the order of the file. */
export function treeRows(tree: Hierarchy, rows: NamedRows | null, { file, unknown = "error" }: TreeRowsOptions): TreeRows {
  const leaves: string[] = [];
  const parent: number[] = [];
  const leafAt: number[] = [];
  const open: { readonly node: Hierarchy; readonly above: number }[] = [{ node: tree, above: -1 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { node, above } = item;
    const at = parent.push(above) - 1;
    const parts = node.children ?? [];
    leafAt.push(parts.length === 0 ? leaves.push(node.id!) - 1 : -1);
    for (let p = parts.length - 1; p >= 0; p--) open.push({ node: parts[p]!, above: at });
  }
  refuseTwice(leaves, file);
  const found = rows ? rowsOfLeaves(leaves, rows, file, unknown) : null;
  const row = Int32Array.from(leafAt, (leaf) => (leaf < 0 ? -1 : found ? found.row[leaf]! : leaf));
  return {
    hierarchy: found && found.missing.length > 0 ? withoutBareLeaves(parent, row) : { parent: Int32Array.from(parent), row },
    n: rows ? rows.n : leaves.length,
    ids: rows ? rows.ids : leaves,
    notices: found && found.missing.length > 0 ? [leftOut(found.missing, file)] : [],
  };
}

function refuseTwice(leaves: readonly string[], file: string): void {
  const seen = new Set<string>();
  for (const leaf of leaves) {
    if (seen.has(leaf))
      throw badInput(`Two leaves of the hierarchy are named ${quoted(leaf)}.`, { file, remedy: "Name every leaf once." });
    seen.add(leaf);
  }
}

function rowsOfLeaves(leaves: readonly string[], rows: NamedRows, file: string, unknown: "error" | "drop") {
  const { byId } = rowFinder(rows);
  const lookup = rowLookup(rows);
  const row = Int32Array.from(leaves, (leaf) => (unknown === "error" ? byId(leaf, { file }) : lookup(leaf)));
  const missing = leaves.filter((_, leaf) => row[leaf] === -1);
  if (missing.length === leaves.length) {
    throw badInput("No leaf of the hierarchy is a row of the data.", {
      file,
      remedy: `Leaves are ${listed(leaves, 5)}; name the column that holds such names with --id.`,
    });
  }
  return { row, missing };
}

function leftOut(missing: readonly string[], file: string): string {
  const one = missing.length === 1;
  return `${file}: ${counted(missing.length, "leaf", "leaves")} ${one ? "is not a row" : "are not rows"} of the data and ${one ? "was" : "were"} left out: ${listed(missing, 5)}.`;
}

/** Drops leaves that have no row, and inner nodes that have no leaves left. In the result, parents come before their children. */
function withoutBareLeaves(parent: readonly number[], row: Int32Array): RowHierarchy {
  const holds = new Uint8Array(parent.length);
  for (let node = parent.length - 1; node >= 0; node--) {
    if (row[node]! >= 0) holds[node] = 1;
    if (holds[node] === 1 && parent[node]! >= 0) holds[parent[node]!] = 1;
  }
  const kept = parent.flatMap((_, node) => (holds[node] === 1 ? [node] : []));
  const place = new Map(kept.map((node, at) => [node, at]));
  return {
    parent: Int32Array.from(kept, (node) => (parent[node]! < 0 ? -1 : place.get(parent[node]!)!)),
    row: Int32Array.from(kept, (node) => row[node]!),
  };
}

/** One merge of a clustering. If a constraint forbids the merge, its height is Infinity in the library and null in a report. */
type AnyMerge = Merge | readonly [left: number, right: number, height: number | null, size: number];

/**
 * The tree of all merges. The branch length of a child is the parent's height minus the child's height. It can be negative for centroid
 * linkage. If a constraint forbids one of the two merges, the branch length is absent.
 */
export function treeOfMerges(merges: readonly AnyMerge[], ids?: readonly InstanceId[]): Hierarchy {
  const n = merges.length + 1;
  const heightOf = (node: number): number | null => {
    const height = node < n ? 0 : merges[node - n]![2];
    return height === null || !Number.isFinite(height) ? null : height;
  };
  const nodes: Hierarchy[] = Array.from({ length: n }, (_, row) => ({ id: String(ids?.[row] ?? row) }));
  merges.forEach(([left, right], m) => {
    const height = heightOf(n + m);
    const part = (node: number): Hierarchy => {
      const below = heightOf(node);
      return height === null || below === null ? nodes[node]! : { ...nodes[node]!, length: height - below };
    };
    nodes.push({ children: [part(left), part(right)], height });
  });
  return nodes.at(-1)!;
}
