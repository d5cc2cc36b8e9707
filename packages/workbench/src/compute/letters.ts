/**
 * Gives letters to the clusters of a clustering, so that a cluster keeps its letter from one clustering to the next. Each cluster is
 * matched with at most one earlier cluster, by the number of common rows, and takes its letter. A cluster without a match takes the first
 * free letter.
 */
import { bestMatching, contingency } from "@coterie/core/internal";

export interface Lettered {
  readonly labels: Int32Array;
  readonly letters: readonly number[];
}

/** The letters of k clusters as numbers, 0 for A. If the earlier clustering has another number of rows, all letters are new. */
export function lettersOf(labels: Int32Array, k: number, before: Lettered | null): number[] {
  const letters = new Array<number>(k).fill(-1);
  if (before && before.labels.length === labels.length)
    matchedTo(labels, k, before.labels).forEach((earlier, cluster) => {
      letters[cluster] = earlier < 0 ? -1 : (before.letters[earlier] ?? -1);
    });
  const taken = new Set(letters);
  let free = 0;
  return letters.map((letter) => {
    if (letter >= 0) return letter;
    while (taken.has(free)) free++;
    taken.add(free);
    return free;
  });
}

/** For each cluster, its match in the other clustering; -1 for none. The matching is one to one, and has the largest possible overlap. */
export function matchedTo(labels: Int32Array, k: number, others: Int32Array): number[] {
  const table = contingency(labels, others);
  const matched = bestMatching(table);
  return Array.from({ length: k }, (_, cluster) => {
    const other = matched[cluster] ?? -1;
    // Clusters that have no row in common do not match.
    return other >= 0 && sharesRows(table, cluster, other) ? other : -1;
  });
}

function sharesRows({ start, column, count }: ReturnType<typeof contingency>, row: number, other: number): boolean {
  for (let p = start[row] ?? 0; p < (start[row + 1] ?? 0); p++) if (column[p] === other) return count[p]! > 0;
  return false;
}
