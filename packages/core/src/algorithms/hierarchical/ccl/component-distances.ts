/**
 * Constrained distances from points to a matrix with one row for each must-link component: what `joinSteps` makes of the full
 * matrix, without ever making that. The first rows of the components are measured against each other, and must-linked rows
 * against all, a few at a time.
 */
import type { Closure } from "../../../constraints/index.js";
import type { Arena, F32, F64, Kernels, Metric } from "../../../kernels/index.js";
import type { Points } from "../../../model/points.js";
import type { Step, Steps } from "../../../steps/index.js";
import { columnRanges, distanceMatrixSteps, type Storage } from "../../distance.js";
import { isMeasuredHere } from "../../row-distances.js";
import { barAbove, blockLike, chunkletsOf, firstRows, joinSteps, rowsOf, takeNearer } from "./constrain-proximities.js";
import { propagateSteps } from "./propagate.js";

type Matrix = Float64Array | Float32Array;

export interface Measured {
  readonly points: Points;
  readonly metric: Metric;
  readonly storage: Storage;
}

export interface ComponentDistances {
  /** m × m, at the start of the block; pairs that must be apart are not barred yet. */
  readonly matrix: F64 | F32;
  /** More than every entry. */
  readonly barred: number;
}

/**
 * `orderOnly` says that no entry is ever averaged with another: any bar above all distances then gives the same merges, and a bound
 * on them spares a look at the whole matrix.
 */
export function* componentDistanceSteps(
  { points, metric, storage }: Measured,
  closure: Closure,
  kernels: Kernels,
  arena: Arena,
  orderOnly: boolean,
): Steps<ComponentDistances> {
  if (points.distances || isMeasuredHere(points, metric)) {
    const matrix = yield* distanceMatrixSteps(points, metric, storage, kernels, arena);
    yield* joinSteps(matrix, closure, kernels, arena);
    return { matrix, barred: barAbove(matrix, closure.componentCount) };
  }
  const ranges = metric === "gower" ? columnRanges(points, arena) : null;
  const first = selectRows(points, firstRows(closure));
  const matrix = yield* distanceMatrixSteps(first, metric, storage, kernels, arena, ranges);
  if (closure.componentCount < closure.n) {
    const near = blockLike(matrix, chunkletsOf(closure).length * closure.componentCount, arena);
    yield* measureChunklets(points, metric, ranges, closure, matrix, near, kernels, arena);
    yield* propagateSteps(matrix, near, chunkletsOf(closure), closure.componentCount, kernels, arena);
  }
  // Also in single precision nothing rounds to less than a number that single precision holds.
  const barred = orderOnly ? Math.fround(farthestPossible(points, metric, arena) + 1) : barAbove(matrix, closure.componentCount);
  return { matrix, barred };
}

/** No distance is larger, however it is rounded. */
function farthestPossible(points: Points, metric: Metric, arena: Arena): number {
  if (metric === "cosine") return 2;
  if (metric === "gower") return 1;
  if (metric === "hamming") return points.d;
  const squares = columnRanges(points, arena)
    .view()
    .reduce((sum, range) => sum + range * range, 0);
  return 1.001 * (metric === "euclidean" ? Math.sqrt(squares) : squares);
}

function selectRows({ d, x, nominal }: Points, rows: Int32Array): Points {
  const selected = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    selected.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return { n: rows.length, d, x: selected, ...(nominal ? { nominal } : {}) };
}

/** Must-linked rows that are measured against all rows at a time: fewer where there are many columns, so that each step is short. */
const MOST_AT_ONCE = 256;
const PRODUCTS_PER_STEP = 500_000_000;

function rowsAtOnce({ n, d }: Points): number {
  return Math.max(8, Math.min(MOST_AT_ONCE, Math.floor(PRODUCTS_PER_STEP / (n * d))));
}

/**
 * The distance between each chunklet and each component, by their nearest members, into `near`. `matrix` has those between their first rows, so
 * that only the other rows of chunklets are measured.
 */
function* measureChunklets(
  points: Points,
  metric: Metric,
  ranges: F64 | null,
  closure: Closure,
  matrix: F64 | F32,
  near: F64 | F32,
  kernels: Kernels,
  arena: Arena,
): Generator<Step, void, void> {
  const { n, d, x } = points;
  const atOnce = rowsAtOnce(points);
  const chunklets = chunkletsOf(closure);
  const m = closure.componentCount;
  const firsts = chunklets.map((chunklet) => rowsOf(closure, chunklet)[0]!);
  const linked = Array.from(chunklets, (chunklet, a) =>
    Array.from(rowsOf(closure, chunklet).slice(1), (row) => ({ a, row })),
  ).flat();
  // A few rows before all rows: the kernel measures the first rows of a table against the whole.
  const width = atOnce + n;
  const table = arena.f64(width * d);
  const out = blockLike(near, atOnce * width, arena);
  table.view().set(x.subarray(0, n * d), atOnce * d);
  chunklets.forEach((chunklet, a) => {
    near.view().set(matrix.view().subarray(chunklet * m, (chunklet + 1) * m) as never, a * m);
  });
  for (let done = 0; done < linked.length; done += atOnce) {
    yield { phase: "distances of must-linked rows", done, total: linked.length };
    const some = linked.slice(done, done + atOnce);
    some.forEach(({ row }, i) => {
      table.view().set(x.subarray(row * d, (row + 1) * d), i * d);
    });
    kernels.distances(metric, table, width, d, ranges, 0, some.length, out);
    some.forEach(({ a }, i) => {
      takeNearer(near.view(), a, out.view(), i * width + atOnce, closure);
      takeNearerFirsts(near.view(), chunklets[a]!, out.view(), i * width + atOnce, firsts, m);
    });
  }
}

/** Each chunklet takes in the distance of its first row to a row of component `own`. */
function takeNearerFirsts(near: Matrix, own: number, d: Matrix, from: number, firsts: Int32Array, m: number): void {
  for (let b = 0; b < firsts.length; b++) {
    const distance = d[from + firsts[b]!]!;
    if (distance < near[b * m + own]!) near[b * m + own] = distance;
  }
}
