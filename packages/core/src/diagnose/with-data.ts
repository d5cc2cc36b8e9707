/** The data of a diagnosis: labels of plain k-means for informativeness, and numeric columns for coherence. */

import { encodedColumns, oneHot } from "../algorithms/encode.js";
import { fillHoles } from "../algorithms/fill-holes.js";
import { kMeansOptions, kMeansSteps } from "../algorithms/partition/kmeans.js";
import type { LpSolver } from "../colouring/fractional/lp-solver.js";
import { emptyConstraints } from "../constraints/index.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances, Rows } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import { asPoints } from "../rows.js";
import { type DriveOptions, drain, drive, type Steps } from "../steps/index.js";
import { DIAGNOSIS_EFFORT, diagnosisSteps, type DiagnoseOptions as Prepared } from "./diagnose.js";
import type { Diagnosis } from "./diagnosis.js";

export interface DiagnoseOptions extends Omit<Prepared, "points" | "baseline" | "solver"> {
  /** The data. Messages name rows by the ids of the data. Informativeness and coherence are computed from the data. */
  readonly points?: Instances | Rows;
  /** Kernels for the unconstrained clustering that informativeness compares with. */
  readonly kernels?: Kernels;
}

export interface DiagnoseFullyOptions extends DiagnoseOptions {
  readonly solver: LpSolver;
}

/**
 * Diagnoses a constraint set: is it satisfiable, difficult, useful? Everything that needs no linear program.
 *
 * ```ts
 * diagnose(known, { k: 3 }).feasible;
 * ```
 */
export function diagnose(set: ConstraintSet, options: DiagnoseOptions = {}): Diagnosis {
  return drain(diagnoseSteps(set, options));
}

/** Like `diagnose`, plus the fractional chromatic number, prices and flexibility. Runs synchronously unless `driving` is given. */
export async function diagnoseFully(
  set: ConstraintSet,
  options: DiagnoseFullyOptions,
  driving?: DriveOptions,
): Promise<Diagnosis> {
  const steps = diagnoseSteps(set, options);
  return driving ? await drive(steps, driving) : drain(steps);
}

export function* diagnoseSteps(
  set: ConstraintSet,
  { points: rows, kernels = plainKernels, ...options }: DiagnoseOptions & { readonly solver?: LpSolver },
): Steps<Diagnosis> {
  if (rows === undefined) return yield* diagnosisSteps(set, options);
  const points: Instances = asPoints(rows);
  const ids = options.ids ?? points.ids;
  const named = { ...options, ...(ids ? { ids } : {}) };
  if (points.d === 0) return yield* diagnosisSteps(set, named);
  const { points: whole } = fillHoles(points);
  const { baseline, notices } = yield* clusteredWithout(whole, options, kernels);
  const withData = { ...named, points: oneHot(whole).points, ...(baseline ? { baseline } : {}) };
  const diagnosis = yield* diagnosisSteps(set, withData);
  return { ...diagnosis, notices: [...diagnosis.notices, ...notices, ...(points.holes ? [FILLED] : [])] };
}

const FILLED =
  "Informativeness and coherence need complete rows: only for these two, a missing cell is replaced by the mean or the most frequent level of its column.";

/** Limits of the plain k-means run. A few restarts are enough to estimate informativeness, so large data get fewer. */
const MOST_RESTARTS = 10;
const MOST_ITERATIONS = 300;
/**
 * Work is counted in products: rows · columns · clusters. PRODUCTS limits one iteration of all restarts together. PRODUCTS_PER_NODE limits
 * all iterations, for each node of effort.
 */
const PRODUCTS = 20_000_000;
const PRODUCTS_PER_NODE = 5_000;

/** Labels of plain k-means. Runs as many iterations as the effort allows; null if the effort does not allow a single iteration. */
function* clusteredWithout(
  points: Instances,
  { k, seed = 0, effort = DIAGNOSIS_EFFORT }: DiagnoseOptions,
  kernels: Kernels,
): Steps<{ readonly baseline: Int32Array | null; readonly notices: readonly string[] }> {
  if (!(k !== undefined && Number.isInteger(k) && k >= 1 && k <= points.n)) return { baseline: null, notices: [] };
  const width = encodedColumns(points).length;
  const products = points.n * width * k;
  const restarts = Math.min(MOST_RESTARTS, Math.max(1, Math.floor(PRODUCTS / products)));
  const maxIterations = Math.min(MOST_ITERATIONS, Math.floor((PRODUCTS_PER_NODE * effort) / (products * restarts)));
  if (maxIterations === 0)
    return { baseline: null, notices: ["Informativeness was not measured within the effort: the data are too large."] };
  const options = kMeansOptions.parse({ k, restarts, maxIterations });
  const input = { points, constraints: emptyConstraints(points.n) };
  const steps = kMeansSteps(input, options, { kernels, random: randomFrom(seed) });
  const { labels } = yield* renamed(steps, "clustering without constraints");
  return { baseline: labels, notices: [] };
}

function* renamed<R>(steps: Steps<R>, phase: string): Steps<R> {
  try {
    for (let next = steps.next(); ; next = steps.next()) {
      if (next.done) return next.value;
      yield { ...next.value, phase };
    }
  } finally {
    steps.return(undefined as never);
  }
}
