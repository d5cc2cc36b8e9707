/**
 * MK-means: k-means with a learned metric. Constraints shape the metric alone: neither the start nor the assignment looks at them.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: it starts from k-means++ (`init: "perturbed"` is the paper's); hard statements are kept always. The
 * objective is that of equation 6, which the assignment does not see: with constraints it may rise.
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
  initWithoutConstraints,
  iterationOptions,
  k,
  matrix,
  metrics,
  NO_SEARCH,
} from "./mpck/options.js";

export const mkMeansOptions = z.strictObject({
  k,
  metrics,
  matrix,
  costs,
  init: initWithoutConstraints,
  ...iterationOptions,
  distance,
});

export type MkMeansOptions = z.input<typeof mkMeansOptions>;
type CheckedOptions = z.output<typeof mkMeansOptions>;

export function mkMeans(
  points: Instances,
  constraints: ConstraintSet,
  { seed = 0, kernels = plainKernels, ...options }: MkMeansOptions & { readonly seed?: number; readonly kernels?: Kernels },
): Result {
  return atOnce(mkMeansOptions, mkMeansMethod.steps, { points, constraints }, options, { kernels, random: randomFrom(seed) });
}

export const mkMeansMethod = familyMethod(({ metrics, matrix, ...options }: CheckedOptions) => ({
  ...options,
  ...NO_SEARCH,
  penalty: "none",
  learning: { metrics, matrix },
  relativeCosts: false,
  spherical: false,
  iterate: true,
}));
