/** How well rules tell the clusters of a clustering, cluster by cluster. */

export interface ClusterFidelity {
  /** Rows in the cluster. */
  readonly size: number;
  /** Rows in clusters that the cluster's rule holds for. */
  readonly caught: number;
  /** Of the cluster's rows, the share that its rule holds for. */
  readonly coverage: number;
  /** Of the rows that its rule holds for, the share that is in the cluster; 0 if there are none. */
  readonly precision: number;
}

/** Rows with label -1 are in no cluster and do not count. */
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
