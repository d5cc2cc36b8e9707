/**
 * Soft constraints of PCK- and MPCK-means over an engine. The constrained rows are in memory. So the code of the in-memory methods handles
 * their links, their E-step, the sums over violated constraints, and the estimate of the metrics.
 *
 * Departs from equation 5: the farthest pair is replaced by an upper bound, Σ |A_ij| r_i r_j, where r are the ranges of the columns. The
 * bound needs no pass. No pair of rows exceeds it, so the penalty of a violated cannot-link is never negative.
 */
import { type LinearMaps, matricesOf, traceOfProduct } from "../algorithms/metric/linear-maps.js";
import { mapCentres, metricsFrom } from "../algorithms/metric/metrics.js";
import { improveSteps, placeSteps } from "../algorithms/partition/mpck/assign.js";
import { learnMetrics } from "../algorithms/partition/mpck/estimate.js";
import { type Links, linksOf, type Units, unitsOf } from "../algorithms/partition/mpck/links.js";
import { distanceTable } from "../algorithms/partition/mpck/sweep.js";
import { type ViolatedSums, violatedSums, violationCosts } from "../algorithms/partition/mpck/violations.js";
import { badInput } from "../errors.js";
import { plainKernels } from "../kernels/index.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { InstanceId } from "../model/points.js";
import type { Random } from "../random/index.js";
import { nearestCluster } from "./pass.js";
import type { PassModel } from "./pass-model.js";
import { type Plan, pausing } from "./requests.js";

export interface SoftConstraints {
  readonly links: Links;
  readonly units: Units;
  /** The constrained rows, scaled: n x d, row-major. */
  readonly x: Float64Array;
  readonly n: number;
  /** True: the penalty of a violated constraint is measured by the learned metric. False: it is the constraint's weight. */
  readonly byMetric: boolean;
  readonly range: Float64Array;
}

/** Prepares the soft constraints of a plan. `unit`: penalty of a violated constraint of weight 1 in methods without a learned metric. */
export function softConstraintsOf(
  set: ConstraintSet,
  ids: readonly InstanceId[],
  x: Float64Array,
  range: Float64Array,
  { k, byMetric, unit }: { readonly k: number; readonly byMetric: boolean; readonly unit: number },
): SoftConstraints {
  const weights = [set.mustLinks.weight, set.cannotLinks.weight, set.labels.weight];
  if (weights.some((list) => list.includes(Infinity))) {
    throw badInput("A constraint of weight inf is hard; this method does not support hard constraints on an engine.", {
      remedy: "Give it a finite weight, or use cop-kmeans, which keeps them all.",
    });
  }
  const links = linksOf(set, byMetric ? 1 : unit, ids);
  const points = { n: set.n, d: range.length, x };
  return { links, units: unitsOf(links, points, k, links.hasPenalties, ids), x, n: set.n, byMetric, range };
}

/** New clusters of the constrained rows under a model. `before`: their clusters so far, -1 for none. */
export function* placeSoftly(soft: SoftConstraints, model: PassModel, before: Int32Array, random: Random): Plan<Int32Array> {
  const { links, units, x, n, byMetric } = soft;
  const { d, k } = model;
  const labels = before.slice();
  for (let i = 0; i < n; i++) if (units.of[i] === -1) labels[i] = nearestCluster(model, x.subarray(i * d, (i + 1) * d));
  if (units.count === 0) return labels;
  const metrics = metricsFrom(linearMapsOf(model), d);
  const state = {
    penalty: byMetric ? "metric" : "cost",
    x,
    d,
    k,
    metrics,
    centres: mapCentres(metrics, model.centres),
    farthest: farthestBounds(soft, model),
    squares: plainKernels.squares,
    links,
    units,
    labels,
    moments: null,
  } as const;
  const tabled = { ...state, table: distanceTable(state) };
  yield { ask: "pause" };
  yield* pausing(before.includes(-1) ? placeSteps(tabled, random) : improveSteps(tabled, random, 0));
  return labels;
}

export function penaltyOf(soft: SoftConstraints, model: PassModel, labels: Int32Array): number {
  if (!soft.byMetric) return violationCosts(soft.links, labels, model.k);
  const full = model.metric === "full";
  const { sums, farthestShare } = violatedBy(soft, model, labels, model.several, full);
  const bounds = farthestBounds(soft, model);
  return matricesOf(linearMapsOf(model), model.d).reduce(
    (sum, a, g) => sum + traceOfProduct(a, sums[g]!, model.d, full) + farthestShare[g]! * bounds[g]!,
    0,
  );
}

function violatedBy(
  { links, x }: SoftConstraints,
  { d, k }: PassModel,
  labels: Int32Array,
  several: boolean,
  full: boolean,
): ViolatedSums {
  return violatedSums(links, labels, x, d, k, several ? k : 1, full);
}

export interface LearnedMaps {
  /** Diagonal weights, or maps R with A = RᵀR: for a single metric, or for each of the k clusters. */
  readonly maps: Float64Array;
  readonly logDets: Float64Array;
}

/**
 * The M-step of MPCK-means (bilenko2004, equations 7 and 8). `scatter`: the scatter of each cluster around its new
 * centre. `variances`: the variance of each column over all rows.
 */
export function learnMaps(
  soft: SoftConstraints | null,
  model: PassModel,
  { several, full }: { readonly several: boolean; readonly full: boolean },
  labels: Int32Array,
  counts: Float64Array,
  scatter: readonly Float64Array[],
  variances: Float64Array,
): LearnedMaps {
  const { d, k } = model;
  const sums = Array.from({ length: several ? k : 1 }, () => new Float64Array(full ? d * d : d));
  for (const [c, part] of scatter.entries()) addInto(sums[several ? c : 0]!, part);
  if (soft) {
    const violated = violatedBy(soft, model, labels, several, full);
    violated.sums.forEach((part, g) => {
      addInto(sums[g]!, part);
      addBound(sums[g]!, violated.farthestShare[g]!, soft.range, model, g, full);
    });
  }
  const farthestShare = new Float64Array(sums.length);
  const { maps, logDets } = learnMetrics({ sums, farthestShare, full, counts }, null, variances).maps;
  return { maps: Float64Array.from(maps.flatMap((map) => [...(full ? map : map.map((factor) => factor * factor))])), logDets };
}

/** Adds to `sum`: `share` times the gradient of the bound on the farthest pair. The gradient by the metric A is taken at the previous A. */
function addBound(sum: Float64Array, share: number, range: Float64Array, model: PassModel, g: number, full: boolean): void {
  if (share === 0) return;
  const { d } = model;
  const a = full && model.metric === "full" ? matricesOf(linearMapsOf(model), d)[g]! : null;
  for (let e = 0; e < d; e++) {
    if (!full) sum[e]! += share * range[e]! * range[e]!;
    else
      for (let f = 0; f <= e; f++) {
        const sign = e === f ? 1 : Math.sign(a?.[e * d + f] ?? 0);
        sum[e * d + f]! += share * sign * range[e]! * range[f]!;
      }
  }
}

/** For each metric of a model, an upper bound of the squared distance of any two rows. */
function farthestBounds({ range }: SoftConstraints, model: PassModel): Float64Array {
  const { d } = model;
  return Float64Array.from(matricesOf(linearMapsOf(model), d), (a) => {
    let sum = 0;
    for (let e = 0; e < d; e++) {
      if (model.metric !== "full") sum += a[e]! * range[e]! * range[e]!;
      else for (let f = 0; f < d; f++) sum += Math.abs(a[e * d + f]!) * range[e]! * range[f]!;
    }
    return sum;
  });
}

/** The metrics of a pass as linear maps. A single metric needs no determinant, because the determinant does not affect the assignment. */
function linearMapsOf({ d, k, metric, maps, several, bias }: PassModel): LinearMaps {
  const size = metric === "plain" ? 0 : metric === "full" ? d * d : d;
  const parts = Array.from({ length: several ? k : 1 }, (_, g) => maps.slice(g * size, (g + 1) * size));
  return {
    kind: metric === "plain" ? "identity" : metric,
    maps: metric === "diagonal" ? parts.map((weights) => weights.map(Math.sqrt)) : parts,
    logDets: several ? bias.map((value) => -value) : new Float64Array(1),
  };
}

function addInto(sum: Float64Array, part: Float64Array): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += part[i]!;
}
