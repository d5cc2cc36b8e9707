/** A clustering around k means that keeps all answers, for strategies that choose questions and leave the clustering to others. */
import { noConstraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import { drain } from "../../steps/index.js";
import type { Context, Outcome } from "../method.js";
import { copKMeansOptions, copKMeansSteps } from "../partition/cop-kmeans.js";

const RESTARTS = 3;

/** k clusters where that can be; where the answers need more, as many as they need, with a notice. */
export function keptOutcome(points: Instances, constraints: ConstraintSet, k: number, context: Context): Outcome {
  for (let clusters = k; ; clusters++) {
    try {
      const options = copKMeansOptions.parse({ k: clusters, restarts: noConstraints(constraints) ? RESTARTS : 1 });
      const outcome = drain(copKMeansSteps({ points, constraints }, options, context));
      if (clusters === k) return outcome;
      return { ...outcome, notices: [...outcome.notices, `The answers need ${clusters} clusters instead of ${k}.`] };
    } catch (error) {
      const more = error instanceof CoterieError && (error.problem.code === "infeasible" || error.problem.code === "gave-up");
      if (!more || clusters >= points.n) throw error;
    }
  }
}
