/** The library: core's methods with the fast kernels behind them. */
import { type ConstraintSet, emptyConstraints, type Instances, type Kernels, type Result } from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";
import { runAtOnce } from "@coterie/workbench";

export * from "@coterie/core";
export { createKernels, createLpSolver, createSimdKernels } from "@coterie/kernels";
export {
  type AnswerStore,
  Asking,
  type AskingPlan,
  continuationOf,
  knownFrom,
  type Report,
  type Run,
  type RunHost,
  type RunSpec,
  reportOf,
  run,
} from "./library.js";

export interface ClusterOptions {
  /** A name of the catalogue: "kmeans", "ward", … */
  readonly algorithm: string;
  readonly seed?: number;
  readonly kernels?: Kernels;
  /** Everything else is an option of the method, as its schema names it. */
  readonly [option: string]: unknown;
}

let shared: Kernels | undefined;

function sharedKernels(): Kernels {
  shared ??= createSimdKernels();
  return shared;
}

/** Clusters rows by any method of the catalogue; the result lists the constraints that it breaks. */
export function cluster(instances: Instances, known: ConstraintSet | undefined, options: ClusterOptions): Result {
  const { algorithm, seed = 0, kernels = sharedKernels(), ...rest } = options;
  return runAtOnce(instances, known ?? emptyConstraints(instances.n), { algorithm, seed, options: rest }, kernels).result;
}
