/**
 * The one loop of the family: first centres, a search for a good start, then E-step (free rows by kernel, bound rows by greedy
 * moves in random order), means, metrics, farthest pairs, objective, until nothing changes. The methods differ in what they
 * switch off.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 */
import { CoterieError } from "../../../errors.js";
import type { Arena, Kernels, KMeansMachine } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { InstanceId, Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import type { Outcome } from "../../method.js";
import { identityMaps, type LinearMaps, mapInto, metricsOf } from "../../metric/linear-maps.js";
import { improveSteps, moveOneByOneSteps, placeSteps } from "./assign-bound.js";
import { type Bulk, bulkOf, wholeClusters } from "./bulk.js";
import { centred, meansOf, ontoSphere } from "./centres.js";
import { distanceTable, tableOfNearest } from "./distance-table.js";
import { type Refilled, refillEmpty } from "./empty-clusters.js";
import { assignFreeSteps, boundRows, type FreeRows, freeRows, nearestOf } from "./free-rows.js";
import { placeApart } from "./hard-start.js";
import { columnMoments, firstCentresSteps, type Init } from "./initialise.js";
import {
  type Farthest,
  farthestSteps,
  type Learned,
  type Learning,
  learnMetrics,
  MOST_ROWS_EXACT,
  metricObjective,
  metricSumsSteps,
} from "./learn-metrics.js";
import { type Links, linksOf } from "./links.js";
import { clusterSumsSteps, type Share } from "./moments.js";
import type { Penalty } from "./sweep.js";
import { type Units, unitsOf } from "./units.js";
import { violationCosts } from "./violation-costs.js";

/** What a method of the family switches on. */
export interface Ablation {
  readonly k: number;
  readonly init: Init;
  readonly penalty: Penalty;
  readonly learning: Learning | null;
  /** Whether plain costs are multiplied by the mean squared distance to the mean of all rows. */
  readonly relativeCosts: boolean;
  /** Whether centres are kept on the unit sphere. */
  readonly spherical: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
  /** False: one assignment to the first centres, and no more. */
  readonly iterate: boolean;
  /** Rounds that place all bound rows anew before the descent, at most. */
  readonly search: number;
  /** Whether bound rows move one by one only, as in the paper. */
  readonly faithful: boolean;
}

export interface EngineInput {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

/** A cluster may be refilled this often; one that empties again is left so. */
const MOST_REFILLS = 3;
/** A search ends after so many rounds that found nothing better. */
const MOST_VAIN_ROUNDS = 6;
/** A descent that has not gone lower for so many iterations goes round in circles, as it may where metrics are mended. */
const MOST_STALLED = 10;
/** Metrics have settled when the objective moves by less than this share of itself while no row moves. */
const SETTLED = 1e-10;

interface Run {
  readonly ablation: Ablation;
  /** Less their mean where metrics are learned, so that mapped rows keep their digits. */
  readonly points: Points;
  readonly offset: Float64Array;
  readonly spread: Float64Array;
  readonly links: Links;
  readonly units: Units;
  readonly bulk: Bulk | null;
  /** Bound rows for the kernel, where large components make it worth while, and the nearest cluster of each. */
  readonly bound: FreeRows | null;
  readonly nearest: Int32Array;
  readonly free: FreeRows;
  readonly labels: Int32Array;
  readonly blockOf: Int32Array;
  centres: Float64Array;
  maps: LinearMaps;
  farthest: Farthest | null;
  learned: Learned | null;
  /** Whether a metric was mended in any iteration of the descent. */
  mended: boolean;
  refills: number;
}

export function* engineSteps(input: EngineInput, ablation: Ablation, kernels: Kernels, random: Random): Steps<Outcome> {
  const { k, maxIterations, tolerance, learning } = ablation;
  if (k > input.points.n) throw new CoterieError({ code: "k-too-large", k, n: input.points.n });
  const arena = kernels.arena();
  try {
    const run = yield* prepareSteps(input, ablation, kernels, arena, random);
    const history: number[] = [];
    const searched = yield* searchSteps(run, random.split("search"));
    let least = Infinity;
    let stalled = 0;
    for (let iteration = 1; ; iteration++) {
      const before = history.at(-1);
      yield { phase: "iterating", done: iteration, total: null, ...(before === undefined ? {} : { objective: before }) };
      const placed = searched || iteration > 1;
      const changed = yield* assign(run, random.split("order", iteration), placed ? "improve" : "place");
      const refilled = ablation.iterate ? refill(run) : [];
      history.push(ablation.iterate ? yield* estimateSteps(run, refilled) : plainObjective(run, refilled));
      const now = history.at(-1)!;
      const step = before === undefined ? Infinity : Math.abs(now - before);
      const still = changed + refilled.length === 0 && (!learning || step <= SETTLED * Math.abs(now));
      stalled = now < least - SETTLED * Math.abs(now) ? 0 : stalled + 1;
      least = Math.min(least, now);
      const converged =
        still || stalled >= MOST_STALLED || (tolerance > 0 && step <= tolerance * Math.abs(now)) || !ablation.iterate;
      if (converged || iteration === maxIterations) return outcomeOf(run, history, converged, input.notices);
    }
  } finally {
    arena.release();
  }
}

function* prepareSteps(
  { points: original, constraints, ids }: EngineInput,
  ablation: Ablation,
  kernels: Kernels,
  arena: Arena,
  random: Random,
): Steps<Run> {
  const { k, penalty, learning } = ablation;
  const { mean, variance } = columnMoments(original);
  const scale = penalty === "cost" && ablation.relativeCosts ? variance.reduce((sum, value) => sum + value, 0) : 1;
  const links = linksOf(constraints, scale, ids);
  const first = yield* firstCentresSteps(original, links, k, ablation.init, random);
  const offset = learning ? mean : new Float64Array(original.d);
  const points = learning ? centred(original, mean) : original;
  const soft = penalty !== "none" && links.hasPenalties;
  const units = unitsOf(links, points, k, soft, ids);
  const free = freeRows(points, units.of, k, learning, kernels, arena);
  const bulk = learning?.matrix === "diagonal" && soft ? bulkOf(links, units, points) : null;
  const bound =
    bulk?.plain.includes(1) && units.count === units.rows.items.length
      ? boundRows(points, units, k, learning, kernels, arena)
      : null;
  const centres = first.map((value, p) => value - offset[p % points.d]!);
  if (ablation.spherical) ontoSphere(centres, points.d);
  if (!learning) free.machine?.setCentres(centres);
  const labels = new Int32Array(points.n).fill(-1);
  const maps = identityMaps(1);
  placeApart(units, k, (u) => squaresTo(points, units, centres, u), labels, ids);
  const farthest = learning && links.hasCannot ? yield* farthestSteps(points, maps, null, free) : null;
  return {
    ablation,
    points,
    offset,
    spread: variance,
    links,
    units,
    bulk,
    bound,
    nearest: new Int32Array(bound ? points.n : 0),
    free,
    labels,
    blockOf: new Int32Array(units.count > 0 ? points.n : 0).fill(-1),
    centres,
    maps,
    farthest,
    learned: null,
    mended: false,
    refills: 0,
  };
}

function squaresTo({ d }: Points, { mean }: Units, centres: Float64Array, u: number): Float64Array {
  return Float64Array.from({ length: centres.length / d }, (_, h) => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (mean[u * d + j]! - centres[h * d + j]!) * (mean[u * d + j]! - centres[h * d + j]!);
    return sum;
  });
}

/** Each centre in the space of its cluster's metric. */
function mappedCentres({ maps, centres, points: { d } }: Run): Float64Array {
  if (maps.kind === "identity") return centres;
  const mapped = new Float64Array(centres.length);
  for (let h = 0; h * d < centres.length; h++) mapInto(maps, maps.maps.length === 1 ? 0 : h, d, centres, h * d, mapped, h * d);
  return mapped;
}

/**
 * Rounds of E- and M-steps in which every bound row forgets where it was. Greedy moves from where rows are end in the nearest
 * minimum; placed anew in another random order under the metric learned so far, they end in others, and the descent starts from
 * the best of them. The objective may rise from round to round, so they are no part of the history. Returns whether there were any.
 */
function* searchSteps(run: Run, random: Random): Steps<boolean> {
  const { ablation, links, units } = run;
  const rounds = ablation.penalty === "none" || !links.hasPenalties || units.count === 0 ? 0 : ablation.search;
  let least = Infinity;
  let best: Partial<Run> = {};
  let vain = 0;
  for (let round = 0; round < rounds && vain < MOST_VAIN_ROUNDS; round++) {
    yield { phase: "searching", done: round, total: rounds };
    const changed = yield* assign(run, random.split("round", round), "place");
    const refilled = refill(run);
    const objective = yield* estimateSteps(run, refilled);
    vain++;
    if (objective < least) {
      const { centres, maps, farthest, learned } = run;
      best = { centres, maps, farthest, learned, labels: run.labels.slice() };
      least = objective;
      vain = 0;
    }
    if (changed + refilled.length === 0) break;
  }
  if (rounds === 0) return false;
  const { labels, ...state } = best;
  run.labels.set(labels!);
  Object.assign(run, state, { mended: false });
  if (!ablation.learning) run.free.machine?.setCentres(run.centres);
  return true;
}

/** E-step; returns how many rows or units moved. */
function* assign(run: Run, random: Random, how: "place" | "improve"): Steps<number> {
  const { ablation, points, links, units, free, labels, maps, farthest } = run;
  const centres = mappedCentres(run);
  const changed = yield* assignFreeSteps(free, points, maps, centres, labels);
  if (units.count === 0) return changed;
  const state = {
    links,
    units,
    penalty: links.hasPenalties ? ablation.penalty : ("none" as const),
    x: points.x,
    d: points.d,
    k: ablation.k,
    maps,
    centres,
    farthest: farthest?.squares ?? new Float64Array(maps.maps.length),
    labels,
    blockOf: run.blockOf,
    bulk: run.bulk,
  };
  if (run.bound) yield* assignFreeSteps(run.bound, points, maps, centres, run.nearest);
  const bound = { ...state, table: run.bound ? tableOfNearest(state, nearestOf(run.bound, run.nearest)) : distanceTable(state) };
  if (ablation.faithful) return changed + (yield* moveOneByOneSteps(bound, random));
  return changed + (yield* how === "place" ? placeSteps(bound, random) : improveSteps(bound, random, changed));
}

function refill(run: Run): Refilled[] {
  const { points, links, units, maps, labels, ablation } = run;
  if (run.refills >= MOST_REFILLS * ablation.k) return [];
  const counts = new Int32Array(ablation.k);
  for (let i = 0; i < points.n; i++) counts[labels[i]!]!++;
  if (!counts.includes(0)) return [];
  const moved = refillEmpty(points, links, units, maps, mappedCentres(run), labels, counts);
  run.refills += moved.length;
  return moved;
}

/** M-step: means, then metrics and the farthest pairs under them; returns the objective. */
function* estimateSteps(run: Run, refilled: readonly Refilled[]): Steps<number> {
  const { ablation, points, labels, links } = run;
  const { learning, k } = ablation;
  if (!learning) {
    run.centres = plainMeans(run, refilled);
    run.free.machine?.setCentres(run.centres);
    return plainObjective(run, refilled);
  }
  const { machine, unmapped, rest } = run.free;
  const share = machine && unmapped && refilled.length === 0 ? shareOf(run, machine, rest) : null;
  const { sums, counts } = yield* clusterSumsSteps(points, labels, k, share);
  run.centres = meansOf(sums, counts, run.centres);
  const metrics = learning.metrics === "single" ? 1 : k;
  const parts = yield* metricSumsSteps(
    points,
    links,
    labels,
    run.centres,
    counts,
    metrics,
    learning.matrix === "full",
    share,
    run.bulk,
  );
  run.learned = learnMetrics(parts, run.farthest, run.spread);
  run.mended ||= run.learned.conditioned + run.learned.projected > 0;
  run.maps = run.learned.maps;
  if (run.farthest) run.farthest = yield* farthestSteps(points, run.maps, run.farthest, run.free);
  return metricObjective(parts, run.maps, run.farthest, points.d);
}

/** What the machine sums, what moments of components stand for, and the rows that are left. */
function shareOf({ bulk, links, labels }: Run, machine: KMeansMachine, rest: Int32Array): Share {
  if (!bulk?.at.some((place) => place >= 0)) return { machine, rest, wholes: null };
  const cluster = wholeClusters(bulk, links, labels);
  return { machine, rest: rest.filter((row) => cluster[links.component[row]!]! < 0), wholes: { bulk, links, cluster } };
}

/** Means of all rows without metrics: free rows from the kernel, bound and refilled ones added. */
function plainMeans(
  { ablation: { k, spherical }, points: { d, x }, free, units, labels, centres }: Run,
  refilled: readonly Refilled[],
): Float64Array {
  const { sums, counts } = free.machine?.sums() ?? { sums: new Float64Array(k * d), counts: new Int32Array(k) };
  const add = (row: number, h: number, sign: number): void => {
    counts[h]! += sign;
    for (let j = 0; j < d; j++) sums[h * d + j]! += sign * x[row * d + j]!;
  };
  for (const { row, from, to } of refilled) {
    if (units.of[row]! >= 0) continue;
    add(row, from, -1);
    add(row, to, 1);
  }
  for (const row of units.rows.items) add(row, labels[row]!, 1);
  const means = meansOf(sums, counts, centres);
  if (spherical) ontoSphere(means, d);
  return means;
}

/** Equation 1: squared distances to the centres, and the costs of violated constraints. */
function plainObjective(
  { ablation, points: { d, x }, free, units, labels, centres, links }: Run,
  refilled: readonly Refilled[],
): number {
  const square = (row: number, h: number): number => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (x[row * d + j]! - centres[h * d + j]!) * (x[row * d + j]! - centres[h * d + j]!);
    return sum;
  };
  let objective = free.machine?.inertia() ?? 0;
  for (const { row, from, to } of refilled) if (units.of[row]! < 0) objective += square(row, to) - square(row, from);
  let bound = 0;
  for (const row of units.rows.items) bound += square(row, labels[row]!);
  return objective + bound + (ablation.penalty === "cost" ? violationCosts(links, labels, ablation.k) : 0);
}

function outcomeOf(run: Run, history: number[], converged: boolean, notices: readonly string[]): Outcome {
  const {
    points: { n, d },
    labels,
    centres,
    offset,
    ablation: { k, learning },
    maps,
  } = run;
  return {
    labels,
    centres: Array.from({ length: k }, (_, h) => centres.slice(h * d, (h + 1) * d).map((value, j) => value + offset[j]!)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped: converged ? "converged" : "max-iterations",
    ...(learning ? { metric: metricsOf(maps, d) } : {}),
    ...(run.farthest ? { farthestPair: n <= MOST_ROWS_EXACT ? "exact" : "bound" } : {}),
    notices: [...notices, ...closingNotices(run)],
  };
}

function closingNotices({ labels, ablation: { k }, learned, mended }: Run): string[] {
  const isUsed = new Uint8Array(k);
  for (let i = 0; i < labels.length; i++) isUsed[labels[i]!] = 1;
  const used = isUsed.reduce((sum, flag) => sum + flag, 0);
  const notices: string[] = [];
  if (used < k) notices.push(`Only ${used} of the ${k} clusters have rows: no row could be moved to the others.`);
  if (learned && learned.conditioned > 0) {
    notices.push(
      `${metricCount(learned.conditioned)} without spread in some direction: a billionth of the whole spread was added.`,
    );
  }
  if (learned && learned.projected > 0) {
    notices.push(
      `${metricCount(learned.projected)} pulled below zero by violated cannot-links in some direction: it counts next to nothing there.`,
    );
  }
  if (learned && mended && learned.conditioned + learned.projected === 0) {
    notices.push("On the way a metric had to be mended, so that the objective may have risen there.");
  }
  return notices;
}

function metricCount(count: number): string {
  return count === 1 ? "1 metric was" : `${count} metrics were`;
}
