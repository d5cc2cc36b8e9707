/**
 * Assignment under size bounds. Two steps alternate as long as the total cost falls:
 *
 * 1. Free rows are assigned exactly (near-rows.ts) to the capacity that is left after the units are placed. This gives each cluster a price
 *    per row.
 * 2. Units move to clusters with a lower cost plus price, if they violate no constraint there.
 *
 * The placement of units is heuristic, because the joint problem is NP-hard if units have several rows.
 */
import { badInput, badOption, CoterieError } from "../../../errors.js";
import { type InstanceId, idOf } from "../../../model/points.js";
import { improveSteps } from "../../placement/improve.js";
import { decideExactly, matchToCentres, placeGreedily } from "../../placement/legal.js";
import { excess, isBarred, openPlacement, type Placement, put, type SizeBounds } from "../../placement/placement.js";
import { openWork } from "../../placement/work.js";
import type { NearRows } from "./near-rows.js";

import type { Units } from "./units.js";

/** Maximum number of units in the exact search. The recursion has one level per unit. */
const MOST_UNITS = 4000;

export interface BoundedProblem {
  readonly units: Units;
  readonly k: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly effort: number;
  readonly ids: readonly InstanceId[] | undefined;
}

export interface BoundedAssignment {
  readonly unitLabels: Int32Array;
  readonly freeLabels: Int32Array;
  readonly prices: Float64Array;
  /** Sum of squared distances of free rows and units to their centres, without the scatter of the units. */
  readonly cost: number;
}

/**
 * Gains below this share of the cost are rounding errors. They are ignored, because otherwise two equal assignments could alternate
 * forever.
 */
const ROUNDING = 1e-12;
const MOST_ROUNDS = 5;

/** Throws if no assignment can meet the size bounds, even without constraints. */
export function checkBounds(n: number, k: number, minSize: number, maxSize: number): void {
  if (minSize > maxSize) throw badOption("minSize", minSize, `at most maxSize, ${maxSize}`);
  if (k * minSize > n) {
    throw badInput(`${k} clusters of at least ${minSize} rows need ${k * minSize} rows; there are ${n}.`, {
      remedy: `Ask for at least ${Math.floor(n / k)} rows or fewer, or for fewer clusters.`,
    });
  }
  if (k * maxSize < n) {
    throw badInput(`${k} clusters of at most ${maxSize} rows hold ${k * maxSize} rows; there are ${n}.`, {
      remedy: `Allow ${Math.ceil(n / k)} rows or more, or more clusters.`,
    });
  }
}

/** The assignment of rows and units to new centres. Keeps the previous assignment if the search finds no cheaper assignment. */
export function* assignWithin(
  problem: BoundedProblem,
  unitCosts: Float64Array,
  rows: NearRows,
  before: BoundedAssignment | null,
): Generator<void, BoundedAssignment, void> {
  const { units, k } = problem;
  const prices = before?.prices ?? new Float64Array(k);
  const start = before?.unitLabels ?? (yield* firstUnits(problem, unitCosts));
  let best = yield* shareOut(problem, unitCosts, rows, start, prices);
  for (let round = 0; round < MOST_ROUNDS && units.count > 0; round++) {
    const priced = unitCosts.map((cost, p) => cost + units.sizes[Math.floor(p / k)]! * best.prices[p % k]!);
    const placement = openPlacement(units.graph, units.count, k, priced, best.unitLabels, boundsOf(problem));
    if (!(yield* improved(placement))) break;
    const next = yield* shareOut(problem, unitCosts, rows, placement.labels, best.prices);
    if (next.cost >= best.cost - ROUNDING * best.cost) break;
    best = next;
  }
  if (before) {
    const stay = costOf(unitCosts, before.unitLabels, k) + rows.inertia();
    if (best.cost >= stay - ROUNDING * stay) return { ...before, cost: stay };
  }
  return best;
}

/** Improves the placement of the units until no move lowers the cost. Returns whether any unit moved. */
function* improved(placement: Placement): Generator<void, boolean, void> {
  const steps = improveSteps(placement, openWork(Infinity));
  for (;;) {
    const progress = steps.next();
    if (progress.done) return progress.value;
    yield;
  }
}

function* shareOut(
  { units, k, minSize, maxSize }: BoundedProblem,
  unitCosts: Float64Array,
  rows: NearRows,
  unitLabels: Int32Array,
  prices: Float64Array,
): Generator<void, BoundedAssignment, void> {
  const lower = new Int32Array(k).fill(minSize);
  const upper = new Int32Array(k).fill(maxSize);
  unitLabels.forEach((c, u) => {
    lower[c] = Math.max(0, lower[c]! - units.sizes[u]!);
    upper[c]! -= units.sizes[u]!;
  });
  const shared = yield* rows.share(lower, upper, prices);
  const cost = costOf(unitCosts, unitLabels, k) + shared.cost;
  return { unitLabels: unitLabels.slice(), freeLabels: shared.labels, prices: shared.prices, cost };
}

function costOf(costs: Float64Array, labels: Int32Array, k: number): number {
  let sum = 0;
  for (let i = 0; i < labels.length; i++) sum += costs[i * k + labels[i]!]!;
  return sum;
}

function boundsOf({ units, minSize, maxSize }: BoundedProblem): SizeBounds {
  return { sizes: units.sizes, least: minSize, most: maxSize, free: units.freeRows.length };
}

/**
 * A first placement of the units that satisfies all constraints and size bounds. Throws if no placement exists, or if the work limit is
 * reached.
 */
function* firstUnits(problem: BoundedProblem, unitCosts: Float64Array): Generator<void, Int32Array, void> {
  const { units, k, effort, ids } = problem;
  if (units.count === 0) return new Int32Array(0);
  const open = (): Placement => openPlacement(units.graph, units.count, k, unitCosts, null, boundsOf(problem));
  let placement = open();
  if (!placeGreedily(placement)) {
    placement = open();
    matchToCentres(placement, decideExactly(units.graph, k, effort, ids));
    placeGreedily(placement);
  }
  yield* improved(placement);
  if (excess(placement.loads!) === 0) return placement.labels;
  placement = open();
  const answer = searchLegal(placement, effort);
  if (answer !== "found") throw refusal(problem, answer);
  yield* improved(placement);
  return placement.labels;
}

function refusal({ units, k, minSize, maxSize, effort, ids }: BoundedProblem, answer: "none" | "spent"): CoterieError {
  if (answer === "spent") {
    return new CoterieError({
      code: "gave-up",
      message: `The search for a legal clustering with ${k} clusters of ${minSize} to ${maxSize} rows gave up after ${effort} nodes, without a proof that there is none; allow more effort, or wider bounds.`,
    });
  }
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const members = (u: number): InstanceId[] =>
    Array.from(units.rows.items.subarray(units.rows.start[u]!, units.rows.start[u + 1]!), name);
  const tooLarge = units.sizes.findIndex((size) => size > maxSize);
  const core = tooLarge >= 0 ? [members(tooLarge)] : Array.from({ length: units.count }, (_, u) => members(u));
  return new CoterieError({ code: "infeasible", k, core, sizes: [minSize, maxSize] });
}

/*
 * Exact search for a placement of all units that satisfies the constraints and the size bounds. Used if the heuristics find none. Units of
 * several rows make this a bin packing problem, so the search has a work limit. The unit with the fewest possible clusters is placed next,
 * on ties the largest. Empty clusters are interchangeable, so only one of them is tried.
 */

/**
 * Places all units in an empty placement, within the size bounds. "none": there is provably no legal placement. "spent": the work limit was
 * reached.
 */
export function searchLegal(placement: Placement, effort: number): "found" | "none" | "spent" {
  if (placement.count > MOST_UNITS) return "spent";
  let rest = 0;
  for (const size of placement.loads!.sizes) rest += size;
  const work = { left: effort };
  const found = search(placement, rest, work);
  return found ? "found" : work.left < 0 ? "spent" : "none";
}

function search(placement: Placement, rest: number, work: { left: number }): boolean {
  const { loads } = placement;
  if (--work.left < 0 || !canFill(placement, rest)) return false;
  const u = tightest(placement);
  if (u === -1) return true;
  for (const c of openClusters(placement, u)) {
    put(placement, u, c);
    if (search(placement, rest - loads!.sizes[u]!, work)) return true;
    put(placement, u, -1);
  }
  return false;
}

/** Whether the unplaced rows suffice to fill every cluster up to its lower bound. */
function canFill({ loads }: Placement, rest: number): boolean {
  let missing = 0;
  for (const load of loads!.load) missing += Math.max(0, loads!.least - load);
  return missing <= rest + loads!.free;
}

function tightest(placement: Placement): number {
  const { count, labels, loads } = placement;
  let best = -1;
  let fewest = Infinity;
  for (let u = 0; u < count; u++) {
    if (labels[u]! >= 0) continue;
    const open = openClusters(placement, u).length;
    if (open > fewest || (open === fewest && loads!.sizes[u]! <= loads!.sizes[best]!)) continue;
    best = u;
    fewest = open;
  }
  return best;
}

/**
 * The clusters that can take unit u without violating a constraint or the maximum size, cheapest first. Of all empty clusters, only the
 * cheapest is listed.
 */
function openClusters(placement: Placement, u: number): number[] {
  const { k, costs, loads } = placement;
  const open: number[] = [];
  for (let c = 0; c < k; c++) if (!isBarred(placement, u, c) && loads!.load[c]! + loads!.sizes[u]! <= loads!.most) open.push(c);
  open.sort((b, c) => costs[u * k + b]! - costs[u * k + c]! || b - c);
  const empty = open.find((c) => loads!.load[c] === 0);
  return open.filter((c) => loads!.load[c]! > 0 || c === empty);
}
