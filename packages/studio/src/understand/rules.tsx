/** The clusters in words: a small tree, and a rule for each cluster. */
import type { Understanding } from "@coterie/workbench/protocol";
import { useMemo } from "react";
import { Mark } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { type Groups, letterOf } from "../state/groups.js";

import { count, counted, cutMiddle } from "../ui/format.js";
import { Scroll } from "../ui/scroll.js";
import { colourOf, shapePath } from "../ui/shapes.js";
import { TreeTable } from "./chart-tables.js";
import { type PlacedNode, type TreeShape, treeLayout } from "./tree.js";

interface RulesProps {
  readonly known: Understanding;
  readonly groups: Groups;
}

const MOST_LEAVES = 12;

/** A wide tree shrinks to this share before it has to be scrolled. */
const SMALLEST = 0.95;

export function Rules({ known, groups }: RulesProps) {
  const { rules } = known;
  const tree = rules.tree as TreeShape | null;
  const slotOf = useMemo(() => new Map(groups.groups.map(({ cluster, slot }) => [cluster, slot])), [groups]);
  const isTable = useTables();
  if (rules.of === 0) return null;
  // Of very many cells, rules are grown from some of the rows.
  const isSample = rules.of < groups.groups.reduce((sum, { size }) => sum + size, 0);
  const ordered = [...rules.clusters].sort((a, b) => (slotOf.get(a.cluster) ?? 0) - (slotOf.get(b.cluster) ?? 0));
  return (
    <section className="section" aria-label="In words">
      <div className="section-head">
        <h2 className="grow">In words</h2>
        <span className="note">
          true for {count(rules.correct)} of {isSample ? `a sample of ${count(rules.of)}` : counted(rules.of, "row")},{" "}
          {Math.round((100 * rules.correct) / rules.of)}%
        </span>
      </div>
      {tree && isTable && <TreeTable tree={tree} slotOf={slotOf} />}
      {tree && !isTable && tree.leaves > 1 && tree.leaves <= MOST_LEAVES && <Tree tree={tree} slotOf={slotOf} />}
      {ordered.map(({ cluster, words, correct, of }) => (
        <div key={cluster} className="rule">
          <span className="mark-key">
            <Mark slot={slotOf.get(cluster) ?? cluster} />
            <b>{letterOf(slotOf.get(cluster) ?? cluster)}</b>
          </span>
          <span className="rule-words">{words}</span>
          <span className="num quiet">
            {count(correct)} of {count(of)}
          </span>
        </div>
      ))}
    </section>
  );
}

function Tree({ tree, slotOf }: { readonly tree: TreeShape; readonly slotOf: ReadonlyMap<number, number> }) {
  const { nodes, width, height } = useMemo(() => treeLayout(tree), [tree]);
  return (
    <Scroll label="Decision tree" className="tree">
      <svg
        style={{ maxWidth: width, minWidth: SMALLEST * width }}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Decision tree"
        aria-description={counted(tree.leaves, "leaf", "leaves")}
      >
        {nodes.map((node) => (
          <TreeNode key={`${node.x} ${node.y}`} node={node} slotOf={slotOf} />
        ))}
      </svg>
    </Scroll>
  );
}

function TreeNode({ node, slotOf }: { readonly node: PlacedNode; readonly slotOf: ReadonlyMap<number, number> }) {
  const { x, y } = node;
  if (node.kind === "leaf") {
    const slot = slotOf.get(node.cluster) ?? node.cluster;
    return (
      <g>
        <rect x={x - 28} y={y} width="56" height="6" fill={`var(--c${colourOf(slot)})`} />
        <path d={shapePath(slot, x - 14, y + 19, 4.2)} fill={`var(--c${colourOf(slot)})`} />
        <text className="tree-leaf" x={x - 4} y={y + 23}>
          <tspan className="strong">{letterOf(slot)}</tspan> {count(node.size)}
        </text>
      </g>
    );
  }
  // Words in the middle of short branches would meet over the line between them.
  const isNarrow = node.yes.x - node.no.x < 140;
  return (
    <g>
      <path
        className="tree-line"
        d={`M${x} ${y + 16}V${y + 30}M${node.no.x} ${node.no.y - 2}V${y + 30}H${node.yes.x}V${node.yes.y - 2}`}
      />
      <text className="tree-test" x={x} y={y + 12}>
        {cutMiddle(node.column, 20)}
      </text>
      <text className={`tree-side ${isNarrow ? "left" : ""}`} x={isNarrow ? x - 5 : (x + node.no.x) / 2} y={y + 26}>
        {node.noWords}
      </text>
      <text className={`tree-side ${isNarrow ? "right" : ""}`} x={isNarrow ? x + 5 : (x + node.yes.x) / 2} y={y + 26}>
        {node.yesWords}
      </text>
    </g>
  );
}
