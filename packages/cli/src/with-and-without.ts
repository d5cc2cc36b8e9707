/** Do the constraints help? The same method from the same seed, with them and without (Davidson 2012, table 1). */
import { type ConstraintSet, closeConstraints, emptyConstraints, type Instances, type Scores, scoresOf } from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";
import { run } from "@coterie/workbench";
import { pause } from "./host.js";

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

export async function compareWithout(
  points: Instances,
  constraints: ConstraintSet,
  k: number,
  seed: number,
  signal: AbortSignal,
): Promise<WithAndWithout> {
  // Both are scored on the pairs that these constraints leave free.
  const closure = closeConstraints(constraints);
  const host = { kernels: createSimdKernels(), pause, signal };
  const spec = { algorithm: ALGORITHM, seed, options: { k } };
  const scored = async (set: ConstraintSet): Promise<Scores> => {
    const { result } = await run(points, set, spec, host);
    return scoresOf(result.labels, points.truth!.codes, closure);
  };
  const without = await scored(emptyConstraints(points.n));
  const given = await scored(constraints);
  return { algorithm: ALGORITHM, seed, without, with: given, gain: given.adjustedRand - without.adjustedRand };
}
