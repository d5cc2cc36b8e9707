/**
 * The conflict graph of a diagnosis. A vertex is a group of must-linked rows, and a line between two groups means that cannot-links
 * separate them. If k clusters are too few, the figure highlights the conflicting groups and the constraints to drop. If k clusters are
 * enough, each group has the mark of its cluster. For a large graph, the figure shows only the hardest part, and says so.
 */
import type { ConstraintGraph, ConstraintSet, Diagnosis, InstanceId } from "@coterie/core/internal";
import { closeConstraints, constraintGraph, idOf, rowsOf } from "@coterie/core/internal";
import { forceCollide, forceLink, forceManyBody, forceSimulation, type SimulationNodeDatum } from "d3-force";
import { counted, fitText } from "../layout/text.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { captions, type FigureSize, frame, label } from "../theme/frame.js";
import { DASHES, flow, type LegendItem, markedItem, words } from "../theme/legend.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import { type Paint, painter } from "../theme/theme.js";

const STEPS = 300;

/** LENGTH: the rest length of an edge, in units of the simulation. PUSH: the strength with which vertices repel each other. */
const LENGTH = 30;

const PUSH = 2;

/**
 * Lengths of an edge at rest, in pixels. The figure tries them in this order and uses the first length that keeps its height within
 * MOST_HEIGHT.
 */
const UNITS = [120, 105, 92, 80, 70, 62, 55, 48] as const;

const MOST_HEIGHT = 460;

/**
 * GAP: the space around a connected part, in pixels. MOST_STRETCHED: parts in one row are stretched at most by this factor to fill the
 * width.
 */
const GAP = 64;

const MOST_STRETCHED = 1.8;

export interface ConflictGraphOptions extends Omit<FigureSize, "height"> {
  readonly diagnosis: Diagnosis;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[];
}

const MOST = 60;
/** In a clique, all vertices are neighbours. Cliques can be large, so only the first MOST_FOLLOWED vertices of a clique are followed. */
const MOST_FOLLOWED = 40;

/**
 * Draws the conflict graph as SVG. Returns null if there is no graph: the constraints contradict each other, or there is no cannot-link.
 */
export function conflictGraphFigure(options: ConflictGraphOptions): string | null {
  const { diagnosis, constraints, width = 960, theme = "light" } = options;
  if (diagnosis.graph === null || diagnosis.graph.vertices === 0) return null;
  const paint = painter(theme);
  const graph = constraintGraph(closeConstraints(constraints));
  const name = (row: number): InstanceId => idOf(options.ids ? { ids: options.ids } : {}, row);
  const core = coreOf(graph, diagnosis, name);
  const shown = core.size > 0 ? withNeighbours(graph, [...core]) : hardestFirst(graph, hardest(graph, diagnosis, name));
  const edges = edgesBetween(graph, shown);
  const dropped = droppedPairs(graph, diagnosis, name);
  const { places, height } = springLayout(shown.length, edges, width);
  const isCore = shown.map((v) => core.has(v));
  const isDropped = (i: number, j: number): boolean => dropped.has(pairKey(graph.vertices, shown[i]!, shown[j]!));
  const lines = edges.map(([i, j]) => edgeLine(places[i]!, places[j]!, isDropped(i, j), isCore[i]! && isCore[j]!, paint));
  const marks = shown.flatMap((v, i) =>
    vertexMark(graph, v, places[i]!, isCore[i]!, clusterOf(graph, v, diagnosis, name), name, paint),
  );
  const legend = flow(
    legendItems(
      diagnosis,
      edges.some(([i, j]) => isDropped(i, j)),
      shown.some((v) => rowsOf(graph, v).length > 1),
      paint,
    ),
    0,
    14,
    width,
  );
  const hidden = graph.vertices - shown.length;
  const notes =
    hidden > 0
      ? [
          `${counted(shown.length, "group")} of ${graph.vertices.toLocaleString("en")}: ${core.size > 0 ? "the groups that prove it, and their neighbours" : "the hardest to place, and their neighbours"}.`,
        ]
      : [];
  const top = legend.height + 6;
  return frame(
    {
      pad: 12,
      width,
      height: top + height + 18 * notes.length,
      theme,
      title: "The conflict graph",
      description: `${counted(shown.length, "group")} of rows, ${counted(edges.length, "pair")} of them kept apart${core.size > 0 ? `; ${core.size} groups need more clusters than asked for` : ""}.`,
    },
    [
      ...legend.drawn,
      svg("g", { transform: `translate(0,${top})` }, ...lines, ...marks),
      ...captions(notes, 0, top + height + 10, paint),
    ],
  );
}

function pairKey(n: number, u: number, v: number): number {
  return Math.min(u, v) * n + Math.max(u, v);
}

type Name = (row: number) => InstanceId;

function verticesOf(graph: ConstraintGraph, ids: ReadonlySet<string>, name: Name): number[] {
  const found: number[] = [];
  for (let v = 0; v < graph.vertices; v++) if (rowsOf(graph, v).some((row) => ids.has(String(name(row))))) found.push(v);
  return found;
}

function coreOf(graph: ConstraintGraph, { proof }: Diagnosis, name: Name): Set<number> {
  if (proof === null || !("core" in proof)) return new Set();
  return new Set(verticesOf(graph, new Set(proof.core.flat().map(String)), name));
}

function hardest(graph: ConstraintGraph, { points }: Diagnosis, name: Name): number[] {
  const vertexOfId = new Map<string, number>();
  for (let v = 0; v < graph.vertices; v++) for (const row of rowsOf(graph, v)) vertexOfId.set(String(name(row)), v);
  return [...new Set(points.flatMap(({ id }) => vertexOfId.get(String(id)) ?? []))];
}

/** Chooses the vertices to show: first the given vertices, then their neighbours, then the next neighbours, until the figure is full. */
function withNeighbours(graph: ConstraintGraph, first: readonly number[]): number[] {
  const shown = new Set(first.slice(0, MOST));
  for (const v of shown) {
    if (shown.size >= MOST) break;
    for (const other of neighbours(graph, v)) if (shown.size < MOST) shown.add(other);
  }
  return graph.vertices <= MOST ? everyVertex(graph) : [...shown];
}

/**
 * Chooses the vertices to show, hardest first. Each vertex comes with its neighbours, so that its edges can be drawn, until the figure is
 * full.
 */
function hardestFirst(graph: ConstraintGraph, order: readonly number[]): number[] {
  if (graph.vertices <= MOST) return everyVertex(graph);
  const shown = new Set<number>();
  for (const v of order) {
    for (const next of [v, ...neighbours(graph, v)]) if (shown.size < MOST) shown.add(next);
    if (shown.size >= MOST) break;
  }
  return [...shown];
}

function everyVertex({ vertices }: ConstraintGraph): number[] {
  return Array.from({ length: vertices }, (_, v) => v);
}

function neighbours({ links, cliques, cliquesOf }: ConstraintGraph, v: number): number[] {
  const own = [...links.items.subarray(links.start[v]!, links.start[v + 1]!)];
  for (const q of cliquesOf.items.subarray(cliquesOf.start[v]!, cliquesOf.start[v + 1]!)) {
    own.push(...cliques.items.subarray(cliques.start[q]!, Math.min(cliques.start[q + 1]!, cliques.start[q]! + MOST_FOLLOWED)));
  }
  return own.filter((other) => other !== v);
}

function edgesBetween({ closure, component }: ConstraintGraph, shown: readonly number[]): [number, number][] {
  const edges: [number, number][] = [];
  shown.forEach((u, i) => {
    for (let j = 0; j < i; j++) if (closure.apart(component[u]!, component[shown[j]!]!)) edges.push([j, i]);
  });
  return edges;
}

/** Pairs of vertices that the suggested repair no longer keeps apart. Their edges are drawn in another style. */
function droppedPairs(graph: ConstraintGraph, { repair }: Diagnosis, name: Name): Set<number> {
  const pairs = new Set<number>();
  for (const { type, ids } of repair?.dropped ?? []) {
    if (type !== "cannot-link") continue;
    const [u, v] = ids.map((id) => verticesOf(graph, new Set([String(id)]), name)[0]);
    if (u !== undefined && v !== undefined) pairs.add(pairKey(graph.vertices, u, v));
  }
  return pairs;
}

function clusterOf(graph: ConstraintGraph, v: number, { proof }: Diagnosis, name: Name): number {
  if (proof === null || !("colouring" in proof)) return -1;
  return proof.colouring[String(name(rowsOf(graph, v)[0]!))] ?? -1;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function edgeLine(from: Point, to: Point, dropped: boolean, inCore: boolean, paint: Paint): SvgElement {
  return svg("line", {
    x1: from.x,
    y1: from.y,
    x2: to.x,
    y2: to.y,
    stroke: paint(dropped ? "warn" : inCore ? "bad" : "edge"),
    "stroke-width": dropped ? 2.6 : inCore ? 1.6 : 1,
    "stroke-opacity": dropped || inCore ? 1 : 0.6,
    "stroke-dasharray": dropped ? "2 3" : DASHES["cannot-link"],
  });
}

function vertexMark(
  graph: ConstraintGraph,
  v: number,
  { x, y }: Point,
  inCore: boolean,
  cluster: number,
  name: Name,
  paint: Paint,
): SvgElement[] {
  const rows = rowsOf(graph, v);
  const text = rows.length === 1 ? String(name(rows[0]!)) : `${name(rows[0]!)} +${rows.length - 1}`;
  const mark =
    cluster >= 0
      ? clusterMark(cluster, paint, x, y, 6)
      : svg("circle", {
          cx: x,
          cy: y,
          r: inCore ? 6 : 4.5,
          fill: paint(inCore ? "bad" : "canvas"),
          stroke: paint(inCore ? "bad" : "edge"),
          "stroke-width": 1.4,
        });
  mark.appendChild(svg("title", {}, `${[...rows.subarray(0, 12)].map(name).join(", ")}${rows.length > 12 ? ", …" : ""}`));
  return [
    mark,
    label(x, y - 10, fitText(text, 10, 90), { size: 10, anchor: "middle", weight: inCore ? 600 : 400, rim: paint("canvas") }),
  ];
}

function legendItems({ proof }: Diagnosis, drops: boolean, groups: boolean, paint: Paint): LegendItem[] {
  const items = [lineKey("kept apart", paint("edge"), 1.4, DASHES["cannot-link"])];
  if (groups) items.push(words("a +2: a and two rows must-linked with it", paint("ink-2")));
  if (proof && "core" in proof) items.unshift(dotKey("these groups need more clusters", paint));
  if (drops) items.push(lineKey("drop this", paint("warn"), 2.6, "2 3"));
  if (proof && "colouring" in proof)
    items.push(words("shape and colour: the cluster in a clustering that keeps all", paint("ink-2")));
  return items;
}

function lineKey(text: string, stroke: string, width: number, dash: string): LegendItem {
  const line = { stroke, "stroke-width": width, "stroke-dasharray": dash };
  return markedItem(text, 34, (x, y) => svg("line", { x1: x, x2: x + 26, y1: y - 4, y2: y - 4, ...line }));
}

function dotKey(text: string, paint: Paint): LegendItem {
  return markedItem(text, 16, (x, y) => svg("circle", { cx: x + 5, cy: y - 4, r: 5, fill: paint("bad") }));
}

/*
 * Computes places for the vertices of a small graph. In each connected part, vertices repel each other and edges pull their ends together.
 * The layout is by d3-force, which starts from a spiral and uses no random numbers, so the same graph always has the same picture. The
 * parts are placed side by side in rows that fill the width, large parts first.
 */

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Layout {
  readonly places: readonly Place[];
  readonly height: number;
}

type Edge = readonly [number, number];

export function springLayout(count: number, edges: readonly Edge[], width: number): Layout {
  const parts = partsOf(count, edges)
    .map((vertices) => partLayout(vertices, edges))
    .sort((a, b) => b.height - a.height || b.width - a.width);
  let chosen = shelvesOf(parts, width, UNITS[0]);
  for (const unit of UNITS) {
    chosen = shelvesOf(parts, width, unit);
    if (chosen.reduce((sum, { height }) => sum + height, 0) <= MOST_HEIGHT) break;
  }
  const places: Place[] = new Array(count);
  let y = 0;
  for (const shelf of chosen) {
    placeShelf(shelf, y, width, places);
    y += shelf.height;
  }
  return { places, height: y };
}

/** Connected parts that are placed side by side in one row. unit: pixels per unit of their coordinates. */
interface Shelf {
  readonly parts: PartLayout[];
  readonly unit: number;
  /** The width and height of all parts in the row, in pixels. The width does not include the gaps between parts. */
  width: number;
  height: number;
}

/** Pixels per unit of a part's coordinates: `unit`, or less if the part would be wider than the figure. */
function unitFor(part: PartLayout, width: number, unit: number): number {
  return Math.min(unit, (width - GAP) / Math.max(part.width, 1e-9));
}

function shelvesOf(parts: readonly PartLayout[], width: number, wanted: number): Shelf[] {
  const shelves: Shelf[] = [];
  for (const part of parts) {
    const unit = unitFor(part, width, wanted);
    const last = shelves.at(-1);
    const fits =
      last !== undefined && last.unit === unit && last.width + unit * part.width + GAP * (last.parts.length + 1) <= width;
    const shelf = fits ? last : { parts: [], unit, width: 0, height: 0 };
    if (!fits) shelves.push(shelf);
    shelf.parts.push(part);
    shelf.width += unit * part.width;
    shelf.height = Math.max(shelf.height, unit * part.height + GAP);
  }
  return shelves;
}

/** Computes the places of a row's vertices. The parts of the row are stretched and moved apart, so that they fill the width. */
function placeShelf({ parts, unit, width: needed, height }: Shelf, y: number, width: number, places: Place[]): void {
  const room = width - GAP * parts.length;
  const stretch = needed > 0 ? Math.min(MOST_STRETCHED, Math.max(1, room / needed)) : 1;
  const gap = (width - needed * stretch) / parts.length;
  let x = gap / 2;
  for (const part of parts) {
    const top = y + (height - unit * part.height) / 2;
    part.vertices.forEach((v, i) => {
      places[v] = { x: x + part.x[i]! * unit * stretch, y: top + part.y[i]! * unit };
    });
    x += part.width * unit * stretch + gap;
  }
}

/** The connected components of a graph, ordered by their first vertices. */
function partsOf(count: number, edges: readonly Edge[]): number[][] {
  const others = Array.from({ length: count }, () => [] as number[]);
  for (const [u, v] of edges) {
    others[u]!.push(v);
    others[v]!.push(u);
  }
  const seen = new Set<number>();
  const parts: number[][] = [];
  for (let root = 0; root < count; root++) {
    if (seen.has(root)) continue;
    seen.add(root);
    const part = [root];
    for (const v of part) {
      for (const other of others[v]!) {
        if (!seen.has(other)) part.push(other);
        seen.add(other);
      }
    }
    parts.push(part);
  }
  return parts;
}

/** The layout of one connected part. The coordinates begin at 0 at its left and top edge; edges have about length 1. */
interface PartLayout {
  readonly vertices: readonly number[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
}

function partLayout(vertices: readonly number[], edges: readonly Edge[]): PartLayout {
  const place = new Map(vertices.map((v, i) => [v, i]));
  const own = edges.filter(([u]) => place.has(u)).map(([u, v]): Edge => [place.get(u)!, place.get(v)!]);
  const { x, y } = levelled(simulated(vertices.length, own));
  const [left, top] = [Math.min(...x), Math.min(...y)];
  return {
    vertices,
    x: x.map((value) => value - left),
    y: y.map((value) => value - top),
    width: Math.max(...x) - left,
    height: Math.max(...y) - top,
  };
}

interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Rotates points so that the direction of their largest spread is horizontal. */
function levelled({ x, y }: Points): Points {
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  x.forEach((value, v) => {
    xx += (value - mx) ** 2;
    xy += (value - mx) * (y[v]! - my);
    yy += (y[v]! - my) ** 2;
  });
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: x.map((value, v) => value * cos + y[v]! * sin), y: y.map((value, v) => value * cos - x[v]! * sin) };
}

function simulated(count: number, edges: readonly Edge[]): Points {
  const nodes: SimulationNodeDatum[] = Array.from({ length: count }, () => ({}));
  const links = edges.map(([source, target]) => ({ source, target }));
  forceSimulation(nodes)
    .force("push", forceManyBody().strength(-PUSH * LENGTH))
    .force("pull", forceLink(links).distance(LENGTH).strength(1))
    .force("keep", forceCollide(LENGTH / 2))
    .stop()
    .tick(STEPS);
  return { x: Float64Array.from(nodes, ({ x }) => x! / LENGTH), y: Float64Array.from(nodes, ({ y }) => y! / LENGTH) };
}
