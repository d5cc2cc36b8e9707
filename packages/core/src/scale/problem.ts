/** The data of a running plan: statistics, constrained rows, and how constrained rows are assigned to clusters. */

import type { PlanTraits } from "../algorithms/method.js";
import { metricsOf } from "../algorithms/metric/linear-maps.js";
import type { LearnedMetrics } from "../model/result.js";
import type { Random } from "../random/index.js";
import { BLOCK_ROWS } from "./fixed-sums.js";
import { nearestCluster, openPlainPass } from "./pass.js";
import type { Moments, PassModel, PassScaling, PassSums, PassTotals } from "./pass-model.js";
import { addTotals, workOf } from "./pass-model.js";
import type { PlanInput } from "./plan.js";
import { type EngineRows, type Plan, type PlanState, rowBlocks, type Statistics } from "./requests.js";
import { penaltyOf, type SoftConstraints } from "./soft-constraints.js";

type Metric = PlanState["metric"];

export interface Problem {
  readonly input: PlanInput;
  readonly traits: PlanTraits;
  readonly statistics: Statistics;
  readonly scaling: PassScaling | null;
  /** Constrained rows, scaled: n x d, row-major. */
  readonly x: Float64Array;
  readonly n: number;
  /** Mean and variance of each scaled column over all rows; zeros if the method does not need these values. */
  readonly mean: Float64Array;
  readonly variances: Float64Array;
  readonly range: Float64Array;
  readonly sample: EngineRows;
  /** The soft constraints; null for methods without them. */
  readonly soft: SoftConstraints | null;
  readonly notices: readonly string[];
  modelAt(centres: Float64Array, metric: Metric, moments: Moments): PassModel;
  place(model: PassModel, before: Int32Array, random: Random): Plan<Int32Array>;
  nearest(model: PassModel): Plan<Int32Array>;
}

export function* nearestOf(model: PassModel, x: Float64Array, n: number): Plan<Int32Array> {
  const { d } = model;
  const nearest = new Int32Array(n);
  for (const { from, to } of rowBlocks(n, workOf(model))) {
    for (let i = from; i < to; i++) nearest[i] = nearestCluster(model, x.subarray(i * d, (i + 1) * d));
    yield { ask: "pause" };
  }
  return nearest;
}

/** The totals of all rows, after constrained rows were moved from their nearest cluster to their assigned cluster. */
export function* totalsWithPlaced(problem: Problem, model: PassModel, totals: PassTotals, placed: Int32Array): Plan<PassTotals> {
  if (problem.n === 0) return totals;
  const free = yield* problem.nearest(model);
  if (free.every((label, i) => label === placed[i])) return totals;
  addTotals(totals, yield* totalsOf(problem, model, free), -1);
  addTotals(totals, yield* totalsOf(problem, model, placed), 1);
  return totals;
}

export function* totalsOf({ x, n }: EngineRows, model: PassModel, labels: Int32Array): Plan<PassTotals> {
  const { d } = model;
  const pass = openPlainPass({ ...model, scaling: null });
  for (const { from, to } of rowBlocks(n, d * d, BLOCK_ROWS)) {
    const rows = to - from;
    for (let j = 0; j < d; j++) {
      const column = pass.column(j);
      for (let i = 0; i < rows; i++) column[i] = x[(from + i) * d + j]!;
    }
    pass.labels().set(labels.subarray(from, to));
    pass.add(rows);
    yield { ask: "pause" };
  }
  return pass.totals();
}

/** The objective of labels under a model: the squared distances, minus log determinants, plus the penalties of violated links. */
export function objectiveOf(problem: Problem, model: PassModel, sums: PassSums, placed: Int32Array, metric: Metric): number {
  let objective = sums.costs.reduce((sum, cost) => sum + cost, 0);
  sums.counts.forEach((count, c) => {
    if (metric) objective -= count * metric.logDets[model.several ? c : 0]!;
  });
  return problem.soft ? objective + penaltyOf(problem.soft, model, placed) : objective;
}

export function metricsFrom({ input, statistics }: Problem, { maps, logDets }: NonNullable<Metric>): LearnedMetrics {
  const full = input.options.matrix === "full";
  const d = statistics.names.length;
  const size = full ? d * d : d;
  const parts = Array.from(logDets, (_, g) => maps.slice(g * size, (g + 1) * size));
  const kind = full ? "full" : "diagonal";
  return metricsOf({ kind, maps: full ? parts : parts.map((part) => part.map(Math.sqrt)), logDets }, d);
}
