/** One run of a linkage over must-link components: with the constraints as they are given, and with the completed set. */
import type { Closure } from "../../../constraints/index.js";
import type { Arena, F32, F64, Kernels } from "../../../kernels/index.js";
import type { Merge } from "../../../model/result.js";
import type { Steps } from "../../../steps/index.js";
import { orderMerges } from "../cut/merges.js";
import { type Linkage, openLinkage, type PreparedLinkage, runLinkage } from "../linkage.js";
import { componentDistanceSteps } from "./component-distances.js";
import { markForbidden, weighForWard } from "./component-merges.js";
import { barAbove, barPairs, joinRowsSteps } from "./constrain-proximities.js";
import { type HalfMatrix, keepHalf, type RowsAbove, rowsOfHalf, rowsOfWhole } from "./half-matrix.js";
import { partedSingleSteps } from "./parted-single.js";
import { screenedComponentSteps } from "./screened-components.js";

export interface Space {
  readonly prepared: PreparedLinkage;
  readonly closure: Closure;
  readonly linkage: Linkage;
  readonly kernels: Kernels;
}

export interface Plain {
  /** Over the components. */
  readonly merges: readonly Merge[];
  /** Distances between components, if they were to be kept and are not too many; undefined if none were made: see `keptSteps`. */
  readonly kept: HalfMatrix | null | undefined;
}

/** Half a matrix of more bytes is not kept but made again: 16,000 rows in double precision, 23,000 in single. */
const MOST_KEPT = 2 ** 30;

/** The linkage under the constraints as they are given: the paper's. */
export function* plainSteps(space: Space, keeps: boolean): Steps<Plain> {
  const { closure, linkage, kernels, prepared } = space;
  const raw = linkage === "complete" ? yield* screenedComponentSteps(prepared, closure, kernels) : null;
  if (raw === null) return yield* byMatrix(space, keeps);
  return { merges: markForbidden(orderMerges(raw, closure.componentCount, linkage), closure), kept: undefined };
}

function byMatrix(space: Space, keeps: boolean): Steps<Plain> {
  const { closure, linkage, kernels } = space;
  const { componentCount: m, sizes } = closure;
  return withMemory(kernels, function* (arena) {
    const { matrix, barred } = yield* distanceSteps(space, arena);
    const kept = keeps ? yield* halfOf(matrix, m) : null;
    barPairs(matrix.view(), closure, barred);
    if (linkage === "ward") weighForWard(matrix.view(), sizes);
    const raw = yield* runLinkage(openLinkage(linkage, matrix, m, kernels, arena, sizes), m);
    return { merges: markForbidden(orderMerges(raw, m, linkage), closure), kept };
  });
}

/** Makes the matrix for what is kept of it alone. */
export function keptSteps(space: Space): Steps<HalfMatrix | null> {
  return withMemory(space.kernels, function* (arena) {
    return yield* halfOf((yield* distanceSteps(space, arena)).matrix, space.closure.componentCount);
  });
}

/** Null if it is too large to be kept. */
function* halfOf(matrix: F64 | F32, m: number): Steps<HalfMatrix | null> {
  const bytes = ((m * (m - 1)) / 2) * (matrix.type === "f64" ? 8 : 4);
  return bytes <= MOST_KEPT ? yield* keepHalf(matrix, m) : null;
}

/** Works with the distances between components once more, in memory that is given back at the end. */
export function distancesAgain<R>(
  space: Space,
  kept: HalfMatrix | null,
  work: (rows: RowsAbove, arena: Arena) => Steps<R>,
): Steps<R> {
  const m = space.closure.componentCount;
  return withMemory(space.kernels, function* (arena) {
    const rows = kept ? rowsOfHalf(kept, m) : rowsOfWhole((yield* distanceSteps(space, arena)).matrix, m);
    return yield* work(rows, arena);
  });
}

/**
 * The linkage with the completed set, whose closure is over the components and puts those of one colour together. Writes over
 * distances that were not kept. Bars between colours last: in complete linkage they are large distances, by which forbidden merges are ordered, in
 * the linkages that average they are Infinity, and in single linkage no distance can be one.
 */
export function* completedLinkageSteps(
  { closure: components, linkage, kernels }: Space,
  completed: Closure,
  rows: RowsAbove,
  arena: Arena,
): Steps<readonly Merge[]> {
  const matrix = yield* joinRowsSteps(rows, completed, kernels, arena);
  const m = completed.componentCount;
  const sizes = new Int32Array(m);
  completed.component.forEach((c, i) => {
    sizes[c]! += components.sizes[i]!;
  });
  if (linkage === "ward") weighForWard(matrix.view(), sizes);
  const apart = completed.cliques.items;
  if (linkage === "single") {
    const raw = yield* partedSingleSteps(matrix, m, apart.length > 0 ? apart : Int32Array.of(0));
    return markForbidden(orderMerges(raw, m, linkage), completed);
  }
  barPairs(matrix.view(), completed, linkage === "complete" ? barAbove(matrix, m) : Infinity);
  const raw = yield* runLinkage(openLinkage(linkage, matrix, m, kernels, arena, sizes), m);
  return markForbidden(orderMerges(raw, m, linkage), completed);
}

function distanceSteps({ prepared, closure, kernels, linkage }: Space, arena: Arena) {
  return componentDistanceSteps(prepared, closure, kernels, arena, linkage === "complete" || linkage === "single");
}

function* withMemory<R>(kernels: Kernels, work: (arena: Arena) => Steps<R>): Steps<R> {
  const arena = kernels.arena();
  try {
    return yield* work(arena);
  } finally {
    arena.release();
  }
}
