/**
 * For each pair of k clusters the rows of the first that are cheapest to move to the second, by what that costs, equal ones by number. Only the
 * first few are kept of each pair: when these have left, the rows of the cluster are looked through again, along a chain.
 */

/** Rows kept for each pair: so many, or fewer where there are many pairs. */
const MOST_KEPT = 64;
const LEAST_KEPT = 8;
const PLACES = 2 ** 21;

export interface Moves {
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

export function movesOf(costs: Float64Array, n: number, k: number, labels: Int32Array): Moves {
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
export function arrive(moves: Moves, row: number): void {
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
export function cheapest(moves: Moves, a: number, b: number): number {
  const { k, labels, kept, keys, rows, first, end, isCut } = moves;
  const pair = a * k + b;
  while (first[pair]! < end[pair]! && labels[rows[pair * kept + first[pair]!]!] !== a) first[pair]!++;
  if (first[pair] === end[pair] && isCut[pair] === 1) lookThrough(moves, a, b);
  return first[pair] === end[pair] ? Infinity : keys[pair * kept + first[pair]!]!;
}

/** The row of the cheapest move, which must exist. */
export function cheapestRow({ k, kept, rows, first }: Moves, a: number, b: number): number {
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
