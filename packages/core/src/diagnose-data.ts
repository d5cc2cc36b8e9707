/**
 * The diagnosis with what it needs of the data made ready: plain k-means for informativeness, columns of numbers for coherence.
 */
import { oneHot } from "./algorithms/encode.js";
import { kMeans } from "./algorithms/partition/kmeans.js";
import {
  diagnose as diagnosePrepared,
  diagnoseFully as diagnosePreparedFully,
  type DiagnoseOptions as Prepared,
} from "./diagnose/diagnose.js";
import type { Diagnosis } from "./diagnose/diagnosis.js";
import type { LpSolver } from "./diagnose/lp-solver.js";
import type { Kernels } from "./kernels/kernels.js";
import type { ConstraintSet } from "./model/constraint-set.js";
import type { Instances } from "./model/points.js";

export interface DiagnoseOptions extends Omit<Prepared, "points" | "baseline"> {
  /** The data: their ids name the rows, and informativeness and coherence are measured against them. */
  readonly points?: Instances;
  /** For the clustering without constraints that informativeness compares with. */
  readonly kernels?: Kernels;
}

export interface DiagnoseFullyOptions extends DiagnoseOptions {
  readonly solver: LpSolver;
}

/** Is this constraint set possible, hard, useful? Everything but what needs a linear program. */
export function diagnose(set: ConstraintSet, options: DiagnoseOptions = {}): Diagnosis {
  return diagnosePrepared(set, prepared(options));
}

/** With the fractional chromatic number, prices and flexibility. */
export async function diagnoseFully(set: ConstraintSet, options: DiagnoseFullyOptions): Promise<Diagnosis> {
  return await diagnosePreparedFully(set, { ...prepared(options), solver: options.solver });
}

/** Plain k-means tells how much there is to say that it does not see; for large data a few starts tell as much. */
const MOST_RESTARTS = 10;
/** Rows times columns times clusters, over all starts. */
const PRODUCTS = 20_000_000;

function prepared({ points, kernels, ...options }: DiagnoseOptions): Prepared {
  if (points === undefined) return options;
  const ids = options.ids ?? points.ids;
  const named = { ...options, ...(ids ? { ids } : {}) };
  if (points.d === 0) return named;
  const { k, seed = 0 } = options;
  const encoded = oneHot(points).points;
  if (!(k !== undefined && Number.isInteger(k) && k >= 1 && k <= points.n)) return { ...named, points: encoded };
  const restarts = Math.min(MOST_RESTARTS, Math.max(1, Math.floor(PRODUCTS / (encoded.n * encoded.d * k))));
  const baseline = kMeans(points, { k, seed, restarts, ...(kernels ? { kernels } : {}) }).labels;
  return { ...named, points: encoded, baseline };
}
