/**
 * From distances to distances that know the constraints.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 4 and figure 5.
 *
 * Must-linked rows are at distance 0, and every other distance is the length of the shortest path that may pass through
 * must-linked rows. Rows that must be apart are farther than anything else.
 *
 * Departs from the paper: each must-link component is one hub, so that K components cost O(n²K) instead of O(n²C) for C
 * linked rows; the sum of distances along a path is rounded the same way in both directions. Entries of barred pairs are
 * `max + 1 + distance` instead of the constant `max + 1` (figure 5 prints 0): barred merges, where they cannot be avoided,
 * then come in the order of their distances. Only the components are must-linked, not every pair at distance 0: duplicate
 * rows are no constraint.
 */
import { type Closure, closeConstraints } from "../../constraints/index.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { drain, type Step, type Steps } from "../../steps/index.js";

/** The changed copy of a full n × n matrix, row-major, and the value from which on entries are barred. */
export function constrainProximities(
  matrix: Float64Array,
  constraints: ConstraintSet,
  { kernels = plainKernels }: { readonly kernels?: Kernels } = {},
): { readonly matrix: Float64Array; readonly barred: number } {
  const { n } = constraints;
  const arena = kernels.arena();
  try {
    const block = arena.f64(n * n);
    block.view().set(matrix.subarray(0, n * n));
    const barred = drain(constrainSteps(block, closeConstraints(constraints), kernels, arena));
    return { matrix: block.view().slice(), barred };
  } finally {
    arena.release();
  }
}

/** Changes the matrix in place; returns the value that every barred entry, and no other, reaches. */
export function* constrainSteps(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Steps<number> {
  yield* propagateMustLinks(matrix, closure, kernels, arena);
  const barred = largestEntry(matrix) + 1;
  barPairs(matrix, closure, barred);
  return barred;
}

function* propagateMustLinks(matrix: F64 | F32, closure: Closure, kernels: Kernels, arena: Arena): Generator<Step, void, void> {
  const { n } = closure;
  const hubs = linkedComponents(closure);
  const m = hubs.length;
  if (m === 0) return;
  const take = (length: number): F64 | F32 => (matrix.type === "f64" ? arena.f64(length) : arena.f32(length));
  const near = take(m * n);
  nearestMembers(matrix.view(), closure, hubs, near.view());
  const between = take(m * m);
  yield* closeHubs(near, between, closure, hubs);
  const reach = take(m * n);
  reach.view().set(near.view() as never);
  kernels.minPlus(reach, between, near, n, m, 0, m);
  const left = take(n * m);
  transpose(near.view(), m, n, left.view());
  const rows = Math.max(4, 4 * Math.floor(5_000_000 / (n * m)));
  for (let from = 0; from < n; from += rows) {
    yield { phase: "propagating must-links", done: from, total: n };
    kernels.minPlus(matrix, left, reach, n, m, from, Math.min(n, from + rows));
  }
  takeSmaller(matrix.view(), n);
}

/** Components of two or more rows, in order. */
function linkedComponents({ sizes }: Closure): number[] {
  return [...sizes.keys()].filter((c) => sizes[c]! > 1);
}

/** near[a][x]: the distance of row x from its nearest member of hub a. */
function nearestMembers(
  d: Float64Array | Float32Array,
  { members, n }: Closure,
  hubs: readonly number[],
  near: Float64Array | Float32Array,
): void {
  near.fill(Infinity);
  hubs.forEach((component, a) => {
    for (let p = members.start[component]!; p < members.start[component + 1]!; p++) {
      const row = members.items[p]! * n;
      for (let x = 0, q = a * n; x < n; x++, q++) if (d[row + x]! < near[q]!) near[q] = d[row + x]!;
    }
  });
}

/** Shortest distances between hubs, through hubs. */
function* closeHubs(
  near: F64 | F32,
  between: F64 | F32,
  { members, n }: Closure,
  hubs: readonly number[],
): Generator<Step, void, void> {
  const m = hubs.length;
  const h = between.view();
  const toHub = near.view();
  h.fill(Infinity);
  for (let a = 0; a < m; a++) {
    hubs.forEach((component, b) => {
      for (let p = members.start[component]!; p < members.start[component + 1]!; p++) {
        h[a * m + b] = Math.min(h[a * m + b]!, toHub[a * n + members.items[p]!]!);
      }
    });
  }
  const every = Math.max(1, Math.floor(20_000_000 / (m * m)));
  for (let c = 0; c < m; c++) {
    if (c % every === 0) yield { phase: "joining must-link components", done: c, total: m };
    const view = between.view();
    for (let a = 0; a < m; a++) {
      const first = view[a * m + c]!;
      for (let b = 0; b < m; b++) {
        const length = first + view[c * m + b]!;
        if (length < view[a * m + b]!) view[a * m + b] = length;
      }
    }
  }
}

function transpose(from: Float64Array | Float32Array, rows: number, columns: number, to: Float64Array | Float32Array): void {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j]!;
}

/** A path's length may be rounded differently in its two directions: both entries get the smaller. */
function takeSmaller(d: Float64Array | Float32Array, n: number): void {
  const tile = 64;
  for (let i0 = 0; i0 < n; i0 += tile) {
    for (let j0 = 0; j0 <= i0; j0 += tile) {
      for (let i = i0; i < Math.min(n, i0 + tile); i++) {
        for (let j = j0; j < Math.min(i, j0 + tile); j++) {
          const smaller = Math.min(d[i * n + j]!, d[j * n + i]!);
          d[i * n + j] = smaller;
          d[j * n + i] = smaller;
        }
      }
    }
  }
}

function largestEntry(matrix: F64 | F32): number {
  let largest = 0;
  for (const entry of matrix.view()) if (entry > largest) largest = entry;
  return largest;
}

/** Raises the entries of rows whose components are apart above all others. */
function barPairs(matrix: F64 | F32, { componentCount, members, n, neighbours }: Closure, barred: number): void {
  const d = matrix.view();
  for (let a = 0; a < componentCount; a++) {
    for (const b of neighbours(a)) {
      for (let p = members.start[a]!; p < members.start[a + 1]!; p++) {
        const row = members.items[p]! * n;
        for (let q = members.start[b]!; q < members.start[b + 1]!; q++) d[row + members.items[q]!]! += barred;
      }
    }
  }
}
