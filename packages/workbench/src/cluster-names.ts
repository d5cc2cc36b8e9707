/** Clusters by the names of the classes that somebody gave to some of their rows. */
import type { ConstraintSet } from "@coterie/core/internal";

/** The class of most of a cluster's labelled rows, the earlier class on ties; null for a cluster without such rows, undefined if all are. */
export function clusterNames(
  labels: Int32Array,
  k: number,
  { row, code, names }: ConstraintSet["labels"],
): (string | null)[] | undefined {
  const counts = Array.from({ length: k }, () => new Map<number, number>());
  row.forEach((i, at) => {
    const cluster = labels[i]!;
    if (cluster < 0) return;
    const of = counts[cluster]!;
    of.set(code[at]!, (of.get(code[at]!) ?? 0) + 1);
  });
  const found = counts.map((of) => {
    const best = [...of].sort(([a, left], [b, right]) => right - left || a - b)[0];
    return best === undefined ? null : (names[best[0]] ?? null);
  });
  return found.some((name) => name !== null) ? found : undefined;
}
