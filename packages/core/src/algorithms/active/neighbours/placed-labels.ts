/**
 * Gives each row a cluster: the class with the most mass at the row, as far as known relations allow. All rows of a component get the same
 * cluster, and never the cluster of a component that must be apart from it. Components with the most mass choose first; a component for
 * which no cluster is left opens a new cluster.
 */
import type { Knowledge } from "../knowledge.js";
import { nearestMember } from "./neighbourhoods.js";

export interface PlacingOptions {
  /** Maximum number of clusters. */
  readonly most: number;
  readonly between: (i: number, j: number) => number;
}

/**
 * Returns the cluster of each row; null if more than `most` clusters are needed. `rows`: one row of each class. `mass`: n × classes, the
 * mass of each class at each row.
 */
export function placedLabels(
  knowledge: Knowledge,
  rows: readonly number[],
  mass: Float64Array,
  { most, between }: PlacingOptions,
): Int32Array | null {
  const { n } = knowledge;
  const classes = rows.length;
  if (classes > most) return null;
  const labels = new Int32Array(n).fill(-1);
  const give = (row: number, label: number): void => {
    for (const member of knowledge.members(row)) labels[member] = label;
  };
  rows.forEach(give);
  const nearestClass = (row: number, allowed: (c: number) => boolean): number => {
    let best = -1;
    let least = Infinity;
    rows.forEach((other, c) => {
      if (!allowed(c)) return;
      const { distance } = nearestMember(knowledge, row, other, between);
      if (distance < least || best < 0) [best, least] = [c, distance];
    });
    return best;
  };
  let clusters = classes;
  for (const { row, masses } of inOrder(knowledge, labels, mass, classes)) {
    const barred = new Set<number>();
    for (const other of knowledge.apartFrom(row)) barred.add(labels[other]!);
    const reached = bestOf(masses, (c) => !barred.has(c));
    const extra = Array.from({ length: clusters - classes }, (_, c) => classes + c).find((c) => !barred.has(c));
    const best = reached >= 0 ? reached : nearestClass(row, (c) => !barred.has(c));
    const label = best >= 0 ? best : (extra ?? clusters);
    if (label >= most) return null;
    clusters = Math.max(clusters, label + 1);
    give(row, label);
  }
  for (let row = 0; row < n; row++) {
    if (labels[row]! >= 0) continue;
    const reached = bestOf(mass.subarray(row * classes, (row + 1) * classes), () => true);
    labels[row] = reached >= 0 ? reached : nearestClass(row, () => true);
  }
  return labels;
}

/**
 * The components without a cluster that have several rows or must be apart from another component. `row`: one row. `masses`: the mass of
 * each class, summed over the rows. Components with the most mass come first.
 */
function inOrder(
  knowledge: Knowledge,
  labels: Int32Array,
  mass: Float64Array,
  classes: number,
): { readonly row: number; readonly masses: Float64Array }[] {
  const found: { readonly row: number; readonly masses: Float64Array; readonly most: number }[] = [];
  for (let row = 0; row < knowledge.n; row++) {
    if (labels[row]! >= 0 || knowledge.component(row) !== row) continue;
    if (knowledge.size(row) === 1 && !knowledge.isSeparated(row)) continue;
    const masses = new Float64Array(classes);
    for (const member of knowledge.members(row)) for (let c = 0; c < classes; c++) masses[c]! += mass[member * classes + c]!;
    found.push({ row, masses, most: masses.reduce((a, b) => Math.max(a, b), 0) });
  }
  return found.sort((a, b) => b.most - a.most || a.row - b.row);
}

/** The class with the most mass among those that `allowed` accepts, the first on ties; -1 if none of them has mass. */
function bestOf(masses: Float64Array, allowed: (c: number) => boolean): number {
  let best = -1;
  let most = 0;
  masses.forEach((value, c) => {
    if (value > most && allowed(c)) [best, most] = [c, value];
  });
  return best;
}
