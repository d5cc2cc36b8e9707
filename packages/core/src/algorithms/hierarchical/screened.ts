/** Complete linkage of rows without the matrix of their distances, where the kernels have a way: see ScreenedLinkage. */
import type { Arena, Kernels, Metric, RowItems, ScreenedMetric } from "../../kernels/index.js";
import type { Points } from "../../model/points.js";
import type { Steps } from "../../steps/index.js";
import type { Storage } from "../distance.js";
import { placedSteps } from "../ready-rows.js";
import { isMeasuredHere } from "../row-distances.js";

interface Measured {
  readonly points: Points;
  readonly metric: Metric;
  readonly storage: Storage;
}

/** The raw merges of rows, or of items of rows, those of the matrix to the bit; null where the matrix has to be made. */
export function* screenedMergeSteps(measured: Measured, kernels: Kernels, items?: RowItems): Steps<Float64Array | null> {
  if (!isScreenable(measured)) return null;
  const arena = kernels.arena();
  try {
    return yield* mergesIn(arena, measured, kernels, items);
  } finally {
    arena.release();
  }
}

/** Distances that are rounded to singles are compared as such, and those that were given are there. */
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
  const state = kernels.screenedLinkage(metric, x, n, d, arena, items);
  if (state === null) return null;
  for (;;) {
    const { phase, done, total } = state.advance();
    if (phase === "done") return state.merges();
    if (phase === "given up") return null;
    yield { phase, done, total };
  }
}
