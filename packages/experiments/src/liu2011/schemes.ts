/** The schemes of section 5, and our own schemes. */
import {
  type ConstraintSet,
  emptyConstraints,
  kmeans,
  type Result,
  recon,
  recutRecon,
  svmKmeans,
  weightColumns,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import type { Labelled } from "../frame/data.js";

export const RECON = "ReCon + Euclidean";
export const RECON_SVM = "ReCon + SVM";
export const KMEANS_SVM = "K-Means + SVM";
export const PLAIN = "Hierarchical + Euclidean";
export const KMEANS = "K-Means + Euclidean";
export const RECON_OURS = "ReCon + Euclidean, keeping (ours)";
export const RECON_SVM_OURS = "ReCon + SVM, keeping (ours)";

export const SCHEMES = [RECON, RECON_SVM, KMEANS_SVM, PLAIN, KMEANS, RECON_OURS, RECON_SVM_OURS] as const;
export type Scheme = (typeof SCHEMES)[number];

/** When the hierarchy is cut, the rows of a branch with less than this share of all rows are outliers. The paper states no threshold. */
export const OUTLIERS = "5%";
const kernels = createSimdKernels();

export const PRINTED = { outliers: OUTLIERS, outliersJoin: "nearest" } as const;
export const KEEPING = { outliers: OUTLIERS, outliersJoin: "keep" } as const;

export function clusterings(points: Labelled, set: ConstraintSet, k: number, seed: number): Record<Scheme, Result> {
  const options = { k, kernels, seed };
  const learned = svmKmeans(points, set, { ...options, costScale: "unit" });
  const euclidean = bothJoins(points, set, k);
  // Without constraints there is no metric to learn, so the Euclidean results are used.
  const svm = set.relative.a.length > 0 ? bothJoins(underMetric(points, learned), set, k) : euclidean;
  return {
    [RECON]: euclidean.printed,
    [RECON_SVM]: svm.printed,
    [KMEANS_SVM]: learned,
    [PLAIN]: plainHierarchy(points, k),
    [KMEANS]: kmeans(points, undefined, options),
    [RECON_OURS]: euclidean.keeping,
    [RECON_SVM_OURS]: svm.keeping,
  };
}

export function reconPrinted(points: Labelled, set: ConstraintSet, k: number): Result {
  return recon(points, set, { k, kernels, ...PRINTED });
}

function bothJoins(points: Labelled, set: ConstraintSet, k: number): { readonly printed: Result; readonly keeping: Result } {
  const printed = reconPrinted(points, set, k);
  return { printed, keeping: recutRecon(points, set, printed.merges!, { k, kernels, ...KEEPING }) };
}

/** The rows, transformed so that their Euclidean distances equal the distances under the metric that k-means with an SVM learned. */
function underMetric(points: Labelled, { metric }: Result): Labelled {
  return { ...weightColumns(points, metric!.matrices[0]!), truth: points.truth };
}

const plain = new WeakMap<Labelled, Result>();

function plainHierarchy(points: Labelled, k: number): Result {
  const known = plain.get(points) ?? reconPrinted(points, emptyConstraints(points.n), k);
  plain.set(points, known);
  return known;
}
