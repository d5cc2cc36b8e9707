/** The outcome of an iteration over centres: k-means and what is built on it. */
import { type Points, rowValues } from "../../model/points.js";
import type { Stopped } from "../../model/result.js";
import type { Outcome } from "../method.js";

export interface LloydRun {
  readonly points: Points;
  readonly labels: Int32Array;
  /** k rows of d numbers. */
  readonly centres: Float64Array;
  /** The objective after each iteration, up to the one that is reported. */
  readonly history: readonly number[];
  readonly stopped: Stopped;
  readonly notices: readonly string[];
  /** Why some clusters have no rows, if some have none although there are rows enough. */
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

/** The reason why k clusters cannot all have rows, if that is the reason. */
function tooFewRows(points: Points, k: number): string | null {
  if (distinctRows(points, k) >= k) return null;
  return points.underMetric
    ? "under the learned metric there are not enough different rows"
    : "there are not enough different rows";
}

/** How many different rows there are, up to `most`. */
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

/** Objectives that differ by less than this share are the same. */
const ROUNDING = 1e-10;

/** The iteration of lowest objective, counted from 1: the first of those that are as good as equal. */
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

/** What is said where an iteration did not come to rest, or did so above a state that it had passed. */
export function restlessNotices(stopped: Stopped, history: readonly number[]): string[] {
  const [lowest, made] = [lowestOf(history), history.length];
  if (stopped === "cycling")
    return [`Rows went back and forth: iteration ${lowest} of ${made}, of the lowest objective, is kept.`];
  if (stopped === "max-iterations")
    return lowest === made ? [] : [`The objective was lowest after iteration ${lowest} of ${made}, which is kept.`];
  if (!isLower(history[lowest - 1]!, history.at(-1)!)) return [];
  return [`The run came to rest after ${made} iterations, above the objective that it had after iteration ${lowest}.`];
}
