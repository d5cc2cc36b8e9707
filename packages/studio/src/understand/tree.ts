/** Places of a small decision tree: leaves side by side, each question over its two answers. */
import { type Notations, notationOf, writtenValue } from "@coterie/core/notation";
import { cell, count } from "../ui/format.js";

type Test = { readonly column: string; readonly above: number } | { readonly column: string; readonly among: readonly string[] };
type Node =
  | { readonly cluster: number; readonly size: number }
  | { readonly test: Test; readonly size: number; readonly yes: Node; readonly no: Node };

export interface TreeShape {
  readonly leaves: number;
  readonly root: Node;
  readonly notations?: Notations;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

export type PlacedNode =
  | (Place & { readonly kind: "leaf"; readonly cluster: number; readonly size: number })
  | (Place & {
      readonly kind: "test";
      readonly column: string;
      readonly yesWords: string;
      readonly noWords: string;
      readonly yes: Place;
      readonly no: Place;
    });

const LEVEL = 48;

export function treeLayout({ root, notations }: TreeShape): {
  readonly nodes: readonly PlacedNode[];
  readonly width: number;
  readonly height: number;
} {
  const nodes: PlacedNode[] = [];
  const room = leafWidth(root);
  let [leaves, deepest] = [0, 0];
  const place = (node: Node, depth: number): PlacedNode => {
    deepest = Math.max(deepest, depth);
    const y = 4 + depth * LEVEL;
    if (!("test" in node)) {
      const leaf: PlacedNode = { kind: "leaf", x: room * (leaves++ + 0.5), y, cluster: node.cluster, size: node.size };
      nodes.push(leaf);
      return leaf;
    }
    // The lower half of a number goes left, as numbers do.
    const no = place(node.no, depth + 1);
    const yes = place(node.yes, depth + 1);
    const { column } = node.test;
    const words = sidesOf(node.test, notations);
    const split: PlacedNode = { kind: "test", x: (no.x + yes.x) / 2, y, column, ...words, yes, no };
    nodes.push(split);
    return split;
  };
  place(root, 0);
  return { nodes, width: Math.max(room, room * leaves), height: 4 + deepest * LEVEL + 30 };
}

/** Room for a mark, a letter and a count. */
function leafWidth(node: Node): number {
  if ("test" in node) return Math.max(leafWidth(node.yes), leafWidth(node.no));
  return Math.max(64, 36 + 7 * count(node.size).length);
}

/** The limit of a test as the cells of its column are written. */
function limitOf({ column, above }: Extract<Test, { readonly above: number }>, notations: Notations | undefined): string {
  const notation = notationOf(notations, column);
  return notation ? writtenValue(above, notation) : cell(above);
}

function sidesOf(test: Test, notations: Notations | undefined): { readonly yesWords: string; readonly noWords: string } {
  if ("above" in test) return { yesWords: "over", noWords: `to ${limitOf(test, notations)}` };
  const [first = ""] = test.among;
  return { yesWords: test.among.length === 1 ? first.slice(0, 10) : `${first.slice(0, 8)} …`, noWords: "else" };
}

interface TreeLeaf {
  readonly cluster: number;
  readonly size: number;
  /** The answers from the root on: "flipper up to 206.5", "island is Dream". */
  readonly where: readonly string[];
}

export function leavesOf({ root, notations }: TreeShape): readonly TreeLeaf[] {
  const leaves: TreeLeaf[] = [];
  const visit = (node: Node, where: readonly string[]): void => {
    if (!("test" in node)) {
      leaves.push({ cluster: node.cluster, size: node.size, where });
      return;
    }
    const [yes, no] = answersOf(node.test, notations);
    visit(node.no, [...where, no]);
    visit(node.yes, [...where, yes]);
  };
  visit(root, []);
  return leaves;
}

function answersOf(test: Test, notations: Notations | undefined): readonly [string, string] {
  if ("above" in test) {
    const limit = limitOf(test, notations);
    return [`${test.column} over ${limit}`, `${test.column} up to ${limit}`];
  }
  const levels = test.among.join(" or ");
  return [`${test.column} is ${levels}`, `${test.column} is not ${levels}`];
}
