/** The layers of the map, from back to front, as marks for Plot. */
import { idOf } from "@coterie/core/internal";
import * as Plot from "@observablehq/plot";
import type { ConstraintLink, LinkKind } from "../layout/constraint-links.js";
import { named } from "../theme/frame.js";
import { DASHES } from "../theme/legend.js";
import { LOOKS, plotSymbol } from "../theme/shapes.js";
import { formatValue } from "../theme/text.js";
import { clusterName, clusterToken, clusterWords } from "../theme/theme.js";
import { FINE, type ScatterOptions, type Scene } from "./scatter-scene.js";

export function gridMarks({ paint, axes }: Scene, inner: { width: number; height: number }): Plot.Markish[] {
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

/** Segments of links: a relative constraint is two lines that meet at the odd one out. */
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

const KINDS: readonly LinkKind[] = ["relative", "cannot-link", "must-link"];

function dashStyle(kind: LinkKind): object {
  const dash = DASHES[kind];
  return dash === undefined ? {} : { strokeDasharray: dash, strokeLinecap: kind === "relative" ? "round" : "butt" };
}

/** Up to this many kept constraints have lines at full strength; four times as many are half as strong, and so on. */
const FULL_LINES = 30;
const STRONG = 0.42;
const FAINT = 0.06;

/** How strong the lines of kept constraints are: the more there are, the fainter, so that rows stay in front. */
export function linkStrength(count: number): number {
  return count <= FULL_LINES ? STRONG : Math.max(FAINT, STRONG * Math.sqrt(FULL_LINES / count));
}

export function linkMarks(scene: Scene): Plot.Markish[] {
  const kept = scene.links.filter((link) => !link.broken).length;
  return KINDS.flatMap((kind) => {
    const links = scene.links.filter((link) => link.kind === kind && !link.broken);
    if (links.length === 0) return [];
    return linkMark(scene, links, {
      stroke: scene.paint("ink"),
      strokeWidth: kept > 100 ? 0.9 : 1.3,
      strokeOpacity: Number(linkStrength(kept).toFixed(3)),
      ...named(kind),
      ...dashStyle(kind),
    });
  });
}

function dotMark(scene: Scene, rows: readonly number[], cluster: number, style: object): Plot.Markish {
  const { x, y } = scene.axes;
  const told = scene.rows.length <= FINE || "stroke" in style;
  return Plot.dot(rows, {
    x: (i: number) => x[i],
    y: (i: number) => y[i],
    r: scene.radius,
    symbol: plotSymbol(cluster) as Plot.SymbolType,
    fill: cluster < 0 ? scene.paint("canvas") : scene.paint(clusterToken(cluster)),
    ...(told ? { title: (i: number) => `${idOf(scene.options.points, i)}, ${inWords(scene.options, i)}` } : {}),
    ...style,
  });
}

function inWords({ labels, names }: ScatterOptions, row: number): string {
  return clusterWords(labels[row]!, names);
}

/** One mark group per look of clusters (two groups for rows with and without constraints): first the silent rows, then the rows that somebody spoke about. */
export function rowMarks(scene: Scene): Plot.Markish[] {
  const { rows, outlined, paint, radius } = scene;
  const fine = rows.length > FINE;
  const silent = byCluster(scene, (row) => !outlined.has(row));
  const spoken = byCluster(scene, (row) => outlined.has(row));
  return [
    ...silent.map(([cluster, members]) =>
      dotMark(scene, members, cluster, {
        ...named(`cluster ${clusterName(cluster)}`),
        ...(cluster < 0
          ? { stroke: paint("edge"), strokeWidth: 1.1 }
          : fine
            ? { fillOpacity: 0.75 }
            : { fillOpacity: 0.9, stroke: paint("canvas"), strokeWidth: 0.7 }),
      }),
    ),
    ...spoken.map(([cluster, members]) =>
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

export function brokenMarks(scene: Scene): Plot.Markish[] {
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
