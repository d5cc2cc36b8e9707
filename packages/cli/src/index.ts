/** The library: every method on the fast kernels, and the words they share. */
export * from "@coterie/core";
export { createKernels, createLpSolver, createSimdKernels } from "@coterie/kernels";
export {
  type AnswerStore,
  Asking,
  type AskingPlan,
  continuationOf,
  knownFrom,
  type Run,
  type RunHost,
  type RunSpec,
  reportOf,
  run,
} from "@coterie/workbench";
export { type AsyncOptions, cluster, clusterAsync } from "./library/cluster.js";
export {
  averageLink,
  ccl,
  centroidLink,
  clusilc,
  completeLink,
  copKmeans,
  kmeans,
  medianLink,
  mkMeans,
  mpckMeans,
  pckMeans,
  rcaKmeans,
  recon,
  singleLink,
  supervisedMeans,
  svmKmeans,
  ward,
  weightedLink,
} from "./library/methods.js";
