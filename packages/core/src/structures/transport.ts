/**
 * Rows to clusters at the least total cost, with bounds on how many rows a cluster takes: the transportation problem, exactly.
 *
 * Every row starts in the cluster of least price (cost plus the cluster's price). As long as there is a path of moves, one row
 * from cluster to cluster along it, that brings sizes nearer to their bounds, or keeps them and saves cost, the best such path is
 * taken. No cycle of moves among the clusters can then ever save cost, so when no path is left the assignment is the cheapest
 * (successive shortest paths on a graph whose nodes are the k clusters, not the rows). Where many rows are in excess, an auction
 * brings sizes near their bounds first (bulk-prices.ts). O(n k) to find the cheapest moves, and O(k²) to O(k³) for each path.
 */
import { auction } from "./bulk-prices.js";
import { arrive, cheapest, cheapestRow, type Moves, movesOf } from "./cheapest-moves.js";

const MOST_PATHS_PER_ROW = 20;

export interface Transport {
  readonly labels: Int32Array;
  readonly cost: number;
  /** Price of a place in each cluster: with it no row would rather be elsewhere. A start for the next, similar problem. */
  readonly prices: Float64Array;
  /** Whether this is the cheapest with the rows that stay out, too: with these prices none of them would rather be elsewhere. */
  readonly isProven: boolean;
}

/** Rows that stay out: each keeps the cluster that it has. */
export interface Others {
  /** How many of them each cluster has. */
  readonly load: Int32Array;
  /** k × k: what a move of one of them from the first cluster to the second costs at least. */
  readonly step: Float64Array;
}

interface State {
  readonly n: number;
  readonly k: number;
  readonly costs: Float64Array;
  readonly lower: Int32Array;
  readonly upper: Int32Array;
  readonly labels: Int32Array;
  readonly load: Int32Array;
  readonly moves: Moves;
  /** k × k: what the cheapest move from the first cluster to the second costs. */
  readonly step: Float64Array;
  /** More than any path of moves costs or saves: the worth of one row nearer to a bound. */
  readonly large: number;
  readonly slack: number;
}

/** `costs` is n × k; the lower bounds sum to at most n and the upper ones to at least n. */
export function transport(...problem: Parameters<typeof transportSteps>): Transport {
  const steps = transportSteps(...problem);
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
  }
}

/** Paths between two pauses. */
const PATHS_PER_STEP = 64;

/** The same with pauses. With others, the answer is one only if it is proven. */
export function* transportSteps(
  costs: Float64Array,
  n: number,
  k: number,
  lower: Int32Array,
  upper: Int32Array,
  prices: Float64Array,
  others: Others | null = null,
): Generator<void, Transport, void> {
  const { labels, load } = nearest(costs, n, k, prices);
  others?.load.forEach((count, c) => {
    load[c]! += count;
  });
  const free = prices.every((price) => price === 0);
  if (free && isWithin(load, lower, upper) && isKept(others, prices)) {
    return { labels, cost: costOf(costs, labels, k), prices: new Float64Array(k), isProven: true };
  }
  const sale = { n, k, costs, lower, upper, labels, load, prices: prices.slice() };
  for (const _ of auction(sale)) {
    if (!isKept(others, sale.prices)) return { labels, cost: Infinity, prices, isProven: false };
    yield;
  }
  let largest = 0;
  for (let p = 0; p < n * k; p++) if (costs[p]! > largest) largest = costs[p]!;
  const state: State = {
    n,
    k,
    costs,
    lower,
    upper,
    labels,
    load,
    moves: movesOf(costs, n, k, labels),
    step: new Float64Array(k * k).fill(Infinity),
    large: 4 * (k + 1) * (largest + Number.MIN_VALUE),
    slack: 1e-12 * largest,
  };
  yield;
  for (let a = 0; a < k; a++) lookUp(state, a);
  // Each path lowers the cost, so the loop ends; the bound is for rounding alone.
  for (let paths = 0; paths < MOST_PATHS_PER_ROW * (n + k) && augment(state); paths++) if (paths % PATHS_PER_STEP === 0) yield;
  // Moves of the others are steps too, so that prices keep these where they are, if any prices can.
  const whole = others === null ? state : { ...state, step: state.step.map((cost, p) => Math.min(cost, others.step[p]!)) };
  const found = pricesOf(whole);
  return { labels, cost: costOf(costs, labels, k), prices: found, isProven: others === null || isCheapest(whole, found) };
}

/** Sizes are within their bounds, no move saves anything, and only full clusters have a price above 0, only least ones one below. */
function isCheapest({ k, load, lower, upper, step, slack }: State, prices: Float64Array): boolean {
  if (!isWithin(load, lower, upper)) return false;
  const rounding = 4 * k * slack;
  const isFair = (a: number): boolean => {
    const price = prices[a]!;
    if (price > rounding ? load[a]! < upper[a]! : price < -rounding && load[a]! > lower[a]!) return false;
    return prices.every((other, b) => b === a || price - other <= step[a * k + b]! + rounding);
  };
  return prices.every((_, a) => isFair(a));
}

function isWithin(load: Int32Array, lower: Int32Array, upper: Int32Array): boolean {
  return load.every((count, c) => count >= lower[c]! && count <= upper[c]!);
}

/** Whether with these prices the others stay where they are. */
function isKept(others: Others | null, prices: Float64Array): boolean {
  const k = prices.length;
  return others === null || others.step.every((cost, p) => prices[Math.floor(p / k)]! - prices[p % k]! <= cost);
}

function nearest(
  costs: Float64Array,
  n: number,
  k: number,
  prices: Float64Array,
): { readonly labels: Int32Array; readonly load: Int32Array } {
  const labels = new Int32Array(n);
  const load = new Int32Array(k);
  for (let i = 0; i < n; i++) {
    let best = 0;
    let least = costs[i * k]! + prices[0]!;
    for (let c = 1, p = i * k + 1; c < k; c++, p++) {
      const price = costs[p]! + prices[c]!;
      if (price >= least) continue;
      best = c;
      least = price;
    }
    labels[i] = best;
    load[best]!++;
  }
  return { labels, load };
}

function costOf(costs: Float64Array, labels: Int32Array, k: number): number {
  let sum = 0;
  for (let i = 0; i < labels.length; i++) sum += costs[i * k + labels[i]!]!;
  return sum;
}

/** The cheapest moves out of a cluster, after rows came or went. */
function lookUp({ k, moves, step }: State, a: number): void {
  for (let b = 0; b < k; b++) if (b !== a) step[a * k + b] = cheapest(moves, a, b);
}

/** Takes the best path, if any helps. */
function augment(state: State): boolean {
  const { k, load, lower, upper, large, slack } = state;
  const distance = new Float64Array(k);
  for (let c = 0; c < k; c++) distance[c] = load[c]! > upper[c]! ? -large : load[c]! > lower[c]! ? 0 : Infinity;
  const from = relax(state, distance);
  let end = -1;
  let least = -slack;
  for (let c = 0; c < k; c++) {
    if (load[c]! >= upper[c]!) continue;
    const total = distance[c]! - (load[c]! < lower[c]! ? large : 0);
    if (total < least) {
      least = total;
      end = c;
    }
  }
  if (end === -1) return false;
  move(state, from, end);
  return true;
}

/** Shortest paths (Bellman and Ford), from the distances given; returns where each cluster is reached from, -1 at a start. */
function relax({ k, step, slack }: State, distance: Float64Array): Int32Array {
  const from = new Int32Array(k).fill(-1);
  for (let round = 0; round < k; round++) {
    let shorter = false;
    for (let a = 0; a < k; a++) {
      if (distance[a] === Infinity) continue;
      for (let b = 0; b < k; b++) {
        if (b === a || distance[a]! + step[a * k + b]! >= distance[b]! - slack) continue;
        distance[b] = distance[a]! + step[a * k + b]!;
        from[b] = a;
        shorter = true;
      }
    }
    if (!shorter) break;
  }
  return from;
}

function move(state: State, from: Int32Array, end: number): void {
  const { k, labels, load, moves } = state;
  const touched = [end];
  const path: [number, number][] = [];
  let to = end;
  // Rounding apart, a path has no cycle; the bound on its length makes sure that it ends.
  while (from[to]! >= 0 && path.length < k) {
    const a = from[to]!;
    path.push([cheapestRow(moves, a, to), to]);
    touched.push(a);
    to = a;
  }
  for (const [row, c] of path) {
    load[labels[row]!]!--;
    load[c]!++;
    labels[row] = c;
    arrive(moves, row);
  }
  for (const c of touched) lookUp(state, c);
}

/** Prices from shortest paths over the clusters and one more node, from and to which clusters within their bounds can give and take. */
function pricesOf(state: State): Float64Array {
  const { k, load, lower, upper } = state;
  const distance = new Float64Array(k);
  let outside = 0;
  for (let round = 0; round <= k; round++) {
    relax(state, distance);
    let shorter = false;
    for (let c = 0; c < k; c++) {
      if (load[c]! < upper[c]! && distance[c]! < outside) {
        outside = distance[c]!;
        shorter = true;
      }
    }
    for (let c = 0; c < k; c++) {
      if (load[c]! > lower[c]! && outside < distance[c]!) {
        distance[c] = outside;
        shorter = true;
      }
    }
    if (!shorter) break;
  }
  return distance.map((length) => outside - length);
}
