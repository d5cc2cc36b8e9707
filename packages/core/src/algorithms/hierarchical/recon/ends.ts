/**
 * The heights at which branches below a forbidden merge would end. A forbidden merge has no height. So the end of a branch below it is
 * its distance to the nearest other branch, as if nothing were forbidden. Then a group of rows with much space around it is a stable
 * cluster, regardless of the constraints on its neighbours.
 */
import type { Merge } from "../../../model/result.js";
import type { Step } from "../../../steps/index.js";
import { labelsOfBranches } from "../cut/merges.js";
import type { Linkage } from "../linkage.js";
import { distancesFor, type Ground } from "./distances.js";
import { rowsByBranch } from "./outliers.js";

/**
 * For each largest branch without a forbidden merge: the height of its merge with the nearest other branch of this kind. Undefined if
 * nothing is forbidden.
 */
export function* endSteps(
  merges: readonly Merge[],
  n: number,
  linkage: Linkage,
  ground: () => Ground,
): Generator<Step, ReadonlyMap<number, number> | undefined, void> {
  const tops = branchesBelowForbidden(merges, n);
  if (tops.length < 2) return undefined;
  const rows = rowsByBranch(labelsOfBranches(tops, merges, n), tops.length);
  const on = ground();
  const from = distancesFor(linkage, on);
  const distancesTo = from(rows);
  if (from.measureAll) yield* from.measureAll();
  const ends = new Map<number, number>();
  for (const [t, members] of rows.entries()) {
    yield { phase: "cutting", done: t, total: tops.length };
    const distances = distancesTo(members);
    distances[t] = Infinity;
    ends.set(
      tops[t]!,
      heightOf(
        linkage,
        distances.reduce((least, value) => Math.min(least, value), Infinity),
      ),
    );
  }
  return ends;
}

/** Converts a distance of `distancesFor` to a merge height. Distances between means are squares, and Ward heights contain a factor 2. */
function heightOf(linkage: Linkage, distance: number): number {
  if (linkage === "ward") return Math.sqrt(2 * distance);
  return linkage === "centroid" || linkage === "median" ? Math.sqrt(distance) : distance;
}

function branchesBelowForbidden(merges: readonly Merge[], n: number): number[] {
  const barred = new Uint8Array(n + merges.length);
  const tops: number[] = [];
  merges.forEach(([left, right, height], m) => {
    barred[n + m] = height === Infinity ? 1 : barred[left]! | barred[right]!;
    if (barred[n + m] === 1) for (const part of [left, right]) if (barred[part] === 0) tops.push(part);
  });
  return tops;
}
