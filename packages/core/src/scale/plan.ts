/**
 * The k-means family over an engine: constrained rows stay here, all others are seen in one pass per iteration.
 *
 * A pass takes every row to its nearest cluster. What it says of the constrained rows is taken out again, exactly, and put back under
 * the clusters that constraints gave them. So the engine needs to know of no constraint.
 *
 * Departs from the methods in memory: sums are those of fixed-sums.ts; first centres are drawn from a sample by hash; one start
 * unless asked for more; a cluster without rows takes the row of the sample farthest from its centre; the farthest pair of MPCK-means
 * is bounded by the ranges of the columns (learn.ts); soft methods count constraints as given, not what follows from them.
 */
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { InstanceId } from "../model/points.js";
import type { LearnedMetrics, Stopped } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import { firstCentres } from "./first-centres.js";
import { iterateFrom } from "./iterate.js";
import { openProblem } from "./open-problem.js";
import { type PassModel, type PassScaling, passSums } from "./pass-model.js";
import { breaksHard, checkState } from "./plan-state.js";
import { metricsFrom, objectiveOf, type Problem, totalsWithPlaced } from "./problem.js";
import { askLabels, type Plan, type PlanStart, type PlanState } from "./requests.js";

/** Methods that a plan can carry out exactly. */
export const PLANNED = ["kmeans", "cop-kmeans", "pck-means", "mpck-means", "supervised-means"] as const;
export type PlannedMethod = (typeof PLANNED)[number];

export interface PlanOptions {
  readonly k: number;
  readonly init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | readonly (readonly number[])[];
  readonly restarts?: number;
  readonly maxIterations?: number;
  readonly tolerance?: number;
  readonly costs?: "relative" | "unit";
  readonly metrics?: "single" | "multiple";
  readonly matrix?: "diagonal" | "full";
  readonly effort?: number;
}

export interface PlanInput {
  readonly method: PlannedMethod;
  readonly options: PlanOptions;
  /** About the constrained rows alone, in the order of `ids`. */
  readonly constraints: ConstraintSet;
  readonly ids: readonly InstanceId[];
  readonly seed: number;
  readonly scale: "none" | "zscore" | "minmax";
  /** Where to go on from. */
  readonly from?: PlanState | undefined;
}

/** What a run found; clusters have the plan's own numbers. */
export interface PlanOutcome {
  readonly model: PassModel;
  readonly names: readonly string[];
  readonly rows: number;
  /** In scaled units. */
  readonly centres: readonly Float64Array[];
  readonly scaling: PassScaling | null;
  readonly metric?: LearnedMetrics;
  readonly farthestPair?: "bound";
  readonly sizes: Float64Array;
  /** Clusters of the constrained rows. */
  readonly placed: Int32Array;
  readonly objective: number;
  readonly history: readonly number[];
  readonly iterations: number;
  readonly stopped: Stopped;
  readonly notices: readonly string[];
}

export function* planSteps(input: PlanInput): Plan<PlanOutcome> {
  const problem = yield* openProblem(input);
  const { k } = input.options;
  if (k > problem.statistics.rows) throw new CoterieError({ code: "k-too-large", k, n: problem.statistics.rows });
  if (input.from) checkState(problem, input.from);
  const starts = Array.isArray(input.options.init) ? 1 : (input.options.restarts ?? 1);
  let best = input.from?.best ?? null;
  for (let start = input.from?.start ?? 0; start < starts; start++) {
    const random = randomFrom(input.seed).split("restart", start);
    const from = input.from?.start === start ? input.from : null;
    const centres = from ? from.centres : yield* firstCentres(problem, random);
    const end = yield* iterateFrom(problem, centres, { start, from, best, random });
    if (best === null || end.history.at(-1)! < best.history.at(-1)!) best = end;
  }
  return yield* finish(problem, best!);
}

/** Labels, sizes and objective under the centres that are reported. */
function* finish(problem: Problem, { centres, metric, placed, history, stopped }: PlanStart): Plan<PlanOutcome> {
  const { input, statistics, scaling } = problem;
  const model = problem.modelAt(centres, metric, "none");
  const fixed = placed.length > 0 ? placed : yield* problem.nearest(model);
  // The last line of defence: whatever a state said, labels that break hard constraints are never returned.
  if (breaksHard(problem, fixed)) throw new Error(`${input.method} broke constraints that it keeps`);
  const totals = yield* askLabels(model, fixed);
  const sums = passSums(model, yield* totalsWithPlaced(problem, model, totals, fixed));
  const objective = objectiveOf(problem, model, sums, fixed, metric);
  const { d, k } = model;
  const used = sums.counts.filter((count) => count > 0).length;
  return {
    model,
    names: statistics.names,
    rows: statistics.rows,
    centres: Array.from({ length: k }, (_, c) => centres.slice(c * d, (c + 1) * d)),
    scaling,
    ...(metric ? { metric: metricsFrom(problem, metric), farthestPair: "bound" as const } : {}),
    sizes: sums.counts,
    placed: fixed,
    objective,
    history: [...history.slice(0, -1), objective],
    iterations: history.length,
    stopped,
    notices: [
      ...problem.notices,
      ...(used < k ? [`Only ${used} of the ${k} clusters have rows.`] : []),
      ...(input.method === "supervised-means" || stopped === "converged"
        ? []
        : [`The run ended after ${history.length} iterations, before it had converged.`]),
    ],
  };
}
