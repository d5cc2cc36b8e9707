/** The marks of clusters: a shape beside a colour, so that no picture rests on colour alone. */
import { type SvgElement, svg } from "./svg-document.js";
import { COLOURS, clusterToken, type Paint } from "./theme.js";

type Vertex = readonly [x: number, y: number];

/** Vertices for a mark of radius 1; areas are near each other's, so that no cluster looks heavier. A circle has none. */
const SHAPES: readonly (readonly Vertex[])[] = [
  [],
  [
    [0, -1.22],
    [1.22, 0],
    [0, 1.22],
    [-1.22, 0],
  ],
  [
    [0, -1.25],
    [1.2, 0.85],
    [-1.2, 0.85],
  ],
  [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  [
    [0, 1.25],
    [1.2, -0.85],
    [-1.2, -0.85],
  ],
  plus(1.2, 0.42),
  star(1.35, 0.6),
  [
    [-0.6, -1.05],
    [0.6, -1.05],
    [1.2, 0],
    [0.6, 1.05],
    [-0.6, 1.05],
    [-1.2, 0],
  ],
];

function plus(arm: number, half: number): Vertex[] {
  const a = arm;
  const h = half;
  return [
    [-h, -a],
    [h, -a],
    [h, -h],
    [a, -h],
    [a, h],
    [h, h],
    [h, a],
    [-h, a],
    [-h, h],
    [-a, h],
    [-a, -h],
    [-h, -h],
  ];
}

function star(outer: number, inner: number): Vertex[] {
  return Array.from({ length: 10 }, (_, corner) => {
    const angle = (corner * Math.PI) / 5 - Math.PI / 2;
    const radius = corner % 2 === 0 ? outer : inner;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });
}

/** Pairs of colour and shape; cluster c looks like cluster c % LOOKS. */
export const LOOKS = COLOURS * SHAPES.length;

/** Eight shapes for the eight colours; each further round of colours moves on by one shape. Rows without a cluster: circle. */
function shapeOf(cluster: number): readonly Vertex[] {
  return cluster < 0 ? SHAPES[0]! : SHAPES[(cluster + Math.floor(cluster / COLOURS)) % SHAPES.length]!;
}

/** The path of a cluster's mark with radius `r`, around (x, y). */
function shapePath(cluster: number, r: number, x = 0, y = 0): string {
  const vertices = shapeOf(cluster);
  if (vertices.length === 0) return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  return `M${vertices.map(([vx, vy]) => `${x + vx * r} ${y + vy * r}`).join("L")}z`;
}

/** The canvas-like calls by which Plot asks for a symbol. */
interface PathSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}

/** The cluster's shape as a symbol for Plot, which passes the area of a circle of the wanted radius. */
export function plotSymbol(cluster: number): "circle" | { draw(sink: PathSink, area: number): void } {
  const vertices = shapeOf(cluster);
  if (vertices.length === 0) return "circle";
  return {
    draw(sink, area) {
      const r = Math.sqrt(area / Math.PI);
      vertices.forEach(([x, y], at) => {
        if (at === 0) sink.moveTo(x * r, y * r);
        else sink.lineTo(x * r, y * r);
      });
      sink.closePath();
    },
  };
}

/** A cluster's mark for legends and table heads. */
export function clusterMark(cluster: number, paint: Paint, x: number, y: number, r = 4.5): SvgElement {
  const colour = paint(clusterToken(cluster));
  return svg("path", {
    d: shapePath(cluster, r, x, y),
    ...(cluster < 0 ? { fill: "none", stroke: colour, "stroke-width": 1.2 } : { fill: colour }),
  });
}
