/** The methods that the paper compares, each from rows and constraints to the constrained Rand index (CRI). */
import {
  askFromLabels,
  type ConstraintSet,
  CoterieError,
  closeConstraints,
  constrainedCompleteLink,
  copKMeans,
  type Instances,
  scoresOf,
} from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";

export const CCL = "CCL";
export const CCL_AHEAD = "CCL with look-ahead";
export const ACTIVE = "active CCL";
export const CKM = "COP-k-means";
export const CKM_REPAIRING = "COP-k-means, repairing";

/** Null where the method found no clustering. */
export type Accuracy = number | null;

export type Method = (rows: Instances, known: ConstraintSet, k: number, seed: number) => Accuracy;

const kernels = createSimdKernels();
/** k-means depends on its start: the best of so many, by its own objective. */
const STARTS = 5;

export const passiveMethods: Readonly<Record<string, Method>> = {
  [CCL]: (rows, known, k) => constrainedCompleteLink(rows, known, { k, lookahead: false, kernels }).scores!.constrainedRand,
  [CCL_AHEAD]: (rows, known, k) => constrainedCompleteLink(rows, known, { k, kernels }).scores!.constrainedRand,
  [CKM]: (rows, known, k, seed) => orNull(() => copKMeans(rows, known, { k, seed, restarts: STARTS, faithful: true, kernels })),
  [CKM_REPAIRING]: (rows, known, k, seed) => orNull(() => copKMeans(rows, known, { k, seed, restarts: STARTS, kernels })),
};

/** The dialogue of section 5.5 with as many questions, then complete linkage alone, as in the paper. */
export function activeAccuracy(rows: Instances, k: number, budget: number): number {
  const truth = rows.truth!.codes;
  const { outcome, constraints } = askFromLabels({
    points: rows,
    strategy: "active-ccl",
    k,
    budget,
    truth,
    kernels,
    options: { lookahead: false },
  });
  return scoresOf(outcome.labels, truth, closeConstraints(constraints)).constrainedRand;
}

function orNull(cluster: () => ReturnType<typeof copKMeans>): Accuracy {
  try {
    return cluster().scores!.constrainedRand;
  } catch (error) {
    if (error instanceof CoterieError && (error.problem.code === "gave-up" || error.problem.code === "infeasible")) return null;
    throw error;
  }
}
