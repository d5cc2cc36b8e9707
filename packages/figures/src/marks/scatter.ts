/**
 * Draws the map: rows on two axes of the distance that the method used, clusters by colour and shape, constraints as lines.
 *
 * Layers from back to front: grid, relative constraints, cannot-links, must-links, rows, rows with constraints with an outline, broken
 * constraints in red with halo and rings, names. If there are too many rows to draw them all, rows with constraints are chosen first.
 */
import { brokenCount, countConstraints, idOf } from "@coterie/core/internal";
import * as Plot from "@observablehq/plot";
import { type ConstraintLink, type LinkKind, linkStrength } from "../layout/constraint-links.js";
import { overlap, placeLabels } from "../layout/labels.js";
import { type Domains, mapDomains } from "../layout/map-axes.js";
import { LOOKS } from "../layout/shapes.js";
import { counted, fitText, formatCount, formatValue, textWidth, wrapText } from "../layout/text.js";
import { clusterMark, plotSymbol } from "../theme/cluster-mark.js";
import { captions, frame, label, named, plotted, sizesInWords, sizesOf } from "../theme/frame.js";
import { brokenItem, clusterItems, DASHES, flow, type LegendItem, lineItem, outlinedItem, words } from "../theme/legend.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { clusterName, clusterToken, clusterWords } from "../theme/theme.js";
import { FINE, type ScatterOptions, type Scene, sceneOf } from "./scatter-scene.js";

const KINDS: readonly LinkKind[] = ["relative", "cannot-link", "must-link"];

/**
 * STRONG: the opacity of the lines of satisfied constraints, if the map has at most FULL_LINES lines. With more lines, the lines are
 * fainter.
 */
const STRONG = 0.42;
const FULL_LINES = 30;

const MARGIN = { left: 48, right: 20, top: 36, bottom: 48 } as const;

interface MapLayout {
  readonly width: number;
  /** The size in pixels of the area in which marks are drawn. */
  readonly inner: { readonly width: number; readonly height: number };
  readonly domains: Domains;
  readonly captions: readonly string[];
}

/** Divides the height of the figure between the map, the legend and the captions. */
function layOutMap(scene: Scene, legends: number): MapLayout {
  const { axes, rows, links, given, options } = scene;
  const { width = 900, height = axes.yName === null ? 360 : 640 } = options;
  const innerWidth = width - MARGIN.left - MARGIN.right;
  const wrapped = (sentences: readonly string[]) => wrapText(sentences, 11, width - 40);
  const lines = wrapped([...axes.captions, ...captionLines(options.points.n, rows.length, given.length, links.length)]);
  const room = () => Math.max(120, height - MARGIN.top - MARGIN.bottom - legends - lines.length * 16);
  const first = mapDomains(axes, innerWidth, room());
  if (first.stretched) {
    const upward = /^PC 2|^[^:]*, axis 2/.exec(axes.yName ?? "")?.[0] ?? axes.yName;
    lines.push(...wrapped([`${upward} is stretched to fill the map: the same distance is longer vertically than horizontally.`]));
  }
  return { width, inner: { width: innerWidth, height: room() }, domains: first, captions: lines };
}

/**
 * A map of the rows as SVG, with clusters, classes and constraints.
 *
 * ```ts
 * writeFileSync("map.svg", scatterFigure({ points, labels: result.labels }));
 * ```
 */
export function scatterFigure(options: ScatterOptions): string {
  const { points, labels, names, width = 900, theme = "light" } = options;
  const scene = sceneOf(options);
  const { paint } = scene;
  const { sizes, none } = sizesOf(labels);
  const legend = flow(clusterItems(sizes, none, names, paint), 0, 0, width - 40);
  const key = flow(keyItems(scene), 0, 0, width - 40);
  const under = legend.height + key.height + 16;
  const layout = layOutMap(scene, under);
  const plotHeight = layout.inner.height + MARGIN.top + MARGIN.bottom;
  const content = [
    plotted({
      width,
      height: plotHeight,
      marginLeft: MARGIN.left,
      marginRight: MARGIN.right,
      marginTop: MARGIN.top,
      marginBottom: MARGIN.bottom,
      x: { domain: [...layout.domains.x], axis: null },
      y: { domain: [...layout.domains.y], axis: null },
      marks: [...gridMarks(scene, layout.inner), ...linkMarks(scene), ...rowMarks(scene), ...brokenMarks(scene)],
    }),
    ...axisNames(scene, width, plotHeight),
    ...nameLabels(scene, layout),
    svg("line", { x1: 0, x2: width, y1: plotHeight, y2: plotHeight, stroke: paint("line") }),
    svg("g", { transform: `translate(20,${plotHeight + 24})` }, ...legend.drawn),
    svg("g", { transform: `translate(20,${plotHeight + 24 + legend.height})` }, ...key.drawn),
    ...captions(layout.captions, 20, plotHeight + under + 8, paint),
  ];
  return frame(
    {
      width,
      height: plotHeight + under + layout.captions.length * 16,
      theme,
      title: `Map of ${counted(points.n, "row")} in ${counted(sizes.length, "cluster")}`,
      description: describeMap(scene, sizes),
    },
    content,
  );
}

function keyItems({ options: { constraints }, paint, violations, given: links, outlined }: Scene): LegendItem[] {
  const items: LegendItem[] = [];
  for (const kind of ["must-link", "cannot-link", "relative"] as const) {
    const count = links.filter((link) => link.kind === kind).length;
    if (count > 0) items.push(lineItem(kind, count, paint));
  }
  const labelled = constraints?.labels.row.length ?? 0;
  if (labelled > 0) items.push(words(counted(labelled, "labelled row"), paint("ink-2")));
  if (outlined.size > 0) items.push(outlinedItem("row with a constraint", paint));
  const broken = brokenCount(violations);
  const given = Math.max(constraints ? countConstraints(constraints) : 0, broken);
  if (broken > 0) items.push(brokenItem(`${formatCount(broken)} of ${formatCount(given)} broken`, paint));
  else if (given > 0)
    items.push(words(given === 1 ? "the constraint is kept" : `all ${formatCount(given)} kept`, paint("ink-2")));
  return items;
}

function axisNames({ axes, paint }: Scene, width: number, plotHeight: number): SvgElement[] {
  const room = width - MARGIN.left - MARGIN.right;
  const named = [
    label(width - MARGIN.right, plotHeight - 12, `${fitText(axes.xName, 11, room - 20)} →`, {
      anchor: "end",
      fill: paint("ink-2"),
    }),
  ];
  if (axes.yName !== null) named.push(label(12, 20, `↑ ${fitText(axes.yName, 11, room)}`, { fill: paint("ink-2") }));
  return named;
}

function labelText(cluster: number, names: readonly string[] | undefined): string {
  return fitText(clusterWords(cluster, names), 12, 140, 600);
}

/** Writes the names beside their clusters. If only a few constraints are broken, also writes the ids of their rows. */
function nameLabels(scene: Scene, { inner, domains }: MapLayout): SvgElement[] {
  const { axes, rows, paint, options } = scene;
  const { labels, names, points } = options;
  const toX = (value: number) => MARGIN.left + ((value - domains.x[0]) / (domains.x[1] - domains.x[0])) * inner.width;
  const toY = (value: number) => MARGIN.top + ((domains.y[1] - value) / (domains.y[1] - domains.y[0])) * inner.height;
  const { sizes } = sizesOf(labels);
  const rim = paint("canvas");
  const px = Array.from(rows, (row) => toX(axes.x[row]!));
  const py = Array.from(rows, (row) => toY(axes.y[row]!));
  const placed =
    sizes.length > 16
      ? []
      : placeLabels(
          px,
          py,
          Array.from(rows, (row) => labels[row]!),
          sizes.map((_, cluster) => 26 + textWidth(labelText(cluster, names), 12, 600)),
          18,
          {
            left: MARGIN.left + 4,
            top: MARGIN.top + 2,
            right: MARGIN.left + inner.width - 2,
            bottom: MARGIN.top + inner.height - 2,
          },
          Array.from(rows, (row) => (scene.red.has(row) ? 20 : scene.outlined.has(row) ? 3 : 1)),
        );
  const drawn: SvgElement[] = [];
  placed.forEach((box, cluster) => {
    if (box === null) return;
    const text = labelText(cluster, names);
    drawn.push(
      svg("rect", { ...box, rx: 3, fill: paint("canvas"), "fill-opacity": 0.92, stroke: paint("line-2") }),
      clusterMark(cluster, paint, box.x + 10, box.y + 9, 4),
      label(box.x + 19, box.y + 13, text, { size: 12, weight: 600 }),
    );
  });
  const ends = [...scene.red];
  if (ends.length > 12) return drawn;
  const taken = placed.filter((box) => box !== null);
  for (const row of ends) {
    const text = fitText(String(idOf(points, row)), 11, 90);
    const box = { x: toX(axes.x[row]!) + 11, y: toY(axes.y[row]!) - 15, width: textWidth(text, 11, 600), height: 12 };
    if (box.x + box.width > MARGIN.left + inner.width) box.x -= 22 + box.width;
    if (taken.some((other) => overlap(box, other))) continue;
    taken.push(box);
    drawn.push(label(box.x, box.y + 10, text, { weight: 600, rim }));
  }
  return drawn;
}

function captionLines(n: number, marks: number, links: number, drawnLinks: number): string[] {
  const lines: string[] = [];
  if (marks < n) {
    lines.push(`${formatCount(marks)} of ${formatCount(n)} rows are drawn: rows with constraints first, then an even sample.`);
  }
  if (drawnLinks < links) {
    lines.push(
      `${formatCount(drawnLinks)} of ${formatCount(links)} constraints are drawn: broken constraints first, then an even sample.`,
    );
  }
  return lines;
}

function describeMap({ options, violations, axes }: Scene, sizes: readonly number[]): string {
  const given = options.constraints ? countConstraints(options.constraints) : 0;
  const broken = brokenCount(violations);
  const kept = given + broken === 0 ? "No constraints." : `${broken} of ${Math.max(given, broken)} constraints broken.`;
  return `Rows by ${axes.xName}${axes.yName === null ? "" : ` and ${axes.yName}`}. Clusters: ${sizesInWords(sizes, options.names)}. ${kept}`;
}

/* The functions below make the layers of the map as marks for Observable Plot, from back to front. */

function gridMarks({ paint, axes }: Scene, inner: { width: number; height: number }): Plot.Markish[] {
  const xTicks = Math.max(3, Math.round(inner.width / 110));
  const yTicks = Math.max(3, Math.round(inner.height / 90));
  const tick = (axis: 0 | 1) => ({
    tickSize: 0,
    tickPadding: 8,
    label: null,
    fill: paint("ink-3"),
    tickFormat: (value: number) => formatValue(value, axes.notations?.[axis]),
  });
  const line = { stroke: paint("line"), strokeOpacity: 1 };
  return [
    Plot.gridX({ ticks: xTicks, ...line }),
    Plot.axisX({ ticks: xTicks, ...tick(0) }),
    ...(axes.yName === null ? [] : [Plot.gridY({ ticks: yTicks, ...line }), Plot.axisY({ ticks: yTicks, ...tick(1) })]),
  ];
}

/** The line segments of constraints. A relative constraint ab|c has two segments: from row a to row c, and from row b to row c. */
function segments(links: readonly ConstraintLink[]): { from: number; to: number; link: ConstraintLink }[] {
  return links.flatMap((link) =>
    link.kind === "relative"
      ? [
          { from: link.a, to: link.c, link },
          { from: link.b, to: link.c, link },
        ]
      : [{ from: link.a, to: link.b, link }],
  );
}

function linkMark(scene: Scene, links: readonly ConstraintLink[], style: object): Plot.Markish {
  const { x, y } = scene.axes;
  return Plot.link(segments(links), {
    x1: (s) => x[s.from],
    y1: (s) => y[s.from],
    x2: (s) => x[s.to],
    y2: (s) => y[s.to],
    title: (s) => linkTitle(scene, s.link),
    ...style,
  });
}

function linkTitle({ options: { points } }: Scene, { kind, a, b, c, broken }: ConstraintLink): string {
  const id = (row: number) => idOf(points, row);
  const words = kind === "relative" ? `${id(a)}, ${id(b)} | ${id(c)}` : `${id(a)} ${kind === "must-link" ? "=" : "≠"} ${id(b)}`;
  return broken ? `${words}, broken` : words;
}

function dashStyle(kind: LinkKind): object {
  const dash = DASHES[kind];
  return dash === undefined ? {} : { strokeDasharray: dash, strokeLinecap: kind === "relative" ? "round" : "butt" };
}

function linkMarks(scene: Scene): Plot.Markish[] {
  const kept = scene.links.filter((link) => !link.broken).length;
  return KINDS.flatMap((kind) => {
    const links = scene.links.filter((link) => link.kind === kind && !link.broken);
    if (links.length === 0) return [];
    return linkMark(scene, links, {
      stroke: scene.paint("ink"),
      strokeWidth: kept > 100 ? 0.9 : 1.3,
      strokeOpacity: Number((STRONG * linkStrength(kept, FULL_LINES)).toFixed(3)),
      ...named(kind),
      ...dashStyle(kind),
    });
  });
}

function dotMark(scene: Scene, rows: readonly number[], cluster: number, style: object): Plot.Markish {
  const { x, y } = scene.axes;
  const hasTitle = scene.rows.length <= FINE || "stroke" in style;
  return Plot.dot(rows, {
    x: (i: number) => x[i],
    y: (i: number) => y[i],
    r: scene.radius,
    symbol: plotSymbol(cluster) as Plot.SymbolType,
    fill: cluster < 0 ? scene.paint("canvas") : scene.paint(clusterToken(cluster)),
    ...(hasTitle ? { title: (i: number) => `${idOf(scene.options.points, i)}, ${inWords(scene.options, i)}` } : {}),
    ...style,
  });
}

function inWords({ labels, names }: ScatterOptions, row: number): string {
  return clusterWords(labels[row]!, names);
}

/** Makes the marks of rows, grouped by colour and shape. Rows with constraints come after the other rows, so they are drawn on top. */
function rowMarks(scene: Scene): Plot.Markish[] {
  const { rows, outlined, paint, radius } = scene;
  const fine = rows.length > FINE;
  const plain = byCluster(scene, (row) => !outlined.has(row));
  const known = byCluster(scene, (row) => outlined.has(row));
  return [
    ...plain.map(([cluster, members]) =>
      dotMark(scene, members, cluster, {
        ...named(`cluster ${clusterName(cluster)}`),
        ...(cluster < 0
          ? { stroke: paint("edge"), strokeWidth: 1.1 }
          : fine
            ? { fillOpacity: 0.75 }
            : { fillOpacity: 0.9, stroke: paint("canvas"), strokeWidth: 0.7 }),
      }),
    ),
    ...known.map(([cluster, members]) =>
      dotMark(scene, members, cluster, {
        ...named(`cluster ${clusterName(cluster)}, with constraints`),
        stroke: paint("ink"),
        strokeWidth: !fine ? 1.3 : outlined.size > 400 ? 0.5 : 1,
        r: fine ? radius + 0.5 : radius,
      }),
    ),
  ];
}

function byCluster({ rows, options: { labels } }: Scene, wanted: (row: number) => boolean): [number, number[]][] {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    if (!wanted(row)) continue;
    const cluster = labels[row]! < 0 ? -1 : labels[row]! % LOOKS;
    const group = groups.get(cluster);
    if (group) group.push(row);
    else groups.set(cluster, [row]);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function brokenMarks(scene: Scene): Plot.Markish[] {
  const { links, paint, red, radius, rows } = scene;
  if (red.size === 0) return [];
  const broken = links.filter((link) => link.broken);
  const many = broken.length > 40;
  const drawn = new Set(rows);
  const ringed = [...red].filter((row) => drawn.has(row));
  const dots = byCluster({ ...scene, rows: Int32Array.from(ringed) }, () => true);
  const stroke = paint("bad");
  const { x, y } = scene.axes;
  return [
    ...(broken.length === 0
      ? []
      : [
          linkMark(scene, broken, {
            stroke,
            strokeWidth: many ? 5 : 8,
            strokeOpacity: many ? 0.08 : 0.16,
            strokeLinecap: "round",
            ...named("halo"),
          }),
        ]),
    ...KINDS.flatMap((kind) => {
      const mine = broken.filter((link) => link.kind === kind);
      const style = { stroke, strokeWidth: many ? 1.2 : 2, ...named(`broken ${kind}`), ...dashStyle(kind) };
      return mine.length === 0 ? [] : [linkMark(scene, mine, style)];
    }),
    ...dots.map(([cluster, members]) =>
      dotMark(scene, members, cluster, {
        stroke: paint("ink"),
        strokeWidth: 1.3,
        ...named(`cluster ${clusterName(cluster)}, broken`),
      }),
    ),
    Plot.dot(ringed, {
      x: (i: number) => x[i],
      y: (i: number) => y[i],
      r: radius + (many ? 3 : 4.5),
      stroke,
      strokeWidth: many ? 1.1 : 1.7,
      ...named("ring"),
    }),
  ];
}
