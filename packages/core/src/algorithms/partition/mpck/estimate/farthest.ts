/**
 * The farthest pair under each metric: f_C of equation 5 rests on it. It is searched for exactly; above so many rows a bound stands in,
 * twice the row that is farthest from the mean of all.
 */
import type { Arena, FarthestPair, FarthestSearch, Kernels } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { type LinearMaps, squaredNorm } from "../../../metric/linear-maps.js";
import type { Metrics } from "../../../metric/metrics.js";
import type { KernelRows } from "../assign/kernel-rows.js";

/**
 * For each metric the row that is farthest from 0, where rows are centred: half of the bound that large data get. Kernels that
 * have rows as they are look for it among these; `rest` are the rows that none of them has.
 */
function* farthestFromOrigin(
  x: Float64Array,
  n: number,
  d: number,
  { maps, all }: Metrics,
  inKernels: readonly KernelRows[],
  rest: Int32Array,
): Generator<Step, Int32Array, void> {
  const count = all.length;
  const far = new Int32Array(count);
  const most = new Float64Array(count).fill(-1);
  const take = (g: number, row: number, square: number): void => {
    if (square > most[g]! || (square === most[g] && row < far[g]!)) {
      most[g] = square;
      far[g] = row;
    }
  };
  const serve = maps.kind !== "full" && inKernels.every(({ unmapped }) => unmapped);
  if (serve) {
    const factors = new Float64Array(count * d).fill(1);
    if (maps.kind === "diagonal") for (let g = 0; g < count; g++) factors.set(maps.maps[g]!, g * d);
    for (const { state, rows } of inKernels) {
      const found = state?.farthest(factors);
      found?.rows.forEach((place, g) => {
        take(g, rows[place]!, found.squares[g]!);
      });
    }
  }
  const z = new Float64Array(d);
  for (let g = 0; g < count; g++) {
    for (let e = 0; e < (serve ? rest.length : n); e++) {
      const i = serve ? rest[e]! : e;
      all[g]!.map(x, i * d, z, 0);
      let sum = 0;
      for (let j = 0; j < d; j++) sum += z[j]! * z[j]!;
      take(g, i, sum);
    }
    yield { phase: "farthest pair", done: g, total: count };
  }
  return far;
}

/** The farthest pair under each metric, as a difference of two rows. */
export interface Farthest {
  readonly vectors: readonly Float64Array[];
  readonly squares: Float64Array;
  /** The rows, for the next search to start from; empty where the bound stands in. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** Above this many rows the bound 4·max ‖x - mean‖² stands in for the farthest pair. */
export const MOST_ROWS_EXACT = 20_000;

/** A search over all rows, if the exact pair is wanted. */
export function openSearch({ n, d, x }: Points, kernels: Kernels, arena: Arena): FarthestSearch | null {
  if (n > MOST_ROWS_EXACT) return null;
  const block = arena.f64(n * d);
  block.view().set(x.subarray(0, n * d));
  return kernels.farthest(block, n, d);
}

function* searchSteps(
  search: FarthestSearch,
  g: number,
  { kind, maps }: LinearMaps,
  n: number,
  hint: readonly [number, number] | undefined,
): Generator<Step, FarthestPair, void> {
  try {
    search.begin(g, kind === "identity" ? null : maps[g]!, hint ?? null);
    while (!search.advance()) yield { phase: "farthest pair", done: 0, total: n };
    return search.pair();
  } finally {
    search.close();
  }
}

/** The farthest pair of all (centred) rows under each metric; the bound without a search. */
export function* farthestSteps(
  { n, d, x }: Points,
  metrics: Metrics,
  before: Farthest | null,
  search: FarthestSearch | null, // in: over all rows
  inKernels: readonly KernelRows[],
  rest: Int32Array, // in: the rows that no kernel has
): Generator<Step, Farthest, void> {
  const vectors: Float64Array[] = [];
  const pairs: (readonly [number, number])[] = [];
  const ends = search ? [] : yield* farthestFromOrigin(x, n, d, metrics, inKernels, rest);
  for (let g = 0; g < metrics.all.length; g++) {
    const v = new Float64Array(d);
    if (search) {
      const { a, b } = yield* searchSteps(search, g, metrics.maps, n, before?.pairs[g] ?? before?.pairs[0]);
      for (let j = 0; j < d; j++) v[j] = x[a * d + j]! - x[b * d + j]!;
      pairs.push([a, b]);
    } else for (let j = 0; j < d; j++) v[j] = 2 * x[ends[g]! * d + j]!;
    vectors.push(v);
  }
  const squares = Float64Array.from(vectors, (v, g) => squaredNorm(metrics.maps, g, d, v));
  return { vectors, squares, pairs };
}
