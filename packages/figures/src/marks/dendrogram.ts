/**
 * Draws the dendrogram: the merges of a hierarchy, with the cut that gives the clusters.
 *
 * Observable Plot is not used here, because its tree marks support neither heights nor triangles for subtrees. With up to 200 rows, each
 * row has its name below the tree or beside it. With more rows, only the last merges are drawn, and each subtree below them is a triangle
 * with its number of rows. Heights are on a square-root scale, which gives more room to the low merges. Merges that a constraint forbids
 * have no height: they are drawn above a break, red and dashed. Rows with constraints are marked at their leaves.
 */
import { cutBetween, type DendrogramLayout, faintClusters, layOut, MIXED, runs } from "../layout/dendrogram.js";
import { counted, fitText, formatCount, formatNumber, textWidth, wrapText } from "../layout/text.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { captions, frame, label } from "../theme/frame.js";
import { flow } from "../theme/legend.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterName, clusterToken, painter } from "../theme/theme.js";
import { axis, cut } from "./dendrogram-axis.js";
import type { Canvas, DendrogramOptions, Place } from "./dendrogram-canvas.js";
import { besideRoom, longestName, makeCanvas, NAME_SLOT, placeAbove, placeBeside, tipText } from "./dendrogram-canvas.js";
import { kindsIn, MARK_ROOM, markItem, markShape, marksBelow } from "./dendrogram-marks.js";

/**
 * The merges of a hierarchy as SVG, coloured by its cut.
 *
 * ```ts
 * dendrogramFigure({ merges: result.merges, labels: result.labels, k: result.k });
 * ```
 */
export function dendrogramFigure(options: DendrogramOptions): string {
  const { merges, labels, k, leafNames, mostLeaves = 200, width = 900, theme = "light" } = options;
  const n = merges.length + 1;
  const whole = n <= mostLeaves;
  const layout = layOut(merges, labels, whole ? n - 1 : (options.lastMerges ?? Math.max(60, Math.min(200, k + 20))));
  const names = (node: number) => String(leafNames?.[node] ?? node);
  const paint = painter(theme);
  const sideways = whole && (layout.tips.length * NAME_SLOT > width - 80 || (n > 40 && longestName(layout, names) > 70));
  const lines = wrapText(captionLines(options, layout, whole), 11, width - 32);
  const kinds = options.marks ? kindsIn(options.marks) : [];
  const key = flow(
    kinds.map((kind) => markItem(kind, paint)),
    16,
    0,
    width - 32,
  );
  const needs = { foot: 16 * lines.length + key.height, markRoom: MARK_ROOM * kinds.length, names };
  const place = sideways ? placeBeside(options, layout, needs) : placeAbove(options, layout, needs);
  const canvas = makeCanvas(layout, place, { sideways, paint, names, faint: faintClusters(layout.tips) });
  const content = [
    ...axis(canvas, place),
    ...branchPaths(canvas),
    ...triangles(canvas),
    ...cut(canvas, place, options),
    ...tipNames(canvas, place),
    ...tipMarks(canvas, place, options),
    ...clusterBars(canvas, place, options),
    ...captions(lines, 16, place.height - 16 * lines.length + 4, paint),
    svg("g", { transform: `translate(0,${place.height - needs.foot + 6})` }, ...key.drawn),
  ];
  const forbidden = merges.filter(([, , height]) => height === null || !Number.isFinite(height)).length;
  const broken = forbidden === 0 ? "" : ` ${counted(forbidden, "merge")} would break a constraint.`;
  return frame(
    {
      width,
      height: place.height,
      theme,
      title: `Dendrogram of ${counted(n, "row")}, cut into ${counted(k, "cluster")}`,
      description: `${counted(n - 1, "merge")}, the highest at ${formatNumber(layout.highest)}.${broken}`,
    },
    content,
  );
}

const FAINT = 0.45;

function opacityOf({ faint }: Canvas, cluster: number): number | undefined {
  return faint.has(cluster) ? FAINT : undefined;
}

/** Draws the branches as one SVG path per colour. Merges above several clusters are grey; forbidden merges are red and dashed. */
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
        : {
            stroke: key === MIXED ? paint("ink-2") : paint(clusterToken(key)),
            "stroke-width": thin,
            "stroke-opacity": opacityOf(canvas, key),
          }),
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
      {
        d: `M${corners.join("L")}z`,
        fill: colour,
        "fill-opacity": canvas.faint.has(tip.cluster) ? 0.1 : 0.22,
        stroke: colour,
        "stroke-width": 1,
        "stroke-opacity": opacityOf(canvas, tip.cluster),
      },
      svg("title", {}, tipTitle(tip.size, layout.heightOf(tip.node))),
    );
  });
}

function tipTitle(size: number, height: number | null): string {
  return `${counted(size, "row")}, joined ${height === null ? "against a constraint" : `at ${formatNumber(height)}`}`;
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

function clusterBars(canvas: Canvas, place: Place, options: DendrogramOptions): SvgElement[] {
  let last = Number.NEGATIVE_INFINITY;
  return runs(canvas.layout.tips).flatMap((run) => {
    if (run.cluster === MIXED) return [];
    if (!canvas.sideways) return barBelow(canvas, place, run, options);
    const middle = place.bottom + ((run.from + run.to) / 2) * canvas.slot;
    const named = middle - last >= 14;
    if (named) last = middle;
    return barBeside(canvas, place, run, options, named);
  });
}

type Run = ReturnType<typeof runs>[number];

function barOf({ slot, paint, ...canvas }: Canvas, { from, to, cluster, rows }: Run, names: readonly string[] | undefined) {
  const inset = Math.min(1.5, ((to - from) * slot) / 4);
  const name = cluster < 0 ? "no cluster" : clusterName(cluster, names);
  return {
    name,
    from: from * slot + inset,
    to: to * slot - inset,
    title: svg("title", {}, cluster < 0 ? `no cluster: ${counted(rows, "row")}` : `cluster ${name}: ${counted(rows, "row")}`),
    style: {
      stroke: paint(clusterToken(cluster)),
      "stroke-width": 3,
      "stroke-opacity": canvas.faint.has(cluster) ? FAINT : undefined,
    },
  };
}

function barBeside(canvas: Canvas, place: Place, run: Run, options: DendrogramOptions, named: boolean): SvgElement[] {
  const { name, from, to, title, style } = barOf(canvas, run, options.names);
  const x = place.left - 4;
  const bar = svg("line", { x1: x, x2: x, y1: place.bottom + from, y2: place.bottom + to, ...style }, title);
  if (!named) return [bar];
  const y = place.bottom + (from + to) / 2;
  const room = besideRoom(options);
  const drawn = [
    bar,
    clusterMark(run.cluster, canvas.paint, 14, y, 4),
    label(24, y + 4, fitText(name, 11, room, 600), { weight: 600 }),
  ];
  if (to - from >= 40) drawn.push(label(24, y + 17, counted(run.rows, "row"), { size: 10, fill: canvas.paint("ink-3") }));
  return drawn;
}

function barBelow(canvas: Canvas, place: Place, run: Run, { names }: DendrogramOptions): SvgElement[] {
  const { name, from, to, title, style } = barOf(canvas, run, names);
  const y = place.bottom + place.nameRoom + 4;
  const bar = svg("line", { x1: place.left + from, x2: place.left + to, y1: y, y2: y, ...style }, title);
  const length = to - from;
  const middle = place.left + (from + to) / 2;
  const rows = counted(run.rows, "row");
  const nameWidth = textWidth(name, 11, 600);
  const whole = nameWidth + 6 + textWidth(rows, 11) + 16;
  if (length >= whole) {
    const x = middle - whole / 2;
    return [
      bar,
      clusterMark(run.cluster, canvas.paint, x + 5, y + 13, 4),
      label(x + 15, y + 17, name, { weight: 600 }),
      label(x + 21 + nameWidth, y + 17, rows, { fill: canvas.paint("ink-2") }),
    ];
  }
  return length >= nameWidth ? [bar, label(middle, y + 17, name, { weight: 600, anchor: "middle" })] : [bar];
}

function captionLines({ merges, labels, k }: DendrogramOptions, layout: DendrogramLayout, whole: boolean): string[] {
  const lines: string[] = [];
  if (!whole) {
    lines.push(
      `The last ${formatCount(layout.branches.length)} of ${formatCount(merges.length)} merges; a triangle is a subtree, with its number of rows as ×2.`,
    );
  }
  if (k > 1 && cutBetween(merges, labels, k) === undefined) lines.push("No level cut gives these clusters; colours show them.");
  return lines;
}
