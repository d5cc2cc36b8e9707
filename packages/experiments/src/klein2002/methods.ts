/** The methods that the paper compares, and our own methods, as functions from rows and constraints to labels. */
import {
  askFromLabels,
  type ConstraintSet,
  CoterieError,
  ccl,
  closeConstraints,
  copKmeans,
  type Instances,
  type Result,
  scoresOf,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import type { Labelled } from "../frame/data.js";

const kernels = createSimdKernels();

export const CCL = "CCL";
export const CCL_PRINTED = "CCL as printed";
export const CCL_OURS = "ccl, set completed (ours)";
export const CKM = "CKM";
export const CKM_OURS = "cop-kmeans (ours)";
export const ACTIVE = "active CCL";

export const PASSIVE = [CCL, CCL_PRINTED, CCL_OURS, CKM, CKM_OURS] as const;
export type Passive = (typeof PASSIVE)[number];

type Method = (rows: Instances, known: ConstraintSet, k: number, seed: number) => Int32Array | null;

export const METHODS: Readonly<Record<Passive, Method>> = {
  [CCL]: (rows, known, k) => ccl(rows, known, { k, lookahead: false, kernels }).labels,
  [CCL_PRINTED]: asPrinted,
  [CCL_OURS]: (rows, known, k) => ccl(rows, known, { k, kernels }).labels,
  [CKM]: (rows, known, k, seed) =>
    orNull(() => copKmeans(rows, known, { k, seed, restarts: 1, init: "random", faithful: true, kernels })),
  [CKM_OURS]: (rows, known, k, seed) => orNull(() => copKmeans(rows, known, { k, seed, restarts: 5, kernels })),
};

/**
 * CCL as printed in the paper: the distance of a cannot-linked pair is the largest distance + 1. The result differs from ours only if k
 * clusters require merges at this distance. From then on, all pairs of clusters have the same distance. The two clusters with the lowest
 * indices are merged each time.
 */
function asPrinted(rows: Instances, known: ConstraintSet, k: number): Int32Array {
  const options = { lookahead: false, kernels } as const;
  const plain = ccl(rows, known, { ...options, k });
  const before = ccl(rows, known, { ...options, stopBeforeViolation: true });
  const tooMany = before.k - k;
  return tooMany <= 0 ? plain.labels : before.labels.map((label) => Math.max(0, label - tooMany));
}

/**
 * The constrained Rand index (CRI): the Rand index over all pairs of rows that the constraints leave open. A pair is not open if a
 * constraint or a consequence of constraints joins or separates it. Null if there is no clustering.
 */
export function accuracyOf(labels: Int32Array | null, rows: Labelled, known: ConstraintSet): number | null {
  return labels && scoresOf(labels, rows.truth.codes, closeConstraints(known)).constrainedRand;
}

export function activeClustering(
  rows: Labelled,
  k: number,
  budget: number,
): { readonly labels: Int32Array; readonly known: ConstraintSet } {
  const { outcome, constraints } = askFromLabels({
    points: rows,
    strategy: "active-ccl",
    k,
    budget,
    truth: rows.truth.codes,
    kernels,
    options: { lookahead: false },
  });
  return { labels: outcome.labels, known: constraints };
}

function orNull(cluster: () => Result): Int32Array | null {
  try {
    return cluster().labels;
  } catch (error) {
    if (error instanceof CoterieError && (error.problem.code === "gave-up" || error.problem.code === "infeasible")) return null;
    throw error;
  }
}
