/** Means and the objective of equation 1, where no metric is learned: free rows from the kernel, the others added. */

import { type LargeComponents, type Placement, sizeOf } from "../components/large-components.js";
import { linksOfLone, splitComponents } from "../components/lone.js";
import type { Run } from "../run.js";
import { violationCosts } from "../statements/violation-costs.js";
import { meansOf, ontoSphere } from "./centres.js";
import { wholesOf } from "./cluster-sums.js";
import type { Refilled } from "./empty-clusters.js";

/** All large components, and where they are. */
function largeIn({ lone, lonePlacement, tied, tiedPlacement }: Run): (readonly [LargeComponents, Placement])[] {
  return [...(lone ? [[lone, lonePlacement] as const] : []), ...(tied ? [[tied.large, tiedPlacement] as const] : [])];
}

/** The rows that neither the kernel nor the moments of a whole component stand for. */
function rowsToAdd(run: Run): number[] {
  const rows = Array.from(run.units.rows.items);
  for (const [large, placement] of largeIn(run)) {
    for (const c of splitComponents(placement)) {
      for (let f = large.start[c]!; f < large.start[c + 1]!; f++) rows.push(large.kernel.rows[f]!);
    }
  }
  return rows;
}

export function plainMeans(run: Run, refilled: readonly Refilled[]): Float64Array {
  const {
    ablation: { k, spherical },
    points: { d, x },
    free,
    units,
    labels,
    centres,
  } = run;
  const { sums, counts } = free.machine?.sums() ?? { sums: new Float64Array(k * d), counts: new Int32Array(k) };
  const add = (row: number, h: number, sign: number): void => {
    counts[h]! += sign;
    for (let j = 0; j < d; j++) sums[h * d + j]! += sign * x[row * d + j]!;
  };
  for (const { row, from, to } of refilled) {
    if (units.of[row]! >= 0) continue;
    add(row, from, -1);
    add(row, to, 1);
  }
  for (const [large, { cluster }] of largeIn(run)) {
    cluster.forEach((h, c) => {
      if (h < 0) return;
      counts[h]! += sizeOf(large, c);
      for (let j = 0; j < d; j++) sums[h * d + j]! += sizeOf(large, c) * large.mean[c * d + j]!;
    });
  }
  for (const row of rowsToAdd(run)) add(row, labels[row]!, 1);
  const means = meansOf(sums, counts, centres);
  if (spherical) ontoSphere(means, d);
  return means;
}

/** Squared distances to the centres, and the costs of violated constraints. */
export function plainObjective(run: Run, refilled: readonly Refilled[]): number {
  const {
    ablation: { k, penalty },
    points: { n, d, x },
    free,
    units,
    lone,
    lonePlacement,
    labels,
    centres,
    links,
  } = run;
  const square = (from: Float64Array, row: number, h: number): number => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (from[row * d + j]! - centres[h * d + j]!) * (from[row * d + j]! - centres[h * d + j]!);
    return sum;
  };
  let objective = free.machine?.inertia() ?? 0;
  for (const { row, from, to } of refilled) if (units.of[row]! < 0) objective += square(x, row, to) - square(x, row, from);
  let bound = 0;
  for (const [all, { cluster }] of largeIn(run)) {
    cluster.forEach((h, c) => {
      if (h < 0) return;
      bound += sizeOf(all, c) * square(all.mean, c, h);
      for (let j = 0; j < d; j++) bound += all.scatter[c * d + j]!;
    });
  }
  for (const row of rowsToAdd(run)) bound += square(x, row, labels[row]!);
  if (penalty !== "cost") return objective + bound;
  const split = lone ? splitComponents(lonePlacement) : [];
  if (split.length > 0) bound += violationCosts(linksOfLone(lone!, split, n), labels, k);
  return objective + bound + violationCosts(links, labels, k, wholesOf(run));
}
