/** Runs any method by its name. */
import { type MethodName, methodNamed, type OptionsOf, type ResultOf } from "./catalogue.js";
import type { ConstraintSet } from "./model/constraint-set.js";
import type { Instances, Rows } from "./model/points.js";

/** The name of a method and its options. Unknown names and options of other methods do not compile. `k` can be a range: `[2, 10]`. */
export type ClusterOptions<Name extends MethodName> = { readonly algorithm: Name } & OptionsOf<Name>;

/**
 * Clusters rows by the method that `algorithm` names. The result lists the violated constraints.
 *
 * ```ts
 * const result = cluster(points, known, { algorithm: "ccl", k: 3 });
 * result.merges; // a hierarchy has them
 * cluster(points, known, { algorithm: "ccl", k: [2, 10] }).chosen; // the number of clusters, and the score of each candidate
 * ```
 */
export function cluster<const Name extends MethodName>(
  points: Instances | Rows,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name>,
): ResultOf<Name> {
  const { algorithm, ...rest } = options;
  return methodNamed(algorithm)(points, known, rest) as ResultOf<Name>;
}
