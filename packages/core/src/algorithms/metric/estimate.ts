/**
 * Computes the metric A = N·S⁻¹, which minimises tr(A S) - N log det A (bilenko2004, equations 7 and 8). S is a sum of outer products over
 * N rows. In two cases there is no minimum, and S or A is repaired:
 *
 * - S is singular: the rows have no spread in some direction. ε·trace·I is added to S (Saul and Roweis).
 * - S has a negative eigenvalue, because of violated cannot-links. A is projected onto the positive semidefinite cone. This gives some
 *   directions the weight 0, and log det A = -∞. So these weights become ε times the trace of the projected A.
 */
import { log } from "../../linalg/elementary.js";
import { cholesky, eigen, invertLower, leastOwnShare } from "../../linalg/symmetric.js";

export interface Estimate {
  readonly map: Float64Array;
  readonly logDet: number;
  readonly repaired: "no" | "conditioned" | "projected";
}

/** The ε of the repairs. Features still get different weights if their variances differ by a factor of 10⁸. */
const CONDITIONING = 1e-9;
const NO_VARIANCE = 1e-20;

/**
 * The diagonal metric for `count` rows; null if no feature has any spread. s: the diagonal of S. variances: variance of each feature over
 * all rows.
 */
export function diagonalMetric(s: Float64Array, count: number, variances: Float64Array): Estimate | null {
  const d = s.length;
  let trace = 0;
  let repaired: Estimate["repaired"] = "no";
  for (let j = 0; j < d; j++) {
    if (Math.abs(s[j]!) > NO_VARIANCE * count * variances[j]!) trace += Math.abs(s[j]!);
    if (!(s[j]! > NO_VARIANCE * count * variances[j]!)) repaired = "conditioned";
  }
  if (!(trace > 0) || count === 0) return null;
  const added = repaired === "no" ? 0 : CONDITIONING * trace;
  const weights = s.map((value) => (value + added > 0 ? count / (value + added) : 0));
  const left = weights.reduce((sum, weight) => sum + weight, 0);
  let logDet = 0;
  for (let j = 0; j < d; j++) {
    if (weights[j] === 0) {
      repaired = "projected";
      weights[j] = CONDITIONING * left;
    }
    logDet += log(weights[j]!);
  }
  return { map: weights.map(Math.sqrt), logDet, repaired };
}

/** S is treated as singular if the other features explain a feature except for at most this share of its spread. */
const NO_OWN_SPREAD = 1e-11;

/** The full metric for `count` rows; null if no feature has any spread. s: the sum S; only its lower triangle is read. */
export function fullMetric(s: Float64Array, count: number, variances: Float64Array): Estimate | null {
  const d = variances.length;
  let trace = 0;
  let singular = false;
  for (let j = 0; j < d; j++) {
    const floor = NO_VARIANCE * count * variances[j]!;
    const value = s[j * d + j]!;
    if (Math.abs(value) > floor) trace += Math.abs(value);
    if (!(value > floor)) singular = true;
  }
  if (!(trace > 0) || count === 0) return null;
  const lower = singular || !(leastOwnShare(s, d) > NO_OWN_SPREAD) ? null : cholesky(s, d);
  if (lower) return fromTriangle(lower, d, count, "no");
  const conditioned = s.slice();
  for (let j = 0; j < d; j++) conditioned[j * d + j]! += CONDITIONING * trace;
  const repairedLower = cholesky(conditioned, d);
  return repairedLower ? fromTriangle(repairedLower, d, count, "conditioned") : projected(conditioned, d, count);
}

/** S = LLᵀ gives A = N·L⁻ᵀL⁻¹, so the map R with A = RᵀR is √N·L⁻¹. */
function fromTriangle(lower: Float64Array, d: number, count: number, repaired: Estimate["repaired"]): Estimate {
  const root = Math.sqrt(count);
  let logDet = d * log(count);
  for (let j = 0; j < d; j++) logDet -= 2 * log(lower[j * d + j]!);
  return { map: invertLower(lower, d).map((value) => root * value), logDet, repaired };
}

function projected(s: Float64Array, d: number, count: number): Estimate {
  const { values, vectors } = eigen(s, d);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  // A very small eigenvalue is set to 0, because its inverse would consist of rounding errors.
  const weights = values.map((value) => (value > CONDITIONING * 1e-3 * largest ? count / value : 0));
  const left = weights.reduce((sum, weight) => sum + weight, 0);
  let logDet = 0;
  const map = new Float64Array(d * d);
  for (let e = 0; e < d; e++) {
    const weight = weights[e]! > 0 ? weights[e]! : CONDITIONING * (left > 0 ? left : count / largest);
    logDet += log(weight);
    for (let j = 0; j < d; j++) map[e * d + j] = Math.sqrt(weight) * vectors[e * d + j]!;
  }
  return { map, logDet, repaired: "projected" };
}
