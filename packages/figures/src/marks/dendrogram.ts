/**
 * The dendrogram: how rows join, with the cut that gives the clusters.
 *
 * Drawn by hand, since Plot's tree marks know neither heights nor subtrees as triangles. Up to 200 rows every row has its name,
 * under the tree or, where they would not fit, beside it; above that the last merges are drawn and the subtrees below are
 * triangles with their counts. Heights are on a square-root scale, which opens the crowded lower part. Merges that a constraint
 * forbids have no height: they lie above a break, red and dashed. Rows that a constraint names are marked at their leaves.
 */
import { cutBetween, type DendrogramLayout, layOut, type MergeRow, MIXED, runs } from "../layout/dendrogram-layout.js";
import { captions, type FigureSize, frame, label } from "../theme/frame.js";
import { flow, LEGEND_LINE } from "../theme/legend.js";
import { clusterMark } from "../theme/shapes.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { counted, fitText, formatCount, formatNumber, textWidth } from "../theme/text.js";
import { clusterLetter, clusterToken, type Paint, painter } from "../theme/theme.js";
import { kindsIn, MARK_ROOM, markItem, markShape, marksBelow } from "./dendrogram-marks.js";

export interface DendrogramOptions extends FigureSize {
  readonly merges: readonly MergeRow[];
  readonly labels: ArrayLike<number>;
  readonly k: number;
  /** Names of the rows; default their numbers. */
  readonly leafNames?: readonly (string | number)[];
  /** Above this many rows the tree is cut short; default 200. */
  readonly mostLeaves?: number;
  /** Merges drawn when it is; default 60, or enough to tell the clusters apart. */
  readonly lastMerges?: number;
  /** For each row, the kinds of constraints that name it: `markedRows`. */
  readonly marks?: Uint8Array;
}

const NAME_SLOT = 10;
const BAND = 44;

/** Maps (place along the leaves, distance from the leaves) to the page, so that one drawing serves both directions. */
interface Canvas {
  readonly sideways: boolean;
  readonly slot: number;
  readonly paint: Paint;
  readonly layout: DendrogramLayout;
  readonly names: (node: number) => string;
  point(along: number, up: number): string;
  /** Pixels above the leaves. */
  up(node: number): number;
  level(height: number): number;
  readonly reach: number;
  readonly length: number;
}

export function dendrogramFigure(options: DendrogramOptions): string {
  const { merges, labels, k, leafNames, mostLeaves = 200, width = 900, theme = "light" } = options;
  const n = merges.length + 1;
  const whole = n <= mostLeaves;
  const layout = layOut(merges, labels, whole ? n - 1 : (options.lastMerges ?? Math.max(60, Math.min(200, k + 20))));
  const names = (node: number) => String(leafNames?.[node] ?? node);
  const paint = painter(theme);
  const sideways = whole && (layout.tips.length * NAME_SLOT > width - 80 || (n > 40 && longest(layout, names) > 70));
  const lines = captionLines(options, layout, whole);
  const kinds = options.marks ? kindsIn(options.marks) : [];
  const foot = 16 * lines.length + (kinds.length > 0 ? LEGEND_LINE : 0);
  const room = MARK_ROOM * kinds.length;
  const place = sideways ? besideLayout(options, layout, names, foot, room) : belowLayout(options, layout, names, foot, room);
  const canvas = makeCanvas(layout, place, sideways, paint, names);
  const content = [
    ...axis(canvas, place),
    ...branchPaths(canvas),
    ...triangles(canvas),
    ...cut(canvas, place, options),
    ...tipNames(canvas, place),
    ...tipMarks(canvas, place, options),
    ...clusterBars(canvas, place),
    ...captions(lines, 16, place.height - 16 * lines.length + 4, paint),
    ...flow(
      kinds.map((kind) => markItem(kind, paint)),
      16,
      place.height - foot + 6,
      width - 32,
    ).drawn,
  ];
  const title = `Dendrogram of ${counted(n, "row")}, cut into ${counted(k, "cluster")}`;
  const forbidden =
    layout.forbidden.length === 0 ? "" : ` ${counted(layout.forbidden.length, "merge")} would break a constraint.`;
  const description = `${counted(n - 1, "merge")}, the highest at ${formatNumber(layout.highest)}.${forbidden}`;
  return frame({ width, height: place.height, theme, title, description }, content);
}

interface Place {
  readonly width: number;
  readonly height: number;
  /** The corner where the leaves begin, and the extent along the leaves and away from them. */
  readonly left: number;
  readonly bottom: number;
  readonly length: number;
  readonly reach: number;
  readonly nameRoom: number;
  readonly rotated: boolean;
  /** Between the leaves and their names, for marks. */
  readonly markRoom: number;
}

function longest(layout: DendrogramLayout, names: (node: number) => string): number {
  return Math.min(120, Math.max(...layout.tips.map((tip) => textWidth(tipText(layout, tip, names), 10))));
}

function tipText(layout: DendrogramLayout, tip: { node: number; size: number }, names: (node: number) => string): string {
  return tip.node < layout.n ? names(tip.node) : `×${formatCount(tip.size)}`;
}

function belowLayout(
  options: DendrogramOptions,
  layout: DendrogramLayout,
  names: (node: number) => string,
  foot: number,
  markRoom: number,
): Place {
  const { width = 900, height = 480 } = options;
  const left = 56;
  const length = width - left - 24;
  const room = longest(layout, names);
  const rotated = room + 6 > length / layout.tips.length;
  const nameRoom = (rotated ? room + 8 : 18) + markRoom;
  const bottom = height - nameRoom - 34 - foot;
  return { width, height, left, bottom, length, reach: bottom - 36, nameRoom, rotated, markRoom };
}

function besideLayout(
  options: DendrogramOptions,
  layout: DendrogramLayout,
  names: (node: number) => string,
  foot: number,
  markRoom: number,
): Place {
  const { width = 900 } = options;
  const length = layout.tips.length * NAME_SLOT;
  const nameRoom = longest(layout, names) + 10 + markRoom;
  const left = 64 + nameRoom;
  return {
    width,
    height: length + 52 + foot + 8,
    left,
    bottom: 44,
    length,
    reach: width - left - 28,
    nameRoom,
    rotated: false,
    markRoom,
  };
}

function makeCanvas(
  layout: DendrogramLayout,
  place: Place,
  sideways: boolean,
  paint: Paint,
  names: (node: number) => string,
): Canvas {
  const slot = place.length / layout.tips.length;
  const band = layout.forbidden.length === 0 ? 0 : BAND;
  const reach = place.reach - band;
  const rank = new Map(layout.forbidden.map((node, at) => [node, at + 1]));
  const level = (height: number) => (layout.highest > 0 ? reach * Math.sqrt(height / layout.highest) : 0);
  return {
    sideways,
    slot,
    paint,
    layout,
    names,
    level,
    reach,
    length: place.length,
    point: (along, up) =>
      sideways ? `${place.left + up} ${place.bottom + along * slot}` : `${place.left + along * slot} ${place.bottom - up}`,
    up: (node) => {
      const height = layout.heightOf(node);
      return height === null ? reach + 12 + ((band - 12) * rank.get(node)!) / layout.forbidden.length : level(height);
    },
  };
}

/** One path per colour; ink where a branch joins clusters; red and dashed where a constraint forbids it. */
function branchPaths(canvas: Canvas): SvgElement[] {
  const { layout, paint } = canvas;
  const paths = new Map<number | "forbidden", string[]>();
  for (const { merge, left, right, leftNode, rightNode, cluster } of layout.branches) {
    const top = canvas.up(merge);
    const key = layout.heightOf(merge) === null ? "forbidden" : cluster;
    const stem = (along: number, node: number) => `${canvas.point(along, canvas.up(node))}L${canvas.point(along, top)}`;
    const path = `M${stem(left, leftNode)}L${canvas.point(right, top)}L${canvas.point(right, canvas.up(rightNode))}`;
    const list = paths.get(key);
    if (list) list.push(path);
    else paths.set(key, [path]);
  }
  const thin = layout.tips.length > 100 ? 1 : 1.3;
  return [...paths].map(([key, list]) =>
    svg("path", {
      d: list.join(""),
      fill: "none",
      "stroke-linejoin": "round",
      ...(key === "forbidden"
        ? { stroke: paint("bad"), "stroke-width": 1.6, "stroke-dasharray": "5 3.5", class: "forbidden" }
        : { stroke: key === MIXED ? paint("ink-2") : paint(clusterToken(key)), "stroke-width": thin }),
    }),
  );
}

function triangles(canvas: Canvas): SvgElement[] {
  const { layout, paint } = canvas;
  return layout.tips.flatMap((tip, at) => {
    if (tip.node < layout.n) return [];
    const colour = tip.cluster === MIXED ? paint("ink-2") : paint(clusterToken(tip.cluster));
    const top = Math.max(3, canvas.up(tip.node));
    const corners = [canvas.point(at + 0.5, top), canvas.point(at + 0.12, 0), canvas.point(at + 0.88, 0)];
    return svg(
      "path",
      { d: `M${corners.join("L")}z`, fill: colour, "fill-opacity": 0.22, stroke: colour, "stroke-width": 1 },
      svg("title", {}, `${counted(tip.size, "row")}, joined at ${formatNumber(layout.heightOf(tip.node))}`),
    );
  });
}

/** Round heights whose lines are at least 34 pixels apart. */
function ticks(canvas: Canvas): number[] {
  const { highest } = canvas.layout;
  if (highest <= 0) return [0];
  const chosen: number[] = [];
  const power = Math.floor(Math.log10(highest));
  for (const [exponent, leads] of [
    [power, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    [power - 1, [5, 2, 1]],
  ] as const) {
    for (const lead of leads) {
      const value = Number(`${lead}e${exponent}`);
      const last = chosen.at(-1);
      const room =
        last === undefined ? canvas.reach * 1.001 - canvas.level(value) : canvas.level(last) - canvas.level(value) - 34;
      if (value <= highest && room >= 0 && canvas.level(value) >= 30) chosen.push(value);
    }
  }
  return [...chosen, 0];
}

function axis(canvas: Canvas, place: Place): SvgElement[] {
  const { paint, sideways, length } = canvas;
  const drawn: SvgElement[] = [];
  const end = length / canvas.slot;
  for (const value of ticks(canvas)) {
    const up = canvas.level(value);
    drawn.push(svg("path", { d: `M${canvas.point(0, up)}L${canvas.point(end, up)}`, stroke: paint("line"), fill: "none" }));
    drawn.push(
      sideways
        ? label(place.left + up, place.bottom - 8, formatNumber(value), { anchor: "middle", fill: paint("ink-3") })
        : label(place.left - 8, place.bottom - up + 4, formatNumber(value), { anchor: "end", fill: paint("ink-3") }),
    );
  }
  const words = "height at which rows join, square-root scale";
  drawn.push(
    sideways
      ? label(place.width - 28, 16, `${words} →`, { anchor: "end", fill: paint("ink-2") })
      : label(12, 16, `↑ ${words}`, { fill: paint("ink-2") }),
  );
  if (canvas.layout.forbidden.length > 0) drawn.push(...breakMark(canvas, place, end));
  return drawn;
}

/** Two slanted strokes across the axis, and a word for what lies beyond. */
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

function cut(canvas: Canvas, place: Place, { merges, labels, k }: DendrogramOptions): SvgElement[] {
  const between = cutBetween(merges, labels, k);
  if (!between) return [];
  const { paint, sideways, reach } = canvas;
  const low = canvas.level(between.below);
  const up = between.above === null ? reach + 6 : (low + canvas.level(between.above)) / 2;
  const height = between.above === null ? between.below : (between.below + between.above) / 2;
  const text = between.above === null ? `${k} clusters, no merge is left` : `${k} clusters at ${formatNumber(height, 3)}`;
  const end = canvas.length / canvas.slot;
  const line = svg("path", {
    d: `M${canvas.point(0, up)}L${canvas.point(end, up)}`,
    stroke: paint("focus"),
    "stroke-width": 1.5,
    fill: "none",
    class: "cut",
  });
  const x = sideways ? place.left : place.width - 24 - textWidth(text, 12);
  return [
    line,
    svg("line", { x1: x - 30, x2: x - 8, y1: 12, y2: 12, stroke: paint("focus"), "stroke-width": 2 }),
    label(x, 16, text, { size: 12, weight: 600 }),
  ];
}

function tipNames(canvas: Canvas, place: Place): SvgElement[] {
  const { layout, paint, sideways, slot } = canvas;
  return layout.tips.map((tip, at) => {
    const text = fitText(tipText(layout, tip, canvas.names), 10, 120);
    const fill = paint(tip.node < layout.n ? "ink-2" : "ink");
    const along = (at + 0.5) * slot;
    if (sideways)
      return label(place.left - 10 - place.markRoom, place.bottom + along + 3.5, text, { size: 10, anchor: "end", fill });
    const x = place.left + along;
    const down = place.bottom + place.markRoom;
    if (!place.rotated) return label(x, down + 14, text, { size: 10, anchor: "middle", fill });
    return label(0, 0, text, {
      size: 10,
      anchor: "end",
      fill,
      transform: `translate(${x + 3.5},${down + 6}) rotate(-90)`,
    });
  });
}

/** One line of marks for each kind that occurs; a triangle has those of all its rows. */
function tipMarks({ layout, paint, sideways, slot }: Canvas, place: Place, { merges, marks }: DendrogramOptions): SvgElement[] {
  if (!marks) return [];
  const below = marksBelow(merges, marks);
  return kindsIn(marks).flatMap(({ bit, text }, line) => {
    const away = 8 + line * MARK_ROOM;
    return layout.tips.flatMap((tip, at) => {
      if ((below[tip.node]! & bit) === 0) return [];
      const along = (at + 0.5) * slot;
      const [x, y] = sideways ? [place.left - 2 - away, place.bottom + along] : [place.left + along, place.bottom + away - 1];
      return markShape(bit, x, y, paint, tip.node < layout.n ? text : `some rows are ${text}`);
    });
  });
}

function clusterBars(canvas: Canvas, place: Place): SvgElement[] {
  const { layout, paint, sideways, slot } = canvas;
  return runs(layout.tips).flatMap(({ from, to, cluster, rows }) => {
    if (cluster === MIXED) return [];
    const length = (to - from) * slot;
    const a = from * slot + Math.min(1.5, length / 4);
    const b = to * slot - Math.min(1.5, length / 4);
    const colour = paint(clusterToken(cluster));
    const letter = clusterLetter(cluster);
    const text = `${letter} ${formatCount(rows)}`;
    const middle = (a + b) / 2;
    if (sideways) {
      const x = place.left - 4;
      const bar = svg("line", { x1: x, x2: x, y1: place.bottom + a, y2: place.bottom + b, stroke: colour, "stroke-width": 3 });
      return [
        bar,
        clusterMark(cluster, paint, 14, place.bottom + middle, 4),
        label(24, place.bottom + middle + 4, text, { weight: 600 }),
      ];
    }
    const y = place.bottom + place.nameRoom + 4;
    const bar = svg("line", { x1: place.left + a, x2: place.left + b, y1: y, y2: y, stroke: colour, "stroke-width": 3 });
    const wide = textWidth(text, 11) + 16;
    if (length >= wide) {
      const x = place.left + middle - wide / 2;
      return [bar, clusterMark(cluster, paint, x + 5, y + 13, 4), label(x + 15, y + 17, text, { weight: 600 })];
    }
    return [bar, length >= 10 ? label(place.left + middle, y + 17, letter, { weight: 600, anchor: "middle" }) : null].filter(
      (e) => e !== null,
    );
  });
}

function captionLines({ merges, labels, k }: DendrogramOptions, layout: DendrogramLayout, whole: boolean): string[] {
  const lines: string[] = [];
  if (!whole) {
    lines.push(
      `The last ${formatCount(layout.branches.length)} of ${formatCount(merges.length)} merges; a triangle is a subtree, with its number of rows as ×2.`,
    );
  }
  if (k > 1 && cutBetween(merges, labels, k) === undefined) lines.push("No level line gives these clusters; colours show them.");
  return lines;
}
