/**
 * The M-step for metrics (bilenko2004, equations 7 and 8), and the objective of equation 6, which is linear in the same sums:
 *     J = Σ_g (tr(A_g·S_g) + share_g·‖v_g‖²_{A_g}) - Σ_h N_h·log det A_h,
 * where S_g adds up scatter and violated constraints and v_g is the difference of the farthest pair under metric g.
 */
import type { Points } from "../../../../model/points.js";
import type { Step } from "../../../../steps/index.js";
import { diagonalMetric, type Estimate, fullMetric } from "../../../metric/estimate.js";
import { type LinearMaps, matricesOf, squaredNorm, traceOfProduct } from "../../../metric/linear-maps.js";
import { type ComponentMoments, wholeClusters } from "../constraints/component-moments.js";
import type { Links } from "../constraints/links.js";
import { type ViolatedSums, violatedSums } from "../constraints/violations.js";
import { type Counts, type SumPlan, scatterSteps } from "./cluster-sums.js";
import type { Farthest } from "./farthest.js";

/** What the labels and centres say about the metrics: all sums but the farthest pairs' share. */
export interface MetricSums extends ViolatedSums {
  readonly full: boolean;
  readonly counts: Counts;
}

export function* metricSumsSteps(
  points: Points,
  links: Links,
  labels: Int32Array,
  centres: Float64Array,
  counts: Counts,
  metrics: number, // in: 1 or k
  full: boolean,
  plan: SumPlan | null = null,
  moments: ComponentMoments | null = null,
  whole: Int32Array | null = moments && wholeClusters(moments, links, labels),
): Generator<Step, MetricSums, void> {
  const { d, x } = points;
  const k = counts.length;
  const scatter = yield* scatterSteps(points, labels, centres, metrics, full, plan);
  const { sums, farthestShare } = violatedSums(links, labels, x, d, k, metrics, full, moments, whole);
  sums.forEach((sum, g) => {
    for (let j = 0; j < sum.length; j++) scatter[g]![j]! += sum[j]!;
  });
  return { sums: scatter, farthestShare, full, counts };
}

export interface Learned {
  readonly maps: LinearMaps;
  readonly conditioned: number;
  readonly projected: number;
}

/** Each metric from its sums; a cluster without any spread takes the metric of all clusters together. */
export function learnMetrics(sums: MetricSums, farthest: Farthest | null, spread: Float64Array): Learned {
  const { full, counts } = sums;
  const d = spread.length;
  const total = Float64Array.from(counts).reduce((sum, count) => sum + count, 0);
  const wholes = sums.sums.map((part, g) => withFarthest(part, sums.farthestShare[g]!, farthest, g, d, full));
  const estimate = full ? fullMetric : diagonalMetric;
  const single = wholes.length === 1;
  const estimates = wholes.map((whole, g) => estimate(whole, single ? total : counts[g]!, spread));
  const common = estimates.includes(null) ? (estimate(sumOf(wholes), total, spread) ?? unitMetric(d, full)) : null;
  const mended = (how: Estimate["mended"]): number =>
    estimates.filter((found) => (found?.mended ?? "conditioned") === how).length;
  return {
    maps: {
      kind: full ? "full" : "diagonal",
      maps: estimates.map((found) => (found ?? common!).map),
      logDets: Float64Array.from(estimates, (found) => (found ?? common!).logDet),
    },
    conditioned: mended("conditioned"),
    projected: mended("projected"),
  };
}

/** S + share·vvᵀ. */
function withFarthest(
  part: Float64Array,
  share: number,
  farthest: Farthest | null,
  g: number,
  d: number,
  full: boolean,
): Float64Array {
  if (share === 0 || !farthest) return part;
  const v = farthest.vectors[g] ?? farthest.vectors[0]!;
  const whole = part.slice();
  for (let i = 0; i < d; i++) {
    if (!full) whole[i]! += share * v[i]! * v[i]!;
    else for (let j = 0; j <= i; j++) whole[i * d + j]! += share * v[i]! * v[j]!;
  }
  return whole;
}

function sumOf(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]!.length);
  for (const part of parts) for (let j = 0; j < sum.length; j++) sum[j]! += part[j]!;
  return sum;
}

function unitMetric(d: number, full: boolean): Estimate {
  const map = new Float64Array(full ? d * d : d);
  for (let j = 0; j < d; j++) map[full ? j * d + j : j] = 1;
  return { map, logDet: 0, mended: "conditioned" };
}

/** Equation 6 for the labels and centres behind the sums, under the given metrics and farthest pairs. */
export function metricObjective(sums: MetricSums, maps: LinearMaps, farthest: Farthest | null, d: number): number {
  const single = maps.maps.length === 1;
  let objective = 0;
  matricesOf(maps, d).forEach((a, g) => {
    objective += traceOfProduct(a, sums.sums[g]!, d, sums.full);
    const share = sums.farthestShare[g]!;
    if (share !== 0 && farthest) objective += share * squaredNorm(maps, g, d, farthest.vectors[g] ?? farthest.vectors[0]!);
  });
  sums.counts.forEach((count, h) => {
    objective -= count * maps.logDets[single ? 0 : h]!;
  });
  return objective;
}
