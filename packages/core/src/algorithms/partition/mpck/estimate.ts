/**
 * The M-step: means, then metrics and the farthest pairs under them, and what the objective is with these. What a kernel has just
 * assigned it sums by itself; a large component in one cluster enters every sum through its count, mean and scatter. The rest is
 * added row by row.
 */
import type { Steps } from "../../../steps/index.js";
import { rowsOfSplit, sizeOf } from "./assign/large-components.js";
import { wholeClusters } from "./constraints/component-moments.js";
import { violationCosts } from "./constraints/violation-costs.js";
import type { Refilled } from "./empty-clusters.js";
import { meansOf, ontoSphere } from "./estimate/centres.js";
import { clusterSumsSteps, type SumPlan, type Whole } from "./estimate/cluster-sums.js";
import { learnMetrics, metricObjective, metricSumsSteps } from "./estimate/learn-metrics.js";
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
  const parts = yield* metricSumsSteps(points, links, labels, run.centres, counts, metrics, full, plan, moments, whole);
  run.learned = learnMetrics(parts, run.farthest, run.spread);
  run.mended ||= run.learned.conditioned + run.learned.projected > 0;
  run.maps = run.learned.maps;
  if (run.farthest) run.farthest = yield* farthestPairs(run);
  return metricObjective(parts, run.maps, run.farthest, points.d);
}

/** The cluster of each component that has moments and is in one as a whole; -1 for the others. */
function wholesOf({ moments, links, labels }: Run): Int32Array | null {
  return moments?.at.some((place) => place >= 0) ? wholeClusters(moments, links, labels) : null;
}

/** Null: every row is to be visited. */
function sumPlanOf(run: Run, whole: Int32Array | null): SumPlan | null {
  const { free, large } = run;
  const machine = free.unmapped ? free.machine : null;
  if (!machine && !whole) return null;
  const rows = [
    ...(machine ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(large ? rowsOfSplit(large, run.clusterOfLarge) : []),
  ];
  return { machine, wholes: whole ? wholeComponents(run, whole) : [], rest: joined(rows) };
}

function wholeComponents({ moments, links: { members }, points: { d } }: Run, cluster: Int32Array): Whole[] {
  const { at, mean, scatter, full } = moments!;
  const width = full ? d * d : d;
  return Array.from(cluster.keys())
    .filter((c) => cluster[c]! >= 0)
    .map((c) => ({
      cluster: cluster[c]!,
      size: members.start[c + 1]! - members.start[c]!,
      mean: mean.subarray(at[c]! * d, (at[c]! + 1) * d),
      scatter: scatter.subarray(at[c]! * width, (at[c]! + 1) * width),
    }));
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 1) return filled[0]!;
  const all = new Int32Array(filled.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The large components that are in one cluster: it, their size, and where their moments are. */
function* wholeLarge({ large, clusterOfLarge }: Run): Generator<readonly [h: number, size: number, place: number], void> {
  for (let e = 0; e < clusterOfLarge.length; e++) {
    if (clusterOfLarge[e]! >= 0) yield [clusterOfLarge[e]!, sizeOf(large!, e), large!.moments.at[large!.components[e]!]!];
  }
}

/** The rows that neither the kernel nor the moments of a whole component stand for. */
function rowsToAdd({ units, large, clusterOfLarge }: Run): readonly Int32Array[] {
  return [units.rows.items, ...(large ? rowsOfSplit(large, clusterOfLarge) : [])];
}

/** Means where no metric is learned. */
function plainMeans(run: Run, refilled: readonly Refilled[]): Float64Array {
  const { ablation, points, free, units, labels, centres } = run;
  const { d, x } = points;
  const { sums, counts } = free.machine?.sums() ?? { sums: new Float64Array(centres.length), counts: new Int32Array(ablation.k) };
  const add = (row: number, h: number, sign: number): void => {
    counts[h]! += sign;
    for (let j = 0; j < d; j++) sums[h * d + j]! += sign * x[row * d + j]!;
  };
  for (const { row, from, to } of refilled) {
    if (units.of[row]! >= 0) continue;
    add(row, from, -1);
    add(row, to, 1);
  }
  for (const [h, size, place] of wholeLarge(run)) {
    counts[h]! += size;
    for (let j = 0; j < d; j++) sums[h * d + j]! += size * run.moments!.mean[place * d + j]!;
  }
  for (const rows of rowsToAdd(run)) for (const row of rows) add(row, labels[row]!, 1);
  const means = meansOf(sums, counts, centres);
  if (ablation.spherical) ontoSphere(means, d);
  return means;
}

/** Equation 1: squared distances to the centres, and the costs of violated constraints. */
export function plainObjective(run: Run, refilled: readonly Refilled[]): number {
  const { ablation, points, free, units, moments, labels, centres, links } = run;
  const { d, x } = points;
  const square = (from: Float64Array, row: number, h: number): number => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (from[row * d + j]! - centres[h * d + j]!) * (from[row * d + j]! - centres[h * d + j]!);
    return sum;
  };
  let objective = free.machine?.inertia() ?? 0;
  for (const { row, from, to } of refilled) if (units.of[row]! < 0) objective += square(x, row, to) - square(x, row, from);
  let bound = 0;
  for (const [h, size, place] of wholeLarge(run)) {
    bound += size * square(moments!.mean, place, h);
    for (let j = 0; j < d; j++) bound += moments!.scatter[place * d + j]!;
  }
  for (const rows of rowsToAdd(run)) for (const row of rows) bound += square(x, row, labels[row]!);
  return objective + bound + (ablation.penalty === "cost" ? violationCosts(links, labels, ablation.k, wholesOf(run)) : 0);
}
