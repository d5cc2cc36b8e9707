/**
 * Supervised means: every row goes to the nearest centroid of the must-linked neighbourhoods, once. The baseline that learns
 * from constraints and from nothing else.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, sections 3.1, 4.2.
 *
 * Departs from the paper: hard constraints are kept always.
 */

import { z } from "zod";
import type { Steps } from "../../../steps/index.js";
import { aroundMeans, ITERATIONS } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { type Context, type Input, type Outcome, SOFT_TOGETHER } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { engineSteps } from "./index.js";
import { distance, FAMILY, k, PLAIN, preparedPoints } from "./options.js";

const supervisedMeansOptions = z.strictObject({ k, distance });

export type SupervisedMeansOptions = z.input<typeof supervisedMeansOptions>;
type CheckedOptions = z.output<typeof supervisedMeansOptions>;

function supervisedMeansSteps(input: Input, { k, distance }: CheckedOptions, { kernels, random }: Context): Steps<Outcome> {
  const spherical = distance === "cosine";
  const ablation = { ...PLAIN, k, init: "neighbourhoods", spherical, maxIterations: 1, tolerance: 0, iterate: false } as const;
  return engineSteps(preparedPoints(input, distance), ablation, kernels, random.split("restart"));
}

/** Puts each row to the nearest centroid of must-linked rows, once. */
export const supervisedMeans = defineMethod({
  name: "supervised-means",
  title: "Supervised means",
  summary: "each row goes to the nearest centroid of must-linked rows, once",
  ...FAMILY,
  treats: SOFT_TOGETHER,
  seconds: (input, { k }) => aroundMeans(1 / ITERATIONS)(input, { k, restarts: 1 }),
  ...withLearnedMetric({ options: supervisedMeansOptions, steps: supervisedMeansSteps }),
});
