/** Any method by its name. */
import { type MethodName, methodNamed, type OptionsOf, type ResultOf } from "./catalogue.js";
import type { ConstraintSet } from "./model/constraint-set.js";
import type { Instances, Rows } from "./model/points.js";

/** A name of a method and that method's options: other names and other methods' options do not compile. `k` may be a range: `[2, 10]`. */
export type ClusterOptions<Name extends MethodName> = { readonly algorithm: Name } & OptionsOf<Name>;

/**
 * Clusters rows by the method that `algorithm` names. The result lists the constraints that it breaks.
 *
 * ```ts
 * const result = cluster(points, known, { algorithm: "ccl", k: 3 });
 * result.merges; // a hierarchy has them
 * cluster(points, known, { algorithm: "ccl", k: [2, 10] }).chosen; // the number of clusters, and what speaks for it
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
