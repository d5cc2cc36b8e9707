/**
 * Lists the constraints that a clustering violates, as given and in the given order, without expanding groups.
 *
 * - A must-link is violated if its rows are in different clusters, or if one of its rows is in no cluster.
 * - A cannot-link is violated if its rows are in the same cluster.
 * - ab|c is violated if a and b are in different clusters and c is in the cluster of a or b.
 * - If a hierarchy is given, ab|c is also violated unless a and b merge strictly before they merge with c. If the hierarchy satisfies
 *   ab|c, its cut satisfies ab|c too. Exception: a row that the cut left out and that later joined another cluster.
 * - A label is violated by rows outside the cluster of their class. Classes are matched one to one with clusters so that the most labels
 *   are satisfied. If no cluster is matched to a class, all its labels are violated.
 * - An exclusive group has one violation for each cluster that contains two or more of its rows.
 */

import type { ConstraintSet, Grouping, KnownLabels, Links, Triples } from "../model/constraint-set.js";
import type { Merge, Violations } from "../model/result.js";
import { insideMatch } from "../structures/assignment.js";
import { listsByKey } from "../structures/components.js";
import { groupCount } from "./component-graph.js";
import { meetingPlaces } from "./meeting.js";

export function violationsOf(set: ConstraintSet, labels: Int32Array, merges?: readonly Merge[] | undefined): Violations {
  const together = (i: number, j: number): boolean => labels[i]! >= 0 && labels[i] === labels[j];
  return {
    mustLink: brokenLinks(set.mustLinks, (a, b) => !together(a, b)),
    cannotLink: brokenLinks(set.cannotLinks, together),
    relative: brokenTriples(set.relative, together, merges && set.relative.a.length > 0 ? meetingPlaces(set.n, merges) : null),
    labels: brokenLabels(set.labels, labels),
    exclusive: set.exclusive.flatMap((grouping) => brokenGroups(grouping, labels)),
  };
}

function brokenLinks({ a, b }: Links, broken: (a: number, b: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let s = 0; s < a.length; s++) if (broken(a[s]!, b[s]!)) found.push([a[s]!, b[s]!]);
  return found;
}

type Triple = [number, number, number];

/** `meet`: number of the merge at which two rows meet. Merge numbers increase towards the root. */
function brokenTriples(
  { a, b, c }: Triples,
  together: (i: number, j: number) => boolean,
  meet: ((i: number, j: number) => number) | null,
): Triple[] {
  const found: Triple[] = [];
  for (let s = 0; s < a.length; s++) {
    const [i, j, other] = [a[s]!, b[s]!, c[s]!];
    const byClusters = !together(i, j) && (together(i, other) || together(j, other));
    if (byClusters || (meet && !(meet(i, j) < meet(i, other)))) found.push([i, j, other]);
  }
  return found;
}

function brokenLabels({ row, code, names }: KnownLabels, labels: Int32Array): [number, string][] {
  const clusters = row.map((i) => labels[i]!);
  const inside = insideMatch(code, clusters);
  const found: [number, string][] = [];
  for (let s = 0; s < row.length; s++) if (inside[s] === 0) found.push([row[s]!, names[code[s]!]!]);
  return found;
}

function brokenGroups(grouping: Grouping, labels: Int32Array): Violations["exclusive"][number][] {
  const groups = listsByKey(grouping.codes, groupCount(grouping));
  const found: { column: string; value: string; cluster: number; rows: number[] }[] = [];
  // For each cluster: the last group with a row in the cluster, the first row of this group, and the violation of this group, if any.
  const seen = new Map<number, { group: number; row: number; listed: (typeof found)[number] | null }>();
  for (let group = 0; group + 1 < groups.start.length; group++) {
    for (let p = groups.start[group]!; p < groups.start[group + 1]!; p++) {
      const row = groups.items[p]!;
      const cluster = labels[row]!;
      if (cluster < 0) continue;
      const last = seen.get(cluster);
      if (last?.group !== group) seen.set(cluster, { group, row, listed: null });
      else if (last.listed) last.listed.rows.push(row);
      else {
        last.listed = { column: grouping.column, value: grouping.names[group] ?? String(group), cluster, rows: [last.row, row] };
        found.push(last.listed);
      }
    }
  }
  return found;
}
