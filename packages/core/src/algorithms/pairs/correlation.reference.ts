/** Reference for tests: correlation clustering by its definition. Every partition is tried. */
import { closeConstraints } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { WeightedPairs } from "./correlation.js";

/** The weight of each pair of rows, n × n. Pairs without a score have the weight `unscored`. */
function weightsOf({ a, b, weight }: WeightedPairs, n: number, unscored: number): Float64Array {
  const table = new Float64Array(n * n).fill(unscored);
  a.forEach((i, p) => {
    table[i * n + b[p]!] = weight[p]!;
    table[b[p]! * n + i] = weight[p]!;
  });
  return table;
}

/**
 * Disagreement by its definition. It sums the absolute weights of pairs above 0 in different clusters, and of all other pairs in one
 * cluster.
 */
export function disagreementByPairs(pairs: WeightedPairs, labels: ArrayLike<number>, unscored: number): number {
  const n = labels.length;
  const table = weightsOf(pairs, n, unscored);
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) if ((labels[i] === labels[j]) !== table[i * n + j]! > 0) sum += Math.abs(table[i * n + j]!);
  return sum;
}

/** The least disagreement of all partitions that satisfy every constraint. */
export function leastDisagreement(pairs: WeightedPairs, set: ConstraintSet, unscored: number): number {
  const { n } = set;
  const table = weightsOf(pairs, n, unscored);
  const { component, apart } = closeConstraints(set);
  const labels = new Int32Array(n);
  let least = Infinity;
  const place = (row: number, clusters: number, sum: number): void => {
    if (row === n) {
      least = Math.min(least, sum);
      return;
    }
    for (let c = 0; c <= clusters; c++) {
      let [more, isAllowed] = [0, true];
      for (let i = 0; i < row; i++) {
        const together = labels[i] === c;
        if (together ? apart(component[i]!, component[row]!) : component[i] === component[row]) isAllowed = false;
        if (together !== table[i * n + row]! > 0) more += Math.abs(table[i * n + row]!);
      }
      labels[row] = c;
      if (isAllowed) place(row + 1, Math.max(clusters, c + 1), sum + more);
    }
  };
  place(0, 0, 0);
  return least;
}
