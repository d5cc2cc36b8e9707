/** The methods, by name: the only list of them. */
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
import { copKmeans } from "./algorithms/partition/cop/index.js";
import { kmeans } from "./algorithms/partition/kmeans.js";
import { mkMeans, mpckMeans, pckMeans, rcaKmeans, supervisedMeans } from "./algorithms/partition/mpck/methods.js";

import { svmKmeans } from "./algorithms/partition/svm-kmeans.js";
import { clusilc } from "./algorithms/tree/clusilc.js";
import { badOption } from "./errors.js";
import { nearestName } from "./model/names.js";

const METHODS = [
  kmeans,
  copKmeans,
  pckMeans,
  mkMeans,
  mpckMeans,
  supervisedMeans,
  rcaKmeans,
  svmKmeans,
  recon,
  ccl,
  density,
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
 * Every method of the catalogue, in the order in which people read them.
 *
 * ```ts
 * catalogue.map(({ name, summary }) => `${name}: ${summary}`);
 * ```
 */
export const catalogue: readonly Method[] = METHODS;

/** A name of the catalogue. */
export type MethodName = Listed["name"];

/** The method of a name. */
export type MethodOf<Name extends MethodName> = Extract<Listed, { readonly name: Name }>;

/** The options of a method: `OptionsOf<"ccl">`. */
export type OptionsOf<Name extends MethodName> = Parameters<MethodOf<Name>>[2];

/** What a method returns: `ResultOf<"ccl">` has merges, `ResultOf<"kmeans">` has centres. */
export type ResultOf<Name extends MethodName> = ReturnType<MethodOf<Name>>;

export function findMethod(name: string): Method | undefined {
  return catalogue.find((method) => method.name === name);
}

/** The method of this name; throws with the nearest name if there is none. */
export function methodNamed(name: string): Method {
  const method = findMethod(name);
  if (method) return method;
  const names = catalogue.map((entry) => entry.name);
  const near = nearestName(name, names);
  throw badOption("algorithm", name, `one of ${names.join(", ")}${near ? `; did you mean ${near}?` : ""}`);
}
