/** The silhouette of a clustering (Rousseeuw 1987): how much nearer rows are to their own cluster than to the next one, 1 at best. */
import { evenly, upTo } from "../linalg/indices.js";
import type { Instances } from "../model/points.js";
import { drain, type Step } from "../steps/index.js";
import { distancesOf } from "./distance-between.js";

/** Of more rows an even sample of so many counts, and is compared among itself. */
export const SILHOUETTE_ROWS = 1_000;

/** Distances of one step. */
const PAIRS_PER_STEP = 20_000;

/** Null where there is nothing to compare: fewer than two clusters, or fewer than three rows in clusters. */
export function silhouette(points: Instances, labels: Int32Array, k: number): number | null {
  return drain(silhouetteSteps(points, labels, k));
}

export function* silhouetteSteps(points: Instances, labels: Int32Array, k: number): Generator<Step, number | null, unknown> {
  const { n } = points;
  const rows = n <= SILHOUETTE_ROWS ? upTo(n) : evenly(n, SILHOUETTE_ROWS);
  const inClusters = rows.filter((row) => labels[row]! >= 0);
  if (k < 2 || inClusters.length < 3) return null;
  const { between } = distancesOf(points, undefined);
  const sizes = new Float64Array(k);
  for (const row of inClusters) sizes[labels[row]!]!++;
  const sums = new Float64Array(k);
  const every = Math.ceil(PAIRS_PER_STEP / inClusters.length);
  let total = 0;
  for (let at = 0; at < inClusters.length; at++) {
    if (at % every === 0) yield { phase: "silhouette", done: at, total: inClusters.length };
    const row = inClusters[at]!;
    sums.fill(0);
    for (const other of inClusters) sums[labels[other]!]! += between(row, other);
    total += widthOf(sums, sizes, labels[row]!);
  }
  return total / inClusters.length;
}

/** From the sums of a row's distances to each cluster; 0 for a row that is alone. */
function widthOf(sums: Float64Array, sizes: Float64Array, own: number): number {
  if (sizes[own] === 1) return 0;
  const inside = sums[own]! / (sizes[own]! - 1);
  let outside = Infinity;
  for (let c = 0; c < sizes.length; c++) if (c !== own && sizes[c]! > 0) outside = Math.min(outside, sums[c]! / sizes[c]!);
  const larger = Math.max(inside, outside);
  return Number.isFinite(outside) && larger > 0 ? (outside - inside) / larger : 0;
}
