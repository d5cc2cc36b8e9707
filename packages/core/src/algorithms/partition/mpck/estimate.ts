/** The M-step: means, then metrics and the farthest pairs under them, and what the objective is with these. */
import type { Steps } from "../../../steps/index.js";
import { linksOfLone, splitComponents } from "./components/lone.js";
import { meansOf } from "./estimate/centres.js";
import { clusterSumsSteps, sumPlanOf, wholesOf } from "./estimate/cluster-sums.js";
import type { Refilled } from "./estimate/empty-clusters.js";
import { learnMetrics, metricObjective, metricSumsSteps } from "./estimate/learn-metrics.js";
import { plainMeans, plainObjective } from "./estimate/plain-means.js";
import { farthestPairs, type Run, tellCentres } from "./run.js";

/** Rewrites centres, metrics and farthest pairs; returns the objective. `refilled`: rows whose label is not the kernel's. */
export function* estimateSteps(run: Run, refilled: readonly Refilled[]): Steps<number> {
  const { ablation, points, labels, links, moments } = run;
  const { learning, k } = ablation;
  if (!learning) {
    run.centres = plainMeans(run, refilled);
    tellCentres(run);
    return plainObjective(run, refilled);
  }
  const whole = wholesOf(run);
  const plan = refilled.length === 0 ? sumPlanOf(run, whole) : null;
  const { sums, counts } = yield* clusterSumsSteps(points, labels, k, plan);
  run.centres = meansOf(sums, counts, run.centres);
  const metrics = learning.metrics === "single" ? 1 : k;
  const full = learning.matrix === "full";
  const split = run.lone ? splitComponents(run.lonePlacement) : [];
  const beside = split.length > 0 ? linksOfLone(run.lone!, split, points.n) : null;
  const parts = yield* metricSumsSteps(points, links, labels, run.centres, counts, metrics, full, plan, moments, whole, beside);
  run.learned = learnMetrics(parts, run.farthest, run.spread);
  run.mended ||= run.learned.conditioned + run.learned.projected > 0;
  run.maps = run.learned.maps;
  if (run.farthest) run.farthest = yield* farthestPairs(run);
  return metricObjective(parts, run.maps, run.farthest, points.d);
}
