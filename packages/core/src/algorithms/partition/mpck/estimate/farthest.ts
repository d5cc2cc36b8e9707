/**
 * The two rows that are farthest apart, exactly, without looking at all pairs.
 *
 * Rows are taken by falling distance from the mean: two rows are at most the sum of their distances from it apart, so most
 * pairs are never visited once a far pair is known. Those visited are dropped early: after some columns, the rest can add at
 * most the square of the sum of what is left of the two distances.
 */
import type { Arena, FarthestMachine, FarthestPair, Kernels } from "../../../../kernels/index.js";
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { type LinearMaps, mapInto, squaredNorm } from "../../../metric/linear-maps.js";
import type { KernelRows } from "../assign/kernel-rows.js";

/** Columns after which a pair is looked at again. */
const STOPS = [4, 12, 32];
/** Pairs between two pauses at most, and products of numbers where rows are long. */
const PAIRS = 300_000;
const PRODUCTS = 8_000_000;

/** The pair a < b of largest Σ (x_a - x_b)², column by column, the lower one on ties. `hint`: a pair that is likely to be far apart, if one is known. */
export function* farthestPairSteps(
  x: Float64Array,
  n: number,
  d: number,
  hint?: readonly [number, number],
): Generator<Step, FarthestPair, void> {
  const begun: Step = { phase: "farthest pair", done: 0, total: n };
  const isLong = n * d > PRODUCTS / 4;
  if (isLong) yield begun;
  const sorted = byRadius(x, n, d);
  if (isLong) yield begun;
  const { rows, order, radius, stops, rests } = sorted;
  const far = firstGuess(sorted, x, d, hint);
  if (isLong) yield begun;
  const turn = Math.min(PAIRS, PRODUCTS / d);
  let pairs = 0;
  for (let p = 0; p < n; p++) {
    if (4 * radius[p]! * radius[p]! < far.square) break;
    for (let q = p + 1; q < n; q++) {
      const most = radius[p]! + radius[q]!;
      if (most * most < far.square) break;
      pairs++;
      if (squareAbove(rows, p, q, d, stops, rests, far.square) >= far.square / SLACK)
        takeFarther(far, x, d, order[p]!, order[q]!);
    }
    if (pairs > turn) {
      pairs = 0;
      yield { phase: "farthest pair", done: p, total: n };
    }
  }
  return far;
}

/** Takes a pair that is farther apart, or as far and lower. */
function takeFarther(far: Far, x: Float64Array, d: number, p: number, q: number): void {
  const [a, b] = [Math.min(p, q), Math.max(p, q)];
  const square = squareBetween(x, a, b, d);
  if (square < far.square || (square === far.square && (a > far.a || (a === far.a && b >= far.b)))) return;
  Object.assign(far, { a, b, square });
}

type Far = { -readonly [Key in keyof FarthestPair]: FarthestPair[Key] };

interface Sorted {
  /** Rows less the mean, by falling radius; columns by falling variance. */
  readonly rows: Float64Array;
  readonly order: Int32Array;
  readonly radius: Float64Array;
  readonly stops: readonly number[];
  /** For each stop, the length of each row's columns from there on. */
  readonly rests: readonly Float64Array[];
}

/** Bounds are kept a little too large, so that rounding never drops the farthest pair. */
const SLACK = 1 + 1e-12;

function byRadius(x: Float64Array, n: number, d: number): Sorted {
  const { columns, mean } = columnsByVariance(x, n, d);
  const centred = new Float64Array(n * d);
  const lengths = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) {
      const value = x[i * d + columns[j]!]! - mean[columns[j]!]!;
      centred[i * d + j] = value;
      sum += value * value;
    }
    lengths[i] = SLACK * Math.sqrt(sum);
  }
  const order = Int32Array.from(lengths.keys()).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const rows = new Float64Array(n * d);
  order.forEach((i, p) => {
    rows.set(centred.subarray(i * d, (i + 1) * d), p * d);
  });
  const stops = STOPS.filter((stop) => 2 * stop <= d);
  const rests = stops.map((stop) =>
    Float64Array.from(order, (_, p) => {
      let sum = 0;
      for (let j = stop; j < d; j++) sum += rows[p * d + j]! * rows[p * d + j]!;
      return SLACK * Math.sqrt(sum);
    }),
  );
  return { rows, order, radius: Float64Array.from(order, (i) => lengths[i]!), stops, rests };
}

function columnsByVariance(x: Float64Array, n: number, d: number) {
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const t = x[i * d + j]! - mean[j]!;
      variance[j]! += t * t;
    }
  }
  const columns = Array.from({ length: d }, (_, j) => j).sort((a, b) => variance[b]! - variance[a]! || a - b);
  return { columns, mean };
}

/** The hint, or what two walks to the farthest row find, from the row of largest radius. */
function firstGuess({ rows, order }: Sorted, x: Float64Array, d: number, hint: readonly [number, number] | undefined): Far {
  const n = order.length;
  const far: Far = { a: 0, b: Math.min(1, n - 1), square: -1 };
  if (n > 1) takeFarther(far, x, d, 0, 1);
  if (hint) takeFarther(far, x, d, hint[0], hint[1]);
  let from = 0;
  for (let walk = 0; walk < 3; walk++) {
    let next = from;
    let most = 0;
    for (let q = 0; q < n; q++) {
      const square = squareBetween(rows, from, q, d);
      if (square > most) [most, next] = [square, q];
    }
    if (next !== from) takeFarther(far, x, d, order[from]!, order[next]!);
    from = next;
  }
  return { ...far, square: Math.max(0, far.square) };
}

function squareBetween(rows: Float64Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const t = rows[p * d + j]! - rows[q * d + j]!;
    sum += t * t;
  }
  return sum;
}

/** The squared distance, or -1 as soon as it must be below `least`. */
function squareAbove(
  rows: Float64Array,
  p: number,
  q: number,
  d: number,
  stops: readonly number[],
  rests: readonly Float64Array[],
  least: number,
): number {
  let sum = 0;
  let j = 0;
  for (let s = 0; s < stops.length; s++) {
    for (const stop = stops[s]!; j < stop; j++) {
      const t = rows[p * d + j]! - rows[q * d + j]!;
      sum += t * t;
    }
    const rest = rests[s]![p]! + rests[s]![q]!;
    if ((sum + rest * rest) * SLACK < least) return -1;
  }
  for (; j < d; j++) {
    const t = rows[p * d + j]! - rows[q * d + j]!;
    sum += t * t;
  }
  return sum;
}

/**
 * For each metric the row that is farthest from 0, where rows are centred: half of the bound that large data get. Machines that
 * have rows as they are look for it among these; `rest` are the rows that none of them has.
 */
function* farthestFromOrigin(
  x: Float64Array,
  n: number,
  d: number,
  maps: LinearMaps,
  machines: readonly KernelRows[],
  rest: Int32Array | null,
): Generator<Step, Int32Array, void> {
  const count = maps.maps.length;
  const far = new Int32Array(count);
  const most = new Float64Array(count).fill(-1);
  const take = (g: number, row: number, square: number): void => {
    if (square > most[g]! || (square === most[g] && row < far[g]!)) {
      most[g] = square;
      far[g] = row;
    }
  };
  const serve = rest !== null && maps.kind !== "full" && machines.every(({ unmapped }) => unmapped);
  if (serve) {
    const factors = new Float64Array(count * d).fill(1);
    if (maps.kind === "diagonal") for (let g = 0; g < count; g++) factors.set(maps.maps[g]!, g * d);
    for (const { machine, rows } of machines) {
      const found = machine?.farthest(factors);
      found?.rows.forEach((place, g) => {
        take(g, rows[place]!, found.squares[g]!);
      });
    }
  }
  const z = new Float64Array(d);
  for (let g = 0; g < count; g++) {
    for (let e = 0; e < (serve ? rest.length : n); e++) {
      const i = serve ? rest[e]! : e;
      mapInto(maps, g, d, x, i * d, z, 0);
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

/** A search over all rows in the kernels, if it pays and the exact pair is wanted. */
export function openSearch({ n, d, x }: Points, kernels: Kernels, arena: Arena): FarthestMachine | null {
  if (n > MOST_ROWS_EXACT) return null;
  const block = arena.f64(n * d);
  block.view().set(x.subarray(0, n * d));
  return kernels.farthest(block, n, d);
}

function* searchSteps(
  search: FarthestMachine,
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

/** The farthest pair of all (centred) rows under each metric. */
export function* farthestSteps(
  { n, d, x }: Points,
  maps: LinearMaps,
  before: Farthest | null,
  machines: readonly KernelRows[] = [],
  rest: Int32Array | null = null, // in: the rows that no machine has; null for all
  search: FarthestMachine | null = null, // in: over all rows, if the kernels have one
): Generator<Step, Farthest, void> {
  const vectors: Float64Array[] = [];
  const squares = new Float64Array(maps.maps.length);
  const pairs: (readonly [number, number])[] = [];
  const exact = n <= MOST_ROWS_EXACT;
  const mapped = new Float64Array(exact && !search ? n * d : 0);
  const ends = exact ? [] : yield* farthestFromOrigin(x, n, d, maps, machines, rest);
  for (let g = 0; g < maps.maps.length; g++) {
    const v = new Float64Array(d);
    if (exact) {
      const hint = before?.pairs[g] ?? before?.pairs[0];
      if (!search) for (let i = 0; i < n; i++) mapInto(maps, g, d, x, i * d, mapped, i * d);
      const { a, b } = search ? yield* searchSteps(search, g, maps, n, hint) : yield* farthestPairSteps(mapped, n, d, hint);
      for (let j = 0; j < d; j++) v[j] = x[a * d + j]! - x[b * d + j]!;
      pairs.push([a, b]);
    } else {
      for (let j = 0; j < d; j++) v[j] = 2 * x[ends[g]! * d + j]!;
    }
    vectors.push(v);
    squares[g] = squaredNorm(maps, g, d, v);
  }
  return { vectors, squares, pairs };
}
