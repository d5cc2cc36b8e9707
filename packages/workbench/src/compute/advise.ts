/**
 * Recommends a method and a scale for a table and its constraints. It chooses them in the same way as the method `auto`. Reports the score
 * of each candidate.
 */
import {
  type ConstraintSet,
  candidateOf,
  candidatesFor,
  chooseMethodSteps,
  drive,
  type InstanceId,
  type Instances,
  idOf,
  type MethodChoice,
  methodNamed,
  randomFrom,
  titleOf,
} from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import { everyTurn, type RunHost } from "../run.js";
import type { TaskTable } from "./compute.js";
import { knownAt } from "./known.js";
import { recommend } from "./recommend.js";

export interface AdviceRequest {
  readonly k: number;
  readonly seed: number;
  readonly algorithms?: readonly string[] | undefined;
}

export interface TriedMethod {
  readonly algorithm: string;
  /** The scale, as a value of the option --scale. "given": the table keeps its scale. */
  readonly scale: string;
  /**
   * score: agreement of the clusters with held-out links, beyond chance; null if the run failed. error: the standard error of the score.
   */
  readonly score: number | null;
  readonly error: number | null;
  readonly failure: string | null;
}

export interface Advised {
  readonly algorithm: string;
  readonly scale: string;
  readonly by: "held-out constraints" | "rule";
  readonly because: string;
  readonly tried: readonly TriedMethod[];
  /** Methods that were not tried because they are far slower than the fastest method. seconds: the estimated time. */
  readonly leftOut: readonly { readonly algorithm: string; readonly seconds: number }[];
  readonly held: number;
  /** Constraints that contradict other constraints, with row ids. The constraint that is most probably wrong comes first. */
  readonly suspects: readonly SuspectConstraint[];
}

export interface SuspectConstraint {
  readonly constraint: { readonly type: "must-link" | "cannot-link"; readonly a: InstanceId; readonly b: InstanceId };
  readonly probability: number;
}

export async function advise(
  points: Instances,
  constraints: ConstraintSet,
  { k, seed, algorithms }: AdviceRequest,
  host: RunHost,
): Promise<Advised> {
  const candidates = algorithms?.map((name) => candidateOf(methodNamed(name), points)) ?? candidatesFor(points, constraints, k);
  const { kernels, pause, signal, onStep } = host;
  const steps = chooseMethodSteps(points, constraints, candidates, k, { kernels, random: randomFrom(seed) });
  const watch = { ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}) };
  return advisedFrom(await drive(steps, { ...watch, pause, due: everyTurn() }), points);
}

function advisedFrom({ best, judged, held, suspects, leftOut }: MethodChoice, points: Instances): Advised {
  const tried = judged.map(({ candidate, score, error, failure }) => ({
    algorithm: candidate.method.name,
    scale: candidate.scale,
    score,
    error,
    failure,
  }));
  return {
    algorithm: best.candidate.method.name,
    scale: best.candidate.scale,
    by: held > 0 ? "held-out constraints" : "rule",
    because: reasonOf(best, judged, held),
    tried: held > 0 ? tried : [],
    leftOut: leftOut.map(({ candidate, seconds }) => ({ algorithm: candidate.method.name, seconds })),
    held,
    suspects: suspects.map(({ rows: [a, b], says, probability }) => ({
      constraint: { type: says, a: idOf(points, a), b: idOf(points, b) },
      probability,
    })),
  };
}

function reasonOf(best: MethodChoice["best"], judged: MethodChoice["judged"], held: number): string {
  if (held === 0) return "there are few constraints, and it has the best clusters on average over many tables";
  const plain = judged.find(({ candidate }) => !candidate.learns && candidate.scale === "given" && candidate !== best.candidate);
  const beside =
    plain?.score == null
      ? ""
      : `; ${titleOf(plain.candidate.method, {})}, which uses no constraints, has ${plain.score.toFixed(2)}`;
  const own = `${best.score!.toFixed(2)} ± ${best.error!.toFixed(2)}${beside}`;
  const most = judged.reduce((high, each) => Math.max(high, each.score ?? -1), -1);
  return best.score! >= most
    ? `it agrees best with constraints that were held out (${own})`
    : `it agrees well with constraints that were held out (${own}), and is better than others on average over many tables`;
}

export interface AdviseInput extends Pick<AdviceRequest, "k" | "seed"> {
  readonly active: readonly ActiveConstraint[];
}

/** Runs the task. If the sizes of clusters are bounded, only one method can be recommended. */
export async function adviseTask(loaded: TaskTable, { active, k, seed }: AdviseInput, watch: Watch): Promise<Advised> {
  const { host } = loaded;
  const { set, sizes } = knownAt(loaded, active);
  if (sizes.min !== undefined || sizes.max !== undefined)
    return {
      ...recommend(loaded.instances, { set, sizes }),
      scale: "given",
      by: "rule",
      tried: [],
      leftOut: [],
      held: 0,
      suspects: [],
    };
  return await advise(loaded.instances, set, { k, seed }, { kernels: host.kernels(), pause: host.pause, ...watch });
}
