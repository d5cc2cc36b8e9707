/**
 * Places for the vertices of a small graph. In each connected part vertices push each other away and edges pull (d3-force, which starts
 * from a spiral and uses no chance: the same graph has the same picture); the parts then stand side by side in rows that fill the
 * width, large ones first.
 */
import { forceCollide, forceLink, forceManyBody, forceSimulation, type SimulationNodeDatum } from "d3-force";

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly places: readonly Place[];
  readonly height: number;
}

type Edge = readonly [number, number];

const STEPS = 300;
/** Length of an edge at rest, in the simulation's units, and how hard vertices push beside it. */
const LENGTH = 30;
const PUSH = 2;
/** Pixels for the length at which pushing and pulling are even: the first with which the picture is not too high. */
const UNITS = [120, 105, 92, 80, 70, 62, 55, 48] as const;
const MOST_HEIGHT = 460;
/** Room around a part, and how much wider than high a row may be drawn to fill the width. */
const GAP = 64;
const MOST_STRETCHED = 1.8;

export function springLayout(count: number, edges: readonly Edge[], width: number): Layout {
  const parts = partsOf(count, edges)
    .map((vertices) => partLayout(vertices, edges))
    .sort((a, b) => b.height - a.height || b.width - a.width);
  let chosen = shelvesOf(parts, width, UNITS[0]);
  for (const unit of UNITS) {
    chosen = shelvesOf(parts, width, unit);
    if (heightOf(chosen) <= MOST_HEIGHT) break;
  }
  const places: Place[] = new Array(count);
  let y = 0;
  for (const shelf of chosen) {
    placeShelf(shelf, y, width, places);
    y += shelf.height;
  }
  return { places, height: y };
}

/** Parts side by side, `unit` pixels for a length of 1. */
interface Shelf {
  readonly parts: PartLayout[];
  readonly unit: number;
  /** Of the parts alone, without the room around them. */
  width: number;
  height: number;
}

/** A part that is wider than the figure is drawn smaller. */
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

function heightOf(shelves: readonly Shelf[]): number {
  return shelves.reduce((sum, { height }) => sum + height, 0);
}

/** Spreads a row over the width: its parts are drawn wider, then stand further apart. */
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

/** Connected vertices, in the order of their first ones. */
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

/** A part's places in lengths, from its corner. */
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

/** Turned so that the direction in which they spread most is level. */
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
