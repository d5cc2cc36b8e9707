/**
 * The assignment step of COP-k-means, with and without size bounds. Free rows go to their nearest centre through the kernels, so
 * that a few constraints among a million rows cost little more than k-means does; units take legal places. Under size bounds free
 * rows are shared out by `assignWithin` instead.
 */

import type { Arena } from "../../../kernels/kernels.js";
import { CHUNK_ROWS, type Kernels, type KMeansState } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { BRIEF, placeExactly, smallParts } from "../../placement/exact.js";
import { improve } from "../../placement/improve.js";
import { matchToCentres, placeGreedily } from "../../placement/legal.js";
import { openPlacement, type Placement, totalCost } from "../../placement/placement.js";
import { assignSteps } from "../kmeans.js";
import { inertiaOf, sumsOf, type WeightedSums } from "../row-weights.js";
import { assignWithin, type BoundedAssignment, type BoundedProblem } from "./sizes.js";
import { squaredDistance, type Units, unitCosts } from "./units.js";

/** Units up to which places are also sought afresh in every iteration; it helps now and then, and takes as long again. */
const MOST_FRESH = 5000;

/** Where the free rows are, by the centres that were set last. */
export interface FreeRows extends Pick<KMeansState, "setCentres" | "inertia" | "labels" | "distances"> {
  sums(): WeightedSums;
}

/** A row that found no legal cluster. */
export interface DeadEnd {
  readonly deadEnd: number;
}

export interface Assigner {
  readonly free: FreeRows;
  /** Cluster of each unit. */
  unitLabels(): Int32Array;
  /** Gives everything its place by the centres, which are set; returns how many rows or units moved, or a dead end. */
  assign(centres: Float64Array, iteration: number, objective: number | undefined): Steps<number | DeadEnd>;
}

/** Clusters of the units by the centres, given those of before. */
export type PlaceUnits = (centres: Float64Array, before: Int32Array | null) => Int32Array | DeadEnd;

export function linkAssigner(
  points: Points,
  units: Units,
  k: number,
  kernels: Kernels,
  arena: Arena,
  place: PlaceUnits,
): Assigner {
  const { d } = points;
  const { freeRows } = units;
  const n = freeRows.length;
  const x = arena.f64(Math.max(1, n * d));
  gather(points, freeRows, x.view());
  const state = n === 0 ? noRows(k, d) : kernels.kmeans(x, n, d, k, arena, { bounds: true });
  let unitLabels: Int32Array | null = null;
  return {
    free: points.rowWeights ? weighted(state, points, freeRows, k) : state,
    unitLabels: () => unitLabels!,
    *assign(centres, iteration, objective) {
      let moved = yield* assignSteps(state, n, iteration, objective);
      if (units.count === 0) unitLabels ??= new Int32Array(0);
      else {
        const placed = place(centres, unitLabels);
        if ("deadEnd" in placed) return placed;
        moved += differences(unitLabels, placed);
        unitLabels = placed;
        yield { phase: "iterating", done: iteration, total: null, ...(objective === undefined ? {} : { objective }) };
      }
      return moved;
    },
  };
}

/** The state of free rows, whose sums count each row as often as it weighs. */
function weighted(state: KMeansState, points: Points, rows: Int32Array, k: number): FreeRows {
  const x = new Float64Array(rows.length * points.d);
  gather(points, rows, x);
  const free = { n: rows.length, d: points.d, x, rowWeights: Float64Array.from(rows, (row) => points.rowWeights![row]!) };
  return {
    setCentres: (centres) => state.setCentres(centres),
    labels: () => state.labels(),
    distances: () => state.distances(),
    sums: () => sumsOf(state, free, k),
    inertia: () => inertiaOf(state, free),
  };
}

/**
 * The repairing way: the places of before, made cheaper, and fresh ones, if they end up cheaper still. Never worse than before,
 * so that the whole comes to rest. `decide` is asked for a legal colouring when none is known.
 */
export function repairing(units: Units, k: number, d: number, kernels: Kernels, decide: () => Int32Array): PlaceUnits {
  const parts = smallParts(units.graph, BRIEF);
  const refine = (placement: Placement): void => {
    improve(placement);
    placeExactly(placement, parts, BRIEF);
  };
  return (centres, before) => {
    const costs = unitCosts(units, centres, k, d, kernels);
    const open = (labels: Int32Array | null): Placement => openPlacement(units.graph, units.count, k, costs, labels, null);
    const kept = before && open(before);
    if (kept) refine(kept);
    if (kept && units.count > MOST_FRESH) return kept.labels;
    let fresh = open(null);
    if (!placeGreedily(fresh)) {
      if (kept) return kept.labels;
      fresh = open(null);
      matchToCentres(fresh, decide());
      placeGreedily(fresh);
    }
    refine(fresh);
    return kept && totalCost(fresh) >= totalCost(kept) - units.count * kept.slack ? kept.labels : fresh.labels;
  };
}

/** Rows whose costs are found in one call. */
const ROWS_AT_ONCE = 4 * CHUNK_ROWS;

export function boundedAssigner(points: Points, problem: BoundedProblem, kernels: Kernels): Assigner {
  const { units, k } = problem;
  const { d } = points;
  const n = units.freeRows.length;
  const x = new Float64Array(n * d);
  gather(points, units.freeRows, x);
  let present: BoundedAssignment | null = null;
  let centres = new Float64Array(k * d);
  return {
    free: {
      setCentres(next) {
        centres = next.slice();
      },
      sums: () => sumsWithin(x, n, d, k, present!.freeLabels),
      inertia: () => sumOf(distancesTo(x, d, centres, present!.freeLabels)),
      labels: () => present!.freeLabels.slice(),
      distances: () => distancesTo(x, d, centres, present!.freeLabels),
    },
    unitLabels: () => present!.unitLabels,
    *assign(given, iteration, objective) {
      const step = { phase: "iterating", done: iteration, total: null, ...(objective === undefined ? {} : { objective }) };
      const costs = new Float64Array(n * k);
      for (let from = 0; from < n; from += ROWS_AT_ONCE) {
        const to = Math.min(n, from + ROWS_AT_ONCE);
        costs.set(kernels.squares(x.subarray(from * d, to * d), to - from, given, k, d), from * k);
        yield step;
      }
      const sharing = assignWithin(problem, unitCosts(units, given, k, d, kernels), costs, present);
      let turn = sharing.next();
      for (; !turn.done; turn = sharing.next()) yield step;
      const next = turn.value;
      const moved =
        differences(present?.freeLabels ?? null, next.freeLabels) + differences(present?.unitLabels ?? null, next.unitLabels);
      present = next;
      yield step;
      return moved;
    },
  };
}

function distancesTo(x: Float64Array, d: number, centres: Float64Array, labels: Int32Array): Float64Array {
  const distances = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) distances[i] = squaredDistance(x, i * d, centres, labels[i]! * d, d);
  return distances;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

function gather({ n, d, x }: Points, rows: Int32Array, into: Float64Array): void {
  if (rows.length === n) into.set(x.subarray(0, n * d));
  else for (let i = 0; i < rows.length; i++) into.set(x.subarray(rows[i]! * d, (rows[i]! + 1) * d), i * d);
}

function sumsWithin(x: Float64Array, n: number, d: number, k: number, labels: Int32Array): ReturnType<KMeansState["sums"]> {
  const sums = new Float64Array(k * d);
  const counts = new Int32Array(k);
  for (let i = 0; i < n; i++) {
    const c = labels[i]!;
    counts[c]!++;
    for (let j = 0; j < d; j++) sums[c * d + j]! += x[i * d + j]!;
  }
  return { sums, counts };
}

function differences(before: Int32Array | null, after: Int32Array): number {
  if (!before) return after.length;
  let count = 0;
  for (let i = 0; i < after.length; i++) if (before[i] !== after[i]) count++;
  return count;
}

/** Stands for the kernels where every row is in a unit. */
function noRows(k: number, d: number): KMeansState {
  return {
    setCentres() {},
    assign: () => 0,
    relabel() {},
    sums: () => ({ sums: new Float64Array(k * d), counts: new Int32Array(k) }),
    inertia: () => 0,
    labels: () => new Int32Array(0),
    distances: () => new Float64Array(0),
    scatter: (_, separate) => new Float64Array(separate ? k * d : d),
    farthest: (factors) => ({ rows: new Int32Array(factors.length / d), squares: new Float64Array(factors.length / d).fill(-1) }),
  };
}
