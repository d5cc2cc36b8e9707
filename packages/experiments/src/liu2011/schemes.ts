/** The five schemes of section 5, each a pairwise F. */
import { type ConstraintSet, emptyConstraints, kMeans, recon, svmKMeans } from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";
import type { Loaded } from "./sets.js";

export const SCHEMES = [
  "ReCon + Euclidean",
  "ReCon + SVM",
  "K-Means + SVM",
  "Hierarchical + Euclidean",
  "K-Means + Euclidean",
] as const;
export type Scheme = (typeof SCHEMES)[number];

/** NOTES' threshold: the paper states none. */
const OUTLIERS = "5%";
const kernels = createSimdKernels();

export function scoreOf(scheme: Scheme, points: Loaded, set: ConstraintSet, k: number, seed: number): number {
  const hierarchy = { k, kernels, seed, outliers: OUTLIERS } as const;
  const result = {
    "ReCon + Euclidean": () => recon(points, set, hierarchy),
    "ReCon + SVM": () => recon(points, set, { ...hierarchy, ...(set.relative.a.length > 0 ? { learnedMetric: "svm" } : {}) }),
    "K-Means + SVM": () => svmKMeans(points, set, { k, kernels, seed }),
    "Hierarchical + Euclidean": () => recon(points, emptyConstraints(points.n), hierarchy),
    "K-Means + Euclidean": () => kMeans(points, { k, kernels, seed }),
  }[scheme]();
  return result.scores!.pairwiseF;
}

/** Schemes that look at no constraint need one run for all counts. */
export function isPlain(scheme: Scheme): boolean {
  return scheme === "Hierarchical + Euclidean" || scheme === "K-Means + Euclidean";
}
