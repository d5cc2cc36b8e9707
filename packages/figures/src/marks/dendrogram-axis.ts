/** Draws the axis of a dendrogram: heights, the break below forbidden merges, the line of the cut. */
import { cutBetween, heightTicks } from "../layout/dendrogram.js";
import { formatNumber, textWidth } from "../layout/text.js";
import { label } from "../theme/frame.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import type { Canvas, DendrogramOptions, Place } from "./dendrogram-canvas.js";

export const AXIS_TITLE = "height of the merge, square-root scale";

export function axis(canvas: Canvas, place: Place): SvgElement[] {
  const { paint, sideways, length } = canvas;
  const drawn: SvgElement[] = [];
  const end = length / canvas.slot;
  for (const value of heightTicks(canvas.layout.highest, canvas.level)) {
    const up = canvas.level(value);
    drawn.push(svg("path", { d: `M${canvas.point(0, up)}L${canvas.point(end, up)}`, stroke: paint("line"), fill: "none" }));
    drawn.push(
      sideways
        ? label(place.left + up, place.bottom - 8, formatNumber(value), { anchor: "middle", fill: paint("ink-3") })
        : label(place.left - 8, place.bottom - up + 4, formatNumber(value), { anchor: "end", fill: paint("ink-3") }),
    );
  }
  drawn.push(
    sideways
      ? label(place.width - 28, 16, `${AXIS_TITLE} →`, { anchor: "end", fill: paint("ink-2") })
      : label(12, 16, `↑ ${AXIS_TITLE}`, { fill: paint("ink-2") }),
  );
  if (canvas.layout.forbidden.length > 0) drawn.push(...breakMark(canvas, place, end));
  return drawn;
}

/** Draws two slanted strokes across the axis, and the label "forbidden" for the merges above them. */
function breakMark(canvas: Canvas, place: Place, end: number): SvgElement[] {
  const { paint, sideways, reach } = canvas;
  const at = reach + 6;
  const line = svg("path", {
    d: `M${canvas.point(0, at)}L${canvas.point(end, at)}`,
    stroke: paint("bad"),
    "stroke-width": 1,
    "stroke-dasharray": "1 4",
    fill: "none",
  });
  const text = "forbidden";
  const word = sideways
    ? label(place.left + at, place.bottom + canvas.length + 14, `${text} →`, { fill: paint("bad"), anchor: "middle" })
    : label(place.left - 6, place.bottom - at - 12, text, { fill: paint("bad"), anchor: "end", size: 10 });
  const [x, y] = canvas.point(0, at).split(" ").map(Number) as [number, number];
  const slash = sideways ? `M${x - 5} ${y + 4}l4 -8M${x} ${y + 4}l4 -8` : `M${x - 4} ${y + 4}l8 -4M${x - 4} ${y}l8 -4`;
  return [line, svg("path", { d: slash, stroke: paint("bad"), "stroke-width": 1.2, fill: "none" }), word];
}

/**
 * The height at which the cut is drawn, halfway between the merges below and above it, and the text beside its line. The height is null if
 * a constraint forbids all merges above the cut. Undefined if no cut at a height gives the clusters.
 */
export function cutLine({ merges, labels, k }: Pick<DendrogramOptions, "merges" | "labels" | "k">) {
  const between = cutBetween(merges, labels, k);
  if (!between) return undefined;
  const { below, above } = between;
  if (above === null) return { height: null, text: `${k} clusters, no allowed merge is left` };
  const height = (below + above) / 2;
  return { height, text: `${k} clusters at ${formatNumber(height, 3)}` };
}

export function cut(canvas: Canvas, place: Place, options: DendrogramOptions): SvgElement[] {
  const drawn = cutLine(options);
  if (!drawn) return [];
  const { paint, sideways, reach } = canvas;
  const { height, text } = drawn;
  const up = height === null ? reach + 6 : canvas.level(height);
  const end = canvas.length / canvas.slot;
  const line = svg("path", {
    d: `M${canvas.point(0, up)}L${canvas.point(end, up)}`,
    stroke: paint("focus"),
    "stroke-width": 1.5,
    fill: "none",
    class: "cut",
  });
  const x = sideways ? place.left : place.width - 24 - textWidth(text, 12, 600);
  return [
    line,
    svg("line", { x1: x - 30, x2: x - 8, y1: 12, y2: 12, stroke: paint("focus"), "stroke-width": 2 }),
    label(x, 16, text, { size: 12, weight: 600 }),
  ];
}
