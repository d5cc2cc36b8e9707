/**
 * Exact transportation problem: assigns rows to clusters at minimum total cost, with lower and upper bounds on the cluster sizes.
 *
 * Every row starts in the cluster with the lowest cost plus price. A path of moves takes one row from each cluster of the path to the next
 * cluster. A path helps if it brings sizes closer to their bounds, or if it keeps the sizes and saves cost. The best path is applied until
 * no path helps. Then no cycle of moves saves cost either, so the assignment is optimal (successive shortest paths on a graph of k clusters
 * instead of n rows).
 *
 * If many rows are in excess, an auction first brings the sizes close to their bounds. Cost: O(n k) to find the cheapest moves, and O(k²)
 * to O(k³) per path.
 */

export interface Transport {
  readonly labels: Int32Array;
  readonly cost: number;
  /** Price of each cluster; each row is in the cluster of least cost + price. A similar problem can start from these prices. */
  readonly prices: Float64Array;
  /**
   * Whether the result is still optimal if the rows outside the problem (`Others`) are allowed to move. True if, at these prices, each of
   * these rows is in its cheapest cluster.
   */
  readonly isProven: boolean;
}

/** Rows that are not part of the problem, because they keep their clusters. */
export interface Others {
  readonly load: Int32Array;
  /** k x k, row-major: lower bound of the cost of moving any of these rows from the first cluster to the second. */
  readonly step: Float64Array;
}

interface Problem {
  readonly n: number;
  readonly k: number;
  /** n x k, row-major. */
  readonly costs: Float64Array;
  readonly lower: Int32Array;
  readonly upper: Int32Array;
  /** The cluster of each row, and the number of rows of each cluster; both are changed. */
  readonly labels: Int32Array;
  readonly load: Int32Array;
}

interface State extends Problem {
  readonly moves: Moves;
  /** k x k, row-major: cost of the cheapest move from the first cluster to the second. */
  readonly step: Float64Array;
  /** Reward for bringing a size one row closer to its bounds. It exceeds the cost or saving of any path of moves. */
  readonly large: number;
  readonly slack: number;
}

/** `costs`: n x k, row-major. The lower bounds sum to at most n, the upper bounds to at least n. */
export function transport(...problem: Parameters<typeof transportSteps>): Transport {
  const steps = transportSteps(...problem);
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

/** Paths between two pauses. */
const PATHS_PER_STEP = 64;

/** Maximum number of paths per row. It only prevents an endless loop caused by rounding errors. */
const MOST_PATHS_PER_ROW = 20;

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
  const bidding = { n, k, costs, lower, upper, labels, load, prices: prices.slice() };
  for (const _ of auction(bidding)) {
    if (!isKept(others, bidding.prices)) return { labels, cost: Infinity, prices, isProven: false };
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
  // Each path lowers the cost, so the loop ends. The limit on the number of paths only guards against rounding errors.
  for (let paths = 0; paths < MOST_PATHS_PER_ROW * (n + k) && augment(state); paths++) if (paths % PATHS_PER_STEP === 0) yield;
  // Computes prices under which the rows of `others` keep their clusters, if such prices exist.
  const whole = others === null ? state : { ...state, step: state.step.map((cost, p) => Math.min(cost, others.step[p]!)) };
  const found = pricesOf(whole);
  return { labels, cost: costOf(costs, labels, k), prices: found, isProven: others === null || isCheapest(whole, found) };
}

/**
 * Whether the assignment is optimal: sizes are within their bounds, no move saves cost, and a price is 0 unless the size is at its bound.
 */
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

function lookUp({ k, moves, step }: State, a: number): void {
  for (let b = 0; b < k; b++) if (b !== a) step[a * k + b] = cheapest(moves, a, b);
}

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

/** Shortest paths (Bellman-Ford) from the given distances. Returns the predecessor of each cluster, -1 at a start. */
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
  // Without rounding errors a path has no cycle. The limit of its length guarantees that the loop ends.
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

/**
 * Prices of clusters, from shortest paths over the clusters and an extra node. The extra node is connected to every cluster that can lose
 * or gain a row within its bounds.
 */
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

/*
 * Auction: changes the prices of clusters, many rows at a time. A cluster with too many rows raises its price until the excess rows
 * prefer other clusters, and moves them. A cluster with too few rows lowers its price until enough rows come. Every row stays in its
 * cheapest cluster at the current prices, so no cycle of moves saves cost. Once the sizes are nearly within their bounds, single paths of
 * moves complete the assignment exactly.
 */

/** State of an auction. Each row is in its cheapest cluster at the current prices; the auction changes the prices. */
interface Auction extends Problem {
  readonly prices: Float64Array;
}

/** The auction ends when at most max(FEW, SMALL_SHARE · n) rows are in excess. Single paths are then as fast. */
const FEW = 64;
const SMALL_SHARE = 1 / 1000;
/** Maximum number of auction rounds per cluster. */
const MOST_ROUNDS = 60;
/** The auction ends if k rounds do not reduce the number of excess rows below GAIN times its lowest value. */
const GAIN = 0.9;

/**
 * Brings sizes close to their bounds. If a size is within its bounds, the price of the cluster moves towards 0. Pauses after each round.
 */
function* auction(state: Auction): Generator<void, void, void> {
  const { k } = state;
  const own = Float64Array.from(state.labels, (label, i) => state.costs[i * k + label]!);
  const scratch = {
    gaps: new Float64Array(state.n),
    rows: new Int32Array(state.n),
    goals: new Int32Array(state.n),
    own,
    columns: [],
  };
  let [fewest, best] = [Infinity, 0];
  for (let round = 0; round < MOST_ROUNDS * k && round - best <= k; round++) {
    let [worst, most, left] = [-1, 0, 0];
    for (let c = 0; c < k; c++) {
      const wrong = Math.abs(wrongIn(state, c));
      left += wrong;
      if (wrong > most) [worst, most] = [c, wrong];
    }
    if (left <= Math.max(FEW, SMALL_SHARE * state.n)) return;
    if (left < GAIN * fewest) [fewest, best] = [left, round];
    if (wrongIn(state, worst) > 0) sendAway(state, worst, most, scratch);
    else callIn(state, worst, most, scratch);
    yield;
  }
}

/** Number of rows that should leave a cluster; negative if rows should come. */
function wrongIn({ load, lower, upper, prices }: Auction, c: number): number {
  if (load[c]! > upper[c]!) return load[c]! - upper[c]!;
  if (load[c]! < lower[c]!) return load[c]! - lower[c]!;
  return prices[c]! > 0 ? load[c]! - upper[c]! : prices[c]! < 0 ? load[c]! - lower[c]! : 0;
}

/** Maximum change of the price of a cluster. If the size of the cluster is within its bounds, the price only moves towards 0. */
function mostChange({ load, lower, upper, prices }: Auction, c: number): number {
  return load[c]! >= lower[c]! && load[c]! <= upper[c]! ? Math.abs(prices[c]!) : Infinity;
}

interface Scratch {
  readonly gaps: Float64Array;
  readonly rows: Int32Array;
  readonly goals: Int32Array;
  /** Cost of each row in its current cluster. It is stored separately, because random accesses to the large cost table are slow. */
  readonly own: Float64Array;
  /** By cluster: its column of the cost table, kept for the next call of `callIn` for this cluster. */
  readonly columns: Float64Array[];
}

function columnOf({ n, k, costs }: Auction, { columns }: Scratch, a: number): Float64Array {
  const known = columns[a];
  if (known) return known;
  const column = new Float64Array(n);
  for (let i = 0, p = a; i < n; i++, p += k) column[i] = costs[p]!;
  columns[a] = column;
  return column;
}

/** Raises the price of a cluster until `count` of its rows move to their second-best cluster. */
function sendAway(state: Auction, a: number, count: number, scratch: Scratch): void {
  const { gaps, rows, goals } = scratch;
  const { n, k, costs, labels, prices } = state;
  const most = mostChange(state, a);
  let found = 0;
  for (let i = 0; i < n; i++) {
    if (labels[i] !== a) continue;
    let [goal, least] = [-1, Infinity];
    for (let b = 0, p = i * k; b < k; b++) {
      const price = costs[p + b]! + prices[b]!;
      if (b === a || price >= least) continue;
      goal = b;
      least = price;
    }
    gaps[found] = least - costs[i * k + a]! - prices[a]!;
    rows[found] = i;
    goals[found] = goal;
    found++;
  }
  const leaving = Math.min(count, found);
  if (leaving === 0) return;
  const raise = Math.min(most, nthLeast(gaps.subarray(0, found), leaving - 1));
  moveAlong(state, scratch, found, raise, leaving, (e) => goals[e]!);
  prices[a]! += Math.max(0, raise);
}

/** Lowers the price of a cluster until `count` rows of other clusters move to it. */
function callIn(state: Auction, a: number, count: number, scratch: Scratch): void {
  const { n, labels, prices } = state;
  const { gaps, rows, own } = scratch;
  const costs = columnOf(state, scratch, a);
  const most = mostChange(state, a);
  let found = 0;
  for (let i = 0; i < n; i++) {
    const at = labels[i]!;
    if (at === a) continue;
    gaps[found] = costs[i]! + prices[a]! - own[i]! - prices[at]!;
    rows[found++] = i;
  }
  const coming = Math.min(count, found);
  if (coming === 0) return;
  const cut = Math.min(most, nthLeast(gaps.subarray(0, found), coming - 1));
  moveAlong(state, scratch, found, cut, coming, () => a);
  prices[a]! -= Math.max(0, cut);
}

/**
 * Moves `count` rows with a gap of at most `last`; the gap of a row is the price change at which the row moves. If too many rows have a
 * gap of exactly `last`, the first of these rows move.
 */
function moveAlong(
  { k, costs, labels, load }: Auction,
  { gaps, rows, own }: Scratch,
  found: number,
  last: number,
  count: number,
  goalOf: (e: number) => number,
): void {
  let below = 0;
  for (let e = 0; e < found; e++) if (gaps[e]! < last) below++;
  let equal = count - below;
  for (let e = 0; e < found; e++) {
    if (gaps[e]! > last || (gaps[e] === last && equal-- <= 0)) continue;
    const row = rows[e]!;
    const goal = goalOf(e);
    load[labels[row]!]!--;
    load[goal]!++;
    labels[row] = goal;
    own[row] = costs[row * k + goal]!;
  }
}

/** The value at a rank in sorted order, by quickselect on a copy, with the median of three as pivot. */
function nthLeast(values: Float64Array, place: number): number {
  const v = values.slice();
  let from = 0;
  let to = v.length - 1;
  while (from < to) {
    const pivot = middleOf(v[from]!, v[(from + to) >> 1]!, v[to]!);
    let [i, j] = [from, to];
    while (i <= j) {
      while (v[i]! < pivot) i++;
      while (v[j]! > pivot) j--;
      if (i > j) break;
      const swapped = v[i]!;
      v[i++] = v[j]!;
      v[j--] = swapped;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else break;
  }
  return v[place]!;
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/*
 * For each pair of clusters: the rows of the first cluster that are cheapest to move to the second cluster, sorted by cost, then row
 * number. Only the first few rows are stored per pair. When all stored rows have left, the rows of the cluster are scanned again along a
 * linked list.
 */

interface Moves {
  readonly n: number;
  readonly k: number;
  /** n x k, row-major. */
  readonly costs: Float64Array;
  /** The cluster of each row. After changing an entry, call `arrive`. */
  readonly labels: Int32Array;
  /**
   * `kept`: maximum number of entries per pair of clusters. `keys`: cost of each move, ascending within a pair. `rows`: the row that
   * moves. Entries of rows that have left the cluster are outdated.
   */
  readonly kept: number;
  readonly keys: Float64Array;
  readonly rows: Int32Array;
  /**
   * For each pair of clusters, `first`: its first valid entry; `end`: the end of its entries; `isCut`: whether the first cluster has rows
   * without an entry.
   */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly isCut: Uint8Array;
  /**
   * For each pair of clusters: the largest key if its list is full, else Infinity. A comparison with this number rejects most rows at
   * once.
   */
  readonly last: Float64Array;
  /**
   * `head`, `after`, `before`: the rows of each cluster as a doubly linked list (-1 at its ends). `chain`: the cluster that lists the
   * row; -1 for none.
   */
  readonly head: Int32Array;
  readonly after: Int32Array;
  readonly before: Int32Array;
  readonly chain: Int32Array;
}

/** Entries per pair of clusters: PLACES / k², but at most MOST_KEPT and at least LEAST_KEPT. */
const MOST_KEPT = 64;
const LEAST_KEPT = 8;
const PLACES = 2 ** 21;

function movesOf(costs: Float64Array, n: number, k: number, labels: Int32Array): Moves {
  const kept = Math.max(LEAST_KEPT, Math.min(MOST_KEPT, Math.floor(PLACES / (k * k))));
  const moves: Moves = {
    n,
    k,
    costs,
    labels,
    kept,
    keys: new Float64Array(k * k * kept),
    rows: new Int32Array(k * k * kept),
    first: new Int32Array(k * k),
    end: new Int32Array(k * k),
    isCut: new Uint8Array(k * k),
    last: new Float64Array(k * k).fill(Infinity),
    head: new Int32Array(k).fill(-1),
    after: new Int32Array(n),
    before: new Int32Array(n),
    chain: new Int32Array(n).fill(-1),
  };
  for (let i = n - 1; i >= 0; i--) arrive(moves, i);
  return moves;
}

function hook({ labels, head, after, before, chain }: Moves, row: number): void {
  if (chain[row]! >= 0) {
    if (before[row]! >= 0) after[before[row]!] = after[row]!;
    else head[chain[row]!] = after[row]!;
    if (after[row]! >= 0) before[after[row]!] = before[row]!;
  }
  const a = labels[row]!;
  const first = head[a]!;
  if (first >= 0) before[first] = row;
  after[row] = first;
  before[row] = -1;
  head[a] = row;
  chain[row] = a;
}

function arrive(moves: Moves, row: number): void {
  const { k, costs, labels, last, isCut } = moves;
  hook(moves, row);
  const a = labels[row]!;
  const own = costs[row * k + a]!;
  for (let b = 0, p = row * k, pair = a * k; b < k; b++, p++, pair++) {
    if (b === a) continue;
    const key = costs[p]! - own;
    if (key > last[pair]!) isCut[pair] = 1;
    else insert(moves, pair, key, row);
  }
}

function insert({ kept, keys, rows, first, end, isCut, last }: Moves, pair: number, key: number, row: number): void {
  if (first[pair] === end[pair]) {
    // A row that is not stored can be cheaper than the stored rows, so all rows must be scanned again later.
    if (isCut[pair] === 1) return;
    first[pair] = 0;
    end[pair] = 0;
    last[pair] = Infinity;
  }
  const from = pair * kept + first[pair]!;
  let place = pair * kept + end[pair]!;
  const isFull = end[pair] === kept;
  if (place > from && (isFull || isCut[pair] === 1) && !isBefore(key, row, keys[place - 1]!, rows[place - 1]!)) {
    isCut[pair] = 1;
    return;
  }
  if (isFull) {
    isCut[pair] = 1;
    place--;
  } else end[pair]!++;
  for (; place > from && isBefore(key, row, keys[place - 1]!, rows[place - 1]!); place--) {
    keys[place] = keys[place - 1]!;
    rows[place] = rows[place - 1]!;
  }
  keys[place] = key;
  rows[place] = row;
  if (end[pair] === kept) last[pair] = keys[pair * kept + kept - 1]!;
}

function isBefore(key: number, row: number, otherKey: number, otherRow: number): boolean {
  return key < otherKey || (key === otherKey && row < otherRow);
}

/** Cost of the cheapest move from a to b; Infinity if a has no row. */
function cheapest(moves: Moves, a: number, b: number): number {
  const { k, labels, kept, keys, rows, first, end, isCut } = moves;
  const pair = a * k + b;
  while (first[pair]! < end[pair]! && labels[rows[pair * kept + first[pair]!]!] !== a) first[pair]!++;
  if (first[pair] === end[pair] && isCut[pair] === 1) lookThrough(moves, a, b);
  return first[pair] === end[pair] ? Infinity : keys[pair * kept + first[pair]!]!;
}

function cheapestRow({ k, kept, rows, first }: Moves, a: number, b: number): number {
  return rows[(a * k + b) * kept + first[a * k + b]!]!;
}

function lookThrough(moves: Moves, a: number, b: number): void {
  const { k, costs, head, after, first, end, isCut } = moves;
  const pair = a * k + b;
  first[pair] = 0;
  end[pair] = 0;
  isCut[pair] = 0;
  moves.last[pair] = Infinity;
  for (let i = head[a]!; i >= 0; i = after[i]!) insert(moves, pair, costs[i * k + b]! - costs[i * k + a]!, i);
}
