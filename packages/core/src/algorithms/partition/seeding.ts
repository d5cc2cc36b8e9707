/** Chooses first centres for k-means and related methods: random rows, or k-means++. */
import { type Arena, CHUNK_ROWS, type F64, type Kernels, plainKernels, type SeedingState } from "../../kernels/index.js";
import { log } from "../../linalg/elementary.js";
import { gatherRows, type Points, rowValues } from "../../model/points.js";
import type { Random } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { leastAt } from "../../structures/search.js";
import { placedSteps, screenSteps } from "../ready-rows.js";

export function randomRows(points: Points, k: number, random: Random): Float64Array {
  return gatherRows(rowValues(points), points.d, random.sample(points.n, k));
}

/**
 * k-means++ with several candidates. The first centre is a random row. For each next centre, 2 + ln k rows are drawn. The probability of a
 * row is proportional to its squared distance from the nearest centre, times its weight if rows have weights. The candidate that reduces
 * the sum of squared distances most becomes the centre; on ties the first.
 */
export function* plusPlusSteps(
  points: Points,
  k: number,
  random: Random,
  state: SeedingState = plainSeedingOf(points),
): Steps<Float64Array> {
  const { n, d } = points;
  const x = rowValues(points);
  const candidates = 2 + Math.floor(log(k));
  const chunks = Math.ceil(n / CHUNK_ROWS);
  const centres = new Float64Array(k * d);
  const take = (c: number, row: number) => centres.set(x.subarray(row * d, (row + 1) * d), c * d);
  const first = random.int(n);
  let sums = state.tryRows(Int32Array.of(first));
  state.take(0);
  take(0, first);
  for (let c = 1; c < k; c++) {
    yield { phase: "seeding", done: c, total: k };
    const drawn = Int32Array.from({ length: candidates }, () => draw(state, n, sums, random.unit()));
    const tried = state.tryRows(drawn);
    const lines = Array.from(drawn, (_, t) => tried.subarray(t * chunks, (t + 1) * chunks));
    const best = leastAt(lines.map(sumOf));
    sums = lines[best]!;
    state.take(best);
    take(c, drawn[best]!);
  }
  return centres;
}

/** Like `plusPlusSteps`; copies the rows into kernel memory first. */
export function* plusPlusByKernels(points: Points, k: number, random: Random, kernels: Kernels): Steps<Float64Array> {
  const { n, d } = points;
  const arena = kernels.arena();
  try {
    const x = yield* placedSteps(points, arena);
    const screen = yield* screenSteps(x, n, d, kernels, arena);
    return yield* plusPlusSteps(points, k, random, kernels.seeding(x, n, d, arena, screen, weightsIn(arena, points)));
  } finally {
    arena.release();
  }
}

function plainSeedingOf(points: Points): SeedingState {
  const { n, d } = points;
  const arena = plainKernels.arena();
  return plainKernels.seeding(arena.rows(rowValues(points)), n, d, arena, null, weightsIn(arena, points));
}

/** The row weights in kernel memory; null if all rows have weight 1. */
export function weightsIn(arena: Arena, { n, rowWeights }: Points): F64 | null {
  if (!rowWeights) return null;
  const weights = arena.f64(n);
  weights.view().set(rowWeights);
  return weights;
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Draws a row with probability proportional to its squared distance from the nearest centre. The drawn row is the first at which the
 * running sum of squared distances exceeds `u` times the total. If all distances are 0, every row is equally likely.
 */
function draw(state: SeedingState, n: number, sums: Float64Array, u: number): number {
  const total = sumOf(sums);
  if (!(total > 0)) return Math.floor(u * n);
  let left = u * total;
  let chunk = 0;
  while (chunk < sums.length - 1 && left >= sums[chunk]!) left -= sums[chunk++]!;
  const start = chunk * CHUNK_ROWS;
  const nearest = state.nearest(start, Math.min(n, start + CHUNK_ROWS));
  let last = 0;
  for (let i = 0; i < nearest.length; i++) {
    if (nearest[i]! <= 0) continue;
    last = i;
    if (left < nearest[i]!) break;
    left -= nearest[i]!;
  }
  return start + last;
}
