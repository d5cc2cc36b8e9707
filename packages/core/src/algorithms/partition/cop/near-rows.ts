/**
 * Assigns free rows (rows without constraints) under size bounds. Every cluster has a price, so that all sizes are within their bounds
 * (transport.ts). Each row is in the cluster with the least cost + price. The cost is the squared distance.
 *
 *                      own                         next best
 *     cost + price  ----+---------- margin ----------+-------->
 *
 * A row stays in its cluster as long as the prices change by less than its margin. So only rows with margins below a threshold enter the
 * transport problem. If the new prices prove that all other rows stay, the assignment is exact. Otherwise the threshold is raised and more
 * rows enter. Between iterations, a margin shrinks at most by the movement of the centres, as in Hamerly's k-means [hamerly2010]. So most
 * rows need no new costs.
 */
import { type Arena, CHUNK_ROWS, type Kernels, type KMeansState } from "../../../kernels/kernels.js";
import { type Others, type Transport, transportSteps } from "../../../structures/transport.js";
import { type FreeTable, noRows } from "./free-rows.js";
import { squaredDistance } from "./units.js";

export interface NearRows extends Pick<KMeansState, "setCentres" | "inertia" | "labels" | "distances" | "sums"> {
  /**
   * The cheapest assignment of the free rows within the bounds. lower, upper: bounds on the number of free rows in each cluster. prices:
   * initial prices.
   */
  share(lower: Int32Array, upper: Int32Array, prices: Float64Array): Generator<void, Transport, void>;
  /** Sets labels and prices: a new result of `share`, or the previous assignment. */
  accept(labels: Int32Array, prices: Float64Array): void;
}

interface Near {
  readonly margin: number;
  /** The rows with margins below `margin`, ascending, and their costs in each cluster: rows × k, row-major. */
  readonly rows: Int32Array;
  readonly costs: Float64Array;
  /** For all rows: the cluster with the least cost + price under the previous prices, and the cost in this cluster (`own`). */
  readonly labels: Int32Array;
  readonly own: Float64Array;
  readonly others: Others | null;
}

/** With fewer rows than this, all rows enter the transport problem. */
const FEW_ROWS = 4096;
/**
 * The threshold for margins is AHEAD times the last change of prices. While the result is not proven exact, the threshold is multiplied by
 * MORE.
 */
const AHEAD = 3;
const MORE = 4;
/** Number of rows for which one kernel call computes the costs. */
const ROWS_AT_ONCE = 4 * CHUNK_ROWS;

export function openNearRows(
  { x, n, d, screen }: FreeTable,
  k: number,
  kernels: Kernels,
  arena: Arena,
  few = FEW_ROWS,
): NearRows {
  const state = n === 0 ? noRows(k, d) : kernels.kmeans(x, n, d, k, arena, { bounds: true, screen });
  let centres: Float64Array | null = null;
  let distances: Float64Array | null = null;
  let labels: Int32Array | null = null;
  let prices = new Float64Array(k);
  /** For each row: a lower bound of the least cost + price among all clusters except the row's own. */
  const nextBest = new Float64Array(n).fill(-Infinity);
  /** Rows with a margin below this value enter the transport problem. */
  let margin = Infinity;
  let near: Near | null = null;

  const values = new Float64Array(Math.min(n, ROWS_AT_ONCE) * d);
  const costsOf = (rows: Int32Array): Float64Array => {
    const all = x.view();
    for (let e = 0; e < rows.length; e++) {
      for (let p = rows[e]! * d, q = e * d, end = q + d; q < end; p++, q++) values[q] = all[p]!;
    }
    return kernels.squares(values.subarray(0, rows.length * d), rows.length, centres!, k, d);
  };
  const ownCosts = (): Float64Array => {
    distances ??= state.distances();
    return distances;
  };

  function* select(): Generator<void, Near, void> {
    const own = labels === null ? new Float64Array(n) : ownCosts().slice();
    const best = labels === null ? new Int32Array(n) : labels.slice();
    const isOpen = (i: number): boolean => labels === null || !(nextBest[i]! - own[i]! - prices[best[i]!]! >= margin);
    const kept: { rows: Int32Array; costs: Float64Array; count: number } = {
      rows: new Int32Array(n),
      costs: new Float64Array(margin === Infinity ? n * k : ROWS_AT_ONCE * k),
      count: 0,
    };
    const load = new Int32Array(k);
    const step = new Float64Array(k * k).fill(Infinity);
    const block = new Int32Array(ROWS_AT_ONCE);
    let filled = 0;
    const look = (): void => {
      const costs = costsOf(block.subarray(0, filled));
      for (let e = 0; e < filled; e++) {
        const i = block[e]!;
        const { label, cost, next } = bestTwo(costs, e, k, prices);
        best[i] = label;
        own[i] = costs[e * k + label]!;
        nextBest[i] = next;
        if (next - cost >= margin) {
          load[label]!++;
          for (let c = 0, p = label * k; c < k; c++, p++) step[p] = Math.min(step[p]!, costs[e * k + c]! - own[i]!);
        } else {
          if ((kept.count + 1) * k > kept.costs.length) kept.costs = grown(kept.costs);
          kept.costs.set(costs.subarray(e * k, (e + 1) * k), kept.count * k);
          kept.rows[kept.count++] = i;
        }
      }
      filled = 0;
    };
    const closed = new Int32Array(k);
    for (let i = 0; i < n; i++) {
      if (isOpen(i)) block[filled++] = i;
      else closed[best[i]!]!++;
      if (filled < ROWS_AT_ONCE) continue;
      look();
      yield;
    }
    look();
    closed.forEach((count, a) => {
      load[a]! += count;
      for (let b = 0, p = a * k; count > 0 && b < k; b++, p++) step[p] = Math.min(step[p]!, margin + prices[a]! - prices[b]!);
    });
    return {
      margin,
      rows: kept.rows.slice(0, kept.count),
      costs: kept.costs.subarray(0, kept.count * k),
      labels: best,
      own,
      others: margin === Infinity ? null : { load, step },
    };
  }

  return {
    setCentres(next) {
      if (centres !== null && labels !== null) shrink(nextBest, labels, prices, movesOf(centres, next, k, d));
      if (centres === null || next.some((value, p) => value !== centres![p])) {
        near = null;
        distances = null;
      }
      centres = next.slice();
      state.setCentres(centres);
    },
    sums: () => state.sums(),
    inertia: () => sumOf(ownCosts()),
    labels: () => state.labels(),
    distances: () => ownCosts().slice(),
    *share(lower, upper, start) {
      for (;;) {
        if (near?.margin !== margin) near = yield* select();
        const { rows, costs, others } = near;
        const found = yield* transportSteps(costs, rows.length, k, lower, upper, start, others);
        if (found.isProven) return { ...found, ...wholeOf(near, found.labels, k) };
        margin = margin === 0 || 2 * rows.length > n ? Infinity : MORE * margin;
      }
    },
    accept(next, paid) {
      const { rows, costs, labels: best, own } = near!;
      // The accepted label is not the cheapest cluster of the row. So the cheapest cluster becomes the next best cluster.
      for (let i = 0; i < n; i++) if (next[i] !== best[i]) nextBest[i] = own[i]! + prices[best[i]!]!;
      const [least, most] = leastAndMost(paid, prices);
      for (let i = 0; i < n; i++) nextBest[i]! += least;
      rows.forEach((row, e) => {
        nextBest[row] = nextBestOf(costs, e, k, paid, next[row]!);
      });
      labels = next.slice();
      state.relabel(labels);
      prices = paid.slice();
      if (n > few) margin = AHEAD * (most - least);
      [near, distances] = [null, null];
    },
  };
}

/** The labels and the cost of all rows, after the rows of `near` moved to their new clusters. */
function wholeOf({ rows, costs, labels, own }: Near, found: Int32Array, k: number): Pick<Transport, "labels" | "cost"> {
  const all = labels.slice();
  const paid = own.slice();
  rows.forEach((row, e) => {
    all[row] = found[e]!;
    paid[row] = costs[e * k + found[e]!]!;
  });
  return { labels: all, cost: sumOf(paid) };
}

/** For row e of `costs`: the cluster of least cost + price, this least value, and the second smallest value. */
function bestTwo(costs: Float64Array, e: number, k: number, prices: Float64Array): { label: number; cost: number; next: number } {
  let [label, cost, next] = [0, Infinity, Infinity];
  for (let c = 0; c < k; c++) {
    const price = costs[e * k + c]! + prices[c]!;
    if (price < cost) {
      next = cost;
      cost = price;
      label = c;
    } else if (price < next) next = price;
  }
  return { label, cost, next };
}

function nextBestOf(costs: Float64Array, e: number, k: number, prices: Float64Array, own: number): number {
  let least = Infinity;
  for (let c = 0; c < k; c++) if (c !== own) least = Math.min(least, costs[e * k + c]! + prices[c]!);
  return least;
}

function leastAndMost(next: Float64Array, before: Float64Array): [number, number] {
  const changes = next.map((price, c) => price - before[c]!);
  return [Math.min(...changes), Math.max(...changes)];
}

function movesOf(from: Float64Array, to: Float64Array, k: number, d: number): Float64Array {
  return Float64Array.from({ length: k }, (_, c) => Math.sqrt(squaredDistance(from, c * d, to, c * d, d)));
}

const ROUNDING = 1e-9;

/**
 * Updates the lower bounds `nextBest` after the centres have moved. If a centre at distance s moves by δ, its distance is at least s - δ.
 * So the square falls by at most 2δs - δ², or by s² if δ ≥ s. For a given cost + price, the cost is largest with the lowest price, and a
 * larger cost can fall more. So the lowest price gives the bound.
 */
function shrink(nextBest: Float64Array, labels: Int32Array, prices: Float64Array, moved: Float64Array): void {
  const least = prices.reduce((a, b) => Math.min(a, b));
  const largest = moved.indexOf(moved.reduce((a, b) => Math.max(a, b)));
  const second = moved.reduce((most, move, c) => (c === largest ? most : Math.max(most, move)), 0);
  if (moved[largest] === 0) return;
  for (let i = 0; i < nextBest.length; i++) {
    const move = labels[i] === largest ? second : moved[largest]!;
    const far = Math.sqrt(Math.max(0, nextBest[i]! - least));
    const fall = far >= move ? 2 * move * far - move * move : move * move;
    nextBest[i]! -= (1 + ROUNDING) * fall;
  }
}

function grown(values: Float64Array): Float64Array {
  const more = new Float64Array(2 * values.length);
  more.set(values);
  return more;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}
