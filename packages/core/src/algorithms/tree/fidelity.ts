/** How well rules match a clustering, cluster by cluster. */

export interface ClusterFidelity {
  readonly size: number;
  /** Number of rows that match the rule of the cluster. Rows in no cluster are ignored. */
  readonly caught: number;
  /** Share of the cluster's rows that match its rule (recall). */
  readonly coverage: number;
  /** Share of the rows matching the rule that are in the cluster (precision). 0 if no row matches. */
  readonly precision: number;
}

/** Compares the clusters of rows (`labels`) with the clusters from the rules (`given`). Rows with label -1 are ignored. */
export function clusterFidelities(labels: Int32Array, given: Int32Array, count: number): ClusterFidelity[] {
  const sizes = new Int32Array(count);
  const caught = new Int32Array(count);
  const right = new Int32Array(count);
  for (let i = 0; i < labels.length; i++) {
    if (labels[i]! < 0) continue;
    sizes[labels[i]!]!++;
    caught[given[i]!]!++;
    if (labels[i] === given[i]) right[labels[i]!]!++;
  }
  return Array.from(sizes, (size, c) => ({
    size,
    caught: caught[c]!,
    coverage: size > 0 ? right[c]! / size : 1,
    precision: caught[c]! > 0 ? right[c]! / caught[c]! : 0,
  }));
}
