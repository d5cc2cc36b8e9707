/** Reference for tests: the objectives of the MPCK family by their definitions, pair by pair, and random small problems. */
import fc from "fast-check";
import { plainWeights } from "../../../constraints/closure.reference.js";
import { constraints } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Points } from "../../../model/points.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";

type Pair = readonly [i: number, j: number, weight: number];

/** Every constraint, given or implied, with its weight. */
function pairsByDefinition(set: ConstraintSet): { readonly must: Pair[]; readonly cannot: Pair[] } {
  const pairs = plainWeights(set);
  const of = (kind: boolean): Pair[] => pairs.filter(({ must }) => must === kind).map(({ a, b, weight }) => [a, b, weight]);
  return { must: of(true), cannot: of(false) };
}

/** (x - y)ᵀA(x - y) for a full matrix A. */
export function squareUnder(a: readonly (readonly number[])[], x: readonly number[], y: readonly number[]): number {
  return a.reduce((sum, row, i) => sum + row.reduce((part, value, j) => part + value * (x[i]! - y[i]!) * (x[j]! - y[j]!), 0), 0);
}

export function rowsOf({ n, d, x }: Points): number[][] {
  return Array.from({ length: n }, (_, i) => [...x.subarray(i * d, (i + 1) * d)]);
}

export interface State {
  readonly rows: readonly (readonly number[])[];
  readonly labels: ArrayLike<number>;
  readonly centres: readonly (readonly number[])[];
  /** For each cluster: its full matrix A, log det A, and the squared distance of the farthest pair. */
  readonly metrics: readonly { readonly a: number[][]; readonly logDet: number; readonly farthest: number }[];
}

/** The objective of equation 6 (bilenko2004), with penalties under the metrics, computed pair by pair. */
export function metricObjectiveByDefinition(set: ConstraintSet, { rows, labels, centres, metrics }: State): number {
  const { must, cannot } = pairsByDefinition(set);
  let sum = 0;
  rows.forEach((row, i) => {
    const { a, logDet } = metrics[labels[i]!]!;
    sum += squareUnder(a, row, centres[labels[i]!]!) - logDet;
  });
  for (const [i, j, weight] of must) {
    if (labels[i] === labels[j]) continue;
    sum += (weight / 2) * squareUnder(metrics[labels[i]!]!.a, rows[i]!, rows[j]!);
    sum += (weight / 2) * squareUnder(metrics[labels[j]!]!.a, rows[i]!, rows[j]!);
  }
  for (const [i, j, weight] of cannot) {
    if (labels[i] !== labels[j]) continue;
    const { a, farthest } = metrics[labels[i]!]!;
    sum += weight * (farthest - squareUnder(a, rows[i]!, rows[j]!));
  }
  return sum;
}

/** The objective of equation 1 (bilenko2004), with constraint weights as penalties, computed pair by pair. */
export function costObjectiveByDefinition(set: ConstraintSet, { rows, labels, centres }: State): number {
  const { must, cannot } = pairsByDefinition(set);
  const distances = rows.reduce(
    (sum, row, i) => sum + row.reduce((part, v, j) => part + (v - centres[labels[i]!]![j]!) ** 2, 0),
    0,
  );
  const broken = [...must.filter(([i, j]) => labels[i] !== labels[j]), ...cannot.filter(([i, j]) => labels[i] === labels[j])];
  return broken.reduce((sum, [, , weight]) => sum + weight, distances);
}

/** The squared distance of the farthest pair of rows. */
export function farthestByDefinition(rows: readonly (readonly number[])[]): number {
  let most = 0;
  for (const x of rows)
    for (const y of rows)
      most = Math.max(
        most,
        x.reduce((sum, value, j) => sum + (value - y[j]!) ** 2, 0),
      );
  return most;
}

export interface Problem {
  readonly points: Points;
  readonly set: ConstraintSet;
  readonly k: number;
  readonly seed: number;
  /** Starts a random stream. Every call starts the same stream again. */
  readonly draw: () => Random;
}

/** Generates small random tables with constraints of all kinds, for property tests. */
export const problems: fc.Arbitrary<Problem> = fc
  .record({
    n: fc.integer({ min: 4, max: 14 }),
    d: fc.integer({ min: 1, max: 4 }),
    k: fc.integer({ min: 2, max: 4 }),
    must: fc.integer({ min: 0, max: 8 }),
    cannot: fc.integer({ min: 0, max: 8 }),
    extra: fc.constantFrom("none", "labels", "exclusive", "labels, exclusive"),
    seed: fc.nat(),
  })
  .map(({ n, d, k, must, cannot, extra, seed }) => {
    const random = randomFrom(seed);
    const points = pointsFromRows(Array.from({ length: n }, () => Array.from({ length: d }, () => random.normal())));
    const weight = (): number => [0.25, 1, 1, 2.5][random.int(4)]!;
    const pair = (): [number, number, number] => {
      const [i, j] = random.sample(n, 2);
      return [i!, j!, weight()];
    };
    const set = constraints(points, {
      mustLink: Array.from({ length: must }, pair),
      cannotLink: Array.from({ length: cannot }, pair),
      labels: extra.includes("labels")
        ? Array.from(random.sample(n, 4), (row) => [row, `c${random.int(3)}`, weight()] as const)
        : [],
      exclusive: extra.includes("exclusive")
        ? ["frame", "source"].slice(0, 1 + random.int(2)).map((column) => {
            return { column, codes: Int32Array.from({ length: n }, () => random.int(4) - 1), names: ["a", "b", "c"] };
          })
        : [],
    });
    return { points, set, k, seed, draw: () => randomFrom(seed).split("test") };
  });
