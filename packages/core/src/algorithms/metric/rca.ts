/**
 * Relevant component analysis: the metric under which must-linked rows have the same spread in every direction. Directions in
 * which rows that belong together differ count little.
 *
 * Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. ICML 2003.
 *
 * Departs from the paper: chunklets are the must-link components of two or more rows. With few of them their scatter says
 * nothing in most directions, where its inverse would be without bound. So until each direction is known twice over, the
 * covariance of all rows is mixed in with the weight of `prior` rows; from then on it is the paper's RCA. `prior` 0 is the
 * paper's always, conditioned where the scatter is singular. Without any chunklet distances stay as they are, whatever the
 * prior: there is nothing that the covariance of all rows could be mixed into.
 */
import { closeConstraints } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Points } from "../../model/points.js";
import { drain, type Steps } from "../../steps/index.js";
import { fullMetric } from "./estimate.js";
import { identityMaps, type LinearMaps, rowsPerTurn } from "./linear-maps.js";

export interface RcaOptions {
  /**
   * Rows that the covariance of all rows counts for; 0 is the paper's. By default the number of features while the chunklets'
   * scatter has fewer degrees of freedom than twice that, then 0.
   */
  readonly prior?: number;
}

export interface LearnedMetric {
  /** One map; `mapPoints` applies it, for any method to take. */
  readonly maps: LinearMaps;
  readonly notices: readonly string[];
}

export function rca(points: Points, constraints: ConstraintSet, options: RcaOptions = {}): LearnedMetric {
  return drain(rcaSteps(points, constraints, options));
}

export function* rcaSteps(points: Points, constraints: ConstraintSet, options: RcaOptions = {}): Steps<LearnedMetric> {
  const { d } = points;
  const { scatter, freedom } = yield* chunkletScatterSteps(points, constraints);
  if (freedom === 0) return unlearned(NO_LINKS);
  const prior = options.prior ?? (freedom < TIMES_KNOWN * d ? d : 0);
  const { covariance, variances } = yield* wholeCovarianceSteps(points);
  const sum = scatter.map((value, p) => value + prior * covariance[p]!);
  const found = fullMetric(sum, freedom + prior, variances);
  if (!found) return unlearned("Must-linked rows have no spread to learn a metric from: distances stay as they are.");
  return {
    maps: { kind: "full", maps: [found.map], logDets: Float64Array.of(found.logDet) },
    notices: [
      ...(freedom < d ? [openDirections(freedom, d, prior)] : []),
      ...(found.mended === "no"
        ? []
        : ["The metric had no spread in some direction: a billionth of the whole spread was added."]),
    ],
  };
}

/** How often must-links know each direction before their scatter stands alone. Between 1 and 3 it hardly matters. */
const TIMES_KNOWN = 2;
const NO_LINKS = "There are no must-links or labels to learn a metric from: distances stay as they are.";

function openDirections(freedom: number, d: number, prior: number): string {
  const known = `Must-links leave most directions open (${freedom} of ${d} at most are known)`;
  return prior > 0
    ? `${known}: the metric leans on all rows.`
    : `${known}: in the others the least difference counts. A prior, such as ${d}, lets the metric lean on all rows.`;
}

function unlearned(notice: string): LearnedMetric {
  return { maps: identityMaps(1), notices: [notice] };
}

interface ChunkletScatter {
  readonly scatter: Float64Array;
  readonly freedom: number;
}

/** The scatter of all chunklets about their own means, and its degrees of freedom. */
function* chunkletScatterSteps({ n, d, x }: Points, constraints: ConstraintSet): Steps<ChunkletScatter> {
  const { componentCount, members } = closeConstraints(constraints);
  const scatter = new Float64Array(d * d);
  const mean = new Float64Array(d);
  let freedom = 0;
  let done = 0;
  for (let c = 0; c < componentCount; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    if (rows.length < 2) continue;
    freedom += rows.length - 1;
    mean.fill(0);
    for (const row of rows) for (let j = 0; j < d; j++) mean[j]! += x[row * d + j]! / rows.length;
    for (const row of rows) {
      addScatter(scatter, x, row, d, mean);
      if (++done % rowsPerTurn(d) === 0) yield { phase: "metric of must-links", done, total: n };
    }
  }
  return { scatter, freedom };
}

function* wholeCovarianceSteps({ n, d, x }: Points): Steps<{ covariance: Float64Array; variances: Float64Array }> {
  const mean = new Float64Array(d);
  const scatter = new Float64Array(d * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += x[i * d + j]! / n;
  for (let i = 0; i < n; i++) {
    addScatter(scatter, x, i, d, mean);
    if ((i + 1) % rowsPerTurn(d) === 0) yield { phase: "covariance", done: i + 1, total: n };
  }
  const covariance = scatter.map((value) => value / n);
  return { covariance, variances: Float64Array.from({ length: d }, (_, j) => covariance[j * d + j]!) };
}

/** Adds (x - mean)(x - mean)ᵀ, the lower triangle. */
function addScatter(scatter: Float64Array, x: Float64Array, row: number, d: number, mean: Float64Array): void {
  for (let a = 0; a < d; a++) {
    const t = x[row * d + a]! - mean[a]!;
    for (let b = 0; b <= a; b++) scatter[a * d + b]! += t * (x[row * d + b]! - mean[b]!);
  }
}
