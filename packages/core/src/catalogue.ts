/** The catalogue: the only list of all methods. After a change, `node tools/api-report.mjs` writes the files that are generated from it. */
import { auto } from "./algorithms/auto/index.js";
import { ccl } from "./algorithms/hierarchical/ccl/index.js";
import { density } from "./algorithms/hierarchical/density/index.js";
import {
  averageLink,
  centroidLink,
  completeLink,
  medianLink,
  singleLink,
  ward,
  weightedLink,
} from "./algorithms/hierarchical/linkage.js";
import { recon } from "./algorithms/hierarchical/recon/index.js";
import type { Method } from "./algorithms/method.js";
import { duplicates } from "./algorithms/pairs/index.js";
import { copKmeans } from "./algorithms/partition/cop/index.js";
import { kmeans } from "./algorithms/partition/kmeans.js";
import { mixture } from "./algorithms/partition/mixture/index.js";
import { mkMeans, mpckMeans, pckMeans, rcaKmeans, supervisedMeans } from "./algorithms/partition/mpck/methods.js";
import { svmKmeans } from "./algorithms/partition/svm-kmeans.js";
import { clusilc } from "./algorithms/tree/clusilc.js";
import { noConstraints } from "./constraints/sets.js";
import { badOption } from "./errors.js";
import type { ConstraintSet } from "./model/constraint-set.js";
import { nearestName } from "./model/names.js";
import type { Instances, Rows } from "./model/points.js";

const METHODS = [
  auto,
  kmeans,
  copKmeans,
  pckMeans,
  mkMeans,
  mpckMeans,
  supervisedMeans,
  rcaKmeans,
  svmKmeans,
  mixture,
  recon,
  ccl,
  density,
  duplicates,
  completeLink,
  singleLink,
  averageLink,
  weightedLink,
  ward,
  centroidLink,
  medianLink,
  clusilc,
] as const;

type Listed = (typeof METHODS)[number];

/**
 * Every method of the catalogue, in the order of presentation.
 *
 * ```ts
 * catalogue.map(({ name, summary }) => `${name}: ${summary}`);
 * ```
 */
export const catalogue: readonly Method[] = METHODS;

/** The name of a method in the catalogue. */
export type MethodName = Listed["name"];

/** The type of the method with this name. */
export type MethodOf<Name extends MethodName> = Extract<Listed, { readonly name: Name }>;

/** The options of a method: `OptionsOf<"ccl">`. */
export type OptionsOf<Name extends MethodName> = Parameters<MethodOf<Name>>[2];

/** The result type of a method: `ResultOf<"ccl">` has merges, `ResultOf<"kmeans">` has centres. */
export type ResultOf<Name extends MethodName> = ReturnType<MethodOf<Name>>;

export function findMethod(name: string): Method | undefined {
  return catalogue.find((method) => method.name === name);
}

/** The method with this name. If there is none, throws an error that suggests the nearest name. */
export function methodNamed(name: string): Method {
  const method = findMethod(name);
  if (method) return method;
  const names = catalogue.map((entry) => entry.name);
  const near = nearestName(name, names);
  throw badOption("algorithm", name, `one of ${names.join(", ")}${near ? `; did you mean ${near}?` : ""}`);
}

/**
 * The name of a method and its options. Unknown names and options of other methods do not compile. `k` can be a range: `[2, 10]`. Without a
 * name the method is `auto` if there are constraints, else `kmeans`.
 */
export type ClusterOptions<Name extends MethodName> = { readonly algorithm?: Name } & OptionsOf<Name>;

export function defaultMethod(known: ConstraintSet | undefined): MethodName {
  return known?.exclusive && !noConstraints(known) ? "auto" : "kmeans";
}

/**
 * Clusters rows by the method that `algorithm` names, or that suits them. The result lists the violated constraints.
 *
 * ```ts
 * const result = cluster(points, known, { algorithm: "ccl", k: 3 });
 * result.merges; // a hierarchy has them
 * cluster(points, known, { algorithm: "ccl", k: [2, 10] }).chosen; // the number of clusters, and the score of each candidate
 * ```
 */
export function cluster<const Name extends MethodName = "auto">(
  points: Instances | Rows,
  known: ConstraintSet | undefined,
  options: ClusterOptions<Name>,
): ResultOf<Name> {
  const { algorithm = defaultMethod(known), ...rest } = options;
  return methodNamed(algorithm)(points, known, rest) as ResultOf<Name>;
}
