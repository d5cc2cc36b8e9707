/**
 * Small branches that were set aside while cutting join their nearest cluster, if that keeps the constraints (liu2011 §4.2.1). The
 * branch with the fewest clusters open to it goes first, so that it is not shut out by others.
 */

import { listsByKey } from "../../constraints/components.js";
import type { Closure } from "../../constraints/index.js";
import type { Triples } from "../../model/constraint-set.js";

/** The distance from a branch, given by its rows, to each cluster. */
export type DistancesTo = (rows: Int32Array) => Float64Array;

/**
 * Gives every row of the small branches a cluster, in `labels`, where they are -1; `branch` numbers them. False if some branch
 * can join none.
 */
export function placeBranches(
  labels: Int32Array,
  branch: Int32Array,
  branchCount: number,
  clusterCount: number,
  closure: Closure,
  relative: Triples,
  distancesTo: DistancesTo,
): boolean {
  const rowsOf = listsByKey(branch, branchCount);
  const members = Array.from({ length: branchCount }, (_, q) => rowsOf.items.subarray(rowsOf.start[q]!, rowsOf.start[q + 1]!));
  const distances = members.map(distancesTo);
  const statements = statementsBy(branch, branchCount, relative);
  const waiting = new Set(members.keys());
  while (waiting.size > 0) {
    let next = -1;
    let nextOpen: number[] = [];
    for (const q of waiting) {
      const open = openClusters(labels, branch, q, members[q]!, statements[q]!, clusterCount, closure, relative);
      const nearest = (list: readonly number[], of: number): number => Math.min(...list.map((g) => distances[of]![g]!));
      if (
        next >= 0 &&
        (open.length > nextOpen.length || (open.length === nextOpen.length && nearest(open, q) >= nearest(nextOpen, next)))
      )
        continue;
      next = q;
      nextOpen = open;
    }
    if (nextOpen.length === 0) return false;
    const cluster = nextOpen.reduce((best, g) => (distances[next]![g]! < distances[next]![best]! ? g : best));
    for (const row of members[next]!) labels[row] = cluster;
    waiting.delete(next);
  }
  return true;
}

/** Statements that name a row of each branch. */
function statementsBy(branch: Int32Array, branchCount: number, { a, b, c }: Triples): number[][] {
  const lists: number[][] = Array.from({ length: branchCount }, () => []);
  for (let s = 0; s < a.length; s++) {
    for (const q of new Set([branch[a[s]!]!, branch[b[s]!]!, branch[c[s]!]!])) if (q >= 0) lists[q]!.push(s);
  }
  return lists;
}

function openClusters(
  labels: Int32Array,
  branch: Int32Array,
  q: number,
  rows: Int32Array,
  statements: readonly number[],
  clusterCount: number,
  closure: Closure,
  { a, b, c }: Triples,
): number[] {
  const shut = new Uint8Array(clusterCount);
  for (const row of rows) {
    for (const other of closure.neighbours(closure.component[row]!)) {
      const label = labels[closure.members.items[closure.members.start[other]!]!]!;
      if (label >= 0) shut[label] = 1;
    }
  }
  for (const s of statements) {
    // ab|c is broken where c is with one of a and b, but not with the other.
    const [i, j, o] = [a[s]!, b[s]!, c[s]!];
    const [iHere, jHere, oHere] = [branch[i] === q, branch[j] === q, branch[o] === q];
    if (iHere && jHere) continue;
    if (oHere && !iHere && !jHere) {
      if (labels[i] === labels[j]) continue;
      for (const label of [labels[i]!, labels[j]!]) if (label >= 0) shut[label] = 1;
    } else if (!oHere) {
      const partner = labels[iHere ? j : i]!;
      const label = labels[o]!;
      if (label >= 0 && label !== partner) shut[label] = 1;
    }
  }
  return Array.from(shut.keys()).filter((g) => shut[g] === 0);
}
