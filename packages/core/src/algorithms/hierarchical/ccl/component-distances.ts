/**
 * Constrained distances from points to a matrix with one row for each must-link component: what `joinSteps` makes of the full
 * matrix. The first rows of the components come first:
 *
 *            m first rows   n - m others
 *          ┌──────────────┬──────────────┐
 *     m    │ the matrix   │              │
 *          ├──────────────┤   nearest    │
 *    n - m │    members of chunklets     │
 *          └──────────────┴──────────────┘
 *
 * Where most rows are alone in their components all of it is measured at once, each pair once. Else the first rows are measured
 * against each other, and the others against all, a few at a time, and the full matrix is never made.
 */
import type { Closure } from "../../../constraints/index.js";
import type { Arena, F32, F64, Kernels, Metric } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
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
  const { n, componentCount: m } = closure;
  const ranges = metric === "gower" ? columnRanges(points, arena) : null;
  const atOnce = n > m && isMeasuredAtOnce(closure, storage);
  const order = atOnce ? firstsFirst(closure) : firstRows(closure);
  const matrix = yield* distanceMatrixSteps(selectRows(points, order), metric, storage, kernels, arena, ranges);
  if (n > m) {
    const near = blockLike(matrix, chunkletsOf(closure).length * m, arena);
    if (atOnce) yield* contractOrdered(matrix, near, order, closure);
    else yield* measureChunklets(points, metric, ranges, closure, matrix, near, kernels, arena);
    yield* takeNear(matrix, near, chunkletsOf(closure), m);
    yield* propagateSteps(matrix, near, chunkletsOf(closure), m, kernels, arena);
  }
  return { matrix, barred: orderOnly ? barOver(points, metric, arena) : barAbove(matrix, closure.componentCount) };
}

/** More than every distance. Also in single precision nothing rounds to less than a number that single precision holds. */
export function barOver(points: Points, metric: Metric, arena: Arena): number {
  return Math.fround(farthestPossible(points, metric, arena) + 1);
}

/** The full matrix may take so many times the memory of one row for each component, and half of what the kernels have. */
const MOST_MORE = 1.5;
const MOST_BYTES = 2 ** 31;

/** Whether all rows are measured against each other at once, the first ones of the components before all others. */
export function isMeasuredAtOnce({ n, componentCount: m }: Closure, storage: Storage): boolean {
  return n * n <= MOST_MORE * m * m && n * n * (storage === "f64" ? 8 : 4) <= MOST_BYTES;
}

/** All rows, the first ones of the components before all others. */
export function firstsFirst(closure: Closure): Int32Array {
  const first = firstRows(closure);
  const isFirst = new Uint8Array(closure.n);
  for (const row of first) isFirst[row] = 1;
  const order = new Int32Array(closure.n);
  order.set(first);
  order.set(
    upTo(closure.n).filter((row) => isFirst[row] === 0),
    first.length,
  );
  return order;
}

/** Entries between two pauses. */
const ENTRIES_PER_STEP = 20_000_000;

/** Takes what chunklets are near to, into `near`, and leaves the m × m matrix of the first rows at the start of the block. */
function* contractOrdered(matrix: F64 | F32, near: F64 | F32, order: Int32Array, closure: Closure): Generator<Step, void, void> {
  const { n, componentCount: m, component } = closure;
  const chunklets = chunkletsOf(closure);
  const chunkletOf = new Int32Array(m);
  chunklets.forEach((chunklet, a) => {
    chunkletOf[chunklet] = a;
  });
  yield { phase: "joining must-linked rows", done: 0, total: n };
  const [d, nearest] = [matrix.view(), near.view()];
  nearest.fill(Infinity);
  const members = [...chunklets, ...upTo(n).subarray(m)];
  for (const place of members) {
    const line = chunkletOf[component[order[place]!]!]! * m;
    const from = place * n;
    for (let c = 0; c < m; c++) if (d[from + c]! < nearest[line + c]!) nearest[line + c] = d[from + c]!;
    for (let t = m; t < n; t++) {
      const q = line + component[order[t]!]!;
      if (d[from + t]! < nearest[q]!) nearest[q] = d[from + t]!;
    }
  }
  const every = Math.max(1, Math.floor(ENTRIES_PER_STEP / m));
  for (let i = 0; i < m; i++) {
    if (i % every === 0) yield { phase: "joining must-linked rows", done: i, total: n };
    matrix.view().copyWithin(i * m, i * n, i * n + m);
  }
}

/** Chunklets that are written together, so that their lines stay in a near cache. */
const TOGETHER = 64;

/** Chunklets are as far from others as their nearest members, on both sides of the diagonal: the propagation counts on it. */
function* takeNear(matrix: F64 | F32, near: F64 | F32, chunklets: Int32Array, m: number): Generator<Step, void, void> {
  for (let first = 0; first < chunklets.length; first += TOGETHER) {
    yield { phase: "joining must-linked rows", done: first, total: chunklets.length };
    const [d, nearest] = [matrix.view(), near.view()];
    const last = Math.min(chunklets.length, first + TOGETHER);
    for (let a = first; a < last; a++) d.set(nearest.subarray(a * m, (a + 1) * m) as never, chunklets[a]! * m);
    for (let c = 0; c < m; c++) for (let a = first; a < last; a++) d[c * m + chunklets[a]!] = nearest[a * m + c]!;
  }
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

export function selectRows({ d, x, nominal }: Points, rows: Int32Array): Points {
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
