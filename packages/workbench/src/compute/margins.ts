/**
 * For each row, its distances to its own cluster and to the nearest other cluster. They show typical rows and doubtful rows. The distance
 * to a cluster is the distance to its mean. A nominal column has one coordinate per level, but none for rare levels.
 */
import { type Instances, idOf } from "@coterie/core/internal";
import { expand, readRow } from "@coterie/core/layout";

export interface Margins {
  /** For each row, the distance to the mean of its own cluster; NaN for a row in no cluster. */
  readonly own: Float64Array;
  /** other: for each row, the nearest other cluster; -1 if there is none. away: the distance to the mean of that cluster. */
  readonly other: Int32Array;
  readonly away: Float64Array;
}

export function marginsOf(points: Instances, labels: Int32Array, k: number): Margins {
  const { n } = points;
  const expansion = expand(points, {});
  const width = expansion.size;
  const row = new Float64Array(width);
  const { means, sizes } = meansOf(points, labels, k, expansion);
  const own = new Float64Array(n).fill(Number.NaN);
  const other = new Int32Array(n).fill(-1);
  const away = new Float64Array(n).fill(Infinity);
  for (let i = 0; i < n; i++) {
    if (labels[i]! < 0) continue;
    readRow(points, expansion, i, row);
    for (let c = 0; c < k; c++) {
      if (sizes[c] === 0) continue;
      const distance = distanceTo(row, means, c * width);
      if (c === labels[i]) own[i] = distance;
      else if (distance < away[i]!) {
        away[i] = distance;
        other[i] = c;
      }
    }
  }
  return { own, other, away };
}

function meansOf(points: Instances, labels: Int32Array, k: number, expansion: ReturnType<typeof expand>) {
  const width = expansion.size;
  const means = new Float64Array(k * width);
  const sizes = new Float64Array(k);
  const row = new Float64Array(width);
  for (let i = 0; i < points.n; i++) {
    const c = labels[i]!;
    if (c < 0) continue;
    readRow(points, expansion, i, row);
    sizes[c]!++;
    for (let j = 0; j < width; j++) means[c * width + j]! += row[j]!;
  }
  for (let c = 0; c < k; c++) for (let j = 0; j < width; j++) means[c * width + j]! /= sizes[c] || 1;
  return { means, sizes };
}

function distanceTo(row: Float64Array, means: Float64Array, at: number): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += (row[j]! - means[at + j]!) ** 2;
  return Math.sqrt(sum);
}

/** A row is a close call if `doubtOf` gives more than this. */
export const IN_DOUBT = 0.8;

/** Number of rows that are close calls. Rows with an id in `named` are not counted. */
export function closeCalls(points: Instances, named: ReadonlySet<string>, margins: Margins): number {
  let calls = 0;
  for (let i = 0; i < points.n; i++) if (doubtOf(margins, i) > IN_DOUBT && !named.has(String(idOf(points, i)))) calls++;
  return calls;
}

/** The doubt about the cluster of a row: 0 at the mean of its cluster, 1 or more if another cluster is as near. */
export function doubtOf({ own, other, away }: Margins, row: number): number {
  if (other[row]! < 0 || Number.isNaN(own[row]!)) return 0;
  return away[row] === 0 ? 1 : own[row]! / away[row]!;
}
