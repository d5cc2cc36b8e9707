/**
 * Classical scaling (Torgerson 1952): places rows on two axes from their distances alone. If there are many rows, an evenly spread sample
 * of rows (the landmarks) defines the axes. The other rows are placed by their distances to the landmarks (de Silva, Tenenbaum 2004).
 */
import { fixSign, leadingSteps } from "../algorithms/embedding/leading-vectors.js";
import { drain, type Steps } from "../steps/index.js";
import type { PrincipalComponents } from "./principal-components.js";

export interface PrincipalCoordinates {
  /** Positions of the rows: n x 2, row-major, relative to the mean of the landmarks. */
  readonly scores: Float64Array;
  /** Share of the landmarks' spread along each axis. The two axes do not show the remaining spread. */
  readonly share: readonly [number, number];
}

/** Places n rows on two axes. `between`: distance of two rows. `cost`: work of computing one distance, counted in columns. */
export function principalCoordinates(between: (i: number, j: number) => number, n: number, cost = 1): PrincipalCoordinates {
  return drain(principalCoordinatesSteps(between, n, cost));
}

/**
 * LANDMARKS, LEAST_LANDMARKS: maximum and minimum number of landmarks. MOST_WORK: maximum work to place all rows. A distance over d columns
 * has the work d.
 */
const LANDMARKS = 200;
const LEAST_LANDMARKS = 50;
const MOST_WORK = 1e9;
/** Work between two pauses. */
const STEP = 1e7;

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

/** Double centring, -½ J D² J: squared distances become dot products of positions relative to their mean. */
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

/**
 * The names of up to three columns with large weights, at least half of the largest weight. "-" marks columns that decrease along the axis.
 */
export function strongestColumns(
  { loadings, columns, deviations }: PrincipalComponents,
  component: 0 | 1,
  byDeviation: boolean,
): string {
  const weights = byDeviation ? loadings[component]!.map((value, j) => value * deviations[j]!) : loadings[component]!;
  const most = weights.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  return [...weights.keys()]
    .filter((j) => Math.abs(weights[j]!) >= most / 2)
    .sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b)
    .slice(0, 3)
    .map((j) => `${weights[j]! < 0 ? "−" : ""}${columns[j]}`)
    .join(", ");
}
