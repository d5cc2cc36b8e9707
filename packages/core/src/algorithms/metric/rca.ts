/**
 * Relevant component analysis: the metric under which must-linked rows have the same spread in every direction. Directions in which
 * must-linked rows differ get low weight.
 *
 * Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. ICML 2003.
 *
 * Departs from the paper: chunklets are the must-link components of two or more rows. With few chunklets their scatter is near 0 in most
 * directions, and its inverse is too large there. So below 2·d degrees of freedom, the covariance of all rows is added with the weight of
 * `prior` rows. With more degrees of freedom, or with `prior` 0, the method is RCA as published. A singular scatter is repaired. Without
 * chunklets, distances stay unchanged.
 */
import { closeConstraints } from "../../constraints/index.js";
import { type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { type Points, rowValues } from "../../model/points.js";
import { drain, type Steps } from "../../steps/index.js";
import { MOST_COLUMNS_OF_RCA, refuseManyColumns } from "../cost.js";
import { fullMetric } from "./estimate.js";
import { identityMaps, type LinearMaps, rowsPerBlock } from "./linear-maps.js";

export interface RcaOptions {
  /**
   * Weight of the covariance of all rows, as a number of rows. 0 as in the paper. Default: if the chunklets have fewer than 2·d degrees of
   * freedom, the number of columns d; else 0.
   */
  readonly prior?: number;
}

export interface LearnedMetric {
  /** One map for all clusters, for `mapPoints`. Any method can run on the mapped rows. */
  readonly maps: LinearMaps;
  readonly notices: readonly string[];
}

export function rca(points: Points, constraints: ConstraintSet, options: RcaOptions = {}): LearnedMetric {
  return drain(rcaSteps(points, constraints, options));
}

/** Like `rca`, in steps. The choice of kernels affects only the time, not the result. */
export function* rcaSteps(
  points: Points,
  constraints: ConstraintSet,
  options: RcaOptions = {},
  kernels: Kernels = plainKernels,
): Steps<LearnedMetric> {
  const { d } = points;
  refuseManyColumns(points, MOST_COLUMNS_OF_RCA);
  const { scatter, freedom } = yield* chunkletScatterSteps(points, constraints, kernels);
  if (freedom === 0) return unlearned(NO_LINKS);
  const prior = options.prior ?? (freedom < TIMES_KNOWN * d ? d : 0);
  const { covariance, variances } = yield* wholeCovarianceSteps(points, kernels);
  const sum = scatter.map((value, p) => value + prior * covariance[p]!);
  const found = fullMetric(sum, freedom + prior, variances);
  if (!found) return unlearned("Must-linked rows have no spread to learn a metric from: distances stay as they are.");
  return {
    maps: { kind: "full", maps: [found.map], logDets: Float64Array.of(found.logDet) },
    notices: [
      ...(freedom < d ? [openDirections(freedom, d, prior)] : []),
      ...(found.repaired === "no"
        ? []
        : ["The metric had no spread in some direction: a billionth of the whole spread was added."]),
    ],
  };
}

/** From TIMES_KNOWN · d degrees of freedom, only the scatter of the chunklets is used. Values from 1 to 3 give nearly the same results. */
const TIMES_KNOWN = 2;
const NO_LINKS = "There are no must-links or labels to learn a metric from: distances stay as they are.";

function openDirections(freedom: number, d: number, prior: number): string {
  const known = `Must-links determine only some directions (at most ${freedom} of ${d})`;
  return prior > 0
    ? `${known}: in the others the metric uses the covariance of all rows.`
    : `${known}: in the others the smallest difference counts. With a prior, such as ${d}, the metric uses the covariance of all rows.`;
}

function unlearned(notice: string): LearnedMetric {
  return { maps: identityMaps(1), notices: [notice] };
}

interface ChunkletScatter {
  readonly scatter: Float64Array;
  readonly freedom: number;
}

function* chunkletScatterSteps(points: Points, constraints: ConstraintSet, kernels: Kernels): Steps<ChunkletScatter> {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const { componentCount, members } = closeConstraints(constraints);
  const weightOf = (row: number): number => (rowWeights ? rowWeights[row]! : 1);
  const mean = new Float64Array(d);
  let freedom = 0;
  const adding = openScatter(d, kernels);
  try {
    for (let c = 0; c < componentCount; c++) {
      const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
      if (rows.length < 2) continue;
      const size = rowWeights ? rows.reduce((sum, row) => sum + rowWeights[row]!, 0) : rows.length;
      freedom += Math.max(0, size - 1);
      mean.fill(0);
      for (const row of rows) for (let j = 0; j < d; j++) mean[j]! += (weightOf(row) * x[row * d + j]!) / size;
      for (const row of rows) {
        const done = adding.add(x, row * d, mean, weightOf(row));
        if (done > 0) yield { phase: "metric of must-links", done, total: n };
      }
    }
    return { scatter: adding.scatter(), freedom };
  } finally {
    adding.close();
  }
}

function* wholeCovarianceSteps(points: Points, kernels: Kernels): Steps<{ covariance: Float64Array; variances: Float64Array }> {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const weightOf = (row: number): number => (rowWeights ? rowWeights[row]! : 1);
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += (weightOf(i) * x[i * d + j]!) / all;
  const adding = openScatter(d, kernels);
  try {
    for (let i = 0; i < n; i++) {
      const done = adding.add(x, i * d, mean, weightOf(i));
      if (done > 0) yield { phase: "covariance", done, total: n };
    }
    const covariance = adding.scatter().map((value) => value / all);
    return { covariance, variances: Float64Array.from({ length: d }, (_, j) => covariance[j * d + j]!) };
  } finally {
    adding.close();
  }
}

/**
 * Sums weight · (x - mean)(x - mean)ᵀ over rows, in blocks. When a block is full, `add` returns the number of rows summed so far; otherwise
 * it returns 0.
 */
function openScatter(d: number, kernels: Kernels) {
  const arena = kernels.arena();
  const state = kernels.products(d, arena, 1);
  const most = rowsPerBlock(d, kernels);
  const block = new Float64Array(most * d);
  let [count, done] = [0, 0];
  const flush = (): number => {
    state.add(block, count);
    done += count;
    count = 0;
    return done;
  };
  return {
    add(x: Float64Array | Float32Array, p: number, mean: Float64Array, weight: number): number {
      const root = Math.sqrt(weight);
      for (let j = 0, q = count * d; j < d; j++) block[q + j] = root * (x[p + j]! - mean[j]!);
      return ++count === most ? flush() : 0;
    },
    scatter(): Float64Array {
      flush();
      return state.products();
    },
    close: () => arena.release(),
  };
}
