/**
 * COP-k-means: k-means that never violates a constraint.
 *
 * Wagstaff, Cardie, Rogers, Schroedl: Constrained K-means Clustering with Background Knowledge. ICML 2001, table 1; as in Klein, Kamvar,
 * Manning 2002. Size bounds: Bradley, Bennett, Demiriz: Constrained k-means clustering. 2000.
 *
 * Departs from the paper: the paper's method fails if every cluster would violate a constraint of the next row. With many constraints this
 * happens often, even if they are correct. (`faithful` does the same, in one random order per start.) Here must-linked rows move as one
 * unit. All constrained rows are placed together, and then improved by legal moves. If this finds no placement, an exact search finds a
 * clustering that satisfies all constraints, or proves that there is none. Exclusive groups and labels are hard, like cannot-links. An
 * empty cluster takes the row or component farthest from its centre.
 */

import * as z from "zod/mini";
import { eachNeighbour } from "../../../colouring/graphs/graph.js";
import { type Closure, closeConstraints, refuseContradictions, refuseLargeGroups } from "../../../constraints/index.js";
import { badInput, badOption, CoterieError } from "../../../errors.js";
import type { Arena, Kernels } from "../../../kernels/index.js";
import { type Instances, idOf, type Points } from "../../../model/points.js";
import type { Stopped } from "../../../model/result.js";
import { option, toggle, whole } from "../../../options.js";
import type { Random } from "../../../random/index.js";
import { EFFORT } from "../../../steps/budget.js";
import type { Steps } from "../../../steps/index.js";
import { aroundMeans } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { oneHot } from "../../encode.js";
import { bestStart, betterOutcome, type Context, type Input, type Outcome } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { decideExactly } from "../../placement/legal.js";
import { PLACING } from "../../placement/work.js";
import { placedSteps, screenSteps } from "../../ready-rows.js";
import { farthest, kMeansOptions, meanVariance, seededCentres, squaredDifference } from "../kmeans.js";
import { lloydOutcome, lowestOf, oscillationNotices } from "../outcome.js";
import { type Assigner, boundedAssigner, type DeadEnd, linkAssigner, repairing } from "./assigners.js";
import { type FreeTable, freeTableSteps } from "./free-rows.js";
import { checkBounds } from "./sizes.js";
import { squaredDistance, type Units, unitsOf } from "./units.js";

const { k, init, restarts, maxIterations, tolerance } = kMeansOptions.shape;

export const copKMeansOptions = z.strictObject({
  k,
  init,
  restarts,
  maxIterations,
  tolerance,
  faithful: option(toggle(false), "place rows one by one, as in the paper, and fail if a row then has no allowed cluster"),
  minSize: option(z.optional(whole(0)), "minimum number of rows in a cluster"),
  maxSize: option(z.optional(whole(1)), "maximum number of rows in a cluster"),
  effort: option(z._default(whole(1), EFFORT), "limit on exact searches, in nodes of the search tree"),
});

type CheckedOptions = z.output<typeof copKMeansOptions>;

export function copKMeansSteps(input: Input, options: CheckedOptions, context: Context): Steps<Outcome> {
  return allStarts(prepare(input, options), options, context);
}

const copKMeansStarts = {
  count: (options: CheckedOptions): number => (options.faithful ? 1 : startCount(options)),
  steps(input: Input, options: CheckedOptions, index: number, context: Context): Steps<Outcome> {
    const prepared = prepare(input, options);
    return options.faithful ? allStarts(prepared, options, context) : repairingStart(prepared, options, index, context);
  },
};

/** Clusters rows around k means and satisfies every constraint; throws if that is impossible. */
export const copKmeans = /* @__PURE__ */ defineMethod({
  name: "cop-kmeans",
  title: "COP-k-means",
  summary: "k-means that satisfies every constraint, also within size bounds; fails if no clustering can",
  paper: "Wagstaff, Cardie, Rogers, Schroedl: Constrained K-means Clustering with Background Knowledge. 2001",
  example: "copKmeans(points, known, { k: 3, minSize: 5 }).sizes;",
  onEngine: { init: "k-means++", iterations: 300, settles: "centres", places: "legally", learnsMetric: false },
  family: "partition",
  treats: { mustLink: "hard", cannotLink: "hard", relative: "ignored", labels: "hard", exclusive: "hard" },
  seconds: aroundMeans(2),
  weighsRows: true,
  ...withLearnedMetric({ options: copKMeansOptions, steps: copKMeansSteps, starts: copKMeansStarts }),
});

function startCount({ init, restarts }: CheckedOptions): number {
  return Array.isArray(init) ? 1 : restarts;
}

interface Prepared {
  readonly original: Instances;
  readonly points: Points;
  readonly closure: Closure;
  readonly units: Units;
  readonly notices: readonly string[];
}

/** Prepares the data that all starts share. Throws if the constraints or the size bounds contradict each other. */
function prepare({ points: original, constraints }: Input, options: CheckedOptions): Prepared {
  const { k, minSize = 0, maxSize = original.n, faithful } = options;
  const { points, notices } = oneHot(original);
  if (k > points.n) throw new CoterieError({ code: "k-too-large", k, n: points.n });
  if (isBounded(options)) checkBounds(points.n, k, minSize, maxSize);
  if (isBounded(options) && points.rowWeights)
    throw badInput("Bounds on the sizes of clusters count rows; they cannot be combined with row weights (--row-weight).", {
      remedy: "Leave the bounds or the weights out.",
    });
  if (isBounded(options) && faithful) throw badOption("faithful", true, "left out when minSize or maxSize is given");
  const closure = closeConstraints(constraints);
  refuseContradictions(closure, original.ids);
  if (!faithful) refuseLargeGroups(constraints, k, original.ids);
  return { original, points, closure, units: unitsOf(closure, points), notices };
}

function isBounded({ minSize, maxSize }: CheckedOptions): boolean {
  return minSize !== undefined || maxSize !== undefined;
}

function* allStarts(prepared: Prepared, options: CheckedOptions, context: Context): Steps<Outcome> {
  const count = startCount(options);
  if (!options.faithful) return yield* bestStart(count, (index) => repairingStart(prepared, options, index, context));
  let best: Outcome | undefined;
  const deadEnds: number[] = [];
  for (let index = 0; index < count; index++) {
    const outcome = yield* startSteps(prepared, options, context.random.split("restart", index), context.kernels);
    if ("deadEnd" in outcome) deadEnds.push(outcome.deadEnd);
    else best = betterOutcome(best, outcome);
  }
  if (best === undefined) throw gaveUp(prepared, deadEnds);
  if (deadEnds.length === 0) return best;
  return {
    ...best,
    notices: [...best.notices, `${deadEnds.length} of ${count} starts ended at a row without a legal cluster.`],
  };
}

function gaveUp({ original }: Prepared, deadEnds: readonly number[]): CoterieError {
  const starts = deadEnds.length === 1 ? "the only start" : `each of ${deadEnds.length} starts`;
  return new CoterieError({
    code: "gave-up",
    message: `The paper's method found no legal cluster for some row in ${starts}, first for ${idOf(original, deadEnds[0]!)}; without "faithful", all constrained rows are placed together.`,
  });
}

function* repairingStart(prepared: Prepared, options: CheckedOptions, index: number, context: Context): Steps<Outcome> {
  const outcome = yield* startSteps(prepared, options, context.random.split("restart", index), context.kernels);
  return outcome as Outcome;
}

/** Runs one start. A faithful start can stop at a row for which every cluster violates a constraint. */
function* startSteps(prepared: Prepared, options: CheckedOptions, random: Random, kernels: Kernels): Steps<Outcome | DeadEnd> {
  const { points, units } = prepared;
  const arena = kernels.arena();
  const whole = kernels.arena();
  try {
    const { centres: first, variance, table } = yield* readyStart(prepared, options, random, kernels, whole);
    let centres = first;
    if (table === null) whole.release();
    const free = table ?? (yield* freeTableSteps(points, units.freeRows, arena));
    const assigner = openAssigner(prepared, free, options, random, kernels, arena);
    const least = options.tolerance * variance;
    const history: number[] = [];
    const passed = new Set<string>();
    let best: State | null = null;
    assigner.free.setCentres(centres);
    for (let iteration = 1; ; iteration++) {
      const moved = yield* assigner.assign(centres, iteration, history.at(-1));
      if (typeof moved !== "number") return moved;
      // With a million rows of many columns, the sums and the distances each take long. The run can be stopped between them.
      const step = { phase: "iterating", done: iteration, total: null };
      const { means, next } = meansOf(assigner, points, units, centres);
      const shift = squaredDifference(centres, next);
      yield step;
      assigner.free.setCentres(means);
      history.push(inertiaOf(assigner, units, means, points.d));
      yield step;
      // Only the paper's method can increase the objective, and only it can return to an earlier assignment.
      const isOscillating = options.faithful && isRepeat(passed, next);
      if (options.faithful && lowestOf(history) === iteration) best = stateOf(prepared, assigner, means, iteration);
      const stopped = moved === 0 || shift <= least ? "converged" : isOscillating ? "cycling" : "max-iterations";
      if (stopped !== "max-iterations" || iteration === options.maxIterations) {
        const last = best && stopped !== "converged" ? best : stateOf(prepared, assigner, means, iteration);
        return finished(prepared, last, history, stopped);
      }
      centres = next;
      assigner.free.setCentres(centres);
    }
  } finally {
    whole.release();
    arena.release();
  }
}

function* readyStart(
  { original, points, units }: Prepared,
  options: CheckedOptions,
  random: Random,
  kernels: Kernels,
  whole: Arena,
) {
  const { n, d } = points;
  const x = yield* placedSteps(points, whole);
  const screen = options.init === "k-means++" ? yield* screenSteps(x, n, d, kernels, whole) : null;
  const centres = yield* seededCentres(original, points, options, random, { kernels, x, screen });
  const variance = options.tolerance > 0 ? meanVariance(kernels.moments(x, n, d).squares, n) : 0;
  const table: FreeTable | null = units.freeRows.length === n ? { n, d, x, screen } : null;
  return { centres, variance, table };
}

interface State {
  readonly labels: Int32Array;
  readonly centres: Float64Array;
  readonly iteration: number;
}

function stateOf({ points: { n }, units }: Prepared, assigner: Assigner, centres: Float64Array, iteration: number): State {
  const labels = new Int32Array(n);
  const ofRows = assigner.free.labels();
  units.freeRows.forEach((row, i) => {
    labels[row] = ofRows[i]!;
  });
  const ofUnits = assigner.unitLabels();
  for (let u = 0; u < units.count; u++) {
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) labels[units.rows.items[p]!] = ofUnits[u]!;
  }
  return { labels, centres, iteration };
}

function openAssigner(
  { original, points, units }: Prepared,
  free: FreeTable,
  options: CheckedOptions,
  random: Random,
  kernels: Kernels,
  arena: Arena,
): Assigner {
  const { k, effort, minSize = 0, maxSize = points.n } = options;
  const { ids } = original;
  if (isBounded(options)) return boundedAssigner({ units, k, minSize, maxSize, effort, ids }, free, kernels, arena);
  if (!options.faithful) {
    const place = repairing(units, k, points.d, kernels, () => decideExactly(units.graph, k, effort, ids));
    return linkAssigner(points, units, free, k, kernels, arena, place);
  }
  const order = units.rows.items.map((_, place) => place);
  random.split("order").shuffle(order);
  return linkAssigner(points, units, free, k, kernels, arena, function* (centres) {
    yield PLACING;
    const answer = assignFaithfully(points, units, centres, k, order);
    return "deadEnd" in answer ? answer : answer.labels;
  });
}

/**
 * Whether exactly these centres occurred in an earlier iteration. The centres determine all later iterations, so the run would repeat
 * itself.
 */
function isRepeat(passed: Set<string>, centres: Float64Array): boolean {
  const name = centres.join();
  if (passed.has(name)) return true;
  passed.add(name);
  return false;
}

/**
 * The mean of each cluster, and the next centres. They differ only if a cluster is empty. Then the cluster takes the row or unit with the
 * largest distance from its assigned centre.
 */
function meansOf(
  assigner: Assigner,
  points: Points,
  units: Units,
  centres: Float64Array,
): { readonly means: Float64Array; readonly next: Float64Array } {
  const { d, x, rowWeights } = points;
  const { sums, counts } = assigner.free.sums();
  const labels = assigner.unitLabels();
  const shift = (c: number, size: number, from: Float64Array, row: number, sign: number): void => {
    counts[c]! += sign * size;
    for (let j = 0; j < d; j++) sums[c * d + j]! += sign * size * from[row * d + j]!;
  };
  const divided = (): Float64Array =>
    sums.map((sum, p) => {
      const c = Math.floor(p / d);
      return counts[c]! > 0 ? sum / counts[c]! : centres[p]!;
    });
  for (let u = 0; u < units.count; u++) shift(labels[u]!, units.weights[u]!, units.means, u, 1);
  const means = divided();
  const empty = [...counts.keys()].filter((c) => counts[c] === 0);
  if (empty.length === 0) return { means, next: means };
  const rowLabels = assigner.free.labels();
  const distances = distancesOf(assigner, units, centres, d);
  for (const item of farthest(distances, distances.length, empty.length + counts.length)) {
    if (empty.length === 0) break;
    const u = item - rowLabels.length;
    const from = u < 0 ? rowLabels[item]! : labels[u]!;
    const size = u < 0 ? (rowWeights?.[units.freeRows[item]!] ?? 1) : units.weights[u]!;
    if (distances[item] === 0 || counts[from]! <= size) continue;
    const [values, row] = u < 0 ? [x, units.freeRows[item]!] : [units.means, u];
    shift(from, size, values, row, -1);
    shift(empty.shift()!, size, values, row, 1);
  }
  return { means, next: divided() };
}

/**
 * The squared distances to the centres: first of each free row, then of the mean of each unit. Distances of units are multiplied by their
 * weight, without the scatter inside the unit.
 */
function distancesOf(assigner: Assigner, units: Units, centres: Float64Array, d: number): Float64Array {
  const labels = assigner.unitLabels();
  const ofRows = assigner.free.distances();
  const all = new Float64Array(ofRows.length + units.count);
  all.set(ofRows);
  for (let u = 0; u < units.count; u++) {
    all[ofRows.length + u] = units.weights[u]! * squaredDistance(units.means, u * d, centres, labels[u]! * d, d);
  }
  return all;
}

function inertiaOf(assigner: Assigner, units: Units, centres: Float64Array, d: number): number {
  const labels = assigner.unitLabels();
  let sum = assigner.free.inertia();
  for (let u = 0; u < units.count; u++) {
    sum += units.scatter[u]! + units.weights[u]! * squaredDistance(units.means, u * d, centres, labels[u]! * d, d);
  }
  return sum;
}

function finished(
  { points, closure, notices }: Prepared,
  { labels, centres, iteration }: State,
  history: readonly number[],
  stopped: Stopped,
): Outcome {
  const few = closure.componentCount < centres.length / points.d;
  const reason = few ? "must-links leave fewer groups of rows" : "by the paper's rule no row moved to the empty clusters";
  return lloydOutcome({
    points,
    labels,
    centres,
    history: history.slice(0, iteration),
    stopped,
    notices: [...notices, ...oscillationNotices(stopped, history)],
    reason,
  });
}

/*
 * The assignment step as published (Wagstaff et al. 2001, table 1): rows one after the other, each to the nearest centre that violates no
 * constraint, without backtracking. The order contains only constrained rows, because other rows cannot violate anything.
 */

/** The clusters of the units, or the row for which every cluster violates a constraint. */
type FaithfulAnswer = { readonly labels: Int32Array } | { readonly deadEnd: number };

/** One assignment of the units as published. order: the order of the constrained rows, as indices into `units.rows.items`. */
function assignFaithfully(
  { d, x }: Points,
  { count, graph, rows }: Units,
  centres: Float64Array,
  k: number,
  order: Int32Array,
): FaithfulAnswer {
  const unitAt = new Int32Array(rows.items.length);
  for (let u = 0; u < count; u++) unitAt.fill(u, rows.start[u]!, rows.start[u + 1]!);
  const labels = new Int32Array(count).fill(-1);
  const barredFor = new Int32Array(k).fill(-1);
  for (const place of order) {
    const u = unitAt[place]!;
    // An earlier row of this unit already chose the cluster. The choice is still valid, because units with a cannot-link to this unit avoid
    // its cluster.
    if (labels[u]! >= 0) continue;
    if (u < graph.vertices) {
      eachNeighbour(graph, u, (v) => {
        if (labels[v]! >= 0) barredFor[labels[v]!] = u;
      });
    }
    const row = rows.items[place]!;
    let least = Infinity;
    for (let c = 0; c < k; c++) {
      if (barredFor[c] === u) continue;
      const distance = squaredDistance(x, row * d, centres, c * d, d);
      if (distance < least) {
        least = distance;
        labels[u] = c;
      }
    }
    if (labels[u] === -1) return { deadEnd: row };
  }
  return { labels };
}
