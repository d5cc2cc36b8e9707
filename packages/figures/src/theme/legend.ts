/** Draws legends: lines of items, each a mark with a text. */
import { MANY_CLUSTERS } from "../layout/notable-clusters.js";
import { counted, fitText, formatCount, textWidth } from "../layout/text.js";
import { clusterMark } from "./cluster-mark.js";
import { label } from "./frame.js";
import { type SvgElement, svg } from "./svg-document.js";
import { clusterName, type Paint } from "./theme.js";

export interface LegendItem {
  readonly width: number;
  draw(x: number, y: number): SvgElement;
}

/**
 * Makes an item of a legend. mark: draws the mark at (x, y), the left end of the text's baseline. indent: distance from x to the text, in
 * pixels.
 */
export function markedItem(
  text: string,
  indent: number,
  mark: (x: number, y: number) => SvgElement,
  style: { readonly fill?: string } = {},
): LegendItem {
  return {
    width: indent + textWidth(text, 12),
    draw: (x, y) => svg("g", {}, mark(x, y), label(x + indent, y, text, { size: 12, ...style })),
  };
}

const LEGEND_LINE = 20;
const GAP = 18;

/** Arranges the items of a legend in lines of at most `width` pixels. Returns the drawn items and the height of all lines. */
export function flow(items: readonly LegendItem[], x: number, y: number, width: number): { drawn: SvgElement[]; height: number } {
  const drawn: SvgElement[] = [];
  let at = x;
  let line = 0;
  for (const item of items) {
    if (at > x && at + item.width > x + width) {
      at = x;
      line++;
    }
    drawn.push(item.draw(at, y + line * LEGEND_LINE));
    at += item.width + GAP;
  }
  return { drawn, height: items.length === 0 ? 0 : (line + 1) * LEGEND_LINE };
}

export function clusterItems(
  sizes: readonly number[],
  none: number,
  names: readonly string[] | undefined,
  paint: Paint,
): LegendItem[] {
  const items =
    sizes.length > MANY_CLUSTERS
      ? [words(manyInWords(sizes), paint("ink-2"))]
      : sizes.map((size, cluster) => clusterItem(cluster, fitText(clusterName(cluster, names), 12, 150, 600), size, paint));
  const mark = (x: number, y: number) => clusterMark(-1, paint, x + 5, y - 4, 4);
  if (none > 0) items.push(markedItem(`${counted(none, "row")} in no cluster`, 16, mark, { fill: paint("ink-2") }));
  return items;
}

function manyInWords(sizes: readonly number[]): string {
  const [least, most] = sizes.reduce(([low, high], size) => [Math.min(low, size), Math.max(high, size)], [Infinity, 0]);
  const rows = least === most ? counted(most, "row") : `${formatCount(least)} to ${counted(most, "row")}`;
  return `${counted(sizes.length, "cluster")} of ${rows}; colours and shapes repeat`;
}

function clusterItem(cluster: number, name: string, size: number, paint: Paint): LegendItem {
  const count = counted(size, "row");
  const nameWidth = textWidth(name, 12, 600) + 7;
  return {
    width: 16 + nameWidth + textWidth(count, 12),
    draw: (x, y) =>
      svg(
        "g",
        {},
        clusterMark(cluster, paint, x + 5, y - 4),
        label(x + 16, y, name, { size: 12, weight: 600 }),
        label(x + 16 + nameWidth, y, count, { size: 12, fill: paint("ink-2") }),
      ),
  };
}

export function words(text: string, fill: string, weight?: number): LegendItem {
  return {
    width: textWidth(text, 12, weight),
    draw: (x, y) => label(x, y, text, { size: 12, fill, ...(weight === undefined ? {} : { weight }) }),
  };
}

export const DASHES = { "must-link": undefined, "cannot-link": "5 3.5", relative: "0.1 3.5" } as const;

/** The legend item for a kind of constraint: a line in the style of this kind, and the number of its constraints. */
export function lineItem(kind: keyof typeof DASHES, count: number, paint: Paint): LegendItem {
  const line = {
    stroke: paint("ink-2"),
    "stroke-width": 1.6,
    "stroke-dasharray": DASHES[kind],
    "stroke-linecap": kind === "relative" ? "round" : undefined,
  };
  const text = counted(count, kind === "relative" ? "relative constraint" : kind);
  const mark = (x: number, y: number) => svg("line", { x1: x, x2: x + 26, y1: y - 4, y2: y - 4, ...line });
  return markedItem(text, 34, mark, { fill: paint("ink-2") });
}

/** The legend item with the mark of a row that has a constraint: an outlined circle. */
export function outlinedItem(text: string, paint: Paint): LegendItem {
  const ring = { r: 4.2, fill: "none", stroke: paint("ink"), "stroke-width": 1.4 };
  return markedItem(text, 16, (x, y) => svg("circle", { cx: x + 5, cy: y - 4, ...ring }), { fill: paint("ink-2") });
}

export function brokenItem(text: string, paint: Paint): LegendItem {
  return {
    width: 42 + textWidth(text, 12, 600),
    draw: (x, y) => {
      const line = { x1: x + 7, x2: x + 25, y1: y - 4, y2: y - 4, stroke: paint("bad") };
      const ring = (cx: number) =>
        svg("circle", { cx, cy: y - 4, r: 4, fill: "none", stroke: paint("bad"), "stroke-width": 1.4 });
      return svg(
        "g",
        {},
        svg("line", { ...line, "stroke-width": 8, "stroke-opacity": 0.16, "stroke-linecap": "round" }),
        svg("line", { ...line, x1: x + 9, x2: x + 23, "stroke-width": 2 }),
        ring(x + 5),
        ring(x + 27),
        label(x + 40, y, text, { size: 12, weight: 600, fill: paint("bad") }),
      );
    },
  };
}
