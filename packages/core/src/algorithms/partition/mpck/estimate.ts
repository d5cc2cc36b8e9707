/**
 * The M-step: means, then metrics and the farthest pairs under them, and what the objective is with these. What a kernel has just
 * assigned it sums by itself; a large component in one cluster enters every sum through its count, mean and scatter. The rest is
 * added row by row.
 */
import type { KMeansState } from "../../../kernels/index.js";
import type { Steps } from "../../../steps/index.js";
import { metricsFrom, squareBetween } from "../../metric/metrics.js";
import { rowsOfSplit, sizeOf } from "./assign/large-components.js";
import { wholeClusters } from "./constraints/component-moments.js";
import { violationCosts } from "./constraints/violations.js";
import type { Refilled } from "./empty-clusters.js";
import {
  addRows,
  type Counts,
  clusterSumsSteps,
  meansOf,
  noCounts,
  ontoSphere,
  type SumPlan,
  type Whole,
} from "./estimate/cluster-sums.js";
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
  const plan = refilled.length === 0 && !points.rowWeights ? sumPlanOf(run, whole) : null;
  const { sums, counts } = yield* clusterSumsSteps(points, labels, k, plan);
  run.centres = meansOf(sums, counts, run.centres);
  const metrics = learning.metrics === "single" ? 1 : k;
  const full = learning.matrix === "full";
  const parts = yield* metricSumsSteps(points, links, labels, run.centres, counts, metrics, full, plan, moments, whole);
  run.learned = learnMetrics(parts, run.farthest, run.spread);
  run.mended ||= run.learned.conditioned + run.learned.projected > 0;
  run.metrics = metricsFrom(run.learned.maps, points.d);
  if (run.farthest) run.farthest = yield* farthestPairs(run);
  return metricObjective(parts, run.learned.maps, run.farthest, points.d);
}

/** The cluster of each component that has moments and is in one as a whole; -1 for the others. */
function wholesOf({ moments, links, labels }: Run): Int32Array | null {
  return moments?.at.some((place) => place >= 0) ? wholeClusters(moments, links, labels) : null;
}

/** Null: every row is to be visited. */
function sumPlanOf(run: Run, whole: Int32Array | null): SumPlan | null {
  const { free, large } = run;
  const state = free.unmapped ? free.state : null;
  if (!state && !whole) return null;
  const rows = [
    ...(state ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(large ? rowsOfSplit(large, run.clusterOfLarge) : []),
  ];
  const wholes = whole ? wholeComponents(run, whole) : [];
  const bound = state && wholes.length === 0 ? boundState(run) : null;
  return bound
    ? { states: [state!, bound], wholes, rest: new Int32Array(0) }
    : { states: state ? [state] : [], wholes, rest: joined(rows) };
}

/** The kernels' state of units that are all single rows, with the labels that these have now. */
function boundState({ tied, units, rest, labels }: Run): KMeansState | null {
  if (!tied?.kernel.state || units.count < rest.length) return null;
  tied.kernel.state.relabel(rest.map((row) => labels[row]!));
  return tied.kernel.state;
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

/** The rows that neither the kernel nor the moments of a whole component stand for; all of them where they have weights, which kernels do not know. */
function rowsToAdd({ points, free, units, large, clusterOfLarge }: Run): readonly Int32Array[] {
  return [...(points.rowWeights ? [free.rows] : []), units.rows.items, ...(large ? rowsOfSplit(large, clusterOfLarge) : [])];
}

/** Means where no metric is learned. */
function plainMeans(run: Run, refilled: readonly Refilled[]): Float64Array {
  const { ablation, points, free, units, labels, centres } = run;
  const { d, x, rowWeights } = points;
  const { sums, counts } = (rowWeights ? null : free.state?.sums()) ?? {
    sums: new Float64Array(centres.length),
    counts: noCounts(points, ablation.k),
  };
  for (const { row, from, to } of refilled) {
    if (rowWeights || units.of[row]! >= 0) continue;
    addTimes(sums, counts, from, -1, x, row, d);
    addTimes(sums, counts, to, 1, x, row, d);
  }
  for (const [h, size, place] of wholeLarge(run)) addTimes(sums, counts, h, size, run.moments!.mean, place, d);
  for (const rows of rowsToAdd(run)) addRows(points, rows, 0, rows.length, labels, sums, counts);
  const means = meansOf(sums, counts, centres);
  if (ablation.spherical) ontoSphere(means, d);
  return means;
}

/** Adds as many rows as `times` says, whose mean is at a place of a table, to the sums of a cluster. */
function addTimes(
  sums: Float64Array,
  counts: Counts,
  h: number, // in: the cluster
  times: number,
  means: Float64Array,
  place: number, // in: the table, and the place
  d: number,
): void {
  counts[h]! += times;
  for (let j = 0, p = h * d, q = place * d; j < d; j++) sums[p + j]! += times * means[q + j]!;
}

/** Equation 1: squared distances to the centres, and the costs of violated constraints. */
export function plainObjective(run: Run, refilled: readonly Refilled[]): number {
  const { ablation, points, free, units, moments, labels, centres, links } = run;
  const { d, x, rowWeights } = points;
  const squareTo = (table: Float64Array, row: number, h: number): number => squareBetween(table, row * d, centres, h * d, d);
  let objective = (rowWeights ? 0 : free.state?.inertia()) ?? 0;
  for (const { row, from, to } of refilled) {
    if (!rowWeights && units.of[row]! < 0) objective += squareTo(x, row, to) - squareTo(x, row, from);
  }
  let bound = 0;
  for (const [h, size, place] of wholeLarge(run)) {
    bound += size * squareTo(moments!.mean, place, h);
    for (let j = 0; j < d; j++) bound += moments!.scatter[place * d + j]!;
  }
  for (const rows of rowsToAdd(run)) {
    for (let e = 0; e < rows.length; e++) bound += (rowWeights?.[rows[e]!] ?? 1) * squareTo(x, rows[e]!, labels[rows[e]!]!);
  }
  return objective + bound + (ablation.penalty === "cost" ? violationCosts(links, labels, ablation.k, wholesOf(run)) : 0);
}
