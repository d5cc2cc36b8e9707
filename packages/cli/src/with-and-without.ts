/** Measures whether constraints help: runs the same method with the same seed with and without them (Davidson 2012, table 1). */
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

/** PCK-means accepts any constraint set, also a contradictory set, and learns no metric. */
const ALGORITHM = "pck-means";

export interface CompareOptions {
  readonly k: number;
  readonly seed: number;
  /** Effort limit of the whole diagnosis, in nodes. */
  readonly effort?: number;
}

/** Number of products (rows × columns × clusters) that count as one node, over all iterations of both runs. */
const PRODUCTS_PER_NODE = 8_000;
/** Products that one constraint counts for. */
const PRODUCTS_PER_CONSTRAINT = 2_000;
const MOST_RESTARTS = 10;
const MOST_ITERATIONS = 100;
const ITERATIONS_PER_START = 20;

/** The number of starts and iterations that the effort allows, at least 1, the same for both runs. */
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
  // Both results are scored on the pairs that the constraints leave free.
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
