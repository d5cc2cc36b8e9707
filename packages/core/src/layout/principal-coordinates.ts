/**
 * Rows that are known by their distances, on two axes: classical scaling (Torgerson 1952). Of many rows an even sample of
 * landmarks makes the axes, and the others are placed by their distances to these (de Silva, Tenenbaum 2004).
 */
import { drain, type Steps } from "../steps/index.js";
import { fixSign, leadingSteps } from "./principal-components.js";

export interface PrincipalCoordinates {
  /** n × 2, row-major, around the landmarks' mean. */
  readonly scores: Float64Array;
  /** Share of the landmarks' spread along each axis; what no plane can show, distances that no points have included, counts as spread. */
  readonly share: readonly [number, number];
}

/** Landmarks at most and at least, and distances times columns that placing all rows may take. */
const LANDMARKS = 200;
const LEAST_LANDMARKS = 50;
const MOST_WORK = 1e9;
/** Of these, between two pauses. */
const STEP = 1e7;

/** `between` is the distance of two rows; `cost` what it takes, in columns. */
export function principalCoordinates(between: (i: number, j: number) => number, n: number, cost = 1): PrincipalCoordinates {
  return drain(principalCoordinatesSteps(between, n, cost));
}

/** The same with pauses. */
export function* principalCoordinatesSteps(
  between: (i: number, j: number) => number,
  n: number,
  cost = 1,
): Steps<PrincipalCoordinates> {
  const affordable = Math.floor(MOST_WORK / (n * cost + 1));
  const count = Math.min(n, LANDMARKS, Math.max(LEAST_LANDMARKS, affordable));
  const rows = Array.from({ length: count }, (_, i) => Math.floor((i * n) / count));
  const squared = (i: number, j: number): number => (i === j ? 0 : between(i, j) ** 2);
  const { centred, means } = doubleCentred(rows, squared);
  const { values, vectors } = yield* leadingSteps(centred, count, 2);
  let total = 0;
  for (const value of values) total += Math.abs(value);
  for (const vector of vectors) fixSign(vector);
  const scores = new Float64Array(2 * n);
  const away = new Float64Array(count);
  const rest = Math.max(1, Math.floor(STEP / (count * cost + 1)));
  for (let row = 0; row < n; row++) {
    if (row % rest === rest - 1) yield { phase: "map", done: row, total: n };
    for (let l = 0; l < count; l++) away[l] = squared(row, rows[l]!);
    for (let axis = 0; axis < 2; axis++) {
      const value = values[axis] ?? 0;
      if (value <= 1e-12 * total) continue;
      let sum = 0;
      for (let l = 0; l < count; l++) sum += vectors[axis]![l]! * (means[l]! - away[l]!);
      scores[2 * row + axis] = sum / (2 * Math.sqrt(value));
    }
  }
  const share = (axis: number) => (total > 0 ? Math.max(0, values[axis] ?? 0) / total : 0);
  return { scores, share: [share(0), share(1)] };
}

/** Squared distances as products of places around their mean: -½ J D² J; and each landmark's mean squared distance. */
function doubleCentred(rows: readonly number[], squared: (i: number, j: number) => number) {
  const count = rows.length;
  const centred = new Float64Array(count * count);
  const means = new Float64Array(count);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      const value = squared(rows[a]!, rows[b]!);
      centred[a * count + b] = value;
      means[a]! += value / count;
    }
  }
  const all = means.reduce((sum, mean) => sum + mean / count, 0);
  for (let a = 0; a < count; a++)
    for (let b = 0; b < count; b++) centred[a * count + b] = (means[a]! + means[b]! - all - centred[a * count + b]!) / 2;
  return { centred, means };
}
