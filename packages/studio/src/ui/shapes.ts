/** Shapes of clusters: colour is never the only sign. Areas are made to look alike. */

const COLOURS = 8;

/** A shape around (x, y), about as large as a circle of radius r. Shapes repeat in a new order after eight. */
export function shapePath(slot: number, x: number, y: number, r: number): string {
  switch (shapeOf(slot)) {
    case 1: {
      const d = r * 1.28;
      return `M${n(x)} ${n(y - d)}l${n(d)} ${n(d)}l${n(-d)} ${n(d)}l${n(-d)} ${n(-d)}z`;
    }
    case 2:
      return `M${n(x)} ${n(y - r * 1.26)}l${n(r * 1.2)} ${n(r * 2.28)}h${n(-r * 2.4)}z`;
    case 3: {
      const s = r * 0.95;
      return `M${n(x - s)} ${n(y - s)}h${n(2 * s)}v${n(2 * s)}h${n(-2 * s)}z`;
    }
    case 4: {
      const a = r * 0.38;
      const b = r * 1.14;
      return `M${n(x - a)} ${n(y - b)}h${n(2 * a)}V${n(y - a)}H${n(x + b)}v${n(2 * a)}H${n(x + a)}V${n(y + b)}h${n(-2 * a)}V${n(y + a)}H${n(x - b)}v${n(-2 * a)}H${n(x - a)}z`;
    }
    case 5:
      return `M${n(x - r * 1.14)} ${n(y - r * 0.95)}h${n(r * 2.28)}l${n(-r * 1.14)} ${n(r * 2)}z`;
    case 6:
      return polygon(x, y, r * 1.2, 5);
    case 7:
      return cross(x, y, r);
    default:
      return `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0z`;
  }
}

/** Which of the eight shapes a slot has; from the ninth slot on, a colour comes back with another shape. */
export function shapeOf(slot: number): number {
  if (slot < 0) return 0;
  return (slot + 3 * Math.floor(slot / COLOURS)) % COLOURS;
}

/** Which of the eight colours a slot has, from 1; 0 is for rows in no group. */
export function colourOf(slot: number): number {
  return slot < 0 ? 0 : (slot % COLOURS) + 1;
}

function polygon(x: number, y: number, r: number, corners: number): string {
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = (i / corners) * 2 * Math.PI - Math.PI / 2;
    return `${n(x + r * Math.cos(angle))} ${n(y + r * Math.sin(angle))}`;
  });
  return `M${points.join("L")}z`;
}

function cross(x: number, y: number, r: number): string {
  const [a, b] = [r * 0.36, r * 1.14];
  const corners: readonly (readonly [number, number])[] = [
    [-b, -b + a],
    [-b + a, -b],
    [0, -a],
    [b - a, -b],
    [b, -b + a],
    [a, 0],
    [b, b - a],
    [b - a, b],
    [0, a],
    [-b + a, b],
    [-b, b - a],
    [-a, 0],
  ];
  return `M${corners.map(([dx, dy]) => `${n(x + dx)} ${n(y + dy)}`).join("L")}z`;
}

function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}
