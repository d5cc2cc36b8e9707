/**
 * Applies constraints to a distance matrix.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 4 and figure 5.
 *
 * Must-linked rows get distance 0. Every other distance becomes the length of the shortest path through must-linked rows. A pair of rows
 * that must be apart is barred: its distance becomes larger than the distances of all other pairs. A chunklet is a must-link component of
 * two or more rows.
 *
 * Departs from the paper:
 * - Paths visit must-link components instead of rows. The cost is O(n² K) for K chunklets, instead of O(n² C) for C linked rows
 *   (`propagate.ts`).
 * - The result has one matrix row per must-link component, because all members of a component have the same distances.
 * - Entries of barred pairs are `max + 1 + distance`. The paper uses the constant `max + 1` (figure 5 prints 0). If barred pairs must
 *   merge, the pair with the smallest distance merges first.
 * - Other rows at distance 0 are not joined: duplicate rows are not a constraint.
 */
import { type Closure, closeConstraints } from "../../../constraints/index.js";
import { badInput } from "../../../errors.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { drain, type Step, type Steps } from "../../../steps/index.js";

import { propagateSteps } from "./propagate.js";

const PER_STEP = 8_000_000;

/**
 * Rows and columns of the tiles in which `mirrorSteps` copies the upper half of a matrix to the lower half. A tile and its mirror image
 * stay in the processor's cache.
 */
const TILE = 64;

export interface ConstrainedProximities {
  /** The distances after the constraints are applied: a full n × n matrix, row-major. The given matrix is unchanged. */
  readonly matrix: Float64Array;
  /** The smallest entry of a barred pair. Entries of all other pairs are smaller. */
  readonly barred: number;
}

/**
 * Applies constraints to a full n × n distance matrix (row-major), for callers that have distances instead of points. Returns a changed
 * copy.
 */
export function constrainProximities(
  matrix: Float64Array,
  constraints: ConstraintSet,
  { kernels = plainKernels }: { readonly kernels?: Kernels } = {},
): ConstrainedProximities {
  const { n } = constraints;
  if (matrix.length !== n * n) {
    throw badInput(`The matrix has ${matrix.length} entries, but the constraints are about ${n} rows.`, {
      remedy: `Give a full matrix of ${n} × ${n} distances, row by row.`,
    });
  }
  const arena = kernels.arena();
  try {
    const block = arena.f64(n * n);
    block.view().set(matrix);
    const closure = closeConstraints(constraints);
    const barred = drain(constrainSteps(block, closure, kernels, arena));
    return { matrix: expanded(block.view(), closure), barred };
  } finally {
    arena.release();
  }
}

function expanded(contracted: Float64Array, { n, component, componentCount }: Closure): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const i = Math.floor(p / n);
    return contracted[component[i]! * componentCount + component[p - i * n]!]!;
  });
}

/**
 * Applies the constraints to an n × n matrix in place. The result is the m × m matrix of the must-link components. Returns the bar: entries
 * of pairs that must be apart are at least this value.
 */
export function* constrainSteps(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Steps<number> {
  yield* joinSteps(matrix, closure, kernels, arena);
  const barred = barAbove(matrix, closure.componentCount);
  barPairs(matrix.view(), closure, barred);
  return barred;
}

/** Like `constrainSteps`, but without bars: applies only the must-links. */
export function* joinSteps(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Generator<Step, void, void> {
  if (closure.componentCount < closure.n) yield* joinRowsSteps(rowsOfWhole(matrix, closure.n), closure, kernels, arena);
}

/**
 * Applies the must-links to the distances between rows. Returns the m × m matrix of the components. The matrix is in `rows.whole`, or in a
 * new block if `rows.whole` is null.
 */
export function* joinRowsSteps(
  rows: RowsAbove,
  closure: Closure,
  kernels: Kernels,
  arena: Arena,
): Generator<Step, F64 | F32, void> {
  const { componentCount: m } = closure;
  const chunklets = chunkletsOf(closure);
  const block = (length: number): F64 | F32 => (rows.values() instanceof Float64Array ? arena.f64(length) : arena.f32(length));
  const matrix = rows.whole ?? block(m * m);
  const near = block(chunklets.length * m);
  yield* contract(rows, closure, chunklets, matrix, near);
  yield* mirrorSteps(matrix, m);
  if (chunklets.length > 0) yield* propagateSteps(matrix, near, chunklets, m, kernels, arena);
  return matrix;
}

/** The bar: the largest entry of an m × m matrix plus 1. It is added to the entries of pairs that must be apart. */
export function barAbove(matrix: F64 | F32, m: number): number {
  const above = largestEntry(matrix.view(), m) + 1;
  return matrix.type === "f32" ? Math.fround(above) : above;
}

/** The chunklets: the numbers of the must-link components of two or more rows, ascending. */
export function chunkletsOf({ sizes }: Closure): Int32Array {
  return Int32Array.from(sizes.keys()).filter((c) => sizes[c]! > 1);
}

export function rowsOf({ members }: Closure, component: number): Int32Array {
  return members.items.subarray(members.start[component]!, members.start[component + 1]!);
}

export function blockLike(matrix: F64 | F32, length: number, arena: Arena): F64 | F32 {
  return matrix.type === "f64" ? arena.f64(length) : arena.f32(length);
}

type Matrix = Float64Array | Float32Array;

/**
 * Updates the row of chunklet a in `near`, the least distances from the chunklet to all components. d: distances from one member of the
 * chunklet to all n rows, from index `from`.
 */
export function takeNearer(near: Matrix, a: number, d: Matrix, from: number, { n, component, componentCount: m }: Closure): void {
  for (let x = 0; x < n; x++) {
    const q = a * m + component[x]!;
    if (d[from + x]! < near[q]!) near[q] = d[from + x]!;
  }
}

/** Distances read in one step; after each step the generator yields. */
const ENTRIES_PER_STEP = 10_000_000;

/** By must-link component: its first row. These rows are ascending. */
export function firstRows({ members, componentCount }: Closure): Int32Array {
  return members.start.subarray(0, componentCount).map((start) => members.items[start]!);
}

/**
 * Contracts the distances between rows to distances between must-link components. Writes one matrix row per component, above the diagonal
 * only. A component of one row keeps its distances. A chunklet gets the smallest distances of its members. These distances are also written
 * to `near`. Working in place is safe: entries only move towards the start of the block, and each row is read before it is overwritten.
 */
function* contract(
  rows: RowsAbove,
  closure: Closure,
  chunklets: Int32Array,
  matrix: F64 | F32,
  near: F64 | F32,
): Generator<Step, void, void> {
  const { n, component, componentCount: m } = closure;
  const chunkletOf = new Int32Array(m).fill(-1);
  chunklets.forEach((chunklet, a) => {
    chunkletOf[chunklet] = a;
  });
  const linked = upTo(n).filter((i) => chunkletOf[component[i]!]! >= 0);
  const chunkletOfLinked = linked.map((i) => chunkletOf[component[i]!]!);
  const single = upTo(n).filter((i) => chunkletOf[component[i]!]! < 0);
  near.view().fill(Infinity);
  const every = Math.max(1, Math.floor(ENTRIES_PER_STEP / n));
  let [d, to, nearest] = [rows.values(), matrix.view(), near.view()];
  for (let i = 0, nextLinked = 0, nextSingle = 0; i < n; i++) {
    if (i % every === 0) {
      yield { phase: "joining must-linked rows", done: i, total: n };
      [d, to, nearest] = [rows.values(), matrix.view(), near.view()];
    }
    const from = rows.at(i);
    const own = component[i]!;
    const isSingle = chunkletOf[own]! < 0;
    if (isSingle) nextSingle++;
    else nextLinked++;
    nearerChunklets(d, from, linked, nextLinked, chunkletOfLinked, nearest, m, own);
    if (isSingle) copyEntries(d, from, single, nextSingle, to, own * m, component);
    else nearerEntries(d, from, i + 1, nearest, chunkletOf[own]! * m, component);
  }
  for (let c = 0; c < m; c++) to[c * m + c] = 0;
  chunklets.forEach((chunklet, a) => {
    for (let c = 0; c < m; c++) if (c !== chunklet) to[Math.min(c, chunklet) * m + Math.max(c, chunklet)] = nearest[a * m + c]!;
  });
}

/** Copies the distances between one row and the rows `list[first]`, `list[first + 1]`, … into the columns of their components. */
function copyEntries(
  d: Matrix,
  from: number,
  list: Int32Array,
  first: number,
  to: Matrix,
  row: number,
  component: Int32Array,
): void {
  for (let t = first; t < list.length; t++) to[row + component[list[t]!]!] = d[from + list[t]!]!;
}

/**
 * Updates the least distances of a chunklet with the distances of one of its rows. Reads only the distances to row `first` and later
 * rows.
 */
function nearerEntries(d: Matrix, from: number, first: number, near: Matrix, row: number, component: Int32Array): void {
  for (let j = first; j < component.length; j++) {
    const distance = d[from + j]!;
    if (distance < near[row + component[j]!]!) near[row + component[j]!] = distance;
  }
}

/**
 * Updates the least distances between component `own` and the chunklets. Reads the distances from one row of `own` to the rows
 * `linked[first]`, `linked[first + 1]`, …
 */
function nearerChunklets(
  d: Matrix,
  from: number,
  linked: Int32Array,
  first: number,
  chunkletOfLinked: Int32Array,
  near: Matrix,
  m: number,
  own: number,
): void {
  for (let t = first; t < linked.length; t++) {
    const distance = d[from + linked[t]!]!;
    const q = chunkletOfLinked[t]! * m + own;
    if (distance < near[q]!) near[q] = distance;
  }
}

/**
 * Adds the bar to the entries of pairs that must be apart. A pair in several exclusive groups is raised only once: an entry at or above the
 * bar is already raised.
 */
export function barPairs(d: Matrix, { componentCount: m, edges, cliques }: Closure, barred: number): void {
  for (let a = 0; a < m; a++) for (let p = edges.start[a]!; p < edges.start[a + 1]!; p++) d[a * m + edges.other[p]!]! += barred;
  for (let q = 0; q < cliques.count; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    for (const a of members) for (const b of members) if (a !== b && d[a * m + b]! < barred) d[a * m + b]! += barred;
  }
}

/** The largest entry above the diagonal; 0 for one row. Keeps four maxima, so that the processor can compare in parallel. */
function largestEntry(d: Matrix, m: number): number {
  let [w, x, y, z] = [0, 0, 0, 0];
  for (let a = 0; a < m; a++) {
    let p = a * m + a + 1;
    const end = (a + 1) * m;
    for (; p + 4 <= end; p += 4) {
      if (d[p]! > w) w = d[p]!;
      if (d[p + 1]! > x) x = d[p + 1]!;
      if (d[p + 2]! > y) y = d[p + 2]!;
      if (d[p + 3]! > z) z = d[p + 3]!;
    }
    for (; p < end; p++) if (d[p]! > w) w = d[p]!;
  }
  return Math.max(w, x, y, z);
}

/*
 * A half matrix: the entries of a symmetric matrix above the diagonal, row by row. The linkage overwrites the full matrix, so the distances
 * are kept in a half matrix.
 */

export type HalfMatrix = Float64Array | Float32Array;

/**
 * The entries above the diagonal of a symmetric n × n matrix, which is stored in full or as a half matrix. Entry (i, j) with j > i is at
 * index `at(i) + j` of the values.
 */
export interface RowsAbove {
  readonly n: number;
  readonly values: () => HalfMatrix;
  readonly at: (i: number) => number;
  /** The block of a full matrix that can be overwritten; null if the values must not change. */
  readonly whole: F64 | F32 | null;
}

/** Reads an n × n matrix that is stored in full at the start of a block. */
export function rowsOfWhole(matrix: F64 | F32, n: number): RowsAbove {
  return { n, values: () => matrix.view(), at: (i) => i * n, whole: matrix };
}

export function rowsOfHalf(half: HalfMatrix, n: number): RowsAbove {
  return { n, values: () => half, at: (i) => placeOf(i, n) - i - 1, whole: null };
}

/** The index of the first entry of row i in a half matrix. This entry is in column i + 1. */
function placeOf(i: number, n: number): number {
  return i * (n - 1) - (i * (i - 1)) / 2;
}

export function* keepHalf(matrix: F64 | F32, n: number): Generator<Step, HalfMatrix, void> {
  const length = (n * (n - 1)) / 2;
  const half: HalfMatrix = matrix.type === "f64" ? new Float64Array(length) : new Float32Array(length);
  const every = Math.ceil(PER_STEP / n);
  let d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % every === 0) {
      yield { phase: "keeping distances", done: i, total: n };
      d = matrix.view();
    }
    half.set(d.subarray(i * n + i + 1, (i + 1) * n), placeOf(i, n));
  }
  return half;
}

export function* mirrorSteps(matrix: F64 | F32, n: number): Generator<Step, void, void> {
  const every = TILE * Math.ceil(PER_STEP / n / TILE);
  for (let first = 0; first < n; first += TILE) {
    if (first % every === 0) yield { phase: "mirroring distances", done: first, total: n };
    const d = matrix.view();
    const last = Math.min(n, first + TILE);
    for (let column = first; column < n; column += TILE) {
      const end = Math.min(n, column + TILE);
      for (let i = first; i < last; i++) for (let j = Math.max(column, i + 1); j < end; j++) d[j * n + i] = d[i * n + j]!;
    }
  }
}
