/** `coterie/diagnose`: checks constraint sets, and draws constraint sets for trying methods. */
import {
  type ConstraintSet,
  type Contradiction,
  closeConstraints,
  contradictions as contradictionsOf,
  type DiagnoseOptions,
  type Diagnosis,
  diagnoseFully,
  generateConstraints as generate,
  generateBalanced as generateEvenly,
  type Labelling,
  randomFrom,
} from "@coterie/core/internal";
import { createLpSolver } from "@coterie/kernels";
import { everyTurn } from "@coterie/workbench";
import { pause } from "#host";
import type { AsyncOptions } from "./cluster.js";

export { largestConsistentTriplets, pruneConstraints, tripletConsistency } from "@coterie/core/internal";

/**
 * The whole diagnosis. Unlike `diagnose`, it includes the results of a linear program: the fractional chromatic number, and the dual price
 * of each row (how much the row adds to this number). Lets the calling thread do other work, reports its progress and can be stopped.
 *
 * ```ts
 * const { feasible, advice } = await diagnoseAsync(known, { points, k: 3 });
 * ```
 */
export async function diagnoseAsync(
  known: ConstraintSet,
  { signal, onStep, ...options }: DiagnoseOptions & Omit<AsyncOptions, "threads"> = {},
): Promise<Diagnosis> {
  const watch = { ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}) };
  return await diagnoseFully(known, { ...options, solver: await createLpSolver() }, { ...watch, pause, due: everyTurn() });
}

/**
 * The cannot-links that must-links contradict, each with the chain that shows it.
 *
 * ```ts
 * contradictions(constraints(points, { mustLink: [[0, 1], [1, 2]], cannotLink: [[0, 2]] })).length; // 1
 * ```
 */
export function contradictions(known: ConstraintSet): readonly Contradiction[] {
  return contradictionsOf(closeConstraints(known));
}

/** `count`: number of constraints. `seed`: default 0. `noise`: share of wrong constraints, 0 to 1, default 0. */
interface DrawOptions {
  readonly count: number;
  readonly seed?: number;
  readonly noise?: number;
}

/**
 * Draws must-links and cannot-links between random rows, by known classes.
 *
 * ```ts
 * const known = drawConstraints(iris.truth!, { count: 50, seed: 1 });
 * ```
 */
export function drawConstraints(truth: Labelling, { count, seed = 0, noise = 0 }: DrawOptions): ConstraintSet {
  return generate(truth, { count, noise, random: randomFrom(seed) });
}

/**
 * Like `drawConstraints`, but with cannot-links spread evenly over the rows. Such sets are easier to satisfy (Davidson 2012).
 *
 * ```ts
 * const known = drawBalanced(iris.truth!, { count: 50, seed: 1 });
 * ```
 */
export function drawBalanced(truth: Labelling, { count, seed = 0, noise = 0 }: DrawOptions): ConstraintSet {
  return generateEvenly(truth, { count, noise, random: randomFrom(seed) });
}
