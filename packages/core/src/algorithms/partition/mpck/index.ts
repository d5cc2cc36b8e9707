/**
 * The one loop of the family. The methods differ in what they switch off (`Ablation` in run.ts).
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Phase                      file            its parts
 *   set-up                   run.ts          constraints/: what constraints ask, as weights on components, and the units that move
 *   first centres            initialise.ts
 *   E-step: labels           assign.ts       assign/: free rows by kernel, then greedy sweeps over bound rows, in random order
 *   empty clusters           empty-clusters.ts
 *   M-step: means, metrics,  estimate.ts     estimate/: sums over clusters, metrics from them, farthest pairs
 *     and the objective
 *   the answer               outcome.ts      typical-start.ts: which of several starts to keep
 *
 * All phases read and rewrite one `Run`: labels, centres, metrics and the farthest pair under each. A metric is an object with a
 * distance (metric/metrics.ts), one for all clusters or one for each. Before the descent a search places bound rows anew a few times, and the best round is where the descent starts.
 *
 * One idea carries all sums: a block of rows is its count, its mean and its scatter; a row is a block of one. A sum over all pairs
 * of two blocks needs no more, so no entailed pair is ever listed. Blocks move (units, constraints/moving-units.ts), lie in
 * clusters (constraints/tallies.ts), and large components are blocks whose moments never change (constraints/component-moments.ts).
 *
 *     constraints ──closure──> components ──> units that move ──sweep──> labels
 *                                  │                            ▲
 *                                  └── large: bounds first ─────┘  taken apart only where a row might leave
 *
 * Bounds make large data cheap, and every move still lowers the same objective. Free rows go through the k-means kernel
 * (assign/kernel-rows.ts). What a row could gain elsewhere, held against what its must-links would cost, assigns most rows without
 * a sum (assign/clear-choices.ts), and large components as a whole (assign/large-components.ts). Random streams keep the names
 * they had first, so that seeds keep their answers.
 */
import type { Kernels } from "../../../kernels/index.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import type { Outcome } from "../../method.js";
import { lowestOf, restlessNotices } from "../outcome.js";
import { assignSteps } from "./assign.js";
import { refill } from "./empty-clusters.js";
import { estimateSteps, plainObjective } from "./estimate.js";
import { outcomeOf } from "./outcome.js";
import { type Ablation, type EngineInput, openProblem, type Problem, prepareSteps, type Run, tellCentres } from "./run.js";

/** A search ends after so many rounds that found nothing better. */
const MOST_VAIN_ROUNDS = 6;
/** A descent that has not gone lower for so many iterations goes round in circles, as it may where metrics are mended. */
const MOST_STALLED = 10;
/** Metrics have converged when the objective moves by less than this share of itself while no row moves. */
const STILL = 1e-10;

export function* engineSteps(input: EngineInput, ablation: Ablation, kernels: Kernels, random: Random): Steps<Outcome> {
  const [outcome] = yield* startsSteps(input, ablation, kernels, [{ random, init: ablation.init }]);
  return outcome!;
}

/** What one start does not share with the others. */
export interface Start {
  readonly random: Random;
  readonly init: Ablation["init"];
}

/** One start after the other; what all of them share is worked out once. */
export function* startsSteps(
  input: EngineInput,
  ablation: Ablation,
  kernels: Kernels,
  starts: readonly Start[],
): Steps<Outcome[]> {
  const arena = kernels.arena();
  try {
    const problem = openProblem(input, ablation, kernels, arena);
    const outcomes: Outcome[] = [];
    for (const start of starts) outcomes.push(yield* startSteps(problem, start));
    return outcomes;
  } finally {
    arena.release();
  }
}

function* startSteps(problem: Problem, { random, init }: Start): Steps<Outcome> {
  const { ablation, notices } = problem;
  const { maxIterations, tolerance, learning } = ablation;
  const arena = problem.kernels.arena();
  try {
    const run = yield* prepareSteps(problem, arena, random, init);
    const history: number[] = [];
    const searched = yield* searchSteps(run, random.split("search"));
    let best: Kept | null = null;
    for (let iteration = 1; ; iteration++) {
      const before = history.at(-1);
      yield { phase: "iterating", done: iteration, total: null, ...(before === undefined ? {} : { objective: before }) };
      const placed = searched || iteration > 1;
      const changed = yield* assignSteps(run, random.split("order", iteration), placed ? "improve" : "place");
      const refilled = ablation.iterate ? refill(run) : [];
      history.push(ablation.iterate ? yield* estimateSteps(run, refilled) : plainObjective(run, refilled));
      const now = history.at(-1)!;
      const step = before === undefined ? Infinity : Math.abs(now - before);
      const still = changed + refilled.length === 0 && (!learning || step <= STILL * Math.abs(now));
      if (best === null || lowestOf(history) === iteration) best = keep(run, now, iteration);
      const converged = still || (tolerance > 0 && step <= tolerance * Math.abs(now)) || !ablation.iterate;
      const stopped = converged ? "converged" : iteration - best.iteration >= MOST_STALLED ? "cycling" : "max-iterations";
      if (stopped === "max-iterations" && iteration < maxIterations) continue;
      if (!converged) restore(run, best);
      const kept = history.slice(0, converged ? iteration : best.iteration);
      return outcomeOf(run, kept, stopped, [...notices, ...restlessNotices(stopped, history)]);
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
  const { ablation, links, units, large } = run;
  const isBound = links.hasPenalties && (units.count > 0 || large !== null);
  const rounds = ablation.penalty === "none" || !isBound ? 0 : ablation.search;
  let best: Kept | null = null;
  for (let round = 0; round < rounds && round - (best?.iteration ?? round) < MOST_VAIN_ROUNDS; round++) {
    yield { phase: "searching", done: round, total: rounds };
    const changed = yield* assignSteps(run, random.split("round", round), "place");
    const refilled = refill(run);
    const objective = yield* estimateSteps(run, refilled);
    if (best === null || objective < best.objective) best = keep(run, objective, round + 1);
    if (changed + refilled.length === 0) break;
  }
  if (best === null) return false;
  restore(run, best);
  run.mended = false;
  return true;
}

/** A state that a run has passed: a copy of where all rows were, and what was estimated from it. */
interface Kept extends Pick<Run, "centres" | "metrics" | "farthest" | "learned"> {
  readonly objective: number;
  readonly iteration: number;
  readonly labels: Int32Array;
  readonly large: Int32Array;
}

function keep(run: Run, objective: number, iteration: number): Kept {
  const { labels, clusterOfLarge, centres, metrics, farthest, learned } = run;
  return { objective, iteration, labels: labels.slice(), large: clusterOfLarge.slice(), centres, metrics, farthest, learned };
}

function restore(run: Run, { labels, large, centres, metrics, farthest, learned }: Kept): void {
  run.labels.set(labels);
  run.clusterOfLarge.set(large);
  Object.assign(run, { centres, metrics, farthest, learned });
  tellCentres(run);
}
