/** One run: a method, its options and a seed over rows and constraints, driven to a result. */
import {
  type ConstraintSet,
  type Context,
  checkInput,
  drain,
  drive,
  finish,
  type Input,
  type Instances,
  type Kernels,
  type Method,
  type Outcome,
  type Result,
  randomFrom,
  type Step,
  type Treatment,
  treatmentsOf,
} from "@coterie/core";
import { checkOptions, methodNamed } from "./options.js";
import type { Pool } from "./pool.js";

export interface RunSpec {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

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
  const { method, checked } = prepare(input, spec);
  return complete(method, input, checked, await outcomeOf(method, input, checked, host));
}

/** Runs to the end without a pause: for scripts and tests. */
export function runAtOnce(points: Instances, constraints: ConstraintSet, spec: RunSpec, kernels: Kernels): Run {
  const input: Input = { points, constraints };
  const { method, checked } = prepare(input, spec);
  return complete(
    method,
    input,
    checked,
    drain(method.steps(input, checked.options, { kernels, random: randomFrom(spec.seed) })),
  );
}

function prepare(input: Input, spec: RunSpec): { readonly method: Method; readonly checked: RunSpec } {
  const method = methodNamed(spec.algorithm);
  const checked = { ...spec, options: checkOptions(method, spec.options) };
  checkInput(input);
  return { method, checked };
}

function complete(method: Method, input: Input, spec: RunSpec, outcome: Outcome): Run {
  const result = finish(input, outcome);
  const ignored = ignoredNotice(method, spec.options, input.constraints);
  return { spec, method, result: ignored ? { ...result, notices: [...result.notices, ignored] } : result };
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

function overlooked(weights: Float64Array, treatment: Treatment): number {
  return treatment === "hard-only" ? weights.filter((weight) => weight < Infinity).length : weights.length;
}

/** Says which statements the method did not look at. */
function ignoredNotice(method: Method, options: RunSpec["options"], constraints: ConstraintSet): string | undefined {
  const { title } = method;
  const treats = treatmentsOf(method, options);
  const given: readonly [string, number, Treatment][] = [
    ["must-link", constraints.mustLinks.a.length, treats.mustLink],
    ["cannot-link", overlooked(constraints.cannotLinks.weight, treats.cannotLink), treats.cannotLink],
    ["relative statement", constraints.relative.a.length, treats.relative],
    ["label", constraints.labels.row.length, treats.labels],
    ["exclusive column", constraints.exclusive.length, treats.exclusive],
  ];
  const ignored = given
    .filter(([, count, treatment]) => count > 0 && (treatment === "ignored" || treatment === "hard-only"))
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`);
  return ignored.length === 0 ? undefined : `Not looked at by ${title}: ${ignored.join(", ")}.`;
}
