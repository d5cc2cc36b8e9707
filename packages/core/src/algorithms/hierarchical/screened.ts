/**
 * Complete linkage without a distance matrix. The kernels estimate all distances, and compute a distance exactly only if it decides a
 * comparison.
 */
import { type Arena, type Kernels, type Metric, pairKernelsOf, type RowItems, type ScreenedMetric } from "../../kernels/index.js";
import type { Points } from "../../model/points.js";
import type { Steps } from "../../steps/index.js";
import type { Storage } from "../distance.js";
import { placedSteps } from "../ready-rows.js";
import { isMeasuredHere } from "../row-distances.js";

export interface Measured {
  readonly points: Points;
  readonly metric: Metric;
  readonly storage: Storage;
}

/**
 * Complete linkage of the rows, or of the groups of rows in `items`. Returns raw merges (slot, slot, height), with the same bits as over a
 * distance matrix. Null if a matrix is needed.
 */
export function* screenedMergeSteps(measured: Measured, kernels: Kernels, items?: RowItems): Steps<Float64Array | null> {
  if (!isScreenable(measured)) return null;
  const arena = kernels.arena();
  try {
    return yield* mergesIn(arena, measured, kernels, items);
  } finally {
    arena.release();
  }
}

/**
 * Whether complete linkage can run without a matrix. A matrix is needed in single precision, because there the linkage compares rounded
 * values. It is also needed for distances that the caller gives.
 */
export function isScreenable(measured: Measured): measured is Measured & { readonly metric: ScreenedMetric } {
  const { points, metric, storage } = measured;
  if (storage !== "f64" || points.distances || isMeasuredHere(points, metric)) return false;
  return metric === "euclidean" || metric === "sqeuclidean" || metric === "cosine";
}

function* mergesIn(
  arena: Arena,
  { points, metric }: Measured & { readonly metric: ScreenedMetric },
  kernels: Kernels,
  items: RowItems | undefined,
): Steps<Float64Array | null> {
  const { n, d } = points;
  yield { phase: "distances", done: 0, total: n };
  const x = yield* placedSteps(points, arena);
  const state = pairKernelsOf(kernels).screenedLinkage(metric, x, n, d, arena, items);
  if (state === null) return null;
  for (;;) {
    const { phase, done, total } = state.advance();
    if (phase === "done") return state.merges();
    if (phase === "given up") return null;
    yield { phase, done, total };
  }
}
