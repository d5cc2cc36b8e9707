/**
 * For each pair of k clusters the rows of the first that are cheapest to move to the second, by what that costs, equal ones by number. Only the
 * first few are kept of each pair: when these have left, the rows of the cluster are looked through again.
 */

/** Rows kept for each pair: so many, or fewer where there are many pairs. */
const MOST_KEPT = 16;
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
  };
  for (let i = 0; i < n; i++) arrive(moves, i);
  return moves;
}

/** Takes in a row that is in its cluster now. */
export function arrive(moves: Moves, row: number): void {
  const { k, costs, labels, last, isCut } = moves;
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
  const { n, k, costs, labels, first, end, isCut } = moves;
  const pair = a * k + b;
  first[pair] = 0;
  end[pair] = 0;
  isCut[pair] = 0;
  moves.last[pair] = Infinity;
  for (let i = 0; i < n; i++) if (labels[i] === a) insert(moves, pair, costs[i * k + b]! - costs[i * k + a]!, i);
}
