/**
 * Supervised means: every row goes to the nearest centroid of the must-linked neighbourhoods, once. The baseline that learns
 * from constraints and from nothing else.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, sections 3.1, 4.2.
 *
 * Departs from the paper: hard statements are kept always.
 */
import { z } from "zod";
import { type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { atOnce } from "../at-once.js";
import type { Context, Input, Outcome } from "../method.js";
import { engineSteps } from "./mpck/engine.js";
import { distance, k, NO_SEARCH, preparedPoints } from "./mpck/options.js";

export const supervisedMeansOptions = z.strictObject({ k, distance });

export type SupervisedMeansOptions = z.input<typeof supervisedMeansOptions>;
type CheckedOptions = z.output<typeof supervisedMeansOptions>;

export function supervisedMeans(
  points: Instances,
  constraints: ConstraintSet,
  {
    seed = 0,
    kernels = plainKernels,
    ...options
  }: SupervisedMeansOptions & { readonly seed?: number; readonly kernels?: Kernels },
): Result {
  const context = { kernels, random: randomFrom(seed) };
  return atOnce(supervisedMeansOptions, supervisedMeansSteps, { points, constraints }, options, context);
}

export function supervisedMeansSteps(
  input: Input,
  { k, distance }: CheckedOptions,
  { kernels, random }: Context,
): Steps<Outcome> {
  const ablation = {
    k,
    ...NO_SEARCH,
    init: "neighbourhoods",
    penalty: "none",
    learning: null,
    relativeCosts: false,
    spherical: distance === "cosine",
    maxIterations: 1,
    tolerance: 0,
    iterate: false,
  } as const;
  return engineSteps(preparedPoints(input, distance), ablation, kernels, random.split("restart"));
}
