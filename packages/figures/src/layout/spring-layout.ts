/**
 * Places for the vertices of a small graph. In each connected part vertices push each other away and edges pull (Fruchterman and
 * Reingold 1991); the parts then stand side by side in rows, large ones first. It starts from a spiral and uses no chance, so the
 * same graph has the same picture.
 */

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly places: readonly Place[];
  readonly height: number;
}

type Edge = readonly [number, number];

const STEPS = 400;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** Pixels for the length at which pushing and pulling are even, and room around a part. */
const UNIT = 58;
const GAP = 56;

export function springLayout(count: number, edges: readonly Edge[], width: number): Layout {
  const parts = partsOf(count, edges).map((vertices) => partLayout(vertices, edges, width - GAP));
  const places: Place[] = new Array(count);
  let [x, y, tall] = [0, 0, 0];
  for (const part of parts.toSorted((a, b) => b.height - a.height || b.width - a.width)) {
    if (x > 0 && x + part.width + GAP > width) {
      y += tall;
      [x, tall] = [0, 0];
    }
    part.vertices.forEach((v, i) => {
      places[v] = { x: x + GAP / 2 + part.x[i]!, y: y + GAP / 2 + part.y[i]! };
    });
    x += part.width + GAP;
    tall = Math.max(tall, part.height + GAP);
  }
  return { places, height: y + tall };
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

interface PartLayout {
  readonly vertices: readonly number[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
}

function partLayout(vertices: readonly number[], edges: readonly Edge[], most: number): PartLayout {
  const place = new Map(vertices.map((v, i) => [v, i]));
  const own = edges.filter(([u]) => place.has(u)).map(([u, v]): Edge => [place.get(u)!, place.get(v)!]);
  const { x, y } = levelled(settled(vertices.length, own));
  const spread = (values: Float64Array) => ({ low: Math.min(...values), length: Math.max(...values) - Math.min(...values) });
  const [across, down] = [spread(x), spread(y)];
  const unit = Math.min(UNIT, most / Math.max(across.length, 1e-9));
  return {
    vertices,
    x: x.map((value) => (value - across.low) * unit),
    y: y.map((value) => (value - down.low) * unit),
    width: across.length * unit,
    height: down.length * unit,
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

function settled(count: number, edges: readonly Edge[]): Points {
  const x = Float64Array.from({ length: count }, (_, v) => Math.sqrt(v + 0.5) * Math.cos(v * GOLDEN));
  const y = Float64Array.from({ length: count }, (_, v) => Math.sqrt(v + 0.5) * Math.sin(v * GOLDEN));
  const [dx, dy] = [new Float64Array(count), new Float64Array(count)];
  const move = (u: number, v: number, force: (distance: number) => number): void => {
    const [ax, ay] = [x[u]! - x[v]!, y[u]! - y[v]!];
    const distance = Math.max(0.01, Math.sqrt(ax * ax + ay * ay));
    const f = force(distance) / distance;
    dx[u]! += ax * f;
    dy[u]! += ay * f;
    dx[v]! -= ax * f;
    dy[v]! -= ay * f;
  };
  for (let step = 0; step < STEPS; step++) {
    dx.fill(0);
    dy.fill(0);
    for (let u = 0; u < count; u++) for (let v = 0; v < u; v++) move(u, v, (distance) => 1 / distance);
    for (const [u, v] of edges) move(u, v, (distance) => -distance * distance);
    const most = 0.5 * (1 - step / STEPS) + 0.005;
    for (let v = 0; v < count; v++) {
      const length = Math.sqrt(dx[v]! * dx[v]! + dy[v]! * dy[v]!);
      const share = Math.min(1, most / Math.max(length, 1e-9));
      x[v]! += dx[v]! * share;
      y[v]! += dy[v]! * share;
    }
  }
  return { x, y };
}
