/**
 * The assignment step of COP-k-means, with and without size bounds. Free rows have no constraints. The kernels assign them to their nearest
 * centre, or `assignWithin` if there are size bounds. So a few constraints among a million rows cost little more than plain k-means. Units
 * (components of constrained rows) get clusters in which they violate no constraint.
 */

import type { Arena, Kernels, KMeansState } from "../../../kernels/kernels.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { BRIEF, exactSteps, smallParts } from "../../placement/exact.js";
import { improveSteps } from "../../placement/improve.js";
import { greedySteps, matchToCentres } from "../../placement/legal.js";
import { openPlacement, type Placement, totalCost } from "../../placement/placement.js";
import { openWork, PLACING } from "../../placement/work.js";
import { assignSteps } from "../kmeans.js";
import { inertiaOf, sumsOf, type WeightedSums } from "../row-weights.js";
import { type FreeTable, noRows } from "./free-rows.js";
import { openNearRows } from "./near-rows.js";
import { assignWithin, type BoundedAssignment, type BoundedProblem } from "./sizes.js";
import { type Units, unitCosts } from "./units.js";

/** Up to this number of units, each iteration also builds a new placement. This doubles the time. */
const MOST_FRESH = 5000;

export interface FreeRows extends Pick<KMeansState, "setCentres" | "inertia" | "labels" | "distances"> {
  sums(): WeightedSums;
}

/** The row for which every cluster violates a constraint. */
export interface DeadEnd {
  readonly deadEnd: number;
}

export interface Assigner {
  readonly free: FreeRows;
  unitLabels(): Int32Array;
  /** Assigns all rows and units to the given centres; returns how many rows or units moved, or a dead end. */
  assign(centres: Float64Array, iteration: number, objective: number | undefined): Steps<number | DeadEnd>;
}

/** Assigns the units to clusters for the given centres. `before`: the clusters of the previous iteration. */
export type PlaceUnits = (centres: Float64Array, before: Int32Array | null) => Steps<Int32Array | DeadEnd>;

export function linkAssigner(
  points: Points,
  units: Units,
  { x, n, d, screen }: FreeTable,
  k: number,
  kernels: Kernels,
  arena: Arena,
  place: PlaceUnits,
): Assigner {
  const state = n === 0 ? noRows(k, d) : kernels.kmeans(x, n, d, k, arena, { bounds: true, screen });
  let unitLabels: Int32Array | null = null;
  return {
    free: points.rowWeights ? weighted(state, points, x, units.freeRows, k) : state,
    unitLabels: () => unitLabels!,
    *assign(centres, iteration, objective) {
      let moved = yield* assignSteps(state, n, iteration, objective);
      if (units.count === 0) unitLabels ??= new Int32Array(0);
      else {
        const placed = yield* place(centres, unitLabels);
        if ("deadEnd" in placed) return placed;
        moved += differences(unitLabels, placed);
        unitLabels = placed;
        yield { phase: "iterating", done: iteration, total: null, ...(objective === undefined ? {} : { objective }) };
      }
      return moved;
    },
  };
}

/** Wraps the kernel state of the free rows if rows have weights: sums and inertia count each row with its weight. */
function weighted(state: KMeansState, points: Points, block: FreeTable["x"], rows: Int32Array, k: number): FreeRows {
  const x = Float64Array.from(block.view().subarray(0, rows.length * points.d));
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
 * Returns a function that places the units without violating constraints. It improves the previous placement, and also builds a new one.
 * The cheaper placement is used, so the objective never rises and the run converges.
 * decide: returns a legal colouring; called only if the greedy placement fails.
 */
export function repairing(
  units: Units,
  k: number,
  d: number,
  kernels: Kernels,
  decide: () => Int32Array,
): (centres: Float64Array, before: Int32Array | null) => Steps<Int32Array> {
  const parts = smallParts(units.graph, BRIEF);
  function* refine(placement: Placement): Steps<void> {
    yield PLACING;
    yield* improveSteps(placement, openWork(Infinity));
    yield* exactSteps(placement, parts, BRIEF, openWork(Infinity));
  }
  return function* (centres, before) {
    const costs = yield* unitCosts(units, centres, k, d, kernels);
    const open = (labels: Int32Array | null): Placement => openPlacement(units.graph, units.count, k, costs, labels, null);
    const kept = before && open(before);
    if (kept) yield* refine(kept);
    if (kept && units.count > MOST_FRESH) return kept.labels;
    let fresh = open(null);
    if (!(yield* greedySteps(fresh, openWork(Infinity)))) {
      if (kept) return kept.labels;
      fresh = open(null);
      matchToCentres(fresh, decide());
      yield* greedySteps(fresh, openWork(Infinity));
    }
    yield* refine(fresh);
    return kept && totalCost(fresh) >= totalCost(kept) - units.count * kept.slack ? kept.labels : fresh.labels;
  };
}

export function boundedAssigner(problem: BoundedProblem, table: FreeTable, kernels: Kernels, arena: Arena): Assigner {
  const { units, k } = problem;
  const { d } = table;
  const rows = openNearRows(table, k, kernels, arena);
  let present: BoundedAssignment | null = null;
  return {
    free: rows,
    unitLabels: () => present!.unitLabels,
    *assign(centres, iteration, objective) {
      const step = { phase: "iterating", done: iteration, total: null, ...(objective === undefined ? {} : { objective }) };
      const costs = yield* unitCosts(units, centres, k, d, kernels);
      const sharing = assignWithin(problem, costs, rows, present);
      let progress = sharing.next();
      for (; !progress.done; progress = sharing.next()) yield step;
      const next = progress.value;
      const moved =
        differences(present?.freeLabels ?? null, next.freeLabels) + differences(present?.unitLabels ?? null, next.unitLabels);
      present = next;
      rows.accept(next.freeLabels, next.prices);
      yield step;
      return moved;
    },
  };
}

function differences(before: Int32Array | null, after: Int32Array): number {
  if (!before) return after.length;
  let count = 0;
  for (let i = 0; i < after.length; i++) if (before[i] !== after[i]) count++;
  return count;
}
