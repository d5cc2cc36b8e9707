/** Complete linkage of must-link components without the matrix of their distances: see `../screened.ts`. */
import type { Closure } from "../../../constraints/index.js";
import type { Kernels } from "../../../kernels/index.js";
import type { Steps } from "../../../steps/index.js";
import { isScreenable, screenedMergeSteps } from "../screened.js";
import { barOver, firstsFirst, isMeasuredAtOnce, type Measured, selectRows } from "./component-distances.js";
import { barPairs } from "./constrain-proximities.js";

/**
 * The raw merges of components, those of `componentDistanceSteps` with barred pairs to the bit; null where that matrix has to be made. Rows come in
 * the order in which it measures them, and detours over must-linked rows must be proven to shorten nothing.
 */
export function* screenedComponentSteps(measured: Measured, closure: Closure, kernels: Kernels): Steps<Float64Array | null> {
  const { points, metric, storage } = measured;
  if (!isScreenable(measured) || !isMeasuredAtOnce(closure, storage)) return null;
  yield { phase: "distances", done: 0, total: points.n };
  const order = firstsFirst(closure);
  const arena = kernels.arena();
  const bar = barOver(points, metric, arena);
  arena.release();
  const items = {
    count: closure.componentCount,
    of: order.map((row) => closure.component[row]!),
    bar,
    raise: (matrix: Float32Array, by: number): void => barPairs(matrix, closure, by),
  };
  return yield* screenedMergeSteps({ points: selectRows(points, order), metric, storage }, kernels, items);
}
