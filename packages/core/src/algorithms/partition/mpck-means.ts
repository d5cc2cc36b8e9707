/**
 * MPCK-means: k-means that keeps to constraints at a price and learns its metric, or one for each cluster, as it goes.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Departs from the paper: with a single metric a violated must-link weighs 1 in equations 7 and 8, as the minimiser of equation
 * 6 has it, not ½; above 20,000 rows the bound 4·max ‖x - mean‖² stands in for the farthest pair; weights count, and hard
 * statements are kept always; the paper has one start, ours ten, of which a typical one is kept.
 */
import { z } from "zod";
import { type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { atOnce } from "../at-once.js";
import {
  costs,
  distance,
  familyMethod,
  initFromConstraints,
  iterationOptions,
  k,
  keep,
  matrix,
  metrics,
  searchOptions,
} from "./mpck/options.js";

export const mpckMeansOptions = z.strictObject({
  k,
  metrics,
  matrix,
  costs,
  init: initFromConstraints,
  ...iterationOptions,
  ...searchOptions,
  keep,
  distance,
});

export type MpckMeansOptions = z.input<typeof mpckMeansOptions>;
type CheckedOptions = z.output<typeof mpckMeansOptions>;

export function mpckMeans(
  points: Instances,
  constraints: ConstraintSet,
  { seed = 0, kernels = plainKernels, ...options }: MpckMeansOptions & { readonly seed?: number; readonly kernels?: Kernels },
): Result {
  const context = { kernels, random: randomFrom(seed) };
  return atOnce(mpckMeansOptions, mpckMeansMethod.steps, { points, constraints }, options, context);
}

export const mpckMeansMethod = familyMethod(({ metrics, matrix, ...options }: CheckedOptions) => ({
  ...options,
  search: options.faithful ? 0 : options.search,
  penalty: "metric",
  learning: { metrics, matrix },
  relativeCosts: false,
  spherical: false,
  iterate: true,
}));
