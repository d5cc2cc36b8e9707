/**
 * A map of neighbourhoods: places rows on a plane so that near rows of the table are near on the map.
 *
 *   nearest rows ─▶ weights of edges ─▶ start: components or earlier positions ─▶ epochs of attraction and repulsion
 *
 * The weight of the edge from row i to its neighbour j is exp(-(d_ij - ρ_i) / σ_i), where ρ_i is the distance to the nearest other place and
 * σ_i makes the weights of a row add up to log2 of its number of neighbours. The two weights of a pair are joined as a + b - ab. In an epoch,
 * an edge pulls its rows together as often as its weight says, and each pull pushes the row away from NEGATIVES rows drawn at random. With y
 * as distance on the map, two rows are near with probability 1 / (1 + a y²); the epochs follow the gradient of the cross entropy.
 *
 * Constraints: rows of one component are joined by edges of weight 1, and move towards each other in each epoch. Edges between components
 * that must be apart are removed, and rows of these components push each other away in each epoch.
 *
 * Earlier positions: known rows start there and new rows start at the mean of their placed neighbours. There are fewer epochs, with smaller
 * steps.
 *
 * Same rows, seed and earlier positions give the same bytes in every engine. Cost: epochs · edges · NEGATIVES.
 *
 * Source: McInnes, Healy, Melville: UMAP: Uniform Manifold Approximation and Projection for Dimension Reduction. 2018.
 * Departs from the paper: the exponent b of the probability is 1, so that no powers are computed; the epochs start from principal components.
 */

import type { Closure } from "../../constraints/index.js";
import { exp } from "../../linalg/elementary.js";
import type { Random } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import type { NearestRows } from "../neighbours/nearest-rows.js";

export interface MapOptions {
  readonly random: Random;
  /** n x 2: positions to start from, at any scale. */
  readonly start: Float64Array;
  /** n x 2: an earlier map of the same rows; NaN for a row that it did not have. */
  readonly before?: Float32Array;
  /** Constraints that pull and push. */
  readonly closure?: Closure;
}

/** Positions of the rows, n x 2, row-major. */
export function* neighbourhoodMapSteps(nearest: NearestRows, options: MapOptions): Steps<Float64Array> {
  const n = options.start.length / 2;
  const weights = yield* weightSteps(nearest, n);
  const edges = yield* edgeSteps(nearest, weights, n, options.closure ?? null);
  const isWarm = options.before !== undefined;
  const at = isWarm ? fromBefore(options.before, edges, options) : spread(options.start, options.random.split("start"));
  yield* epochSteps(at, edges, n, isWarm, options);
  return at;
}

/** Iterations of the bisection for σ, and the tolerated error of the sum of the weights. */
const BISECTIONS = 32;
const TOLERANCE = 1e-4;
/** Smallest σ, as a share of the mean distance to the neighbours of the row. */
const LEAST_SCALE = 1e-3;
/** Rows between two pauses. */
const ROWS_PER_STEP = 1000;

/** The weights of the edges of each row to its neighbours, n x k. */
function* weightSteps({ k, distances }: NearestRows, n: number): Steps<Float64Array> {
  const weights = new Float64Array(n * k);
  const target = log2(k);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "map", done: 0, total: null };
    const own = distances.subarray(i * k, (i + 1) * k);
    const nearest = own.find((distance) => distance > 0) ?? 0;
    let mean = 0;
    for (const distance of own) mean += distance / k;
    let [low, high, scale] = [0, Infinity, mean > 0 ? mean : 1];
    for (let turn = 0; turn < BISECTIONS; turn++) {
      let sum = 0;
      for (const distance of own) sum += distance > nearest ? exp((nearest - distance) / scale) : 1;
      if (Math.abs(sum - target) < TOLERANCE) break;
      if (sum > target) high = scale;
      else low = scale;
      scale = high === Infinity ? 2 * scale : (low + high) / 2;
    }
    scale = Math.max(scale, LEAST_SCALE * mean);
    for (let p = 0; p < k; p++) {
      const distance = own[p]!;
      weights[i * k + p] = distance > nearest && scale > 0 ? exp((nearest - distance) / scale) : 1;
    }
  }
  return weights;
}

function log2(value: number): number {
  let [whole, rest] = [0, value];
  for (; rest >= 2; rest /= 2) whole++;
  return whole + (rest - 1);
}

/** Edges from each row, by row: `other[start[i]] … other[start[i + 1] - 1]`. Each pair is there twice. */
interface Edges {
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float32Array;
}

/** Edges of weight 1 that a row of a component gets. */
const JOINS = 3;

/** Joins the two weights of each pair, and takes the constraints into account. */
function* edgeSteps({ k, rows }: NearestRows, weights: Float64Array, n: number, closure: Closure | null): Steps<Edges> {
  const isApart = (i: number, j: number) => closure?.apart(closure.component[i]!, closure.component[j]!) ?? false;
  const most = n * (k + (closure ? JOINS : 0));
  const pairs: Pairs = { count: 0, from: new Int32Array(most), to: new Int32Array(most), weight: new Float32Array(most) };
  for (let i = 0; i < n; i++) {
    if (i % (10 * ROWS_PER_STEP) === 0) yield { phase: "map", done: 0, total: null };
    for (let p = i * k; p < (i + 1) * k; p++) {
      const j = rows[p]!;
      if (j < 0) break;
      const back = placeIn(rows, j * k, k, i);
      // A pair in both lists is added once, by its lower row.
      if ((back >= 0 && j < i) || isApart(i, j)) continue;
      const other = back >= 0 ? weights[back]! : 0;
      addPair(pairs, i, j, weights[p]! + other - weights[p]! * other);
    }
  }
  if (closure) addComponents(closure, pairs);
  return yield* byRowSteps(n, pairs);
}

interface Pairs {
  count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weight: Float32Array;
}

function addPair(pairs: Pairs, i: number, j: number, weight: number): void {
  pairs.from[pairs.count] = i;
  pairs.to[pairs.count] = j;
  pairs.weight[pairs.count++] = weight;
}

function placeIn(rows: Int32Array, at: number, k: number, row: number): number {
  for (let p = at; p < at + k; p++) if (rows[p] === row) return p;
  return -1;
}

/** Joins each row of a component to the rows that are 1, 2, 4 … places after it. */
function addComponents({ componentCount, members }: Closure, pairs: Pairs): void {
  for (let c = 0; c < componentCount; c++) {
    const first = members.start[c]!;
    const size = members.start[c + 1]! - first;
    for (let p = 0; p < size; p++) {
      for (let join = 0; join < JOINS && 2 ** join < size; join++)
        addPair(pairs, members.items[first + p]!, members.items[first + ((p + 2 ** join) % size)]!, 1);
    }
  }
}

function* byRowSteps(n: number, { count, from, to, weight: weights }: Pairs): Steps<Edges> {
  const start = new Int32Array(n + 1);
  for (const rows of [from, to]) for (let e = 0; e < count; e++) start[rows[e]! + 1]!++;
  for (let i = 0; i < n; i++) start[i + 1]! += start[i]!;
  yield { phase: "map", done: 0, total: null };
  const next = start.slice(0, n);
  const other = new Int32Array(2 * count);
  const weight = new Float32Array(2 * count);
  const put = (i: number, j: number, value: number): void => {
    const place = next[i]!++;
    other[place] = j;
    weight[place] = value;
  };
  for (let e = 0; e < count; e++) {
    if (e % (100 * ROWS_PER_STEP) === 0) yield { phase: "map", done: 0, total: null };
    put(from[e]!, to[e]!, weights[e]!);
    put(to[e]!, from[e]!, weights[e]!);
  }
  return { start, other, weight };
}

/** Half the width of the map at the start, and the standard deviation of the noise that separates equal rows. */
const EXTENT = 10;
const NOISE = 1e-3;

/** Scales the start to the extent of the map, and separates equal positions. */
function spread(start: Float64Array, random: Random): Float64Array {
  let most = 0;
  for (const value of start) most = Math.max(most, Math.abs(value));
  const factor = most > 0 && most < Infinity ? EXTENT / most : 0;
  return start.map((value) => value * factor + NOISE * random.normal());
}

/** Earlier positions. A new row starts at the mean of its placed neighbours, weighted by edges; without any, at the start's position. */
function fromBefore(before: Float32Array | undefined, { start, other, weight }: Edges, options: MapOptions): Float64Array {
  const at = Float64Array.from(before ?? []);
  const random = options.random.split("new rows");
  const n = at.length / 2;
  for (let i = 0; i < n; i++) {
    if (!Number.isNaN(at[2 * i]! + at[2 * i + 1]!)) continue;
    let [x, y, total] = [0, 0, 0];
    for (let e = start[i]!; e < start[i + 1]!; e++) {
      const j = other[e]!;
      // Rows before this row are placed by now, even if they are new.
      if (Number.isNaN(at[2 * j]! + at[2 * j + 1]!)) continue;
      x += weight[e]! * at[2 * j]!;
      y += weight[e]! * at[2 * j + 1]!;
      total += weight[e]!;
    }
    at[2 * i] = (total > 0 ? x / total : EXTENT * (2 * random.unit() - 1)) + NOISE * random.normal();
    at[2 * i + 1] = (total > 0 ? y / total : EXTENT * (2 * random.unit() - 1)) + NOISE * random.normal();
  }
  return at;
}

/** Number of epochs: more for few rows, as each epoch is then short; and with earlier positions. */
const FEW_ROWS = 10_000;
const EPOCHS = { few: 500, many: 200, warm: 60 };
/** Share of the distance by which a step moves at first; it falls to 0. With earlier positions it starts lower. */
const RATE = { cold: 1, warm: 0.1 };
/** Rows drawn per pull, from which the row is pushed away. */
const NEGATIVES = 8;
/** The parameter a of the probability 1 / (1 + a y²), fitted to 1 for y < 0.1, else exp(0.1 - y), on 0 … 3. */
const A = 1.558;
/** Largest move of a row along an axis by one pull or push, before the rate. */
const MOST_MOVE = 4;
/** Added to squared distances, so that pushes of near rows stay finite. */
const SOFT = 0.001;
/** Pushes between two pauses. */
const PUSHES_PER_STEP = 1e6;

/** The state of the epochs. */
interface Motion {
  readonly at: Float64Array;
  readonly edges: Edges;
  /** Counts up by the weight of the edge in each epoch; the edge pulls when it reaches 1. */
  readonly due: Float32Array;
  /** State of the generator that draws the rows to push from: xorshift with 32 bits, never 0. */
  seed: number;
}

function* epochSteps(at: Float64Array, edges: Edges, n: number, isWarm: boolean, options: MapOptions): Steps<void> {
  const epochs = isWarm ? EPOCHS.warm : n <= FEW_ROWS ? EPOCHS.few : EPOCHS.many;
  const rate = isWarm ? RATE.warm : RATE.cold;
  const due = new Float32Array(edges.weight.length);
  for (let e = 0; e < due.length; e++) due[e] = (Math.imul(e, 0x9e3779b1) >>> 0) / 2 ** 32;
  const motion: Motion = { at, edges, due, seed: options.random.split("epochs").int(2 ** 32 - 1) + 1 };
  const known = options.closure ? knownComponents(options.closure) : null;
  const perStep = Math.max(1, Math.floor((PUSHES_PER_STEP * n) / (NEGATIVES * (edges.other.length + n))));
  for (let epoch = 0; epoch < epochs; epoch++) {
    const step = rate * (1 - epoch / epochs);
    for (let from = 0; from < n; from += perStep) {
      yield { phase: "map", done: epoch + from / n, total: epochs };
      moveRows(motion, step, from, Math.min(n, from + perStep));
    }
    if (known) moveKnown(at, known, step, options.random.split("known", epoch));
  }
}

/** One epoch for rows from … to-1. */
function moveRows(motion: Motion, step: number, from: number, to: number): void {
  const { at, due } = motion;
  const { start, other, weight } = motion.edges;
  const limit = step * MOST_MOVE;
  const scale = at.length / 2 / 2 ** 32;
  let { seed } = motion;
  for (let i = from; i < to; i++) {
    let x = at[2 * i]!;
    let y = at[2 * i + 1]!;
    const end = start[i + 1]!;
    for (let e = start[i]!; e < end; e++) {
      const sum = due[e]! + weight[e]!;
      due[e] = sum < 1 ? sum : sum - 1;
      if (sum < 1) continue;
      const j = 2 * other[e]!;
      const dx = x - at[j]!;
      const dy = y - at[j + 1]!;
      const pull = (2 * A * step) / (1 + A * (dx * dx + dy * dy));
      const px = Math.max(-limit, Math.min(limit, pull * dx));
      const py = Math.max(-limit, Math.min(limit, pull * dy));
      x -= px;
      y -= py;
      at[j] = at[j]! + px;
      at[j + 1] = at[j + 1]! + py;
      for (let negative = 0; negative < NEGATIVES; negative++) {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        const r = 2 * Math.floor((seed >>> 0) * scale);
        const ex = x - at[r]!;
        const ey = y - at[r + 1]!;
        const square = ex * ex + ey * ey;
        if (square === 0) continue;
        const push = (2 * step) / ((SOFT + square) * (1 + A * square));
        x += Math.max(-limit, Math.min(limit, push * ex));
        y += Math.max(-limit, Math.min(limit, push * ey));
      }
    }
    at[2 * i] = x;
    at[2 * i + 1] = y;
  }
  motion.seed = seed;
}

/** Components that constraints move, and the components that each of them must be apart from. */
interface Known {
  readonly closure: Closure;
  readonly components: readonly number[];
  readonly others: readonly (readonly number[])[];
}

/** Components that a component is pushed away from; more are not needed, as one is drawn in each epoch. */
const MOST_OTHERS = 64;

function knownComponents(closure: Closure): Known {
  const components: number[] = [];
  const others: number[][] = [];
  for (let c = 0; c < closure.componentCount; c++) {
    const list: number[] = [];
    for (const other of closure.neighbours(c)) {
      if (list.push(other) === MOST_OTHERS) break;
    }
    if (list.length === 0 && closure.sizes[c] === 1) continue;
    components.push(c);
    others.push(list);
  }
  return { closure, components, others };
}

/** Share of their distance by which two rows of a component are moved towards each other in an epoch, before the rate. */
const PULL = 0.5;

/**
 * Moves each constrained row towards a random row of its component, and away from a random row that must be in another cluster. These moves
 * work at any distance, unlike those of edges.
 */
function moveKnown(
  at: Float64Array,
  { closure: { members, sizes }, components, others }: Known,
  step: number,
  random: Random,
): void {
  const { start, items } = members;
  const anyOf = (component: number) => items[start[component]! + random.int(sizes[component]!)]!;
  components.forEach((component, c) => {
    for (let p = start[component]!; p < start[component + 1]!; p++) {
      const mate = anyOf(component);
      if (mate !== items[p]) moveBoth(at, items[p]!, mate, step, -PULL);
      if (others[c]!.length === 0) continue;
      const other = anyOf(others[c]![random.int(others[c]!.length)]!);
      const square = (at[2 * items[p]!]! - at[2 * other]!) ** 2 + (at[2 * items[p]! + 1]! - at[2 * other + 1]!) ** 2;
      moveBoth(at, items[p]!, other, step, 2 / (1 + square));
    }
  });
}

/** Moves two rows apart by a share of their distance, or towards each other if the share is negative. */
function moveBoth(at: Float64Array, i: number, j: number, step: number, share: number): void {
  for (const axis of [0, 1]) {
    const gap = at[2 * i + axis]! - at[2 * j + axis]!;
    const move = step * Math.max(-MOST_MOVE, Math.min(MOST_MOVE, share * gap));
    at[2 * i + axis] = at[2 * i + axis]! + move;
    at[2 * j + axis] = at[2 * j + axis]! - move;
  }
}
