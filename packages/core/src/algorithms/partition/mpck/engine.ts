/**
 * The one loop of the family: first centres, a search for a good start, then E-step (free rows by kernel, bound rows by greedy
 * moves in random order), means, metrics, farthest pairs, objective, until nothing changes. The methods differ in what they
 * switch off.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 */
import { CoterieError } from "../../../errors.js";
import type { Kernels } from "../../../kernels/index.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import type { Outcome } from "../../method.js";
import { improveSteps, moveOneByOneSteps, placeSteps } from "./assign/bound-rows.js";
import { distanceTable } from "./assign/distance-table.js";
import { assignFreeSteps, nearestSteps } from "./assign/kernel-rows.js";
import { type Scene, sceneOf } from "./components/bounds.js";
import type { Crowds } from "./components/large-components.js";
import {
  afreshCrowdsSteps,
  type Common,
  type CrowdStep,
  improveCrowdsSteps,
  linksOfCrowds,
  placeCrowdsSteps,
  splitCrowds,
} from "./components/lone.js";
import { assignWithCrowdsSteps } from "./components/tied.js";
import { meansOf } from "./estimate/centres.js";
import { clusterSumsSteps } from "./estimate/cluster-sums.js";
import { type Refilled, refillEmpty } from "./estimate/empty-clusters.js";
import { learnMetrics, metricObjective, metricSumsSteps } from "./estimate/learn-metrics.js";
import { plainMeans, plainObjective } from "./estimate/plain-means.js";
import { shareOf, wholesOf } from "./estimate/sum-plan.js";
import { outcomeOf } from "./outcome.js";
import { type Ablation, type EngineInput, farthestPairs, mappedCentres, prepareSteps, type Run, tellCentres } from "./run.js";

/** A cluster may be refilled this often; one that empties again is left so. */
const MOST_REFILLS = 3;
/** A search ends after so many rounds that found nothing better. */
const MOST_VAIN_ROUNDS = 6;
/** A descent that has not gone lower for so many iterations goes round in circles, as it may where metrics are mended. */
const MOST_STALLED = 10;
const IN_CIRCLES = `Rows went back and forth for ${MOST_STALLED} iterations without a lower objective: the run stopped there.`;
/** Metrics have settled when the objective moves by less than this share of itself while no row moves. */
const SETTLED = 1e-10;

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
      const notices = stalled >= MOST_STALLED && !still ? [...input.notices, IN_CIRCLES] : input.notices;
      if (converged || iteration === maxIterations) return outcomeOf(run, history, converged, notices);
    }
  } finally {
    arena.release();
  }
}

/**
 * Rounds of E- and M-steps in which every bound row forgets where it was. Greedy moves from where rows are end in the nearest
 * minimum; placed anew in another random order under the metric learned so far, they end in others, and the descent starts from
 * the best of them. The objective may rise from round to round, so they are no part of the history. Returns whether there were any.
 */
function* searchSteps(run: Run, random: Random): Steps<boolean> {
  const { ablation, statements, units, crowds } = run;
  const isBound = statements.hasPenalties && (units.count > 0 || crowds !== null || run.joint !== null);
  const rounds = ablation.penalty === "none" || !isBound ? 0 : ablation.search;
  let least = Infinity;
  let best: Partial<Run> = {};
  let where = run.placement;
  let joint = run.jointPlacement.cluster;
  let vain = 0;
  for (let round = 0; round < rounds && vain < MOST_VAIN_ROUNDS; round++) {
    yield { phase: "searching", done: round, total: rounds };
    const changed = yield* assign(run, random.split("round", round), "place");
    const refilled = refill(run);
    const objective = yield* estimateSteps(run, refilled);
    vain++;
    if (objective < least) {
      const { centres, maps, farthest, learned } = run;
      best = { centres, maps, farthest, learned };
      where = { labels: run.labels.slice(), cluster: run.placement.cluster.slice() };
      joint = run.jointPlacement.cluster.slice();
      least = objective;
      vain = 0;
    }
    if (changed + refilled.length === 0) break;
  }
  if (rounds === 0) return false;
  run.labels.set(where.labels);
  run.placement.cluster.set(where.cluster);
  run.jointPlacement.cluster.set(joint);
  Object.assign(run, best, { mended: false });
  tellCentres(run);
  return true;
}

/** E-step; returns how many rows or units moved. Crowds come first, but nothing depends on that. */
function* assign(run: Run, random: Random, how: "place" | "improve"): Steps<number> {
  const { ablation, points, units, free, labels, maps } = run;
  const centres = mappedCentres(run);
  let changed = yield* assignFreeSteps(free, points, maps, centres, labels);
  const step: CrowdStep | null = run.crowds && {
    scene: yield* sceneSteps(run, run.crowds, centres),
    common: commonOf(run, centres),
    faithful: ablation.faithful,
  };
  const inPlace = how === "improve" || ablation.faithful;
  if (step) changed += yield* (inPlace ? improveCrowdsSteps : placeCrowdsSteps)(step, run.placement, random);
  if (units.count > 0 || run.joint) changed += yield* assignUnits(run, centres, random, how, changed);
  const again = step && how === "improve" && !ablation.faithful && changed === 0;
  return again ? yield* afreshCrowdsSteps(step, run.placement, random.split("afresh crowds")) : changed;
}

/** What all moves of bound rows have in common. */
function commonOf({ ablation, points, statements, maps, farthest }: Run, centres: Float64Array): Common {
  return {
    penalty: statements.hasPenalties ? ablation.penalty : "none",
    x: points.x,
    d: points.d,
    k: ablation.k,
    maps,
    centres,
    farthest: farthest?.squares ?? new Float64Array(maps.maps.length),
  };
}

function* sceneSteps(run: Run, crowds: Crowds, centres: Float64Array): Steps<Scene> {
  const { ablation, points, maps } = run;
  const nearest = yield* nearestSteps(crowds.kernel, points, maps, centres);
  const plainCosts = ablation.penalty === "cost";
  return sceneOf({ crowds, x: points.x, d: points.d, k: ablation.k, maps, centres, plainCosts, nearest });
}

/** The E-step for all other bound rows. `others`: how many rows beside them moved. */
function* assignUnits(run: Run, centres: Float64Array, random: Random, how: "place" | "improve", others: number): Steps<number> {
  const { ablation, links, units, bulk, labels } = run;
  const state = { ...commonOf(run, centres), links, units, labels, bulk };
  if (run.joint) {
    const scene = yield* sceneSteps(run, run.joint.crowds, centres);
    return yield* assignWithCrowdsSteps(run.joint, scene, state, run.jointPlacement, random, how, others);
  }
  const table = distanceTable(state);
  if (ablation.faithful) return yield* moveOneByOneSteps({ ...state, table }, random);
  return yield* how === "place" ? placeSteps({ ...state, table }, random) : improveSteps({ ...state, table }, random, others);
}

function refill(run: Run): Refilled[] {
  const { points, statements, units, maps, labels, ablation } = run;
  if (run.refills >= MOST_REFILLS * ablation.k) return [];
  const counts = new Int32Array(ablation.k);
  for (let i = 0; i < points.n; i++) counts[labels[i]!]!++;
  if (!counts.includes(0)) return [];
  const moved = refillEmpty(points, statements, units, maps, mappedCentres(run), labels, counts);
  run.refills += moved.length;
  return moved;
}

/** M-step: means, then metrics and the farthest pairs under them; returns the objective. */
function* estimateSteps(run: Run, refilled: readonly Refilled[]): Steps<number> {
  const { ablation, points, labels, links, bulk } = run;
  const { learning, k } = ablation;
  if (!learning) {
    run.centres = plainMeans(run, refilled);
    tellCentres(run);
    return plainObjective(run, refilled);
  }
  const whole = wholesOf(run);
  const share = refilled.length === 0 ? shareOf(run, whole) : null;
  const { sums, counts } = yield* clusterSumsSteps(points, labels, k, share);
  run.centres = meansOf(sums, counts, run.centres);
  const metrics = learning.metrics === "single" ? 1 : k;
  const full = learning.matrix === "full";
  const split = run.crowds ? splitCrowds(run.placement) : [];
  const beside = split.length > 0 ? linksOfCrowds(run.crowds!, split, points.n) : null;
  const parts = yield* metricSumsSteps(points, links, labels, run.centres, counts, metrics, full, share, bulk, whole, beside);
  run.learned = learnMetrics(parts, run.farthest, run.spread);
  run.mended ||= run.learned.conditioned + run.learned.projected > 0;
  run.maps = run.learned.maps;
  if (run.farthest) run.farthest = yield* farthestPairs(run);
  return metricObjective(parts, run.maps, run.farthest, points.d);
}
