/** One run: a method, its options and a seed over rows and constraints, driven to a result. */
import {
  type ConstraintSet,
  type Context,
  checkedRun,
  drive,
  type Input,
  type Instances,
  type Kernels,
  type Method,
  methodNamed,
  type Outcome,
  type Result,
  randomFrom,
  resultOf,
  type Step,
  seenInput,
} from "@coterie/core/internal";
import type { Pool } from "./pool.js";
import type { RunSpec } from "./run-spec.js";

/** What the surroundings lend to a run. */
export interface RunHost {
  readonly kernels: Kernels;
  /** Starts of one method run side by side when a pool is lent; the answer has the same bytes. */
  readonly pool?: Pool;
  readonly pause: () => Promise<void>;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
}

/** The longest that the host waits for its turn. */
const TURN_MS = 16;

export interface Run {
  readonly spec: RunSpec;
  readonly method: Method;
  readonly result: Result;
}

/** Runs with progress, cancellation and whatever the host lends. */
export async function run(points: Instances, constraints: ConstraintSet, spec: RunSpec, host: RunHost): Promise<Run> {
  const input: Input = { points, constraints };
  const method = methodNamed(spec.algorithm);
  const checked = { ...spec, options: checkedRun(method, input, spec.options) };
  const outcome = await outcomeOf(method, seenInput(method, input), checked, host);
  return { spec: checked, method, result: resultOf(method, input, checked.options, outcome) };
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

/** True when a turn's time has passed since it was last true. */
export function everyTurn(): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < TURN_MS) return false;
    last = now;
    return true;
  };
}
