/**
 * The silhouette of a clustering (Rousseeuw 1987): from -1 to 1. It is high if rows are much closer to their own cluster than to the next
 * cluster.
 */
import { evenly, upTo } from "../linalg/indices.js";
import type { Instances } from "../model/points.js";
import { drain, type Step } from "../steps/index.js";
import { distancesOf } from "./distance-between.js";
import { widthOf } from "./internal-scores.js";

/** Maximum number of rows for the silhouette. A larger table is reduced to an evenly spaced sample of this size. */
export const SILHOUETTE_ROWS = 1_000;

/** Number of distances that are computed between two yields. */
const PAIRS_PER_STEP = 20_000;

/** The silhouette of a clustering into k clusters. Null with fewer than two clusters, or fewer than three rows in clusters. */
export function silhouette(points: Instances, labels: Int32Array, k: number): number | null {
  return drain(silhouettesOf(points)(labels, k));
}

/** Silhouettes of several clusterings of the same rows. The first call computes the distances, later calls reuse them. */
export function silhouettesOf(points: Instances): (labels: Int32Array, k: number) => Generator<Step, number | null, unknown> {
  const { n } = points;
  const rows = n <= SILHOUETTE_ROWS ? upTo(n) : evenly(n, SILHOUETTE_ROWS);
  const count = rows.length;
  let distances: Float64Array | undefined;
  return function* (labels, k) {
    const inClusters = upTo(count).filter((at) => labels[rows[at]!]! >= 0);
    if (k < 2 || inClusters.length < 3) return null;
    distances ??= yield* distancesSteps(points, rows);
    const sizes = new Float64Array(k);
    for (const at of inClusters) sizes[labels[rows[at]!]!]!++;
    const sums = new Float64Array(k);
    let total = 0;
    for (const at of inClusters) {
      sums.fill(0);
      for (const other of inClusters) sums[labels[rows[other]!]!]! += distances[at * count + other]!;
      total += widthOf(sums, sizes, labels[rows[at]!]!);
    }
    return total / inClusters.length;
  };
}

function* distancesSteps(points: Instances, rows: ArrayLike<number>): Generator<Step, Float64Array, unknown> {
  const count = rows.length;
  const { between } = distancesOf(points, undefined);
  const distances = new Float64Array(count * count);
  const every = Math.ceil(PAIRS_PER_STEP / count);
  for (let at = 0; at < count; at++) {
    if (at % every === 0) yield { phase: "silhouette", done: at, total: count };
    for (let other = 0; other < count; other++) distances[at * count + other] = between(rows[at]!, rows[other]!);
  }
  return distances;
}
