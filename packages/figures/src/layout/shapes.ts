/** The shapes and colours of clusters. Each cluster has both, so that clusters can be distinguished without colour. */

export type Vertex = readonly [x: number, y: number];

/** Number of different colours. Further clusters repeat the colours with other shapes. */
const COLOURS = 8;

/** The corners of each shape, for radius 1. All areas are nearly equal, so that no cluster looks larger. A circle has no corners. */
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

function plus(a: number, h: number): Vertex[] {
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

/** Number of different combinations of colour and shape. Clusters c and c + LOOKS look the same. */
export const LOOKS = COLOURS * SHAPES.length;

/**
 * The number of a cluster's shape, 0 to 7. Rows without a cluster (-1) have shape 0, a circle. Each time the colours repeat, the shapes are
 * shifted by one.
 */
export function shapeOf(cluster: number): number {
  return cluster < 0 ? 0 : (cluster + Math.floor(cluster / COLOURS)) % SHAPES.length;
}

/** The number of a cluster's colour, 1 to 8; 0 for rows without a cluster. */
export function colourOf(cluster: number): number {
  return cluster < 0 ? 0 : (cluster % COLOURS) + 1;
}

export function verticesOf(cluster: number): readonly Vertex[] {
  return SHAPES[shapeOf(cluster)]!;
}

/** The SVG path of a cluster's mark around (x, y). It covers about the same area as a circle with radius r. */
export function shapePath(cluster: number, x: number, y: number, r: number): string {
  const vertices = verticesOf(cluster);
  if (vertices.length > 0) return `M${vertices.map(([vx, vy]) => `${short(x + vx * r)} ${short(y + vy * r)}`).join("L")}z`;
  const [across, radius] = [short(2 * r), short(r)];
  return `M${short(x - r)} ${short(y)}a${radius} ${radius} 0 1 0 ${across} 0a${radius} ${radius} 0 1 0 -${across} 0z`;
}

function short(length: number): string {
  return String(Math.round(length * 100) / 100);
}
