/** Finds a place for the name of each cluster on a map. The place is near the rows of the cluster and covers few marks. */

const DIRECTIONS = 24;

/** Distances between the edge of a cluster and its name that are tried, in pixels. */
const DISTANCES = [8, 20, 36, 56] as const;

export interface LabelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface LabelFrame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Returns a box for the name of each cluster, in pixels; null if the cluster has no marks. Larger clusters choose first. A cluster chooses
 * the box with the lowest cost. The cost is the sum of the covered marks' weights, the distance from the cluster, and a penalty if the
 * centre of another cluster is nearer. Boxes never overlap.
 */
export function placeLabels(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  labels: ArrayLike<number>,
  widths: readonly number[],
  height: number,
  within: LabelFrame,
  weights: ArrayLike<number>,
): (LabelBox | null)[] {
  const members = widths.map((_, cluster) => {
    const rows: number[] = [];
    for (let i = 0; i < labels.length; i++) if (labels[i] === cluster) rows.push(i);
    return rows;
  });
  const centres = members.map((rows) => [median(rows, x), median(rows, y)] as const);
  const order = [...widths.keys()].sort((a, b) => members[b]!.length - members[a]!.length || a - b);
  const boxes: (LabelBox | null)[] = widths.map(() => null);
  for (const cluster of order) {
    if (members[cluster]!.length === 0) continue;
    let least = Number.POSITIVE_INFINITY;
    for (const { box, away } of candidates(members[cluster]!, centres[cluster]!, x, y, widths[cluster]!, height, within)) {
      if (boxes.some((other) => other !== null && overlap(box, other))) continue;
      const cost = covered(box, x, y, weights) + away * 0.05 + (nearestCentre(box, centres) === cluster ? 0 : 8);
      if (cost < least) {
        least = cost;
        boxes[cluster] = box;
      }
    }
  }
  return boxes;
}

function* candidates(
  rows: readonly number[],
  [cx, cy]: readonly [number, number],
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  width: number,
  height: number,
  within: LabelFrame,
): Generator<{ box: LabelBox; away: number }> {
  for (let direction = 0; direction < DIRECTIONS; direction++) {
    const angle = (2 * Math.PI * direction) / DIRECTIONS;
    const ux = Math.cos(angle);
    const uy = Math.sin(angle);
    const reach = rows.map((i) => (x[i]! - cx) * ux + (y[i]! - cy) * uy).sort((a, b) => a - b);
    const edge = reach[Math.ceil((reach.length - 1) * 0.98)]!;
    for (const distance of DISTANCES) {
      const away = edge + distance + (Math.abs(ux) * width + Math.abs(uy) * height) / 2;
      const left = Math.min(Math.max(cx + ux * away - width / 2, within.left), within.right - width);
      const top = Math.min(Math.max(cy + uy * away - height / 2, within.top), within.bottom - height);
      yield { box: { x: left, y: top, width, height }, away };
    }
  }
}

function median(rows: readonly number[], values: ArrayLike<number>): number {
  const sorted = rows.map((i) => values[i]!).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function covered(box: LabelBox, x: ArrayLike<number>, y: ArrayLike<number>, weights: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < x.length; i++) {
    const px = x[i]!;
    const py = y[i]!;
    if (px > box.x - 4 && px < box.x + box.width + 4 && py > box.y - 4 && py < box.y + box.height + 4) count += weights[i]!;
  }
  return count;
}

function nearestCentre(box: LabelBox, centres: readonly (readonly [number, number])[]): number {
  const bx = box.x + box.width / 2;
  const by = box.y + box.height / 2;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  centres.forEach(([cx, cy], cluster) => {
    const distance = (cx - bx) ** 2 + (cy - by) ** 2;
    if (distance < least) {
      least = distance;
      best = cluster;
    }
  });
  return best;
}

export function overlap(a: LabelBox, b: LabelBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
