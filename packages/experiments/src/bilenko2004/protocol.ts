/**
 * Section 4.1: five folds; pairs drawn at random from the rows of four of them; all rows clustered; pairwise F on the fifth. A run
 * is the mean over its folds, so runs are independent of each other but for the data. All schemes see the same folds and pairs;
 * every number of constraints is drawn for itself.
 */
import { drawFolds, generateConstraints, heldOutF, type Kernels, randomFrom, trainingPart } from "@coterie/core";
import type { Scheme } from "./schemes.js";
import type { Labelled } from "./sets.js";

export const FOLDS = 5;

/** Pairwise F by scheme, count of constraints, and run. */
export interface Curves {
  readonly set: string;
  readonly counts: readonly number[];
  readonly scores: ReadonlyMap<string, readonly (readonly number[])[]>;
}

export interface Extent {
  readonly counts: readonly number[];
  readonly runs: number;
  readonly seed: number;
}

export function learningCurves(
  set: string,
  points: Labelled,
  schemes: readonly Scheme[],
  { counts, runs, seed }: Extent,
  kernels: Kernels,
): Curves {
  const scores = new Map(schemes.map(({ name }) => [name, counts.map((): number[] => [])]));
  const random = randomFrom(seed).split(`folds of ${set}`);
  const k = points.truth.names.length;
  for (let run = 0; run < runs; run++) {
    const folds = drawFolds(points.n, FOLDS, random.split("run", run));
    counts.forEach((count, c) => {
      const sums = schemes.map(() => 0);
      for (let fold = 0; fold < FOLDS; fold++) {
        const index = (run * counts.length + c) * FOLDS + fold;
        const known = generateConstraints(trainingPart(points.truth, folds, fold), {
          count,
          random: random.split("pairs", index),
        });
        schemes.forEach(({ cluster }, s) => {
          const labels = cluster({ points, known, k, seed: index, kernels });
          sums[s]! += heldOutF(labels, points.truth, folds, fold) / FOLDS;
        });
      }
      schemes.forEach(({ name }, s) => {
        scores.get(name)![c]!.push(sums[s]!);
      });
    });
  }
  return { set, counts, scores };
}

/** Each run's mean over the counts from `from` to `to`. */
export function overCounts({ counts, scores }: Curves, scheme: string, from: number, to = Number.POSITIVE_INFINITY): number[] {
  const chosen = counts.flatMap((count, c) => (count >= from && count <= to ? [scores.get(scheme)![c]!] : []));
  return chosen[0]!.map((_, run) => chosen.reduce((sum, runs) => sum + runs[run]!, 0) / chosen.length);
}
