/**
 * Coterie: constrained clustering.
 *
 * Call a method directly, or by its name through `cluster`, with points and constraints. The result lists the constraints that it breaks.
 * More entry points: `coterie/diagnose`, `coterie/measures`, `coterie/ask`, `coterie/data`, `coterie/figures`.
 */

export type {
  ClusterOptions,
  ConstraintLists,
  ConstraintSet,
  Diagnosis,
  HierarchyResult,
  InstanceId,
  Instances,
  Kernels,
  Merge,
  Method,
  MethodName,
  Model,
  OptionsOf,
  PartitionResult,
  Points,
  Problem,
  ResultOf,
  Step,
  TreeResult,
  Violations,
} from "@coterie/core/internal";
export {
  CoterieError,
  catalogue,
  constraints,
  diagnose,
  explainLabels,
  instancesFromDistances,
  loadModel,
  modelOf,
  pointsFromRows,
  predict,
  saveModel,
} from "@coterie/core/internal";
export { type AsyncOptions, cluster, clusterAsync } from "./library/cluster.js";
export * from "./library/methods.js";
