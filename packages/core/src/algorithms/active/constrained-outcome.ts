/**
 * Clusters the rows so that all answers are satisfied, for strategies that only choose questions and do not cluster. The method is
 * COP-k-means, or constrained complete linkage if only distances are given.
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

/** Makes k clusters. If k clusters cannot satisfy the answers, it makes as few more clusters as possible, and adds a notice. */
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

/**
 * Like `constrainedOutcome`, but always with constrained complete linkage, which refuses merges after which k clusters would be impossible.
 */
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

/** Tries k clusters, then k + 1, and so on, until all answers are satisfied. Adds a notice if more than k clusters were needed. */
function* enoughClusters(k: number, n: number, attempt: (k: number) => Steps<Outcome | null>): Steps<Outcome> {
  for (let clusters = k; clusters <= n; clusters++) {
    const outcome = yield* attempt(clusters);
    if (outcome === null) continue;
    if (clusters === k) return outcome;
    return {
      ...outcome,
      notices: [...outcome.notices, `No clustering into ${k} satisfies all answers: there are ${clusters} clusters.`],
    };
  }
  throw new Error("Unreachable: clusters of single components satisfy all answers.");
}
