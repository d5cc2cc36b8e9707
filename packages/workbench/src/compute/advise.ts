/** Which method suits a table and what is known about it: methods are tried on constraints that are held out, or a rule says which to begin with. */
import {
  advising,
  type ConstraintSet,
  catalogue,
  type Instances,
  type MethodAdvice,
  type MethodName,
  methodNamed,
  secondsOf,
  type TriedMethod,
} from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Watch } from "../pool.js";
import { type RunHost, run } from "../run.js";
import { fewerStarts } from "../starts.js";
import type { TaskTable } from "./compute.js";
import { knownAt } from "./known.js";
import { MOST_ROWS_IN_HIERARCHY, recommend } from "./recommend.js";

export interface AdviceRequest {
  readonly k: number;
  readonly seed: number;
  /** The methods to try; those that suit the kinds of constraints if left out. */
  readonly algorithms?: readonly string[] | undefined;
}

export interface Advised {
  readonly algorithm: string;
  readonly by: "held-out constraints" | "rule";
  /** Why, as the end of a sentence that begins with the method. */
  readonly because: string;
  readonly tried: readonly TriedMethod[];
  /** Methods that were not tried because a run would take out of proportion, and the seconds that one may take. */
  readonly leftOut: readonly SlowMethod[];
  /** Links that were held out, all times together. */
  readonly held: number;
}

export interface SlowMethod {
  readonly algorithm: string;
  readonly seconds: number;
}

/** The plain method shows what constraints are worth. */
const PLAIN: MethodName = "kmeans";

/** Methods that advice tries with these kinds of constraints and for this number of rows; k-means is the first. */
function candidatesFor({ relative, labels }: ConstraintSet, { n }: Instances): readonly string[] {
  const kinds = ["any", ...(labels.row.length > 0 ? ["labels"] : []), ...(relative.a.length > 0 ? ["relative"] : [])];
  const fitting = catalogue.filter(({ family }) => n <= MOST_ROWS_IN_HIERARCHY || family !== "hierarchy");
  return kinds.flatMap((kind) => fitting.filter(({ advisedWith }) => advisedWith === kind).map(({ name }) => name));
}

/** A method is tried, unless somebody names it, if a run takes at most this many seconds, or this many times those of the plain method. */
const LONG_SECONDS = 15;
const LONG_TIMES = 15;

function slowOf(candidates: readonly string[], points: Instances, constraints: ConstraintSet, k: number): readonly SlowMethod[] {
  const seconds = (algorithm: string) => secondsOf(methodNamed(algorithm), { points, constraints }, optionsFor(algorithm, k));
  const most = Math.max(LONG_SECONDS, LONG_TIMES * seconds(PLAIN));
  return candidates.map((algorithm) => ({ algorithm, seconds: seconds(algorithm) })).filter((each) => each.seconds > most);
}

export async function advise(
  points: Instances,
  constraints: ConstraintSet,
  { k, seed, algorithms: asked }: AdviceRequest,
  host: RunHost,
): Promise<Advised> {
  const candidates = asked ?? candidatesFor(constraints, points);
  const leftOut = asked ? [] : slowOf(candidates, points, constraints, k);
  const algorithms = candidates.filter((algorithm) => !leftOut.some((slow) => slow.algorithm === algorithm));
  const advice = await tryMethods(points, constraints, { k, seed, algorithms }, host);
  if (advice === null || advice.algorithm === null) {
    const { algorithm, because } = recommend({ set: constraints, sizes: {} }, { feasible: null, instances: points });
    return { algorithm, by: "rule", because, tried: advice?.tried ?? [], leftOut, held: advice?.held ?? 0 };
  }
  const { algorithm, tried, held } = advice;
  return { algorithm, by: "held-out constraints", because: reasonOf(algorithm, tried), tried, leftOut, held };
}

export interface AdviseInput extends Pick<AdviceRequest, "k" | "seed"> {
  readonly active: readonly ActiveConstraint[];
}

/** The advice for a project, with the bounds on sizes that somebody gave: then there is but one method. */
export async function adviseTask(loaded: TaskTable, { active, k, seed }: AdviseInput, watch: Watch): Promise<Advised> {
  const { host } = loaded;
  const { set, sizes } = knownAt(loaded, active);
  if (sizes.min !== undefined || sizes.max !== undefined)
    return {
      ...recommend({ set, sizes }, { feasible: null, instances: loaded.instances }),
      by: "rule",
      tried: [],
      leftOut: [],
      held: 0,
    };
  return await advise(loaded.instances, set, { k, seed }, { kernels: host.kernels(), pause: host.pause, ...watch });
}

async function tryMethods(
  points: Instances,
  constraints: ConstraintSet,
  { k, seed, algorithms }: Required<AdviceRequest> & { readonly algorithms: readonly string[] },
  host: RunHost,
): Promise<MethodAdvice | null> {
  const trials = advising(constraints, algorithms, seed);
  let turn = trials.next();
  while (!turn.done) {
    host.signal?.throwIfAborted();
    const { algorithm, known, done, total } = turn.value;
    const onStep = () => host.onStep?.({ phase: `trying ${algorithm}`, done, total });
    onStep();
    turn = await run(points, known, { algorithm, options: optionsFor(algorithm, k), seed }, { ...host, onStep }).then(
      ({ result }) => trials.next(result),
      (error: unknown) => trials.throw(error),
    );
    await host.pause();
  }
  return turn.value;
}

/** A trial has the options that a run has if nobody says otherwise. */
function optionsFor(algorithm: string, k: number): Record<string, unknown> {
  const starts = fewerStarts({ k }, methodNamed(algorithm).starts !== undefined);
  return starts === undefined ? { k } : { k, restarts: starts };
}

function reasonOf(chosen: string, tried: readonly TriedMethod[]): string {
  const own = tried.find(({ algorithm }) => algorithm === chosen)!;
  const best = tried.reduce((most, each) => ((each.score ?? -1) > (most.score ?? -1) ? each : most));
  const plain = tried.find(({ algorithm }) => algorithm === PLAIN);
  const beside = chosen !== PLAIN && plain?.score != null ? `; k-means, which looks at none, has ${plain.score.toFixed(2)}` : "";
  if (best === own)
    return `it agrees best with constraints that were held out (${own.score!.toFixed(2)} ± ${own.error!.toFixed(2)}${beside})`;
  return `it agrees about as well as any with constraints that were held out (${own.score!.toFixed(2)}, at best ${best.score!.toFixed(2)} ± ${best.error!.toFixed(2)}${beside}), and breaks fewer of those it was given`;
}
