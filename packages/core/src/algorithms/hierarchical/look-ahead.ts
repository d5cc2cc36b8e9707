/**
 * Complete linkage that keeps its promises: a merge after which the remaining clusters could not be coloured with k colours is
 * refused. In a colouring of more than k clusters two share a colour, so a legal merge is always left, and a set that can be
 * kept with k clusters ends in k clusters that keep it. A refusal is final: no coarser clustering can undo it.
 *
 * Up to the first refusal this is the plain linkage, which a nearest-neighbour chain has found already: its merges are followed
 * in the order of their heights. From there on, few clusters are left, and they are merged one after the other, ties by the
 * lower row numbers. For the nearest neighbours, lower bounds are kept and brought up to date when they are read: distances
 * of complete linkage never fall.
 */

import type { KeptColouring } from "../../diagnose/kept-colouring.js";
import type { F32, F64, KeepRows } from "../../kernels/index.js";
import { keptRows } from "../../kernels/linkage-kept.js";
import { upTo } from "../../linalg/indices.js";
import type { Merge } from "../../model/result.js";
import type { Step, Steps } from "../../steps/index.js";
import { cutToK } from "./merges.js";

/** Where the plain linkage goes wrong: the clusters before its first merge that must be refused. */
export interface Turning {
  /** Merges of the plain linkage that stand. */
  readonly made: number;
  /** The cluster of each of the m rows, numbered by first appearance. */
  readonly clusterOf: Int32Array;
  /** For each cluster: its number in the hierarchy, its rows, and its vertex in the constraint graph or -1. */
  readonly name: Int32Array;
  readonly size: Int32Array;
  readonly vertex: Int32Array;
}

/** Follows the plain merges of m rows, of which `vertexOf` says the vertex or -1, to the first that must be refused. */
export function followPlain(plain: readonly Merge[], vertexOf: Int32Array, k: number, colouring: KeptColouring): Turning {
  const m = vertexOf.length;
  const vertices = new Int32Array(2 * m - 1).fill(-1);
  vertices.set(vertexOf);
  let made = 0;
  for (; made < m - k; made++) {
    const merge = plain[made]!;
    const joined = joinVertices(colouring, vertices[merge[0]]!, vertices[merge[1]]!);
    if (joined === REFUSED) break;
    vertices[m + made] = joined;
  }
  const clusterOf = cutToK(plain, m, m - made);
  const count = m - made;
  const name = new Int32Array(count);
  const size = new Int32Array(count);
  for (let row = 0; row < m; row++) {
    const cluster = clusterOf[row]!;
    name[cluster] = row;
    size[cluster]!++;
  }
  // A cluster's last merge names it: each of its merges is met in order through one of its rows.
  const firstRow = upTo(m + made);
  for (let t = 0; t < made; t++) {
    firstRow[m + t] = firstRow[plain[t]![0]]!;
    name[clusterOf[firstRow[m + t]!]!] = m + t;
  }
  return { made, clusterOf, name, size, vertex: name.map((cluster) => vertices[cluster]!) };
}

const REFUSED = -2;

/** The vertex of the union, -1 without one; clusters without cannot-links may join anything. What is not decided is refused. */
function joinVertices(colouring: KeptColouring, a: number, b: number): number {
  if (a < 0 || b < 0 || a === b) return Math.max(a, b);
  if (colouring.canMerge(a, b) !== "yes") return REFUSED;
  colouring.merge(a, b);
  return a;
}

/** Complete linkage's distances between the clusters of a turning, from those between all rows. */
export function* reduceSteps(matrix: F64 | F32, { clusterOf, size }: Turning): Generator<Step, Float64Array, void> {
  const m = clusterOf.length;
  const r = size.length;
  const reduced = new Float64Array(r * r);
  const every = Math.max(1, Math.floor(20_000_000 / m));
  for (let i = 0; i < m; i++) {
    if (i % every === 0) yield { phase: "joining clusters", done: i, total: m };
    const d = matrix.view();
    const to = clusterOf[i]! * r;
    for (let j = i + 1; j < m; j++) {
      const q = to + clusterOf[j]!;
      if (d[i * m + j]! > reduced[q]!) reduced[q] = d[i * m + j]!;
    }
  }
  return takeLarger(reduced, r);
}

/**
 * The same from what the plain linkage kept: the row that each cluster of the turning had when it was merged away, in which the
 * others are whole or in parts unless they were merged away before. `raw` are the merges as they were found; null where a row
 * that is needed was not kept.
 */
export function distancesFrom({ into, above }: KeepRows, raw: Float64Array, { clusterOf, size }: Turning): Float64Array | null {
  const m = clusterOf.length;
  const r = size.length;
  const values = into.view();
  const kept = keptRows(raw, m, above, into.length);
  const reduced = new Float64Array(r * r);
  const alive = new Uint8Array(m).fill(1);
  const merged = new Uint8Array(r);
  const take = (cluster: number, place: number, slots: Int32Array): void => {
    for (let column = 0; column < slots.length; column++) {
      const slot = slots[column]!;
      const other = clusterOf[slot]!;
      if (alive[slot] === 0 || merged[other] === 1 || other === cluster) continue;
      if (values[place + column]! > reduced[cluster * r + other]!) reduced[cluster * r + other] = values[place + column]!;
    }
  };
  for (let t = 0; t < kept.length; t++) {
    const [low, high] = [raw[3 * t]!, raw[3 * t + 1]!];
    const [one, other] = [clusterOf[low]!, clusterOf[high]!];
    if (one !== other && (merged[one] === 0 || merged[other] === 0)) {
      const rows = kept[t]!;
      if (rows === null) return null;
      if (merged[one] === 0) take(one, rows.place, rows.slots);
      if (merged[other] === 0) take(other, rows.place + rows.slots.length, rows.slots);
      merged[one] = merged[other] = 1;
    }
    alive[low] = 0;
  }
  return takeLarger(reduced, r);
}

/** Makes a square matrix symmetric, with a diagonal of 0. */
function takeLarger(square: Float64Array, r: number): Float64Array {
  for (let a = 0; a < r; a++) {
    square[a * r + a] = 0;
    for (let b = 0; b < a; b++) {
      const larger = Math.max(square[a * r + b]!, square[b * r + a]!);
      square[a * r + b] = larger;
      square[b * r + a] = larger;
    }
  }
  return square;
}

/**
 * The merges from a turning on: down to k clusters none that a constraint forbids, below it at height Infinity. Entries of the
 * reduced matrix, which is consumed, are barred from `barred` on.
 */
export function* lookAheadSteps(
  d: Float64Array,
  barred: number,
  turning: Turning,
  k: number,
  colouring: KeptColouring,
): Steps<readonly Merge[]> {
  const { name, size, vertex, made, clusterOf } = turning;
  const n = name.length;
  const state = open(n, name, size, vertex);
  const merges: Merge[] = [];
  while (merges.length < n - 1) {
    if (merges.length % 64 === 0) yield { phase: "merging with look-ahead", done: merges.length, total: n - 1 };
    const above = n - merges.length > k;
    const [low, high] = nearestPair(d, state);
    const height = d[low * n + high]!;
    const joined = above ? joinVertices(colouring, state.vertex[low]!, state.vertex[high]!) : -1;
    if (joined === REFUSED) {
      refuse(d, state, low, high);
      continue;
    }
    state.vertex[low] = joined;
    const [one, other] = [state.name[low]!, state.name[high]!];
    const union = state.size[low]! + state.size[high]!;
    merges.push([Math.min(one, other), Math.max(one, other), height < barred ? height : Infinity, union]);
    join(d, state, low, high, clusterOf.length + made + merges.length - 1);
    if (merges.length === n - k) liftRefusals(d, state);
  }
  return merges;
}

interface State {
  readonly n: number;
  /** Slots that hold a cluster, ascending, at the start of an array. */
  readonly alive: Int32Array;
  count: number;
  /** A lower bound of the distance to the nearest cluster of a higher slot, and that slot. */
  readonly bound: Float64Array;
  readonly nearest: Int32Array;
  readonly name: Int32Array;
  readonly size: Int32Array;
  readonly vertex: Int32Array;
  /** Refused pairs of slots with the distance they had. */
  readonly refused: Map<number, number>;
}

function open(n: number, name: Int32Array, size: Int32Array, vertex: Int32Array): State {
  return {
    n,
    alive: upTo(n),
    count: n,
    bound: new Float64Array(n).fill(-1),
    nearest: new Int32Array(n).fill(-1),
    name: name.slice(),
    size: size.slice(),
    vertex: vertex.slice(),
    refused: new Map(),
  };
}

/** The closest two clusters, the lower slots on ties. */
function nearestPair(d: Float64Array, state: State): [number, number] {
  const { n, alive, count, bound, nearest } = state;
  for (;;) {
    let place = 0;
    for (let p = 1; p < count; p++) if (bound[alive[p]!]! < bound[alive[place]!]!) place = p;
    const low = alive[place]!;
    const high = nearest[low]!;
    if (high >= 0 && d[low * n + high] === bound[low]) return [low, high];
    scan(d, state, place);
  }
}

/** The nearest cluster of a higher slot, the lowest on ties; a row without one is out of the running. */
function scan(d: Float64Array, { n, alive, count, bound, nearest }: State, place: number): void {
  const low = alive[place]!;
  let best = -1;
  let least = Infinity;
  for (let p = place + 1; p < count; p++) {
    const j = alive[p]!;
    if (best < 0 || d[low * n + j]! < least) {
      best = j;
      least = d[low * n + j]!;
    }
  }
  nearest[low] = best;
  bound[low] = best < 0 ? Number.MAX_VALUE : least;
}

function refuse(d: Float64Array, { n, refused }: State, low: number, high: number): void {
  refused.set(low * n + high, d[low * n + high]!);
  d[low * n + high] = Infinity;
  d[high * n + low] = Infinity;
}

/** The union lives on in the lower slot, under a new name; its distances are the larger ones, refusals included. */
function join(d: Float64Array, state: State, low: number, high: number, name: number): void {
  const { n, alive, size, refused, nearest } = state;
  const gone = alive.indexOf(high);
  alive.copyWithin(gone, gone + 1, state.count--);
  state.name[low] = name;
  size[low]! += size[high]!;
  for (let p = 0; p < state.count; p++) {
    const j = alive[p]!;
    if (nearest[j] === high) nearest[j] = -1;
    if (j === low) continue;
    const first = d[low * n + j]!;
    const second = d[high * n + j]!;
    const larger = Math.max(first, second);
    if (larger === Infinity) {
      refused.set(key(n, low, j), Math.max(trueDistance(state, first, low, j), trueDistance(state, second, high, j)));
    }
    d[low * n + j] = larger;
    d[j * n + low] = larger;
  }
}

function key(n: number, a: number, b: number): number {
  return Math.min(a, b) * n + Math.max(a, b);
}

function trueDistance({ n, refused }: State, stored: number, a: number, b: number): number {
  return stored === Infinity ? refused.get(key(n, a, b))! : stored;
}

/** At k clusters the promise is kept; what is left completes the hierarchy in the order of the true distances. */
function liftRefusals(d: Float64Array, { n, alive, count, bound, refused }: State): void {
  const left = alive.subarray(0, count);
  for (const low of left) {
    for (const high of left) {
      const distance = refused.get(low * n + high);
      if (distance === undefined) continue;
      d[low * n + high] = distance;
      d[high * n + low] = distance;
    }
  }
  bound.fill(-1);
}
