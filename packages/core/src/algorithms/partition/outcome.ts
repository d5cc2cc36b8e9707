/** The outcome of k-means and of methods built on it. */
import { type Points, rowValues } from "../../model/points.js";
import type { Stopped } from "../../model/result.js";
import type { Outcome } from "../method.js";

export interface LloydRun {
  readonly points: Points;
  readonly labels: Int32Array;
  readonly centres: Float64Array;
  /** The objective after each iteration. The last value belongs to the reported labels. */
  readonly history: readonly number[];
  readonly stopped: Stopped;
  readonly notices: readonly string[];
  /** Why clusters are empty, as part of a sentence. Used if there are at least k different rows. */
  readonly reason: string;
}

export function lloydOutcome({ points, labels, centres, history, stopped, notices, reason }: LloydRun): Outcome {
  const { d } = points;
  const k = d === 0 ? 0 : centres.length / d;
  const used = new Set(labels).size;
  return {
    labels,
    centres: Array.from({ length: k }, (_, c) => centres.slice(c * d, (c + 1) * d)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped,
    notices:
      used < k ? [...notices, `Only ${used} of the ${k} clusters have rows: ${tooFewRows(points, k) ?? reason}.`] : notices,
  };
}

/** Why clusters are empty, as part of a sentence, if there are fewer than k different rows; else null. */
function tooFewRows(points: Points, k: number): string | null {
  if (distinctRows(points, k) >= k) return null;
  return points.underMetric
    ? "under the learned metric there are not enough different rows"
    : "there are not enough different rows";
}

/** Number of different rows, counted up to `most`. */
export function distinctRows(points: Points, most: number): number {
  const { n, d } = points;
  const x = rowValues(points);
  const found: number[] = [];
  for (let i = 0; i < n && found.length < most; i++) {
    if (!found.some((other) => isEqualRow(x, i * d, other * d, d))) found.push(i);
  }
  return found.length;
}

function isEqualRow(x: Float64Array | Float32Array, p: number, q: number, d: number): boolean {
  for (let j = 0; j < d; j++) if (x[p + j] !== x[q + j]) return false;
  return true;
}

/** Objectives are equal if their relative difference is below this value. */
const ROUNDING = 1e-10;

/** The number of the iteration with the lowest objective, counted from 1. On ties the earliest iteration. */
export function lowestOf(history: readonly number[]): number {
  let lowest = 0;
  history.forEach((objective, at) => {
    if (isLower(objective, history[lowest]!)) lowest = at;
  });
  return lowest + 1;
}

function isLower(objective: number, other: number): boolean {
  return objective < other - ROUNDING * Math.abs(other);
}

/** Notices about a run that did not converge, or that ended above its lowest objective. */
export function oscillationNotices(stopped: Stopped, history: readonly number[]): string[] {
  const [lowest, made] = [lowestOf(history), history.length];
  if (stopped === "cycling")
    return [`Rows moved back and forth: the run keeps iteration ${lowest} of ${made}, which has the lowest objective.`];
  if (stopped === "max-iterations")
    return lowest === made ? [] : [`The run keeps iteration ${lowest} of ${made}, which has the lowest objective.`];
  if (!isLower(history[lowest - 1]!, history.at(-1)!)) return [];
  return [`The run converged after ${made} iterations; its objective was lower after iteration ${lowest}.`];
}
