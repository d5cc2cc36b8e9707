/**
 * Normalised mutual information: the mutual information of a clustering and the truth, divided by the mean of their entropies.
 *
 * Strehl and Ghosh, Cluster ensembles, 2002, with the arithmetic mean. Two clusterings of one cluster each score 1.
 */
import { log } from "../linalg/elementary.js";
import type { Contingency } from "../structures/contingency.js";

export function normalizedMutualInformation(table: Contingency): number {
  const { n, start, column, count, rowSums, columnSums } = table;
  const occupied = (sums: Int32Array): number => sums.reduce((total, sum) => total + (sum > 0 ? 1 : 0), 0);
  // Equal up to cluster names, which includes one cluster against one class: returns exactly 1, independent of rounding in the sums
  // below.
  if (occupied(rowSums) === count.length && occupied(columnSums) === count.length) return 1;
  let information = 0;
  for (let r = 0; r < rowSums.length; r++) {
    for (let p = start[r]!; p < start[r + 1]!; p++) {
      information += (count[p]! / n) * log((n * count[p]!) / (rowSums[r]! * columnSums[column[p]!]!));
    }
  }
  // Rounding can leave a tiny value if the clusterings are independent.
  if (information <= 2.220446049250313e-16) return 0;
  return Math.min(1, information / ((entropy(rowSums, n) + entropy(columnSums, n)) / 2));
}

function entropy(sizes: Int32Array, n: number): number {
  let sum = 0;
  for (let s = 0; s < sizes.length; s++) {
    const size = sizes[s]!;
    if (size > 0) sum += (size / n) * log(n / size);
  }
  return sum;
}
