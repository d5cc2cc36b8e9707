/**
 * A clustering that keeps all answers, for strategies that choose questions and leave the clustering to others: around k
 * means, or by complete linkage under constraints where there are distances only.
 */
import { violationCount, violationsOf } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { Metric } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Steps } from "../../steps/index.js";
import { cclOptions, cclSteps } from "../hierarchical/ccl/index.js";
import type { Context, Outcome } from "../method.js";
import { copKMeansOptions, copKMeansSteps } from "../partition/cop/index.js";

const RESTARTS = 3;

/** k clusters where that can be; where the answers need more, as many as they need, with a notice. */
export function constrainedOutcome(points: Instances, constraints: ConstraintSet, k: number, context: Context): Steps<Outcome> {
  if (points.distances) return linkageOutcome(points, constraints, k, undefined, context);
  return enoughClusters(k, points.n, function* (clusters) {
    try {
      const options = copKMeansOptions.parse({ k: clusters, restarts: RESTARTS });
      return yield* copKMeansSteps({ points, constraints }, options, context);
    } catch (error) {
      if (error instanceof CoterieError && ["infeasible", "gave-up"].includes(error.problem.code)) return null;
      throw error;
    }
  });
}

/** The same by constrained complete linkage, which looks ahead. */
export function linkageOutcome(
  points: Instances,
  constraints: ConstraintSet,
  k: number,
  distance: Metric | undefined,
  context: Context,
): Steps<Outcome> {
  return enoughClusters(k, points.n, function* (clusters) {
    const outcome = yield* cclSteps({ points, constraints }, cclOptions.parse({ k: clusters, distance }), context);
    return violationCount(violationsOf(constraints, outcome.labels)) === 0 ? outcome : null;
  });
}

/* As many clusters as were asked for, or as few more as the answers need. */

/** The first outcome that keeps everything, trying k clusters, then one more, and so on; says so if it took more. */
function* enoughClusters(k: number, n: number, attempt: (k: number) => Steps<Outcome | null>): Steps<Outcome> {
  for (let clusters = k; clusters <= n; clusters++) {
    const outcome = yield* attempt(clusters);
    if (outcome === null) continue;
    if (clusters === k) return outcome;
    return {
      ...outcome,
      notices: [...outcome.notices, `No clustering into ${k} keeps all answers: there are ${clusters} clusters.`],
    };
  }
  throw new Error("Every row in a cluster of its own keeps all that is apart, and components are never parted.");
}
