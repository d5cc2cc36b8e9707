/**
 * Complete linkage that keeps its promises: a merge after which the remaining clusters could not be coloured with k colours is
 * refused. In a colouring of more than k clusters two share a colour, so a legal merge is always left, and a set that can be
 * kept with k clusters ends in k clusters that keep it. A refusal is final: no coarser clustering can undo it.
 *
 * Merges are made in the order of their heights, ties by the lower row numbers; a nearest-neighbour chain, which merges out of
 * order, could not be used here. For the nearest neighbours, lower bounds are kept and brought up to date when they are read:
 * distances of complete linkage never fall.
 */
import type { Closure } from "../../constraints/index.js";
import { constraintGraph } from "../../diagnose/graph.js";
import { type KeptColouring, keepColouring } from "../../diagnose/kept-colouring.js";
import type { F32, F64 } from "../../kernels/index.js";
import type { Merge } from "../../model/result.js";
import type { Steps } from "../../steps/index.js";

/** All merges of a matrix with barred entries, which is consumed. Forbidden merges, below k clusters, have height Infinity. */
export function* lookAheadSteps(
  matrix: F64 | F32,
  barred: number,
  closure: Closure,
  k: number,
  effort: number,
): Steps<readonly Merge[]> {
  const { n } = closure;
  const graph = constraintGraph(closure);
  const answer = keepColouring(graph, k, { effort });
  if (answer.status !== "feasible") throw new Error(`Looking ahead needs a colouring with ${k} colours.`);
  const { kept: colouring } = answer;
  const state = open(n, (row) => graph.vertexOf[closure.component[row]!]!);
  const merges: Merge[] = [];
  while (merges.length < n - 1) {
    if (merges.length % 64 === 0) yield { phase: "merging with look-ahead", done: merges.length, total: n - 1 };
    const d = matrix.view();
    const above = n - merges.length > k;
    const [low, high] = nearestPair(d, state);
    const height = d[low * n + high]!;
    if (above && !mayMerge(state, colouring, low, high)) {
      refuse(d, state, low, high);
      continue;
    }
    if (above) mergeVertices(state, colouring, low, high);
    merges.push([
      Math.min(state.name[low]!, state.name[high]!),
      Math.max(state.name[low]!, state.name[high]!),
      height < barred ? height : Infinity,
      state.size[low]! + state.size[high]!,
    ]);
    join(d, state, low, high, n + merges.length - 1);
    if (merges.length === n - k) liftRefusals(d, state);
  }
  return merges;
}

interface State {
  readonly n: number;
  readonly alive: Uint8Array;
  /** A lower bound of the distance to the nearest cluster of a higher slot, and that slot. */
  readonly bound: Float64Array;
  readonly nearest: Int32Array;
  /** The number of each slot's cluster in the hierarchy, its rows, and its vertex in the constraint graph or -1. */
  readonly name: Int32Array;
  readonly size: Int32Array;
  readonly vertex: Int32Array;
  /** Refused pairs of slots with the distance they had. */
  readonly refused: Map<number, number>;
}

function open(n: number, vertexOf: (row: number) => number): State {
  return {
    n,
    alive: new Uint8Array(n).fill(1),
    bound: new Float64Array(n).fill(-1),
    nearest: new Int32Array(n).fill(-1),
    name: Int32Array.from({ length: n }, (_, row) => row),
    size: new Int32Array(n).fill(1),
    vertex: Int32Array.from({ length: n }, (_, row) => vertexOf(row)),
    refused: new Map(),
  };
}

/** The closest two clusters, the lower slots on ties. */
function nearestPair(d: Float64Array | Float32Array, state: State): [number, number] {
  const { n, alive, bound, nearest } = state;
  for (;;) {
    let low = -1;
    for (let i = 0; i < n; i++) if (alive[i] === 1 && (low < 0 || bound[i]! < bound[low]!)) low = i;
    const high = nearest[low]!;
    if (high >= 0 && alive[high] === 1 && d[low * n + high] === bound[low]) return [low, high];
    scan(d, state, low);
  }
}

/** The nearest cluster of a higher slot, the lowest on ties; a row without one is out of the running. */
function scan(d: Float64Array | Float32Array, { n, alive, bound, nearest }: State, low: number): void {
  let best = -1;
  let least = Infinity;
  for (let j = low + 1; j < n; j++) {
    if (alive[j] === 1 && (best < 0 || d[low * n + j]! < least)) {
      best = j;
      least = d[low * n + j]!;
    }
  }
  nearest[low] = best;
  bound[low] = best < 0 ? Number.MAX_VALUE : least;
}

/** Clusters without cannot-links may join anything; for others the colouring knows. What it cannot decide is refused. */
function mayMerge({ vertex }: State, colouring: KeptColouring, low: number, high: number): boolean {
  if (vertex[low]! < 0 || vertex[high]! < 0) return true;
  return vertex[low] === vertex[high] || colouring.canMerge(vertex[low]!, vertex[high]!) === "yes";
}

function mergeVertices({ vertex }: State, colouring: KeptColouring, low: number, high: number): void {
  if (vertex[low]! >= 0 && vertex[high]! >= 0 && vertex[low] !== vertex[high]) colouring.merge(vertex[low]!, vertex[high]!);
  if (vertex[low]! < 0) vertex[low] = vertex[high]!;
}

function refuse(d: Float64Array | Float32Array, { n, refused }: State, low: number, high: number): void {
  refused.set(low * n + high, d[low * n + high]!);
  d[low * n + high] = Infinity;
  d[high * n + low] = Infinity;
}

/** The union lives on in the lower slot, under a new name; its distances are the larger ones, refusals included. */
function join(d: Float64Array | Float32Array, state: State, low: number, high: number, name: number): void {
  const { n, alive, size, refused } = state;
  alive[high] = 0;
  state.name[low] = name;
  size[low]! += size[high]!;
  for (let j = 0; j < n; j++) {
    if (alive[j] === 0 || j === low) continue;
    const [first, second] = [d[low * n + j]!, d[high * n + j]!];
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
function liftRefusals(d: Float64Array | Float32Array, { n, alive, bound, refused }: State): void {
  for (const [pair, distance] of refused) {
    const [low, high] = [Math.floor(pair / n), pair % n];
    if (alive[low] === 0 || alive[high] === 0) continue;
    d[low * n + high] = distance;
    d[high * n + low] = distance;
  }
  bound.fill(-1);
}
