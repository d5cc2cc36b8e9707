/** Chooses the clusters to show if there are many: the largest, the loosest, and clusters with broken constraints. */
import type { Instances, Violations } from "@coterie/core/internal";
import { columnComparison, expand, type RowComparison, readRow } from "@coterie/core/layout";

/** If there are more clusters than this, they are not listed one by one. */
export const MANY_CLUSTERS = 30;

const MOST_COLUMNS = 12;

/** Returns the clusters that get a column in a table, sorted by number. If there are too many clusters, returns the largest. */
export function clustersInColumns(sizes: readonly number[]): number[] {
  if (sizes.length <= MANY_CLUSTERS) return [...sizes.keys()];
  return highest(sizes, MOST_COLUMNS).sort((a, b) => a - b);
}

export function highest(values: ArrayLike<number>, most: number): number[] {
  return Array.from({ length: values.length }, (_, cluster) => cluster)
    .filter((cluster) => values[cluster]! > 0)
    .sort((a, b) => values[b]! - values[a]! || a - b)
    .slice(0, most);
}

export function brokenByCluster(violations: Violations, labels: Int32Array, k: number): Int32Array {
  const counts = new Int32Array(k);
  const count = (rows: readonly number[]): void => {
    for (const cluster of new Set(rows.map((row) => labels[row]!))) if (cluster >= 0) counts[cluster]!++;
  };
  for (const constraint of [...violations.mustLink, ...violations.cannotLink, ...violations.relative]) count(constraint);
  for (const [row] of violations.labels) count([row]);
  for (const { rows } of violations.exclusive) count(rows);
  return counts;
}

/**
 * MOST_ROWS and LEAST_ROWS: maximum and minimum number of compared rows of a cluster. MOST_WORK: maximum number of operations for all
 * clusters.
 */
const MOST_ROWS = 40;
const LEAST_ROWS = 4;
const MOST_WORK = 3e8;

/** For each cluster, the mean distance between two of its rows; 0 for a cluster of one row. Large clusters are sampled evenly. */
export function meanDistances(
  instances: Instances,
  labels: Int32Array,
  k: number,
  seen: RowComparison = columnComparison(instances),
): Float64Array {
  const { between } = seen;
  const distancesAmong = between
    ? (rows: readonly number[]) => (a: number, b: number) => between(rows[a]!, rows[b]!)
    : coordinateDistances(instances, seen);
  const most = rowsCompared(k, instances.d, seen.view?.root !== undefined);
  return Float64Array.from(membersOf(labels, k), (members) => {
    const rows = evenSample(members, most);
    return meanOfPairs(rows.length, distancesAmong(rows));
  });
}

/** The number of rows to compare in each cluster, so that all clusters together take at most `MOST_WORK` operations. */
function rowsCompared(k: number, d: number, mapped: boolean): number {
  const cost = (rows: number) => k * (rows * d * (mapped ? d : 1) + ((rows * rows) / 2) * d);
  let rows = MOST_ROWS;
  while (rows > LEAST_ROWS && cost(rows) > MOST_WORK) rows--;
  return rows;
}

function membersOf(labels: Int32Array, k: number): number[][] {
  const members = Array.from({ length: k }, (): number[] => []);
  labels.forEach((cluster, row) => {
    if (cluster >= 0) members[cluster]!.push(row);
  });
  return members;
}

function evenSample(rows: readonly number[], most: number): readonly number[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, s) => rows[Math.floor((s * rows.length) / most)]!);
}

function coordinateDistances(instances: Instances, { view = {} }: RowComparison) {
  const expansion = expand(instances, view);
  return (rows: readonly number[]) => {
    const mapped = rows.map((row) => {
      const read = new Float64Array(expansion.size);
      readRow(instances, expansion, row, read);
      return view.root ? view.root.into(read) : read;
    });
    return (a: number, b: number): number => {
      const [p, q] = [mapped[a]!, mapped[b]!];
      let sum = 0;
      for (let j = 0; j < p.length; j++) sum += (p[j]! - q[j]!) ** 2;
      return Math.sqrt(sum);
    };
  };
}

function meanOfPairs(count: number, between: (a: number, b: number) => number): number {
  let sum = 0;
  for (let a = 0; a < count; a++) for (let b = 0; b < a; b++) sum += between(a, b);
  return count < 2 ? 0 : sum / ((count * (count - 1)) / 2);
}
