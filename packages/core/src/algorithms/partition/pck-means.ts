/**
 * PCK-means: k-means with a price on broken constraints. It starts from must-linked neighbourhoods and moves rows greedily.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, equation 1.
 *
 * Departs from the paper: weights count in units of the mean squared distance to the mean of all rows (`costs: "unit"` is the
 * paper's), since a unit price on raw data can be nothing or everything; hard statements are kept always.
 */
import { z } from "zod";
import { type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { atOnce } from "../at-once.js";
import { costs, distance, familyMethod, initFromConstraints, iterationOptions, k, searchOptions } from "./mpck/options.js";

export const pckMeansOptions = z.strictObject({
  k,
  costs,
  init: initFromConstraints,
  ...iterationOptions,
  ...searchOptions,
  distance,
});

export type PckMeansOptions = z.input<typeof pckMeansOptions>;
type CheckedOptions = z.output<typeof pckMeansOptions>;

export function pckMeans(
  points: Instances,
  constraints: ConstraintSet,
  { seed = 0, kernels = plainKernels, ...options }: PckMeansOptions & { readonly seed?: number; readonly kernels?: Kernels },
): Result {
  return atOnce(pckMeansOptions, pckMeansMethod.steps, { points, constraints }, options, { kernels, random: randomFrom(seed) });
}

export const pckMeansMethod = familyMethod(({ costs, distance, ...options }: CheckedOptions) => ({
  ...options,
  search: options.faithful ? 0 : options.search,
  penalty: "cost",
  learning: null,
  relativeCosts: costs === "relative",
  spherical: distance === "cosine",
  iterate: true,
}));
