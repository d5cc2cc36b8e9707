/**
 * Core sets: a few thousand points that represent all rows, for methods that compare pairs of rows or need all rows at once.
 *
 * A pass computes micro-clusters. It starts from several hundred points. For each of these points, it computes the mean and the number of
 * the rows that are nearest to this point. Each constrained row is a separate point. Methods do not support row weights, so a micro-cluster
 * is repeated in proportion to its number of rows.
 *
 * A method clusters these points. Then every row gets the cluster of its nearest micro-cluster, and constrained rows keep their own
 * cluster. This is an approximation, and the report states it.
 *
 * Some methods cluster a sample of the rows instead (`onEngine: "sample"`). In these methods, means would change the density of the rows
 * and the largest distances too much.
 */

import { findMethod } from "../catalogue.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { InstanceId, Instances, Points } from "../model/points.js";
import { constrainedRows, scaledRows, scalingAndMoments } from "./open-problem.js";
import { addTotals, modelOf, type PassModel, type PassScaling, passSums, scaledRanges } from "./pass-model.js";
import type { PlanInput } from "./plan.js";
import { nearestOf, totalsOf } from "./problem.js";
import { askLabels, askPass, askSample, askStatistics, type EngineRows, type Plan, type Statistics } from "./requests.js";

/** Total number of points that a method gets. Micro-clusters of many rows are repeated to reach this number. */
const POINTS = 4000;
const SAMPLE_PER_CLUSTER = 20;

/** `method`: the name of a method that runs on micro-clusters or on a sample. */
export interface CoreSetInput extends Pick<PlanInput, "method" | "constraints" | "ids" | "seed" | "scale"> {
  /** Number of micro-clusters; fewer if there are fewer rows. */
  readonly microClusters: number;
}

export interface CoreGround {
  readonly statistics: Statistics;
  readonly scaling: PassScaling | null;
  readonly constrained: EngineRows;
  /** Sample rows, scaled. Micro-clusters start at these rows. */
  readonly sample: EngineRows;
}

export function* coreGround(input: CoreSetInput): Plan<CoreGround> {
  const { ids, seed, scale, microClusters } = input;
  const statistics = yield* askStatistics();
  const found = yield* constrainedRows({ ids });
  const { scaling } = yield* scalingAndMoments(scale, statistics, false);
  const size = Math.min(statistics.rows, microClusters * (isSampled(input) ? 1 : SAMPLE_PER_CLUSTER));
  const sample = scaledRows(yield* askSample(size, seed), scaling);
  return { statistics, scaling, constrained: scaledRows(found, scaling), sample };
}

export function isSampled({ method }: Pick<CoreSetInput, "method">): boolean {
  return findMethod(method)?.onEngine === "sample";
}

/** Points that represent all rows, and the model that assigns each row to a point. */
export interface CoreSet {
  readonly model: PassModel;
  /** Centres of the micro-clusters: m x d, row-major, scaled. */
  readonly centres: Float64Array;
  /** Number of rows of each micro-cluster, without constrained rows. */
  readonly counts: Float64Array;
  /** Root mean squared distance between a row and its micro-cluster; NaN if no pass was made. */
  readonly radius: number;
}

/** Computes micro-clusters in one pass. Each micro-cluster is the mean of the rows nearest to its start, without constrained rows. */
export function* microClusters(ground: CoreGround, starts: Float64Array): Plan<CoreSet> {
  const { constrained, statistics } = ground;
  const model = modelAt(ground, starts);
  const totals = yield* askPass(model, 1);
  const all = passSums(model, totals);
  const radius = Math.sqrt(all.costs.reduce((sum, cost) => sum + cost, 0) / statistics.rows);
  const near = yield* nearestOf(model, constrained.x, constrained.n);
  if (constrained.n > 0) addTotals(totals, yield* totalsOf(constrained, model, near), -1);
  const { counts, sums } = passSums(model, totals);
  const used = [...counts.keys()].filter((c) => counts[c]! > 0);
  const { d } = model;
  const centres = new Float64Array(used.length * d);
  used.forEach((c, i) => {
    for (let j = 0; j < d; j++) centres[i * d + j] = sums[c * d + j]! / counts[c]!;
  });
  return { model: modelAt(ground, centres), centres, counts: Float64Array.from(used, (c) => counts[c]!), radius };
}

/** Uses the sample rows as points. Each point represents an equal share of the rows. */
export function sampledPoints(ground: CoreGround): CoreSet {
  const { sample, statistics } = ground;
  const counts = new Float64Array(sample.n).fill(statistics.rows / sample.n);
  return { model: modelAt(ground, sample.x), centres: sample.x, counts, radius: Number.NaN };
}

function modelAt({ statistics, scaling }: CoreGround, centres: Float64Array): PassModel {
  const d = statistics.names.length;
  const k = centres.length / d;
  const plain = { metric: "plain", maps: new Float64Array(0), several: false, bias: new Float64Array(k) } as const;
  const parts = { d, k, centres, ...plain, moments: "none", scaling } as const;
  return modelOf(parts, scaledRanges(statistics.ranges, scaling), statistics.rows);
}

/** The points that a method clusters: constrained rows, then micro-clusters, repeated in proportion to their rows. */
export interface CorePoints {
  readonly points: Instances;
  readonly constraints: ConstraintSet;
  readonly first: Int32Array;
}

export function corePoints(input: CoreSetInput, ground: CoreGround, { centres, counts }: CoreSet): CorePoints {
  const { statistics, scaling, constrained } = ground;
  const d = statistics.names.length;
  const copies = copiesOf(counts, isSampled(input) ? counts.length : Math.min(POINTS, statistics.rows));
  const first = new Int32Array(counts.length);
  let n = constrained.n;
  copies.forEach((count, c) => {
    first[c] = n;
    n += count;
  });
  const x = new Float64Array(n * d);
  x.set(constrained.x);
  const ids: InstanceId[] = [...input.ids];
  copies.forEach((count, c) => {
    for (let i = 0; i < count; i++) {
      x.set(centres.subarray(c * d, (c + 1) * d), (first[c]! + i) * d);
      ids.push(`micro-cluster ${c}, point ${i}`);
    }
  });
  const points: Points = { n, d, x, names: statistics.names };
  const scaled = scaling ? { scaling: { offset: [...scaling.offset], factor: [...scaling.factor] } } : {};
  return { points: { ...points, ids, ...scaled }, constraints: { ...input.constraints, n }, first };
}

/** Number of copies of each micro-cluster, in proportion to its rows. At least one copy each, and about `total` copies together. */
function copiesOf(counts: Float64Array, total: number): Int32Array {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return Int32Array.from(counts, (count) => Math.max(1, Math.round((count / rows) * total)));
}

export interface CoreOutcome {
  /**
   * The cluster for each number that an engine returns. Numbers 0 … m-1 are micro-clusters, and the next k numbers are the clusters
   * themselves. The last number means that a row has no cluster; its entry is -1.
   */
  readonly clusters: Int32Array;
  /** Number of rows of each cluster (`sizes`) and of rows without a cluster (`noise`). */
  readonly sizes: Float64Array;
  readonly noise: number;
  /** Clusters of the constrained rows; -1 for a row without a cluster. */
  readonly placed: Int32Array;
}

/** Makes a second pass, which labels each row with the cluster of its micro-cluster. Constrained rows keep their cluster. */
export function* coreLabels(
  { constrained }: CoreGround,
  { model }: CoreSet,
  { first }: CorePoints,
  labels: Int32Array,
  k: number,
): Plan<CoreOutcome> {
  const m = first.length;
  const placed = labels.slice(0, constrained.n);
  // The last entry is for rows without a cluster.
  const clusters = Int32Array.from({ length: m + k + 1 }, (_, p) => (p < m ? labels[first[p]!]! : p < m + k ? p - m : -1));
  const totals = yield* askLabels(
    model,
    placed.map((label) => (label < 0 ? m + k : m + label)),
  );
  const sizes = new Float64Array(k + 1);
  const add = (cluster: number, rows: number): void => {
    sizes[cluster < 0 ? k : cluster]! += rows;
  };
  totals.counts.forEach((count, c) => {
    add(clusters[c]!, count);
  });
  (yield* nearestOf(model, constrained.x, constrained.n)).forEach((c, i) => {
    add(clusters[c]!, -1);
    add(placed[i]!, 1);
  });
  return { clusters, sizes: sizes.slice(0, k), noise: sizes[k]!, placed };
}
