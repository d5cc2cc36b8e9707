/** The clusters as rules: a small decision tree, and a sentence for each cluster. */
import type { ClusterTree, TreeNode } from "@coterie/core/internal";
import { type Notations, notationOf, writtenValue } from "@coterie/core/notation";
import { colourOf, counted, cutMiddle, formatCount, shapePath, treeLayout } from "@coterie/figures/layout";
import type { Understanding } from "@coterie/workbench/protocol";
import { useMemo } from "react";
import { LetterKey } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { type Groups, letterOf } from "../state/groups.js";

import { cell } from "../ui/format.js";
import { Scroll } from "../ui/scroll.js";

interface RulesProps {
  readonly known: Understanding;
  readonly groups: Groups;
}

const MOST_LEAVES = 12;

/** A wide tree shrinks to this share of its width, then it scrolls. */
const SMALLEST = 0.95;

export function Rules({ known, groups }: RulesProps) {
  const { rules } = known;
  const tree = rules.tree as ClusterTree | null;
  const slotOf = useMemo(() => new Map(groups.groups.map(({ cluster, slot }) => [cluster, slot])), [groups]);
  const isTable = useTables();
  if (rules.of === 0) return null;
  // For very large tables, rules are grown from a sample of the rows.
  const isSample = rules.of < groups.groups.reduce((sum, { size }) => sum + size, 0);
  const ordered = [...rules.clusters].sort((a, b) => (slotOf.get(a.cluster) ?? 0) - (slotOf.get(b.cluster) ?? 0));
  return (
    <section className="section" aria-label="Rules">
      <div className="section-head">
        <h2 className="grow">Rules</h2>
        <span className="note">
          correct for {formatCount(rules.correct)} of{" "}
          {isSample ? `a sample of ${formatCount(rules.of)}` : counted(rules.of, "row")},{" "}
          {Math.round((100 * rules.correct) / rules.of)}%
        </span>
      </div>
      {tree && isTable && <TreeTable tree={tree} slotOf={slotOf} />}
      {tree && !isTable && tree.leaves > 1 && tree.leaves <= MOST_LEAVES && <Tree tree={tree} slotOf={slotOf} />}
      {ordered.map(({ cluster, words, correct, of }) => (
        <div key={cluster} className="rule">
          <LetterKey slot={slotOf.get(cluster) ?? cluster} />
          <span className="rule-words">{words}</span>
          <span className="num quiet">
            {formatCount(correct)} of {formatCount(of)}
          </span>
        </div>
      ))}
    </section>
  );
}

/* The tree: leaves side by side, each test above its two sides. */

interface TreeProps {
  readonly tree: ClusterTree;
  readonly slotOf: ReadonlyMap<number, number>;
}

/** Pixels from one level of the tree to the next. */
const LEVEL = 48;

/** The places of the nodes in pixels. The branch of smaller numbers is on the left. */
export function placedTree({ root, notations }: Pick<ClusterTree, "root" | "notations">) {
  const placed = treeLayout({ root }, "no");
  const leaves = placed.filter(({ test }) => test === null);
  // Room for a mark, a letter and a count; and for the words beside a test, whose next leaf is one and a half places away.
  const words = placed.flatMap(({ test }) => (test === null ? [] : Object.values(sidesOf(test, notations))));
  const room = Math.ceil(
    Math.max(
      64,
      ...leaves.map(({ size }) => 36 + 7 * formatCount(size).length),
      ...words.map(({ length }) => (36 + 6.2 * length) / 1.5),
    ),
  );
  const nodes = placed.map((node) => ({ ...node, x: room * (node.x + 0.5), y: 4 + node.depth * LEVEL }));
  const height = Math.max(...nodes.map(({ y }) => y)) + 30;
  return { nodes, width: room * leaves.length, height };
}

type Placed = ReturnType<typeof placedTree>["nodes"][number];

function Tree({ tree, slotOf }: TreeProps) {
  const { nodes, width, height } = useMemo(() => placedTree(tree), [tree]);
  return (
    <Scroll label="Decision tree" className="tree">
      <svg
        style={{ maxWidth: width, minWidth: SMALLEST * width }}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Decision tree"
        aria-description={counted(tree.leaves, "leaf", "leaves")}
      >
        {nodes.map((node, at) =>
          node.test === null ? (
            <TreeLeaf key={`${node.x} ${node.y}`} leaf={node} slot={slotOf.get(node.cluster!) ?? node.cluster!} />
          ) : (
            <TreeTest
              key={`${node.x} ${node.y}`}
              {...node}
              {...sidesOf(node.test, tree.notations)}
              sides={nodes.filter(({ parent }) => parent === at)}
            />
          ),
        )}
      </svg>
    </Scroll>
  );
}

function TreeLeaf({ leaf: { x, y, size }, slot }: { readonly leaf: Placed; readonly slot: number }) {
  return (
    <g>
      <rect x={x - 28} y={y} width="56" height="6" fill={`var(--c${colourOf(slot)})`} />
      <path d={shapePath(slot, x - 14, y + 19, 4.2)} fill={`var(--c${colourOf(slot)})`} />
      <text className="tree-leaf" x={x - 4} y={y + 23}>
        <tspan className="strong">{letterOf(slot)}</tspan> {formatCount(size)}
      </text>
    </g>
  );
}

interface TreeTestProps extends Placed {
  readonly yesWords: string;
  readonly noWords: string;
  /** The subtree of the rows that fail the test, then the other subtree. */
  readonly sides: readonly Placed[];
}

function TreeTest({ x, y, test, yesWords, noWords, sides }: TreeTestProps) {
  const [no, yes] = sides as [Placed, Placed];
  // Words in the middle of short branches would meet over the line between them.
  const isNarrow = yes.x - no.x < 140;
  return (
    <g>
      <path className="tree-line" d={`M${x} ${y + 16}V${y + 30}M${no.x} ${no.y - 2}V${y + 30}H${yes.x}V${yes.y - 2}`} />
      <text className="tree-test" x={x} y={y + 12}>
        {cutMiddle(test!.column, 20)}
      </text>
      <text className={`tree-side ${isNarrow ? "left" : ""}`} x={isNarrow ? x - 5 : (x + no.x) / 2} y={y + 26}>
        {noWords}
      </text>
      <text className={`tree-side ${isNarrow ? "right" : ""}`} x={isNarrow ? x + 5 : (x + yes.x) / 2} y={y + 26}>
        {yesWords}
      </text>
    </g>
  );
}

type Test = Extract<TreeNode, { readonly test: unknown }>["test"];

/** The limit of a test as the cells of its column are written. */
function limitOf({ column, above }: Extract<Test, { readonly above: number }>, notations: Notations | undefined): string {
  const notation = notationOf(notations, column);
  return notation ? writtenValue(above, notation) : cell(above);
}

/** What stands beside the two branches of a test: "over", "to 206.5". */
export function sidesOf(test: Test, notations?: Notations): { readonly yesWords: string; readonly noWords: string } {
  if ("above" in test) return { yesWords: "over", noWords: `to ${limitOf(test, notations)}` };
  const [first = ""] = test.among;
  return { yesWords: test.among.length === 1 ? first.slice(0, 10) : `${first.slice(0, 8)} …`, noWords: "else" };
}

/** "flipper up to 206.5", "island is Dream". */
function conditionWords(test: Test, passed: boolean, notations: Notations | undefined): string {
  if ("above" in test) return `${test.column} ${passed ? "over" : "up to"} ${limitOf(test, notations)}`;
  return `${test.column} ${passed ? "is" : "is not"} ${test.among.join(" or ")}`;
}

/** Each leaf with the conditions that lead to it, from the root on. */
export function leavesOf({ root, notations }: Pick<ClusterTree, "root" | "notations">) {
  const nodes = treeLayout({ root }, "no");
  const whereOf = ({ parent, passed }: (typeof nodes)[number]): string[] =>
    parent < 0 ? [] : [...whereOf(nodes[parent]!), conditionWords(nodes[parent]!.test!, passed, notations)];
  return nodes.flatMap((node) => (node.test === null ? [{ cluster: node.cluster!, size: node.size, where: whereOf(node) }] : []));
}

/** The tree as a table. */
function TreeTable({ tree, slotOf }: TreeProps) {
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col">Conditions</th>
          <th scope="col" className="num">
            Rows
          </th>
        </tr>
      </thead>
      <tbody>
        {leavesOf(tree).map(({ cluster, size, where }) => {
          const slot = slotOf.get(cluster) ?? cluster;
          return (
            <tr key={where.join()}>
              <td>
                <LetterKey slot={slot} />
              </td>
              <td>{where.join(", ")}</td>
              <td className="num">{formatCount(size)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
