/** Runs a method, with its options and a seed, over rows and constraints. */
import {
  type ChosenK,
  type ConstraintSet,
  type Context,
  checkedRun,
  choosingK,
  drive,
  type Input,
  type Instances,
  type InternalScores,
  internalScoreSteps,
  isTrial,
  type Kernels,
  type KRange,
  type Method,
  methodNamed,
  type Outcome,
  type Report,
  type Result,
  randomFrom,
  resultOf,
  type Step,
  type Trial,
  textsInClustersSteps,
} from "@coterie/core/internal";
import type { Pool } from "./pool.js";
import type { RunSpec } from "./run-spec.js";

export interface RunHost {
  readonly kernels: Kernels;
  /** Workers that run the starts of the method in parallel, if the host has them. They do not change the result. */
  readonly pool?: Pool;
  readonly pause: () => Promise<void>;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
}

/** Maximum time of computing, in milliseconds, before a run lets the host handle events. */
const TURN_MS = 16;

export interface Run {
  readonly spec: RunSpec;
  readonly method: Method;
  readonly result: Result;
  /** The rows that were clustered: the given points, or the same rows in another scale that the method chose. */
  readonly points: Instances;
}

export async function run(
  points: Instances,
  constraints: ConstraintSet,
  { choose, ...spec }: RunSpec,
  host: RunHost,
): Promise<Run> {
  const input: Input = { points, constraints };
  if (!choose) return runOnce(input, spec, host);
  const chosen = await chooseK(input, spec, [choose.from, choose.to], host);
  const done = await runOnce(input, withK(spec, { k: chosen.k }), host);
  return { ...done, result: { ...done.result, chosen: { ...done.result.chosen, ...chosen } } };
}

function withK(spec: RunSpec, { k, options }: Pick<Trial, "k" | "options">): RunSpec {
  return { ...spec, options: { ...spec.options, ...options, k } };
}

async function runOnce(input: Input, spec: RunSpec, host: RunHost): Promise<Run> {
  const method = methodNamed(spec.algorithm);
  const checked = { ...spec, options: checkedRun(method, input, spec.options) };
  const outcome = await outcomeOf(method, input, checked, host);
  const result = resultOf(method, input, checked.options, outcome);
  return { spec: checked, method, result, points: result.rescaled ?? input.points };
}

/** Maximum number of multiplications for the scores of a run. They take about a second. */
const SCORE_WORK = 1e9;

/** Scores of a run that can be computed without known classes. Null for duplicates, because most of their clusters have one row. */
export async function internalScores(
  { points, result }: Pick<Run, "points" | "result">,
  host: RunHost,
): Promise<InternalScores | null> {
  if (result.matches) return null;
  const { kernels, pause, signal, onStep } = host;
  const steps = internalScoreSteps(points, result.labels, kernels, SCORE_WORK);
  return await drive(steps, { ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}), pause, due: everyTurn() });
}

/** The words of each cluster, from free text in the table. Clusters of duplicates have no words: they are too many and too small. */
export async function clusterWords(
  { points, result }: Pick<Run, "points" | "result">,
  { pause, signal, onStep }: RunHost,
): Promise<{ readonly words?: NonNullable<Report["words"]> }> {
  if (result.matches) return {};
  const steps = textsInClustersSteps(points, result.labels, result.k);
  const found = await drive(steps, { ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}), pause, due: everyTurn() });
  return found ? { words: found.clusters.map(({ terms }) => terms.map(({ term }) => term)) } : {};
}

async function chooseK(input: Input, spec: RunSpec, range: KRange, host: RunHost): Promise<ChosenK> {
  const method = methodNamed(spec.algorithm);
  const choosing = choosingK(input, { ...spec, method }, range);
  const due = everyTurn();
  let turn = choosing.next();
  while (!turn.done) {
    const asked = turn.value;
    if (isTrial(asked)) {
      const trial = runOnce({ ...input, constraints: asked.known }, withK(spec, asked), withinTrial(host, asked.k));
      turn = await trial.then(
        ({ result }) => choosing.next(result),
        (error: unknown) => choosing.throw(error),
      );
    } else {
      host.signal?.throwIfAborted();
      host.onStep?.(asked);
      if (due()) await host.pause();
      turn = choosing.next();
    }
  }
  return turn.value;
}

function withinTrial(host: RunHost, k: number): RunHost {
  const { onStep } = host;
  return onStep ? { ...host, onStep: (step) => onStep({ ...step, phase: `k = ${k}: ${step.phase}` }) } : host;
}

async function outcomeOf(method: Method, input: Input, spec: RunSpec, host: RunHost): Promise<Outcome> {
  const { kernels, pool, pause, signal, onStep } = host;
  const watch = { ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}) };
  if (pool && method.starts && method.starts.count(spec.options) > 1) {
    return await pool.bestStart(input, spec, method.starts.count(spec.options), watch);
  }
  const context: Context = { kernels, random: randomFrom(spec.seed) };
  return await drive(method.steps(input, spec.options, context), { ...watch, pause, due: everyTurn() });
}

/** Returns a function that says whether a pause is due. It returns true once every `TURN_MS` milliseconds. */
export function everyTurn(): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < TURN_MS) return false;
    last = now;
    return true;
  };
}
