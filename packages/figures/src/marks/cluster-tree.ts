/**
 * Draws a clustering tree from left to right. Each split is a test; its branch "yes" is above its branch "no". Each leaf is a cluster,
 * written on one line, so that a tree of sixty leaves is still readable. The thickness of a branch shows its number of rows.
 */
import { type ClusterTree, foldTree, testText } from "@coterie/core/internal";
import { counted, fitText, formatCount, formatShare, textWidth } from "../layout/text.js";
import { type PlacedNode, treeLayout } from "../layout/tree.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { captions, type FigureSize, frame, label } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterWords, type Paint, painter } from "../theme/theme.js";

export interface ClusterTreeOptions extends FigureSize {
  readonly tree: ClusterTree;
  /** The names of the clusters, shown instead of their numbers. */
  readonly names?: readonly string[];
  /** Maximum number of leaves to draw; default 200. In a larger tree, the subtrees with the fewest rows are drawn as single leaves. */
  readonly most?: number;
}

const ROW = 27;

interface TextNode extends Omit<PlacedNode, "test"> {
  readonly test: string | null;
}

interface Drawn extends TextNode {
  readonly left: number;
  readonly y: number;
  readonly words: string;
  readonly width: number;
}

/**
 * A tree of tests as SVG, with the clusters in its leaves.
 *
 * ```ts
 * clusterTreeFigure({ tree: clusilc(points, known, { k: 3 }).tree });
 * ```
 */
export function clusterTreeFigure({ tree, names, most = 200, width = 680, theme = "light" }: ClusterTreeOptions): string {
  const paint = painter(theme);
  const { leaves } = tree;
  const nodes = nodesOf(foldTree(tree, most));
  const drawn = place(nodes, names);
  const total = tree.root.size || 1;
  const drawnLeaves = nodes.filter(({ test }) => test === null).length;
  const lines =
    drawnLeaves < leaves
      ? [`${formatCount(leaves)} leaves in all; the parts with fewest rows are folded into leaves without a name.`]
      : [];
  const height = drawnLeaves * ROW + 16 * lines.length + 4;
  const right = Math.max(...drawn.map((node) => node.left + node.width + 8));
  const edges = drawn.flatMap((node) => (node.parent < 0 ? [] : edge(node, drawn, total, paint)));
  const marks = drawn.map((node) => (node.test === null ? leaf(node, names, total, paint) : split(node, total, paint)));
  return frame(
    {
      pad: 12,
      width: Math.max(width, right),
      height,
      theme,
      title: `A tree of ${counted(leaves, "leaf", "leaves")}`,
      description: describe(tree, names),
    },
    [...edges, ...marks, ...captions(lines, 0, height - 4, paint)],
  );
}

function nodesOf(tree: ClusterTree): TextNode[] {
  return treeLayout(tree).map((node) => ({ ...node, test: node.test && testText(node.test, tree.notations) }));
}

const WIDEST = 210;
const TEXT = 12;
const GAP = 48;

/**
 * Computes the positions of the nodes. Leaves are below each other; each level begins to the right of the widest test of the level before.
 */
function place(nodes: readonly TextNode[], names: readonly string[] | undefined): Drawn[] {
  const sized = nodes.map((node) => {
    const words = node.test === null ? leafTitle(node, names) : fitText(node.test, TEXT, WIDEST);
    const weight = node.test === null ? 600 : 400;
    const tail = node.test === null ? textWidth(` ${counted(node.size, "row")} 100.0%`, TEXT) + 34 : 18;
    return { ...node, words, width: textWidth(words, TEXT, weight) + tail, y: node.x * ROW + ROW / 2 + 2 };
  });
  const lefts: number[] = [1];
  for (const { depth, test, width } of sized) if (test !== null) lefts[depth + 1] = Math.max(lefts[depth + 1] ?? 0, width);
  for (let depth = 1; depth < lefts.length; depth++) lefts[depth]! += lefts[depth - 1]! + GAP;
  return sized.map((node) => ({ ...node, left: lefts[node.depth]! }));
}

function leafTitle({ cluster }: TextNode, names: readonly string[] | undefined): string {
  return cluster! < 0 ? "…" : fitText(clusterWords(cluster!, names), TEXT, WIDEST, 600);
}

const THICKEST = 9;

function edge(node: Drawn, drawn: readonly Drawn[], total: number, paint: Paint): SvgElement[] {
  const from = drawn[node.parent]!;
  const [x1, x2] = [from.left + from.width, node.left];
  const bend = x2 - GAP;
  const middle = bend + GAP * 0.42;
  const thickness = Math.max(1, THICKEST * Math.sqrt(node.size / total));
  return [
    svg("path", {
      d: `M${x1} ${from.y}H${bend}C${middle} ${from.y} ${bend + GAP * 0.3} ${node.y} ${bend + GAP * 0.62} ${node.y}H${x2}`,
      fill: "none",
      stroke: paint("line-2"),
      "stroke-width": thickness.toFixed(1),
    }),
    label(x2 - 4, node.y - thickness / 2 - 2, node.passed ? "yes" : "no", { size: 10, anchor: "end", fill: paint("ink-3") }),
  ];
}

const BOX = 22;

function split(node: Drawn, total: number, paint: Paint): SvgElement {
  return svg(
    "g",
    {},
    svg("title", {}, `${node.test}: ${counted(node.size, "row")}, ${formatShare(node.size / total)}`),
    svg("rect", {
      x: node.left,
      y: node.y - BOX / 2,
      width: node.width,
      height: BOX,
      rx: 4,
      fill: paint("sunken"),
      stroke: paint("line-2"),
    }),
    label(node.left + 9, node.y + 4, node.words, { size: TEXT }),
  );
}

function leaf(node: Drawn, names: readonly string[] | undefined, total: number, paint: Paint): SvgElement {
  const at = node.left + 8;
  const end = at + 12 + textWidth(node.words, TEXT, 600) + 8;
  const count = counted(node.size, "row");
  return svg(
    "g",
    {},
    svg("title", {}, `${node.cluster! < 0 ? "folded" : clusterWords(node.cluster!, names)}: ${count}`),
    clusterMark(node.cluster!, paint, at, node.y, 5),
    label(at + 12, node.y + 4, node.words, { size: TEXT, weight: 600 }),
    label(end, node.y + 4, count, { size: TEXT }),
    label(end + textWidth(count, TEXT) + 8, node.y + 4, formatShare(node.size / total), { fill: paint("ink-3") }),
  );
}

function describe(tree: ClusterTree, names: readonly string[] | undefined): string {
  const nodes = nodesOf(tree);
  const shown = nodes.filter(({ test }) => test === null).slice(0, 12);
  const words = shown.map(({ cluster, size }) => `${clusterWords(cluster!, names)} with ${counted(size, "row")}`);
  const first = nodes[0]!.test === null ? "" : `It asks first: ${nodes[0]!.test}. `;
  return `${first}Leaves from top to bottom: ${words.join(", ")}${tree.leaves > shown.length ? ", …" : ""}.`;
}
