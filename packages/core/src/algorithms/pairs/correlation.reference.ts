/** Correlation clustering by its definition: every partition is tried. For tests only. */
import { closeConstraints, violationCount, violationsOf } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { WeightedPairs } from "./correlation.js";

/** The weight of disagreement, pair by pair. */
export function disagreementByPairs({ a, b, weight }: WeightedPairs, labels: ArrayLike<number>, unscored: number): number {
  let sum = 0;
  for (let i = 0; i < labels.length; i++)
    for (let j = i + 1; j < labels.length; j++) {
      const at = a.findIndex((row, p) => row === i && b[p] === j);
      const value = at < 0 ? unscored : weight[at]!;
      const together = labels[i] === labels[j];
      if (together ? value < 0 : value > 0) sum += Math.abs(value);
    }
  return sum;
}

/** The least disagreement of all partitions that keep every constraint. */
export function leastDisagreement(pairs: WeightedPairs, set: ConstraintSet, unscored: number): number {
  let least = Infinity;
  const labels = new Int32Array(set.n);
  const place = (row: number, clusters: number): void => {
    if (row === set.n) {
      if (violationCount(violationsOf(set, labels)) === 0) least = Math.min(least, disagreementByPairs(pairs, labels, unscored));
      return;
    }
    for (let c = 0; c <= clusters; c++) {
      labels[row] = c;
      place(row + 1, Math.max(clusters, c + 1));
    }
  };
  closeConstraints(set);
  place(0, 0);
  return least;
}
