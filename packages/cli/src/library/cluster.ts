/** Any method by its name: at once, or politely with progress and a way out. */
import {
  type ClusterOptions,
  type ConstraintSet,
  emptyConstraints,
  type Instances,
  type MethodName,
  methodNamed,
  type ResultOf,
  type Step,
} from "@coterie/core/internal";
import { run } from "@coterie/workbench";
import { createHost } from "#host";
import { sharedKernels } from "./shared-kernels.js";

/**
 * Clusters rows by the method that `algorithm` names. The result lists the constraints that it breaks. Options of other methods do
 * not compile, and are refused at run time too.
 *
 * ```ts
 * const result = cluster(points, known, { algorithm: "ccl", k: 3, seed: 7 });
 * result.merges; // a hierarchy has them
 * ```
 */
export function cluster<const Name extends MethodName>(
  points: Instances,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name>,
): ResultOf<Name> {
  const { algorithm, ...rest } = options;
  return methodNamed(algorithm)(points, known, { kernels: sharedKernels(), ...rest }) as ResultOf<Name>;
}

/** How a run is watched and shared out. */
export interface AsyncOptions {
  /** Aborting rejects with the signal's reason, within a second. */
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with what is being done. */
  readonly onStep?: ((step: Step) => void) | undefined;
  /** Threads to use; as many as there are processors if not given. The result does not depend on it. */
  readonly threads?: number | undefined;
}

/**
 * `cluster` that leaves the thread free in between, uses several threads, tells its progress and can be stopped. The result has the
 * same bytes.
 *
 * ```ts
 * const stop = new AbortController();
 * const result = await clusterAsync(points, known, { algorithm: "mpck-means", k: 3, signal: stop.signal, onStep: console.log });
 * ```
 */
export async function clusterAsync<const Name extends MethodName>(
  points: Instances,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name> & AsyncOptions,
): Promise<ResultOf<Name>> {
  const { algorithm, seed = 0, kernels, signal, onStep, threads, ...rest } = options;
  signal?.throwIfAborted();
  const { host, close } = await createHost(points.n, threads);
  try {
    const done = await run(
      points,
      known ?? emptyConstraints(points.n),
      { algorithm, options: rest, seed },
      { ...host, ...(kernels ? { kernels } : {}), ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}) },
    );
    return done.result as ResultOf<Name>;
  } finally {
    await close();
  }
}
