/**
 * From distances to distances that know the constraints.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 4 and figure 5.
 *
 * Must-linked rows are at distance 0, and every other distance is the length of the shortest path that may pass through
 * must-linked rows. Rows that must be apart are farther than anything else.
 *
 * Departs from the paper: each must-link component is one hub, so that K components cost at most O(n²K) instead of O(n²C) for C
 * linked rows (`propagate.ts`); a path has the same length in both directions. Members of a component have the
 * same distances to all others, so that each component is one row of the matrix from then on. Entries of barred pairs are
 * `max + 1 + distance` instead of the constant `max + 1` (figure 5 prints 0): barred merges, where they cannot be avoided,
 * then come in the order of their distances. Only the components are must-linked, not every pair at distance 0: duplicate
 * rows are no constraint.
 */
import { type Closure, closeConstraints } from "../../constraints/index.js";
import { badInput } from "../../errors.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { drain, type Step, type Steps } from "../../steps/index.js";
import { propagateSteps } from "./propagate.js";

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
    return { matrix: spread(block.view(), closure), barred };
  } finally {
    arena.release();
  }
}

/** From one row for each component back to one for each row. */
function spread(contracted: Float64Array, { n, component, componentCount }: Closure): Float64Array {
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
  if (closure.componentCount === closure.n) return;
  const hubs = hubsOf(closure);
  const near = blockLike(matrix, hubs.length * closure.componentCount, arena);
  near.view().fill(Infinity);
  for (let a = 0; a < hubs.length; a++) {
    yield { phase: "joining must-linked rows", done: a, total: hubs.length };
    const [nearest, d] = [near.view(), matrix.view()];
    for (const row of rowsOf(closure, hubs[a]!)) takeNearer(nearest, a, d, row * closure.n, closure);
  }
  yield* contract(matrix, closure);
  yield* propagateSteps(matrix, near, hubs, closure.componentCount, kernels, arena);
}

/** One more than the largest of m × m entries. */
export function barAbove(matrix: F64 | F32, m: number): number {
  const above = largestEntry(matrix.view(), m) + 1;
  return matrix.type === "f32" ? Math.fround(above) : above;
}

/** Components of two or more rows, in order. */
export function hubsOf({ sizes }: Closure): Int32Array {
  return Int32Array.from(sizes.keys()).filter((c) => sizes[c]! > 1);
}

export function rowsOf({ members }: Closure, component: number): Int32Array {
  return members.items.subarray(members.start[component]!, members.start[component + 1]!);
}

export function blockLike(matrix: F64 | F32, length: number, arena: Arena): F64 | F32 {
  return matrix.type === "f64" ? arena.f64(length) : arena.f32(length);
}

type Matrix = Float64Array | Float32Array;

/** near[a][c], the least distance between a member of hub a and one of component c, takes in a member's distances. */
export function takeNearer(near: Matrix, a: number, d: Matrix, from: number, { n, component, componentCount: m }: Closure): void {
  for (let x = 0; x < n; x++) {
    const q = a * m + component[x]!;
    if (d[from + x]! < near[q]!) near[q] = d[from + x]!;
  }
}

/** Sums that one step may take. */
const WORK_PER_STEP = 40_000_000;

/** The first row of each component, ascending. */
export function firstRows({ members, componentCount }: Closure): Int32Array {
  return members.start.subarray(0, componentCount).map((start) => members.items[start]!);
}

/** Keeps the first row of each component, in place: entries only move towards the start. */
function* contract(matrix: F64 | F32, closure: Closure): Generator<Step, void, void> {
  const { n, componentCount: m } = closure;
  const first = firstRows(closure);
  const every = Math.max(1, Math.floor(WORK_PER_STEP / m));
  for (let a = 0; a < m; a++) {
    if (a % every === 0) yield { phase: "joining must-linked rows", done: a, total: m };
    const d = matrix.view();
    const from = first[a]! * n;
    const to = a * m;
    for (let b = 0; b < m; b++) d[to + b] = d[from + first[b]!]!;
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
