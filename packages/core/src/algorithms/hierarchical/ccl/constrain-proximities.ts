/**
 * From distances to distances that know the constraints.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 4 and figure 5.
 *
 * Must-linked rows are at distance 0, and every other distance is the length of the shortest path that may pass through
 * must-linked rows. Rows that must be apart are farther than anything else.
 *
 * Departs from the paper: each must-link component of several rows is one point of passage, so that K components cost at most O(n²K) instead of O(n²C) for C
 * linked rows (`propagate.ts`); a path has the same length in both directions. Members of a component have the
 * same distances to all others, so that each component is one row of the matrix from then on. Entries of barred pairs are
 * `max + 1 + distance` instead of the constant `max + 1` (figure 5 prints 0): barred merges, where they cannot be avoided,
 * then come in the order of their distances. Only the components are must-linked, not every pair at distance 0: duplicate
 * rows are no constraint.
 */
import { type Closure, closeConstraints } from "../../../constraints/index.js";
import { badInput } from "../../../errors.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { drain, type Step, type Steps } from "../../../steps/index.js";

import { propagateSteps } from "./propagate.js";

/** Numbers that one step copies. */
const PER_STEP = 8_000_000;

/** Rows and columns that are mirrored together, so that both sides stay in a near cache. */
const TILE = 64;

export interface ConstrainedProximities {
  /** The changed copy of the full n × n matrix, row-major. */
  readonly matrix: Float64Array;
  /** The value that every barred entry, and no other, reaches. */
  readonly barred: number;
}

/**
 * What the constraints make of a full n × n matrix of distances, row-major: for any method that starts from distances. The
 * matrix that is handed in stays as it is.
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

/** From one row for each component back to one for each row. */
function expanded(contracted: Float64Array, { n, component, componentCount }: Closure): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const i = Math.floor(p / n);
    return contracted[component[i]! * componentCount + component[p - i * n]!]!;
  });
}

/**
 * Changes a full n × n matrix in place into one of m × m, at its start, with a row for each of the m components; returns the value
 * that every barred entry, and no other, reaches.
 */
export function* constrainSteps(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Steps<number> {
  yield* joinSteps(matrix, closure, kernels, arena);
  const barred = barAbove(matrix, closure.componentCount);
  barPairs(matrix.view(), closure, barred);
  return barred;
}

/** The same without bars: what the must-links alone make of the distances. */
export function* joinSteps(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Generator<Step, void, void> {
  if (closure.componentCount < closure.n) yield* joinRowsSteps(rowsOfWhole(matrix, closure.n), closure, kernels, arena);
}

/** The m × m matrix that the must-links make of distances between rows: in their place if they may be written over. */
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

/** One more than the largest of m × m entries. */
export function barAbove(matrix: F64 | F32, m: number): number {
  const above = largestEntry(matrix.view(), m) + 1;
  return matrix.type === "f32" ? Math.fround(above) : above;
}

/** Components of two or more rows, in order. */
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

/** near[a][c], the least distance between a member of chunklet a and one of component c, takes in a member's distances. */
export function takeNearer(near: Matrix, a: number, d: Matrix, from: number, { n, component, componentCount: m }: Closure): void {
  for (let x = 0; x < n; x++) {
    const q = a * m + component[x]!;
    if (d[from + x]! < near[q]!) near[q] = d[from + x]!;
  }
}

/** Distances that one step reads. */
const ENTRIES_PER_STEP = 10_000_000;

/** The first row of each component, ascending. */
export function firstRows({ members, componentCount }: Closure): Int32Array {
  return members.start.subarray(0, componentCount).map((start) => members.items[start]!);
}

/**
 * One row for each component, above the diagonal only: a component of one row keeps its distances, and a chunklet takes the least of its
 * members', which go into `near` too. Entries only move towards the start, and a row is read before anything is written there.
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

/** The distances of a row to those of a list, from one of them on, to the columns of their components. */
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

/** A chunklet takes in the distances of one of its members to the rows from one on. */
function nearerEntries(d: Matrix, from: number, first: number, near: Matrix, row: number, component: Int32Array): void {
  for (let j = first; j < component.length; j++) {
    const distance = d[from + j]!;
    if (distance < near[row + component[j]!]!) near[row + component[j]!] = distance;
  }
}

/** Chunklets take in the distances of their members, from one of them on, to a row of component `own`. */
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

/** Raises the entries of components that must be apart, each once: an entry that has been raised is above the bar. */
export function barPairs(d: Matrix, { componentCount: m, edges, cliques }: Closure, barred: number): void {
  for (let a = 0; a < m; a++) for (let p = edges.start[a]!; p < edges.start[a + 1]!; p++) d[a * m + edges.other[p]!]! += barred;
  for (let q = 0; q < cliques.count; q++) {
    const members = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    for (const a of members) for (const b of members) if (a !== b && d[a * m + b]! < barred) d[a * m + b]! += barred;
  }
}

/** Above the diagonal; 0 for a single row. Four at a time, since each comparison would wait for the one before. */
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
 * A symmetric matrix by its rows above the diagonal. The linkage consumes the whole matrix; half of it is kept aside, and whoever
 * reads distances again reads either by the same two numbers.
 */

export type HalfMatrix = Float64Array | Float32Array;

/** Entry (i, j) of n rows, for j > i, is at `at(i) + j` of the values. */
export interface RowsAbove {
  readonly n: number;
  readonly values: () => HalfMatrix;
  readonly at: (i: number) => number;
  /** The block of a whole matrix, which may be written over; null if the values must stay. */
  readonly whole: F64 | F32 | null;
}

/** The rows of a whole n × n matrix at the start of a block. */
export function rowsOfWhole(matrix: F64 | F32, n: number): RowsAbove {
  return { n, values: () => matrix.view(), at: (i) => i * n, whole: matrix };
}

/** The rows of a half that was kept. */
export function rowsOfHalf(half: HalfMatrix, n: number): RowsAbove {
  return { n, values: () => half, at: (i) => placeOf(i, n) - i - 1, whole: null };
}

/** Where row i begins in half a matrix, at column i + 1. */
function placeOf(i: number, n: number): number {
  return i * (n - 1) - (i * (i - 1)) / 2;
}

/** Copies what is above the diagonal of the n × n numbers at the start of a block. */
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

/** Writes what is above the diagonal of an n × n matrix below it, too. */
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
