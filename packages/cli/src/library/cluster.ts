/** Any method by its name: synchronously, or asynchronously with progress and cancellation. */
import {
  asPoints,
  badInput,
  type ClusterOptions,
  type ConstraintSet,
  defaultMethod,
  emptyConstraints,
  type Instances,
  type MethodName,
  memoryOf,
  methodNamed,
  type ResultOf,
  type Rows,
  rangeOf,
  rowValues,
  type Step,
  withNotices,
} from "@coterie/core/internal";
import { run } from "@coterie/workbench";
import { createHost } from "#host";
import { sharedKernels } from "./shared-kernels.js";

/**
 * Clusters rows with the method that `algorithm` names. Without a name, `auto` chooses the method; without constraints the method is
 * k-means. The result lists the constraints that it breaks. Options of other methods do not compile, and are refused at run time too.
 *
 * ```ts
 * const result = cluster(points, known, { algorithm: "ccl", k: 3, seed: 7 });
 * result.merges; // a hierarchy has them
 * ```
 *
 * `k` can be a range: the method runs for each k. Held-out constraints choose the best k, or the silhouette if there are few constraints.
 * `chosen` has the score of each k.
 *
 * ```ts
 * const { k, chosen } = cluster(points, known, { algorithm: "pck-means", k: [2, 10] });
 * chosen?.evidence; // [{ k: 2, score: 0.61 }, …]
 * ```
 */
export function cluster<const Name extends MethodName = "auto">(
  points: Instances | Rows,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name>,
): ResultOf<Name> {
  const { algorithm, ...rest } = named(options, known);
  return methodNamed(algorithm)(points, known, { kernels: sharedKernels(), ...rest }) as ResultOf<Name>;
}

/** Progress, cancellation and threads of a run. */
export interface AsyncOptions {
  /** Aborting rejects with the signal's reason, within a second. */
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the progress of the run. */
  readonly onStep?: ((step: Step) => void) | undefined;
  /** Number of threads (default: the number of processors). The result does not depend on it. */
  readonly threads?: number | undefined;
}

/**
 * Like `cluster`, but uses several threads, lets the calling thread do other work, reports its progress and can be stopped. The result
 * has the same bytes.
 *
 * ```ts
 * const stop = new AbortController();
 * const result = await clusterAsync(points, known, { algorithm: "mpck-means", k: 3, signal: stop.signal, onStep: console.log });
 * ```
 */
export async function clusterAsync<const Name extends MethodName = "auto">(
  rows: Instances | Rows,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name> & AsyncOptions,
): Promise<ResultOf<Name>> {
  const points: Instances = asPoints(rows);
  const { algorithm, seed = 0, kernels, signal, onStep, threads, ...rest } = named(options, known);
  signal?.throwIfAborted();
  const range = rangeOf(rest);
  const { host, close } = await createHost(points.n, threads, memoryOf(rowValues(points)));
  try {
    const done = await run(
      points,
      known ?? emptyConstraints(points.n),
      { algorithm, options: rest, seed, ...(range ? { choose: { from: range[0], to: range[1] } } : {}) },
      { ...host, ...(kernels ? { kernels } : {}), ...(signal ? { signal } : {}), ...(onStep ? { onStep } : {}) },
    );
    return withNotices(points, done.result) as ResultOf<Name>;
  } finally {
    await close();
  }
}

function named<Options extends { readonly algorithm?: string }>(
  options: Options,
  known: ConstraintSet | undefined,
): Options & { readonly algorithm: string } {
  if (typeof options === "object" && options !== null)
    return { ...options, algorithm: options.algorithm ?? defaultMethod(known) };
  throw badInput("There are no options.", {
    remedy: "Call cluster(rows, constraints, { k: 3 }); constraints can be undefined.",
  });
}
