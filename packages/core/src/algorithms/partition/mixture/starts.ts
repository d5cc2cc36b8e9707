/**
 * First labels for EM, from other methods. Each method detects another structure: clusters under a learned metric, clusters around means,
 * groups of any shape, and clusters by distances.
 */
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances, Points } from "../../../model/points.js";
import { checkedOptions } from "../../../options.js";
import type { Step, Steps } from "../../../steps/index.js";
import { spectralFeatureSteps } from "../../embedding/spectral-features.js";
import { ccl } from "../../hierarchical/ccl/index.js";
import type { Context, Method, Outcome } from "../../method.js";

import { kmeans } from "../kmeans.js";
import { pckMeans, rcaKmeans } from "../mpck/methods.js";

const RESTARTS = 3;
/** The start "neighbours" uses FEATURES_PER_CLUSTER spectral features for each cluster, but at least LEAST_FEATURES. */
const LEAST_FEATURES = 20;
const FEATURES_PER_CLUSTER = 3;

/** Above this number of columns, no metric is learned from must-links: it would fit the must-links and nothing else. */
const MOST_COLUMNS_OF_METRIC = 100;

export interface Start {
  readonly name: string;
  readonly steps: () => Steps<Int32Array>;
}

export function startsFor(points: Points, constraints: ConstraintSet, k: number, context: Context): readonly Start[] {
  const { n, d } = points;
  const from = (method: unknown, rows: Instances, options: Record<string, unknown>, purpose: string) =>
    labelSteps(method as Method, rows, constraints, { k, ...options }, { ...context, random: context.random.split(purpose) });
  const ofMetric = { name: "metric of must-links", steps: () => from(rcaKmeans, points, { restarts: RESTARTS }, "rca") };
  const starts: Start[] = [
    ...(d > MOST_COLUMNS_OF_METRIC ? [] : [ofMetric]),
    { name: "means", steps: () => from(pckMeans, points, { restarts: RESTARTS, search: 0 }, "means") },
    { name: "plain means", steps: () => from(kmeans, points, { restarts: RESTARTS }, "plain") },
    { name: "distances", steps: () => from(ccl, points, {}, "distances") },
  ];
  const wanted = Math.max(LEAST_FEATURES, FEATURES_PER_CLUSTER * k);
  if (n < 2 * wanted) return starts;
  return [
    ...starts,
    {
      name: "neighbours",
      *steps() {
        const features = yield* featureSteps(points, wanted, context);
        const rows: Points = { n, d: features.length / n, x: features };
        return yield* from(pckMeans, rows, { restarts: RESTARTS, search: 0 }, "neighbours");
      },
    },
  ];
}

function* featureSteps({ n, d, x }: Points, wanted: number, { random, shared }: Context): Steps<Float64Array> {
  const name = `spectral features ${wanted}`;
  const known = shared?.get(name) as Float64Array | undefined;
  if (known) return known;
  const features = yield* spectralFeatureSteps(x, n, d, wanted, random.split("neighbours"));
  shared?.set(name, features);
  return features;
}

function* labelSteps(
  method: Method,
  points: Instances,
  constraints: ConstraintSet,
  options: Record<string, unknown>,
  context: Context,
): Generator<Step, Int32Array, void> {
  const outcome: Outcome = yield* method.steps({ points, constraints }, checkedOptions(method.options, options), context);
  return outcome.labels;
}
