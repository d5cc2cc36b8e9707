/**
 * A graph that connects each row to its nearest neighbours. The edge between rows i and j at distance d has the weight exp(-d² / (s_i
 * s_j)), where the local scale s_i is the distance of row i to its seventh neighbour (Zelnik-Manor, Perona: Self-Tuning Spectral
 * Clustering, 2004).
 */
import { exp } from "../../linalg/elementary.js";
import type { Step } from "../../steps/index.js";

export interface NeighbourGraph {
  readonly n: number;
  /** Neighbours of row i: `other[start[i]] … other[start[i + 1] - 1]`, ascending. The graph is symmetric. */
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float64Array;
  /** For each entry of `other`: the weight of the edge, divided by the sum of the weights of row i. */
  readonly share: Float64Array;
  /** For each row, the sum of the weights of its edges. */
  readonly degree: Float64Array;
}

/** The local scale of a row is the distance to its neighbour with this number, counted from 1. */
const SCALE_NEIGHBOUR = 7;

/**
 * Connects each row to its `count` nearest rows; on ties, lower row numbers come first. The graph is symmetric, so a row is also connected
 * to every row that has it among its own nearest rows.
 */
export function* neighbourGraphSteps(n: number, count: number, between: Between): Generator<Step, NeighbourGraph, void> {
  const nearest = yield* nearestSteps(n, count, between);
  return weigh(n, nearest, scalesOf(n, nearest));
}

/** The local scale of each row: the distance to its seventh neighbour, or to its last neighbour if it has fewer than seven. */
export function* scaleSteps(n: number, between: Between): Generator<Step, Float64Array, void> {
  return scalesOf(n, yield* nearestSteps(n, SCALE_NEIGHBOUR, between));
}

type Between = (i: number, j: number) => number;

export interface Nearest {
  /** Number of neighbours that are listed for each row. Row i has the entries i · most … (i + 1) · most - 1. */
  readonly most: number;
  readonly row: Int32Array;
  readonly distance: Float64Array;
}

/** The `count` nearest rows of each row by any distance, nearest first, lower rows first on ties. Compares all pairs. */
export function* nearestSteps(n: number, count: number, between: Between): Generator<Step, Nearest, void> {
  const most = Math.min(count, n - 1);
  const row = new Int32Array(n * most).fill(-1);
  const distance = new Float64Array(n * most).fill(Infinity);
  for (let i = 0; i < n; i++) {
    if (i % 64 === 0) yield { phase: "neighbours", done: i, total: n };
    for (let j = 0; j < i; j++) {
      const length = between(i, j);
      keep(row, distance, most, i, j, length);
      keep(row, distance, most, j, i, length);
    }
  }
  return { most, row, distance };
}

/**
 * Inserts row j at distance `length` into the sorted list of row i's neighbours, if it is nearer than the last entry. On ties, earlier
 * entries stay first.
 */
function keep(nearest: Int32Array, distance: Float64Array, most: number, i: number, j: number, length: number): void {
  const end = i * most + most - 1;
  if (!(length < distance[end]!)) return;
  let at = end;
  for (; at > i * most && length < distance[at - 1]!; at--) {
    distance[at] = distance[at - 1]!;
    nearest[at] = nearest[at - 1]!;
  }
  distance[at] = length;
  nearest[at] = j;
}

function weigh(n: number, { most, row, distance }: Nearest, scales: Float64Array): NeighbourGraph {
  const lists = Array.from({ length: n }, () => new Map<number, number>());
  for (let i = 0; i < n; i++) {
    for (let p = i * most; p < (i + 1) * most; p++) {
      const j = row[p]!;
      const weight = exp(-(distance[p]! * distance[p]!) / (scales[i]! * scales[j]!));
      lists[i]!.set(j, weight);
      lists[j]!.set(i, weight);
    }
  }
  const start = new Int32Array(n + 1);
  lists.forEach((list, i) => {
    start[i + 1] = start[i]! + list.size;
  });
  const other = new Int32Array(start[n]!);
  const weight = new Float64Array(start[n]!);
  const degree = new Float64Array(n);
  lists.forEach((list, i) => {
    [...list.keys()]
      .sort((a, b) => a - b)
      .forEach((j, place) => {
        other[start[i]! + place] = j;
        weight[start[i]! + place] = list.get(j)!;
        degree[i]! += list.get(j)!;
      });
  });
  const share = weight.slice();
  for (let i = 0; i < n; i++) for (let e = start[i]!; e < start[i + 1]!; e++) share[e] = weight[e]! / degree[i]!;
  return { n, start, other, weight, share, degree };
}

/** The local scale of each row. A row with many duplicates would have scale 0, and gets the smallest scale above 0 instead. */
function scalesOf(n: number, { most, distance }: Nearest): Float64Array {
  const scales = new Float64Array(n).fill(1);
  if (most === 0) return scales;
  const place = Math.min(SCALE_NEIGHBOUR, most) - 1;
  let least = Infinity;
  for (let i = 0; i < n; i++) {
    scales[i] = distance[i * most + place]!;
    if (scales[i]! > 0 && scales[i]! < least) least = scales[i]!;
  }
  for (let i = 0; i < n; i++) if (scales[i] === 0) scales[i] = least === Infinity ? 1 : least;
  return scales;
}
