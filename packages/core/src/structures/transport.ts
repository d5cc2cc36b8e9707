/**
 * Rows to clusters at the least total cost, with bounds on how many rows a cluster takes: the transportation problem, exactly.
 *
 * Every row starts in the cluster of least price (cost plus the cluster's price). As long as there is a path of moves, one row
 * from cluster to cluster along it, that brings sizes nearer to their bounds, or keeps them and saves cost, the best such path is
 * taken. No cycle of moves among the clusters can then ever save cost, so when no path is left the assignment is the cheapest
 * (successive shortest paths on a graph whose nodes are the k clusters, not the rows). Where many rows are in excess, an auction
 * brings sizes near their bounds first (bulk-prices.ts). O(n k) to find the cheapest moves, and O(k²) to O(k³) for each path.
 */

/** Rows kept for each pair: so many, or fewer where there are many pairs. */
const MOST_KEPT = 64;

const LEAST_KEPT = 8;

const PLACES = 2 ** 21;

/** Rows too many or too few, over all clusters, that single paths assign as quickly: so many, or this share of all. */
const FEW = 64;

const SMALL_SHARE = 1 / 1000;

/** Turns for each cluster, at most. */
const MOST_TURNS = 60;

/** After a turn for each cluster that left more than this share of the rows in excess, single paths take over. */
const GAIN = 0.9;

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

/*
 * Prices of places in clusters, raised and lowered many rows at a time: an auction. A cluster with too many rows raises its price until as
 * many as are too many would rather be elsewhere, and they go; one with too few lowers its price until as many come. Every row stays in a
 * cluster that is cheapest for it, price included, so no cycle of moves can save cost. Once sizes are nearly right,
 * single paths of moves do the rest exactly (transport.ts).
 */

interface Auction {
  readonly n: number;
  readonly k: number;
  /** n × k. */
  readonly costs: Float64Array;
  readonly lower: Int32Array;
  readonly upper: Int32Array;
  /** The cluster of least price for each row, and the numbers of rows; rewritten. */
  readonly labels: Int32Array;
  readonly load: Int32Array;
  /** Rewritten. */
  readonly prices: Float64Array;
}

/** Brings sizes near their bounds, and prices of clusters that are within them near 0; pauses after each turn. */
function* auction(sale: Auction): Generator<void, void, void> {
  const { k } = sale;
  const own = Float64Array.from(sale.labels, (label, i) => sale.costs[i * k + label]!);
  const room = { gaps: new Float64Array(sale.n), rows: new Int32Array(sale.n), goals: new Int32Array(sale.n), own, columns: [] };
  let [fewest, best] = [Infinity, 0];
  for (let turn = 0; turn < MOST_TURNS * k && turn - best <= k; turn++) {
    let [worst, most, left] = [-1, 0, 0];
    for (let c = 0; c < k; c++) {
      const wrong = Math.abs(wrongIn(sale, c));
      left += wrong;
      if (wrong > most) [worst, most] = [c, wrong];
    }
    if (left <= Math.max(FEW, SMALL_SHARE * sale.n)) return;
    if (left < GAIN * fewest) [fewest, best] = [left, turn];
    if (wrongIn(sale, worst) > 0) sendAway(sale, worst, most, room);
    else callIn(sale, worst, most, room);
    yield;
  }
}

/** How many rows are to leave a cluster, or less than 0 if some are to come: to its bounds, or within them until its price is 0. */
function wrongIn({ load, lower, upper, prices }: Auction, c: number): number {
  if (load[c]! > upper[c]!) return load[c]! - upper[c]!;
  if (load[c]! < lower[c]!) return load[c]! - lower[c]!;
  return prices[c]! > 0 ? load[c]! - upper[c]! : prices[c]! < 0 ? load[c]! - lower[c]! : 0;
}

/** How far a price may go: where sizes are within their bounds, to 0. */
function mostChange({ load, lower, upper, prices }: Auction, c: number): number {
  return load[c]! >= lower[c]! && load[c]! <= upper[c]! ? Math.abs(prices[c]!) : Infinity;
}

interface Room {
  readonly gaps: Float64Array;
  readonly rows: Int32Array;
  readonly goals: Int32Array;
  /** What each row costs where it is; the table of costs is so large that every look into it is slow. */
  readonly own: Float64Array;
  /** The costs of clusters that rows were called into: most of them call again. */
  readonly columns: Float64Array[];
}

function columnOf({ n, k, costs }: Auction, { columns }: Room, a: number): Float64Array {
  const known = columns[a];
  if (known) return known;
  const column = new Float64Array(n);
  for (let i = 0, p = a; i < n; i++, p += k) column[i] = costs[p]!;
  columns[a] = column;
  return column;
}

/** Raises the price of a cluster until `count` of its rows have gone to their next best. */
function sendAway(sale: Auction, a: number, count: number, room: Room): void {
  const { gaps, rows, goals } = room;
  const { n, k, costs, labels, prices } = sale;
  const most = mostChange(sale, a);
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
  moveAlong(sale, room, found, raise, leaving, (e) => goals[e]!);
  prices[a]! += Math.max(0, raise);
}

/** Lowers the price of a cluster until `count` rows of others have come. */
function callIn(sale: Auction, a: number, count: number, room: Room): void {
  const { n, labels, prices } = sale;
  const { gaps, rows, own } = room;
  const costs = columnOf(sale, room, a);
  const most = mostChange(sale, a);
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
  moveAlong(sale, room, found, cut, coming, () => a);
  prices[a]! -= Math.max(0, cut);
}

/** Moves `count` rows whose gap is at most `last`; of those that have just that, the first ones. */
function moveAlong(
  { k, costs, labels, load }: Auction,
  { gaps, rows, own }: Room,
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

/** The number that would stand at a place if all were sorted: Hoare's selection on a copy, the middle of three as pivot. */
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
 * For each pair of k clusters the rows of the first that are cheapest to move to the second, by what that costs, equal ones by number. Only the
 * first few are kept of each pair: when these have left, the rows of the cluster are looked through again, along a chain.
 */

interface Moves {
  readonly n: number;
  readonly k: number;
  /** n × k. */
  readonly costs: Float64Array;
  /** The cluster of each row: whoever rewrites it tells of it by `arrive`. */
  readonly labels: Int32Array;
  /** Places of each pair, ascending; rows that have left since are stale. */
  readonly kept: number;
  readonly keys: Float64Array;
  readonly rows: Int32Array;
  /** For each pair: the first place that is not stale, the end, and whether there are more rows than are kept. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly isCut: Uint8Array;
  /** For each pair the largest key that is kept where no more fit, else Infinity: most rows are told by it alone that they are not kept. */
  readonly last: Float64Array;
  /** The rows of each cluster in a chain: its first row, the next one and the one before, -1 at the ends; and which chain a row is in. */
  readonly head: Int32Array;
  readonly after: Int32Array;
  readonly before: Int32Array;
  readonly chain: Int32Array;
}

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

/** Puts a row into the chain of its cluster. */
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

/** Takes in a row that is in its cluster now. */
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
    // What was cut off may be cheaper: all rows have to be looked through.
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

/** What the cheapest move from a to b costs; Infinity if a has no row. */
function cheapest(moves: Moves, a: number, b: number): number {
  const { k, labels, kept, keys, rows, first, end, isCut } = moves;
  const pair = a * k + b;
  while (first[pair]! < end[pair]! && labels[rows[pair * kept + first[pair]!]!] !== a) first[pair]!++;
  if (first[pair] === end[pair] && isCut[pair] === 1) lookThrough(moves, a, b);
  return first[pair] === end[pair] ? Infinity : keys[pair * kept + first[pair]!]!;
}

/** The row of the cheapest move, which must exist. */
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
