/** The tables of trials for all pages about this paper. */

import { type ConstraintSet, closeConstraints, type Random, randomFrom, supervisedMeans } from "@coterie/core/internal";
import { COUNTS, schemesTable } from "./protocol.js";
import { ABLATIONS, METRICS, type Scheme, SEARCHES, type Task } from "./schemes.js";

const MOST_ITERATIONS = 100;

const ORDERS: Readonly<Record<string, Scheme>> = { "random order": inOrder("random"), "greedy order": inOrder("greedy") };

const RUNS = { quick: 4, full: 50 } as const;

export const ablations = schemesTable({ name: "ablations", runs: RUNS, schemes: ABLATIONS, watched: ["MPCK-S-D"], factor: 3 });

export const metrics = schemesTable({
  name: "metrics",
  runs: RUNS,
  schemes: METRICS,
  watched: ["MPCK-M-D", "MPCK-S-F", "MPCK-M-F"],
  factor: 6,
});

export const searches = schemesTable({
  name: "search",
  runs: { quick: 2, full: 20 },
  counts: { quick: [50, 400], full: COUNTS.full },
  schemes: SEARCHES,
  factor: 24,
});

export const orders = schemesTable({
  name: "order",
  runs: { quick: 2, full: 20 },
  counts: { quick: [50, 100], full: [50, 100, 200] },
  schemes: ORDERS,
  factor: 2,
});

/*
 * Section 3.2: does the order of assignment matter? This is MPCK-means with one diagonal metric, written exactly as in figure 1: it loops
 * over all pairs. The order of the rows is an argument: random, or the greedy order that the paper tried. The code is simple and slow, and
 * only this claim uses it.
 */

type Order = "random" | "greedy";

interface Links {
  /**
   * must: for each row, the rows that must-links connect with it. cannot: the rows that cannot-links separate from it. Both include implied
   * links.
   */
  readonly must: readonly (readonly number[])[];
  readonly cannot: readonly (readonly number[])[];
}

/** Returns the labels of MPCK-means-S-D. It starts from the first centres of our library, which are computed as in the paper. */
export function mpckInOrder(task: Task, order: Order, random: Random): Int32Array {
  const { points, known, k } = task;
  const { n, d, x } = points;
  const links = linksOf(known);
  let centres = firstCentres(task);
  let weights: Float64Array = new Float64Array(d).fill(1);
  const labels = new Int32Array(n).fill(-1);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    const rows = orderOf(order, random.split("order", iteration), links, (row) => nearest(x, d, row, centres, k, weights));
    const moved = assign(x, d, k, rows, centres, weights, links, labels);
    if (moved === 0) break;
    centres = means(x, d, k, labels, centres);
    weights = updatedWeights(x, n, d, labels, centres, links, weights);
  }
  return labels;
}

function linksOf(known: ConstraintSet): Links {
  const { n, component, apart } = closeConstraints(known);
  const touched = new Set([...known.mustLinks.a, ...known.mustLinks.b, ...known.cannotLinks.a, ...known.cannotLinks.b]);
  const rows = [...touched].sort((a, b) => a - b);
  const must: number[][] = Array.from({ length: n }, () => []);
  const cannot: number[][] = Array.from({ length: n }, () => []);
  for (const i of rows) {
    for (const j of rows) {
      if (i === j) continue;
      if (component[i] === component[j]) must[i]!.push(j);
      else if (apart(component[i]!, component[j]!)) cannot[i]!.push(j);
    }
  }
  return { must, cannot };
}

function firstCentres({ points, known, ...task }: Task): Float64Array {
  return Float64Array.from(supervisedMeans(points, known, task).centres!.flat());
}

function orderOf(order: Order, random: Random, { must, cannot }: Links, distance: (row: number) => number): Int32Array {
  const rows = Int32Array.from(must.keys());
  if (order === "random") {
    random.shuffle(rows);
    return rows;
  }
  const count = (row: number): number => must[row]!.length + cannot[row]!.length;
  const distances = Float64Array.from(rows, distance);
  return rows.sort((a, b) => count(a) - count(b) || distances[a]! - distances[b]! || a - b);
}

function square(x: Float64Array, p: number, y: Float64Array, q: number, d: number, weights: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += weights[j]! * (x[p + j]! - y[q + j]!) ** 2;
  return sum;
}

function nearest(x: Float64Array, d: number, row: number, centres: Float64Array, k: number, weights: Float64Array): number {
  let least = Infinity;
  for (let h = 0; h < k; h++) least = Math.min(least, square(x, row * d, centres, h * d, d, weights));
  return least;
}

/** Step 2a: assigns each row, in order, to the cluster with the lowest sum of distance and penalties. */
function assign(
  x: Float64Array,
  d: number,
  k: number,
  rows: Int32Array,
  centres: Float64Array,
  weights: Float64Array,
  { must, cannot }: Links,
  labels: Int32Array,
): number {
  const farthest = farthestPair(x, d, weights).square;
  let moved = 0;
  for (const row of rows) {
    const costs = Float64Array.from({ length: k }, (_, h) => square(x, row * d, centres, h * d, d, weights));
    for (const other of must[row]!) {
      if (labels[other]! < 0) continue;
      const between = square(x, row * d, x, other * d, d, weights);
      for (let h = 0; h < k; h++) if (h !== labels[other]) costs[h]! += between;
    }
    for (const other of cannot[row]!) {
      if (labels[other]! >= 0) costs[labels[other]!]! += farthest - square(x, row * d, x, other * d, d, weights);
    }
    const best = costs.indexOf(Math.min(...costs));
    if (best !== labels[row]) moved++;
    labels[row] = best;
  }
  return moved;
}

function means(x: Float64Array, d: number, k: number, labels: Int32Array, before: Float64Array): Float64Array {
  const sums = new Float64Array(k * d);
  const sizes = new Float64Array(k);
  labels.forEach((h, row) => {
    sizes[h]!++;
    for (let j = 0; j < d; j++) sums[h * d + j]! += x[row * d + j]!;
  });
  return sums.map((sum, p) => (sizes[Math.floor(p / d)]! > 0 ? sum / sizes[Math.floor(p / d)]! : before[p]!));
}

/** The new weights of the columns by equation 8. A column keeps its weight if the new weight would not be positive. */
function updatedWeights(
  x: Float64Array,
  n: number,
  d: number,
  labels: Int32Array,
  centres: Float64Array,
  { must, cannot }: Links,
  before: Float64Array,
): Float64Array {
  const { pair } = farthestPair(x, d, before);
  const sums = new Float64Array(d);
  const add = (p: number, y: Float64Array, q: number, factor: number): void => {
    for (let j = 0; j < d; j++) sums[j]! += factor * (x[p + j]! - y[q + j]!) ** 2;
  };
  labels.forEach((h, row) => {
    add(row * d, centres, h * d, 1);
  });
  // Each pair is in the lists of both of its rows, so each time it counts half.
  must.forEach((others, row) => {
    for (const other of others) if (labels[other] !== labels[row]) add(row * d, x, other * d, 0.5);
  });
  cannot.forEach((others, row) => {
    for (const other of others) {
      if (labels[other] !== labels[row]) continue;
      add(pair[0] * d, x, pair[1] * d, 0.5);
      add(row * d, x, other * d, -0.5);
    }
  });
  const conditioned = 1e-6 * sums.reduce((total, sum) => total + Math.max(0, sum), 0);
  return sums.map((sum, j) => (sum + conditioned > 0 ? n / (sum + conditioned) : before[j]!));
}

function farthestPair(
  x: Float64Array,
  d: number,
  weights: Float64Array,
): { readonly square: number; readonly pair: readonly [number, number] } {
  let found = { square: 0, pair: [0, 0] as [number, number] };
  for (let i = 0; i * d < x.length; i++) {
    for (let j = 0; j < i; j++) {
      const between = square(x, i * d, x, j * d, d, weights);
      if (between > found.square) found = { square: between, pair: [i, j] };
    }
  }
  return found;
}

function inOrder(order: Order): Scheme {
  return (task) => ({ labels: mpckInOrder(task, order, randomFrom(task.seed)) });
}
