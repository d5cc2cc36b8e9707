/** Do the constraints help? The same method from the same seed, with them and without (Davidson 2012, table 1). */
import {
  type ConstraintSet,
  closeConstraints,
  DIAGNOSIS_EFFORT,
  emptyConstraints,
  encodedColumns,
  type Instances,
  type Scores,
  type Step,
  scoresOf,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { type RunHost, run } from "@coterie/workbench";

export interface WithAndWithout {
  readonly algorithm: string;
  readonly seed: number;
  readonly without: Scores;
  readonly with: Scores;
  /** Adjusted Rand with the constraints minus without. */
  readonly gain: number;
}

/** Takes any set, contradictory or not, and keeps to the space as it is. */
const ALGORITHM = "pck-means";

export interface CompareOptions {
  readonly k: number;
  readonly seed: number;
  /** Nodes of the diagnosis that this is part of. */
  readonly effort?: number;
}

/** Rows times columns times clusters that count as one node, over all iterations of both runs; and what a constraint counts for. */
const PRODUCTS_PER_NODE = 8_000;
const PRODUCTS_PER_CONSTRAINT = 2_000;
const MOST_RESTARTS = 10;
const MOST_ITERATIONS = 100;
const ITERATIONS_PER_START = 20;

/** As many starts and iterations as the effort allows, the same with and without; one of each at least. */
function settings(
  points: Instances,
  { mustLinks, cannotLinks, labels }: ConstraintSet,
  { k, effort = DIAGNOSIS_EFFORT }: CompareOptions,
): Record<string, number> {
  const count = mustLinks.a.length + cannotLinks.a.length + labels.row.length;
  const products = points.n * encodedColumns(points).length * k + PRODUCTS_PER_CONSTRAINT * count;
  const iterations = (PRODUCTS_PER_NODE * effort) / (2 * Math.max(1, products));
  const restarts = Math.min(MOST_RESTARTS, Math.max(1, Math.floor(iterations / ITERATIONS_PER_START)));
  return { k, restarts, maxIterations: Math.min(MOST_ITERATIONS, Math.max(1, Math.floor(iterations / restarts))) };
}

export async function compareWithout(
  points: Instances,
  constraints: ConstraintSet,
  options: CompareOptions,
  driving: Pick<RunHost, "pause" | "signal" | "onStep">,
): Promise<WithAndWithout> {
  // Both are scored on the pairs that these constraints leave free.
  const closure = closeConstraints(constraints);
  const kernels = createSimdKernels();
  const { seed } = options;
  const spec = { algorithm: ALGORITHM, seed, options: settings(points, constraints, options) };
  const scored = async (set: ConstraintSet, which: string): Promise<Scores> => {
    const onStep = (step: Step): void => driving.onStep?.({ ...step, phase: `${ALGORITHM} ${which} them: ${step.phase}` });
    const { result } = await run(points, set, spec, { ...driving, kernels, onStep });
    return scoresOf(result.labels, points.truth!.codes, closure);
  };
  const without = await scored(emptyConstraints(points.n), "without");
  const given = await scored(constraints, "with");
  return { algorithm: ALGORITHM, seed, without, with: given, gain: given.adjustedRand - without.adjustedRand };
}
