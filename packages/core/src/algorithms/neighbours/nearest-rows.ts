/**
 * The k nearest rows of every row, by Euclidean distance; the lower row on ties. One service for maps, density, spectral features and
 * questions.
 *
 *   few columns                      k-d tree: exact, n log n
 *   up to EXACT_ROWS rows            all pairs: exact, n² d in 16-bit integers where the kernels have them
 *   more rows                        approximate: trees of random splits, then rounds of descent
 *
 * Approximate lists start with the nearest rows inside the leaves of TREES trees. Each tree splits the rows at the median of a projection,
 * down to leaves of at most LEAF rows. A round of descent then compares each row with the neighbours of its neighbours. Rounds stop when
 * few lists still change. docs/measurements/map.md has the share of true neighbours that are listed.
 *
 * The result depends on the rows and the seed only: the lists hold the nearest of all rows that were compared, so neither the kernels nor
 * the number of threads matters.
 *
 * Source: Dong, Moses, Li: Efficient k-nearest neighbor graph construction for generic similarity measures. WWW 2011. Dasgupta, Freund:
 * Random projection trees and low dimensional manifolds. STOC 2008.
 * Departs from these papers: every tree uses one direction per level, the difference of two rows drawn at random; rows look two steps
 * ahead in frozen lists, instead of joining the neighbours of each row.
 */
import { type Kernels, type NeighbourSearch, pairKernelsOf, plainKernels } from "../../kernels/index.js";
import { type Random, randomFrom } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { selectRow } from "../../structures/kd-tree.js";
import { nearestInTreeSteps } from "./tree-neighbours.js";

export interface NearestRows {
  /** Number of neighbours listed for each row. */
  readonly k: number;
  /** The neighbours of row i, nearest first, are rows[i · k] … rows[i · k + k - 1]; `distances` has the same order. */
  readonly rows: Int32Array;
  readonly distances: Float64Array;
  /** Whether the lists are exact. */
  readonly exact: boolean;
}

export interface NearestOptions {
  readonly kernels?: Kernels;
  readonly random?: Random;
  /** With more rows, the lists are approximate. */
  readonly exactRows?: number;
}

export interface FlatRows {
  readonly n: number;
  readonly d: number;
  /** n x d, row-major. */
  readonly x: Float64Array | Float32Array;
}

/** Up to this number of rows, lists are exact in any number of columns. */
export const EXACT_ROWS = 40_000;
/** With more columns, the bounding boxes of a k-d tree rarely save comparisons. */
const MOST_TREE_COLUMNS = 8;

export function* nearestRowSteps(
  rows: FlatRows,
  count: number,
  { kernels = plainKernels, random = randomFrom(0), exactRows = EXACT_ROWS }: NearestOptions = {},
): Steps<NearestRows> {
  const { n, d, x } = rows;
  const k = Math.max(0, Math.min(count, n - 1));
  if (k === 0) return { k, rows: new Int32Array(0), distances: new Float64Array(0), exact: true };
  if (d <= MOST_TREE_COLUMNS && x instanceof Float64Array) {
    const { rows: found, squares } = yield* nearestInTreeSteps({ n, d, x }, k);
    return { k, rows: found, distances: squares.map(Math.sqrt), exact: true };
  }
  const arena = kernels.arena();
  try {
    const exact = n <= exactRows;
    const wide = exact ? k : Math.min(n - 1, k + EXTRA);
    const search = pairKernelsOf(kernels).neighbours(arena.rows(x), n, d, wide, arena);
    if (exact) yield* compareAllSteps(search, n, d, kernels);
    else yield* approximateSteps(search, rows, wide, random, kernels);
    const { rows: found, squares } = search.lists();
    return { k, rows: firstOf(found, n, wide, k), distances: firstOf(squares, n, wide, k).map(Math.sqrt), exact };
  } finally {
    arena.release();
  }
}

/** The first k of `wide` entries of each row. */
function firstOf<Numbers extends Int32Array | Float64Array>(all: Numbers, n: number, wide: number, k: number): Numbers {
  if (wide === k) return all;
  for (let i = 0; i < n; i++) all.copyWithin(i * k, i * wide, i * wide + k);
  return all.slice(0, n * k) as Numbers;
}

/** Comparisons times columns between two pauses: a few hundredths of a second. */
function workPerStep({ name, threads }: Kernels): number {
  return name === "plain" ? 2e7 : 3e8 * threads;
}

/** Fixed cost of a comparison, in columns. */
const COMPARISON = 24;
/** Ranges of rows begin at multiples of this number, so that the kernels work on complete blocks. */
const BLOCK = 80;

function* compareAllSteps(search: NeighbourSearch, n: number, d: number, kernels: Kernels): Steps<void> {
  const step = BLOCK * Math.max(1, Math.round(workPerStep(kernels) / (n * (d + COMPARISON) * BLOCK)));
  for (let from = 0; from < n; from += step) {
    yield { phase: "neighbours", done: from, total: n };
    search.compareAll(from, Math.min(from + step, n));
  }
}

/** Entries added to each list for the search and dropped at its end. Longer lists find more true neighbours. */
const EXTRA = 25;
/** TREES: number of trees. LEAF: maximum number of rows in a leaf. */
const TREES = 6;
const LEAF = 100;
/** Maximum number of rounds of descent, and the share of entries that change in a round that is worth another round. */
const ROUNDS = 12;
const FEW_CHANGES = 0.01;
/** Maximum number of fresh rows, and of known rows, that a row brings together in a round. */
const WIDTH = 40;

function* approximateSteps(search: NeighbourSearch, rows: FlatRows, k: number, random: Random, kernels: Kernels): Steps<void> {
  const { n, d } = rows;
  const total = TREES + ROUNDS;
  const perStep = workPerStep(kernels) / (d + COMPARISON);
  for (let tree = 0; tree < TREES; tree++) {
    const { order, start } = yield* leafSteps(rows, random.split("tree", tree), kernels, { done: tree, total });
    const step = Math.max(1, Math.floor(perStep / LEAF ** 2));
    for (let from = 0; from < start.length - 1; from += step) {
      yield { phase: "neighbours", done: tree, total };
      search.compareGroups(order, start, from, Math.min(from + step, start.length - 1));
    }
  }
  let before: Int32Array = new Int32Array(0);
  for (let round = 0; round < ROUNDS; round++) {
    yield { phase: "neighbours", done: TREES + round, total };
    const { rows: found } = search.lists();
    const { fresh, known, changes } = candidates(found, before, n, k, random.split("round", round));
    if (changes < FEW_CHANGES * n * k) return;
    before = found;
    const arena = kernels.arena();
    try {
      const join = search.openJoins(fresh, known, WIDTH, arena);
      const step = Math.max(1, Math.round(perStep / (kernels.threads * 2 * WIDTH * WIDTH)));
      for (let from = 0; from < n; from += step) {
        join(from, Math.min(from + step, n));
        yield { phase: "neighbours", done: TREES + round + from / n, total };
      }
    } finally {
      arena.release();
    }
  }
}

/**
 * The rows that a row brings together: its neighbours, and rows that have it as a neighbour. Fresh pairs are new since the last round. Of more
 * than WIDTH rows, WIDTH are drawn at random.
 */
function candidates(found: Int32Array, before: Int32Array, n: number, k: number, random: Random) {
  const salt = random.int(2 ** 32);
  const fresh = new Int32Array(n * WIDTH).fill(-1);
  const known = new Int32Array(n * WIDTH).fill(-1);
  const counts = new Int32Array(2 * n);
  const draw = (rows: Int32Array, which: number, i: number, j: number): void => {
    const count = counts[2 * i + which]!++;
    const place = count < WIDTH ? count : hashed(i, j, salt) % (count + 1);
    if (place < WIDTH) rows[i * WIDTH + place] = j;
  };
  let changes = 0;
  for (let i = 0; i < n; i++) {
    for (let p = i * k; p < (i + 1) * k; p++) {
      const j = found[p]!;
      if (j < 0) break;
      const which = before.length > 0 && isListed(before, i * k, k, j) ? 1 : 0;
      if (which === 0) changes++;
      const rows = which === 0 ? fresh : known;
      draw(rows, which, i, j);
      if (!isListed(found, j * k, k, i)) draw(rows, which, j, i);
    }
  }
  return { fresh, known, changes };
}

function isListed(rows: Int32Array, at: number, k: number, row: number): boolean {
  for (let p = at; p < at + k; p++) if (rows[p] === row) return true;
  return false;
}

/** A random number of 32 bits for two rows. */
function hashed(i: number, j: number, salt: number): number {
  let key = Math.imul(i ^ salt, 0x9e3779b1) ^ Math.imul(j, 0x85ebca6b);
  key = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d);
  key = Math.imul(key ^ (key >>> 12), 0x297a2d39);
  return (key ^ (key >>> 15)) >>> 0;
}

/** The rows in the order of a random tree; leaf g contains order[start[g]] … order[start[g + 1] - 1]. */
function* leafSteps(
  { n, d, x }: FlatRows,
  random: Random,
  kernels: Kernels,
  at: { readonly done: number; readonly total: number },
): Steps<{ readonly order: Int32Array; readonly start: Int32Array }> {
  let levels = 0;
  while (n / 2 ** levels > LEAF) levels++;
  const lines = new Float64Array(levels * d);
  for (let level = 0; level < levels; level++) {
    const [a, b] = [random.int(n) * d, random.int(n) * d];
    for (let f = 0; f < d; f++) lines[level * d + f] = x[a + f]! - x[b + f]!;
  }
  const keys = new Float32Array(n * levels);
  const step = Math.max(1, Math.floor(workPerStep(kernels) / (8 * levels * d + 1)));
  for (let from = 0; from < n; from += step) {
    yield { phase: "neighbours", ...at };
    const to = Math.min(from + step, n);
    const rows = Float64Array.from(x.subarray(from * d, to * d));
    const found = kernels.projections(rows, to - from, lines, levels, d);
    for (let level = 0; level < levels; level++)
      for (let i = from; i < to; i++) keys[level * n + i] = found[(i - from) * levels + level]!;
  }
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let start = [0, n];
  for (let level = 0; level < levels; level++) {
    const halves = [0];
    for (let g = 0; g + 1 < start.length; g++) {
      const [low, high] = [start[g]!, start[g + 1]!];
      const middle = (low + high) >>> 1;
      if (high - low > LEAF) {
        selectRow(order, byKey(keys.subarray(level * n, (level + 1) * n)), low, high - 1, middle);
        halves.push(middle);
      }
      halves.push(high);
    }
    start = halves;
    yield { phase: "neighbours", ...at };
  }
  return { order, start: Int32Array.from(start) };
}

/** The order of rows by their keys; rows with equal keys are in order of their numbers. */
function byKey(keys: Float32Array): (row: number, other: number) => boolean {
  return (row, other) => keys[row]! < keys[other]! || (keys[row] === keys[other] && row < other);
}
