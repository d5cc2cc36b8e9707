/** The schemes of section 5, each a clustering; and ours beside them. */
import { type ConstraintSet, emptyConstraints, kMeans, type Result, recon, svmKMeans } from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";
import type { Labelled } from "../frame/data.js";

export const RECON = "ReCon + Euclidean";
export const RECON_SVM = "ReCon + SVM";
export const KMEANS_SVM = "K-Means + SVM";
export const PLAIN = "Hierarchical + Euclidean";
export const KMEANS = "K-Means + Euclidean";
/** Ours: branches that are set aside join the nearest cluster that keeps every statement. */
export const RECON_OURS = "ReCon + Euclidean, keeping (ours)";
export const RECON_SVM_OURS = "ReCon + SVM, keeping (ours)";

export const SCHEMES = [RECON, RECON_SVM, KMEANS_SVM, PLAIN, KMEANS, RECON_OURS, RECON_SVM_OURS] as const;
export type Scheme = (typeof SCHEMES)[number];

/** Branches of fewer rows are set aside while cutting. The paper states no threshold. */
export const OUTLIERS = "5%";
const kernels = createSimdKernels();

const JOINS = {
  printed: { outliers: OUTLIERS, outliersJoin: "nearest" },
  keeping: { outliers: OUTLIERS, outliersJoin: "keep" },
} as const;

export function clustered(scheme: Scheme, points: Labelled, set: ConstraintSet, k: number, seed: number): Result {
  const options = { k, kernels, seed };
  const svm = set.relative.a.length > 0 ? ({ learnedMetric: "svm", costScale: "unit" } as const) : {};
  switch (scheme) {
    case RECON:
      return recon(points, set, { ...options, ...JOINS.printed });
    case RECON_SVM:
      return recon(points, set, { ...options, ...JOINS.printed, ...svm });
    case RECON_OURS:
      return recon(points, set, { ...options, ...JOINS.keeping });
    case RECON_SVM_OURS:
      return recon(points, set, { ...options, ...JOINS.keeping, ...svm });
    case KMEANS_SVM:
      return svmKMeans(points, set, { ...options, costScale: "unit" });
    case PLAIN:
      return recon(points, emptyConstraints(points.n), { ...options, ...JOINS.printed });
    case KMEANS:
      return kMeans(points, options);
  }
}
