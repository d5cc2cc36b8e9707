/**
 * One run of a linkage over must-link components, either with the given constraints or with the completed constraint set (see
 * `index.ts`).
 *
 * A chunklet is a must-link component of two or more rows. A pair of components that must be apart is barred: a large number, the bar, is
 * added to its distance. So the pair is farther apart than all pairs without a bar.
 */
import type { Closure } from "../../../constraints/index.js";
import { type Arena, type F32, type F64, type Kernels, type Metric, pairKernelsOf } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import { gatherRows, type Points } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import type { Step, Steps } from "../../../steps/index.js";
import { columnRanges, distanceMatrixSteps, type Storage } from "../../distance.js";
import { isMeasuredHere } from "../../row-distances.js";
import { orderMerges } from "../cut/merges.js";
import { type Linkage, openLinkage, type PreparedLinkage, runLinkage } from "../linkage.js";
import { isScreenable, type Measured, screenedMergeSteps } from "../screened.js";
import {
  barAbove,
  barPairs,
  blockLike,
  chunkletsOf,
  firstRows,
  type HalfMatrix,
  joinRowsSteps,
  joinSteps,
  keepHalf,
  type RowsAbove,
  rowsOf,
  rowsOfHalf,
  rowsOfWhole,
  takeNearer,
} from "./constrain-proximities.js";

import { propagateSteps } from "./propagate.js";

export interface Space {
  readonly prepared: PreparedLinkage;
  readonly closure: Closure;
  readonly linkage: Linkage;
  readonly kernels: Kernels;
}

export interface Plain {
  readonly merges: readonly Merge[];
  /**
   * The distances between components, without bars: the upper half of the matrix. Null: not stored, or too large to store. Undefined: this
   * run computed no matrix.
   */
  readonly half: HalfMatrix | null | undefined;
}

/**
 * Maximum size of a stored half matrix: about 16,000 components in double precision, 23,000 in single precision. Larger matrices are
 * computed again in each round.
 */
const MOST_HALF_BYTES = 2 ** 30;

export function* plainSteps(space: Space, storesHalf: boolean): Steps<Plain> {
  const { closure, linkage, kernels, prepared } = space;
  const raw = linkage === "complete" ? yield* screenedComponentSteps(prepared, closure, kernels) : null;
  if (raw === null) return yield* byMatrix(space, storesHalf);
  return { merges: markForbidden(orderMerges(raw, closure.componentCount, linkage), closure), half: undefined };
}

function byMatrix(space: Space, storesHalf: boolean): Steps<Plain> {
  const { closure, linkage, kernels } = space;
  const { componentCount: m, sizes } = closure;
  return withMemory(kernels, function* (arena) {
    const { matrix, barred } = yield* distanceSteps(space, arena);
    const half = storesHalf ? yield* halfOf(matrix, m) : null;
    barPairs(matrix.view(), closure, barred);
    if (linkage === "ward") weighForWard(matrix.view(), sizes);
    const raw = yield* runLinkage(openLinkage(linkage, matrix, m, kernels, arena, sizes), m);
    return { merges: markForbidden(orderMerges(raw, m, linkage), closure), half };
  });
}

export function halfMatrixSteps(space: Space): Steps<HalfMatrix | null> {
  return withMemory(space.kernels, function* (arena) {
    return yield* halfOf((yield* distanceSteps(space, arena)).matrix, space.closure.componentCount);
  });
}

function* halfOf(matrix: F64 | F32, m: number): Steps<HalfMatrix | null> {
  const bytes = ((m * (m - 1)) / 2) * (matrix.type === "f64" ? 8 : 4);
  return bytes <= MOST_HALF_BYTES ? yield* keepHalf(matrix, m) : null;
}

/**
 * Calls `work` with the distances between components: the distances in `half`, or a new matrix if `half` is null. Releases the memory when
 * `work` ends.
 */
export function distancesAgain<R>(
  space: Space,
  half: HalfMatrix | null,
  work: (rows: RowsAbove, arena: Arena) => Steps<R>,
): Steps<R> {
  const m = space.closure.componentCount;
  return withMemory(space.kernels, function* (arena) {
    const rows = half ? rowsOfHalf(half, m) : rowsOfWhole((yield* distanceSteps(space, arena)).matrix, m);
    return yield* work(rows, arena);
  });
}

/**
 * Runs the linkage with the completed constraint set, in which each component has a colour (see `index.ts`).
 * completed: a closure over the components; it joins all components of one colour. rows: distances between components; a full matrix is
 * overwritten, a half matrix is not.
 *
 * Bars between components of different colours are added last. Their form depends on the linkage:
 * - Complete: the bar is a large finite distance, so that forbidden merges have an order.
 * - Linkages that average: the bar is Infinity.
 * - Single: no distance can act as a bar, see `separatedSingleSteps`.
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
    const raw = yield* separatedSingleSteps(matrix, m, apart.length > 0 ? apart : Int32Array.of(0));
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

/*
 * Hierarchies over must-link components. All members of a component are at distance 0 from each other and have the same distance to every
 * other row, so they merge first. After that the component is one leaf. This holds for every linkage, even if other rows are duplicates
 * of members.
 */

/** Scales distances for Ward linkage: between components of a and b rows, the distance is multiplied by √(2ab / (a + b)). */
function weighForWard(d: Float64Array | Float32Array, sizes: Int32Array): void {
  const m = sizes.length;
  const factor = (a: number, b: number): number => Math.sqrt((2 * a * b) / (a + b));
  for (let a = 0; a < m; a++) {
    if (sizes[a] === 1) continue;
    for (let b = 0; b < m; b++) {
      if (b === a || (sizes[b]! > 1 && b < a)) continue;
      d[a * m + b] = d[a * m + b]! * factor(sizes[a]!, sizes[b]!);
      d[b * m + a] = d[a * m + b]!;
    }
  }
}

/** Sets the height of a merge to Infinity if this merge is the first to join two components that must be apart. */
export function markForbidden(merges: readonly Merge[], { componentCount: m, edges, cliques }: Closure): Merge[] {
  const linked = Array.from({ length: m }, (_, c) => (edges.start[c] === edges.start[c + 1] ? undefined : new Set([c])));
  const grouped = Array.from({ length: m }, (_, c) =>
    cliques.of.start[c] === cliques.of.start[c + 1]
      ? undefined
      : new Set(cliques.of.items.subarray(cliques.of.start[c]!, cliques.of.start[c + 1]!)),
  );
  const isLinked = (c: number, others: ReadonlySet<number>): boolean => {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) if (others.has(edges.other[p]!)) return true;
    return false;
  };
  return merges.map(([left, right, height, size], t) => {
    const byLink = unite(linked, left, right, m + t, isLinked);
    const byClique = unite(grouped, left, right, m + t, (q, others) => others.has(q));
    return [left, right, byLink || byClique ? Infinity : height, size] as const;
  });
}

/**
 * Sets `sets[into]` to the union of `sets[left]` and `sets[right]`. Returns true if `meets` is true for any item of one set and the other
 * set.
 */
function unite(
  sets: (Set<number> | undefined)[],
  left: number,
  right: number,
  into: number,
  meets: (item: number, others: ReadonlySet<number>) => boolean,
): boolean {
  const [one, other] = [sets[left], sets[right]];
  sets[into] = one ?? other;
  if (one === undefined || other === undefined) return false;
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let met = false;
  for (const item of small) met ||= meets(item, large);
  for (const item of small) large.add(item);
  sets[into] = large;
  return met;
}

/** The index of the first forbidden merge, or the number of merges if no merge is forbidden. */
export function firstForbidden(merges: readonly Merge[]): number {
  const first = merges.findIndex((merge) => merge[2] === Infinity);
  return first < 0 ? merges.length : first;
}

/** The hierarchy over all rows: first the merges inside must-link components, at height 0, then the merges `between` components. */
export function expandMerges(between: readonly Merge[], { n, componentCount: m, members }: Closure): readonly Merge[] {
  if (m === n) return between;
  const merges: Merge[] = [];
  const names = new Int32Array(m + between.length);
  const sizes = new Int32Array(m + between.length);
  for (let c = 0; c < m; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    sizes[c] = rows.length;
    names[c] = rows[0]!;
    for (let p = 1; p < rows.length; p++) {
      merges.push([Math.min(names[c]!, rows[p]!), Math.max(names[c]!, rows[p]!), 0, p + 1]);
      names[c] = n + merges.length - 1;
    }
  }
  between.forEach(([left, right, height], t) => {
    sizes[m + t] = sizes[left]! + sizes[right]!;
    const [a, b] = [names[left]!, names[right]!];
    merges.push([Math.min(a, b), Math.max(a, b), height, sizes[m + t]!]);
    names[m + t] = n + merges.length - 1;
  });
  return merges;
}

/**
 * Complete linkage of the components without a distance matrix. Returns raw merges, or null if a matrix is needed. The merges have the same
 * bits as complete linkage over the barred matrix of `componentDistanceSteps`.
 *
 * The screening ignores paths through must-linked rows. It returns null unless it can prove that every direct distance is the shortest
 * path. Rows are passed in the same order as in `componentDistanceSteps`.
 */
function* screenedComponentSteps(measured: Measured, closure: Closure, kernels: Kernels): Steps<Float64Array | null> {
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

/*
 * Single linkage that keeps the rows in `apart` in different trees. It builds a minimum spanning forest. Each tree contains exactly one of
 * these rows.
 *
 * A bar between two rows does not separate them in single linkage: both can still be joined through a third row. So Prim's algorithm starts
 * from all rows in `apart` at once. It joins each other row to its nearest neighbour in a tree. The edges, sorted by height, are the
 * merges.
 */

/**
 * Returns the raw merges of m rows. The edges of the forest come first. Then each further tree is joined to the first tree at height
 * Infinity. apart: the rows that must be apart.
 */
function* separatedSingleSteps(matrix: F64 | F32, m: number, apart: Int32Array): Steps<Float64Array> {
  const merges = new Float64Array(3 * (m - 1));
  const nearest = new Float64Array(m).fill(Infinity);
  const beside = new Int32Array(m).fill(-1);
  const inside = new Uint8Array(m);
  let made = 0;
  const record = (a: number, b: number, height: number): void => {
    merges.set([Math.min(a, b), Math.max(a, b), height], 3 * made++);
  };
  const take = (row: number): void => {
    const d = matrix.view();
    inside[row] = 1;
    for (let i = 0; i < m; i++) {
      if (inside[i] === 1 || d[row * m + i]! >= nearest[i]!) continue;
      nearest[i] = d[row * m + i]!;
      beside[i] = row;
    }
  };
  for (const row of apart) inside[row] = 1;
  for (const row of apart) take(row);
  const every = Math.ceil(4_000_000 / m);
  for (let left = m - apart.length; left > 0; left--) {
    if (left % every === 0) yield { phase: "merging", done: made, total: m - 1 };
    let next = -1;
    for (let i = 0; i < m; i++) if (inside[i] === 0 && (next === -1 || nearest[i]! < nearest[next]!)) next = i;
    record(beside[next]!, next, nearest[next]!);
    take(next);
  }
  for (let t = 1; t < apart.length; t++) record(apart[0]!, apart[t]!, Infinity);
  return merges;
}

/*
 * Computes the constrained distances from points: a matrix with one row per must-link component, equal to the result of `joinSteps` on
 * the full matrix. The first rows of the components come first:
 *
 *              m first rows   n - m others
 *            ┌──────────────┬──────────────┐
 *       m    │ the matrix   │              │
 *            ├──────────────┤   nearest    │
 *      n - m │    members of chunklets     │
 *            └──────────────┴──────────────┘
 *
 * If most components have one row, the full matrix is measured at once, each pair once. Otherwise the first rows are measured against
 * each other. The other rows are measured against all rows, a few at a time. Then the full matrix is never in memory.
 */

type Matrix = Float64Array | Float32Array;

interface ComponentDistances {
  /** The distances between the m components, m × m, at the start of the memory block. Pairs that must be apart are not barred yet. */
  readonly matrix: F64 | F32;
  readonly barred: number;
}

/**
 * The distances between components, and the bar. Bars are not added yet.
 * orderOnly: the linkage never averages entries. Then any bar above all distances gives the same merges, so an upper bound of the distances
 * is used instead of a scan of the matrix.
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

/** The bar: a value greater than every distance, and representable in single precision. So no distance rounds up to it. */
function barOver(points: Points, metric: Metric, arena: Arena): number {
  return Math.fround(farthestPossible(points, metric, arena) + 1);
}

/**
 * The distances between all rows are computed at once if both limits hold. MOST_MORE: the full matrix takes at most this many times the
 * memory of the component matrix. MOST_BYTES: maximum size of the full matrix.
 */
const MOST_MORE = 1.5;
const MOST_BYTES = 2 ** 31;

/** Whether the distances between all rows are computed at once, see MOST_MORE. */
function isMeasuredAtOnce({ n, componentCount: m }: Closure, storage: Storage): boolean {
  return n * n <= MOST_MORE * m * m && n * n * (storage === "f64" ? 8 : 4) <= MOST_BYTES;
}

function firstsFirst(closure: Closure): Int32Array {
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

/** Matrix entries processed in one step; after each step the generator yields. */
const ENTRIES_PER_STEP = 20_000_000;

/**
 * Reads the full n × n matrix. Writes the least distance between each chunklet and each component into `near`. Then shrinks the matrix in
 * place to the m × m distances between the first rows of the components.
 */
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

/** Number of chunklets that `takeNear` writes together, so that their matrix rows stay in the processor's cache. */
const TOGETHER = 64;

/** Writes the least distances from `near` into the matrix, on both sides of the diagonal. The propagation requires a symmetric matrix. */
function* takeNear(matrix: F64 | F32, near: F64 | F32, chunklets: Int32Array, m: number): Generator<Step, void, void> {
  for (let first = 0; first < chunklets.length; first += TOGETHER) {
    yield { phase: "joining must-linked rows", done: first, total: chunklets.length };
    const [d, nearest] = [matrix.view(), near.view()];
    const last = Math.min(chunklets.length, first + TOGETHER);
    for (let a = first; a < last; a++) d.set(nearest.subarray(a * m, (a + 1) * m) as never, chunklets[a]! * m);
    for (let c = 0; c < m; c++) for (let a = first; a < last; a++) d[c * m + chunklets[a]!] = nearest[a * m + c]!;
  }
}

/** An upper bound of all distances between rows, with a margin for rounding errors. */
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
  return { n: rows.length, d, x: gatherRows(x, d, rows), ...(nominal ? { nominal } : {}) };
}

/** Maximum number of must-linked rows in one step. Fewer rows if the table has many columns, so that each step is short. */
const MOST_AT_ONCE = 256;
const PRODUCTS_PER_STEP = 500_000_000;

function rowsAtOnce({ n, d }: Points): number {
  return Math.max(8, Math.min(MOST_AT_ONCE, Math.floor(PRODUCTS_PER_STEP / (n * d))));
}

/**
 * Writes the least distance between each chunklet and each component into `near`. matrix: the distances between the first rows of the
 * components.
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
  // `table`: the must-linked rows of one step, then all rows. One kernel call computes the distances between these two parts.
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
    pairKernelsOf(kernels).distances(metric, table, width, d, ranges, 0, some.length, out);
    some.forEach(({ a }, i) => {
      takeNearer(near.view(), a, out.view(), i * width + atOnce, closure);
      takeNearerFirsts(near.view(), chunklets[a]!, out.view(), i * width + atOnce, firsts, m);
    });
  }
}

/**
 * Updates the least distances between component `own` and the chunklets. Reads the distances from one row of `own` to the first row of each
 * chunklet. d: distances of this row of `own` to all rows, from index `from`.
 */
function takeNearerFirsts(near: Matrix, own: number, d: Matrix, from: number, firsts: Int32Array, m: number): void {
  for (let b = 0; b < firsts.length; b++) {
    const distance = d[from + firsts[b]!]!;
    if (distance < near[b * m + own]!) near[b * m + own] = distance;
  }
}
