/**
 * Principal components: the directions of largest spread. They are used to draw many columns on two axes.
 *
 * One pass over the rows computes the covariance; then subspace iteration with a Rayleigh-Ritz step finds the components. With up to 32
 * columns the subspace is the whole space and the first step is exact. Nothing is random and signs are fixed, so the same data always
 * give the same picture.
 *
 * Under a metric A = RᵀR the rows are R x. Their covariance is R C Rᵀ, so the rows themselves need not be mapped: the score of a row
 * along v is (Rᵀv)·x.
 */
import { leadingSteps, negate, signOf } from "../algorithms/embedding/leading-vectors.js";
import { projectionSteps, secondMomentSteps } from "../algorithms/embedding/second-moments.js";
import { fillHoles } from "../algorithms/fill-holes.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import type { Instances } from "../model/points.js";
import { drain, type Steps } from "../steps/index.js";
import { expand, type RowView, rowReader } from "./encoded-rows.js";

export interface PrincipalComponents {
  /** The coordinates of n rows on m components: n x m, row-major, relative to the mean. */
  readonly scores: Float64Array;
  readonly share: readonly number[];
  /** For each component, the weight of each of `columns`; the largest weight is positive. */
  readonly loadings: readonly Float64Array[];
  /** Names of the columns of the loadings; a level of a nominal column is `column = level`. */
  readonly columns: readonly string[];
  /** The population standard deviation of each of `columns`. */
  readonly deviations: Float64Array;
  /** Number of rows in the covariance: all rows, or an evenly spread sample of a large table. */
  readonly sampled: number;
}

export function principalComponents(points: Instances, m = 2, view: RowView = {}): PrincipalComponents {
  return drain(principalComponentsSteps(points, m, view));
}

/** MOST_PRODUCTS: maximum number of products for the covariance. LEAST_SAMPLED: minimum number of rows in the covariance. */
const MOST_PRODUCTS = 1e9;
const LEAST_SAMPLED = 2000;

/** Missing cells are filled, as in methods that use means. */
export function* principalComponentsSteps(
  given: Instances,
  m = 2,
  view: RowView = {},
  kernels: Kernels = plainKernels,
): Steps<PrincipalComponents> {
  const { points } = fillHoles(given);
  const expansion = expand(points, view);
  const { size } = expansion;
  const { n } = points;
  const sampled = Math.min(n, Math.max(LEAST_SAMPLED, Math.floor(MOST_PRODUCTS / (size * size + 1))));
  const read = rowReader(points, expansion);
  const sample = (s: number, row: Float64Array) => read(Math.floor((s * n) / sampled), row);
  const { mean, covariance } = yield* secondMomentSteps(sample, sampled, size, kernels);
  const deviations = Float64Array.from({ length: size }, (_, j) => Math.sqrt(Math.max(0, covariance[j * size + j]!)));
  const seen = view.root ? view.root.around(covariance) : covariance;
  let total = 0;
  for (let j = 0; j < size; j++) total += seen[j * size + j]!;
  const { values, vectors } = yield* leadingSteps(seen, size, m, kernels);
  const loadings: Float64Array[] = [];
  const share: number[] = [];
  for (let c = 0; c < m; c++) {
    const vector = vectors[c] ?? new Float64Array(size);
    const loading = view.root ? view.root.back(vector) : vector;
    // The largest weight gives the sign. Under a metric, weights depend on units, so each weight is multiplied by the deviation of its
    // column.
    if (signOf(view.root ? loading.map((weight, j) => weight * deviations[j]!) : loading) < 0) negate(loading);
    loadings.push(loading);
    share.push(total > 0 ? Math.max(0, values[c] ?? 0) / total : 0);
  }
  return {
    scores: yield* projectionSteps(read, n, mean, loadings, kernels),
    share,
    loadings,
    columns: expansion.columns,
    deviations,
    sampled,
  };
}
