/**
 * Raw merges of single linkage, by mutual reachability or by distance alone, without a matrix. Euclidean distances of up to some columns
 * go by a k-d tree; many columns and other distances row by row.
 */
import type { Metric } from "../../../kernels/kernels.js";
import type { Instances } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { type KdTree, kdTree } from "../../../structures/kd-tree.js";
import { boruvkaSteps, type SpanningTree } from "./boruvka.js";
import { type Neighbours, neighbourSteps } from "./neighbours.js";
import { coreDistanceSteps, primSteps } from "./prim.js";
import { rowDistances } from "./row-distances.js";

/** With more columns boxes hardly ever spare a distance. */
export const MOST_TREE_COLUMNS = 40;

/** Neighbours that are looked up for plain distances, which need none. */
const FEW = 4;

/** `minSamples`: neighbours within the core distance of a row, 0 for plain distances. */
export function* spanningMergeSteps(points: Instances, metric: Metric, minSamples: number): Steps<Float64Array> {
  const { n, d, distances, nominal, holes } = points;
  const k = Math.min(minSamples, n - 1);
  const isPlane = (metric === "euclidean" || metric === "sqeuclidean") && !distances && !holes && !nominal?.includes(1);
  if (n < 3 || !isPlane || d > MOST_TREE_COLUMNS || d === 0) {
    const { distancesOf, cost } = rowDistances(points, metric);
    const core = yield* coreDistanceSteps(n, k, distancesOf, cost);
    return yield* primSteps(n, core, distancesOf, cost);
  }
  const tree = kdTree(points);
  const nearby = yield* neighbourSteps(tree, k === 0 ? Math.min(FEW, n - 1) : k);
  const core = coreSquares(tree, nearby, k);
  const edges = yield* boruvkaSteps(tree, core, nearby);
  return rawMerges(edges, tree, core, metric === "euclidean" ? Math.sqrt : (square) => square);
}

/** Squares of core distances, with the bits of the distance kernels. */
function coreSquares(tree: KdTree, { k: listed, places }: Neighbours, k: number): Float64Array {
  const core = new Float64Array(tree.n);
  if (k > 0) for (let p = 0; p < tree.n; p++) core[p] = squareOf(tree, p, places[p * listed + k - 1]!);
  return core;
}

function rawMerges({ a, b }: SpanningTree, tree: KdTree, core: Float64Array, heightOf: (square: number) => number): Float64Array {
  const raw = new Float64Array(3 * a.length);
  for (let e = 0; e < a.length; e++) {
    const [p, q] = [a[e]!, b[e]!];
    raw[3 * e] = tree.rows[p]!;
    raw[3 * e + 1] = tree.rows[q]!;
    raw[3 * e + 2] = heightOf(Math.max(squareOf(tree, p, q), core[p]!, core[q]!));
  }
  return raw;
}

/** In the order of the distance kernels, so that heights have their bits. */
function squareOf({ x, d }: KdTree, p: number, q: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const difference = x[p * d + j]! - x[q * d + j]!;
    sum += difference * difference;
  }
  return sum;
}
