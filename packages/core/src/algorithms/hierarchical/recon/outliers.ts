/**
 * Small branches that were set aside while cutting join a cluster (liu2011 §4.2.1): the nearest one, as the paper says; or the nearest
 * that keeps every constraint, which is ours.
 *
 * In ours all go to their nearest cluster first, and those with a part in a broken constraint are placed anew. Of these the branch with the
 * fewest clusters open to it goes first, so that it is not shut out by others. Where some are shut out all the same, all
 * branches are placed anew, and then once more with those ahead.
 */

import type { Closure } from "../../../constraints/index.js";
import type { Triples } from "../../../model/constraint-set.js";
import type { Step } from "../../../steps/index.js";
import { listsByKey } from "../../../structures/components.js";

/** Branches without a cluster, and how far the clusters are from them. */
export interface Aside {
  /** By row, its cluster; -1 in the branches. */
  readonly labels: Int32Array;
  /** By row, the branch it is in, -1 for none; and the rows of each. */
  readonly branch: Int32Array;
  readonly rows: readonly Int32Array[];
  /** By branch, the distance to each cluster. */
  readonly distances: readonly Float64Array[];
}

export interface Joined {
  /** By row, its cluster; -1 in branches that are shut out. */
  readonly labels: Int32Array;
  /** Branches that could join no cluster. */
  readonly shutOut: readonly number[];
  /** Branches that joined another cluster than the nearest. */
  readonly detours: number;
}

/** Elements looked at between two steps: some 20 ms. */
const WORK_PER_STEP = 2_000_000;

/** Every branch joins its nearest cluster, whatever that breaks. */
export function joinNearest({ labels, rows, distances }: Aside): Int32Array {
  const joined = labels.slice();
  rows.forEach((members, q) => {
    const nearest = nearestOf(distances[q]!, null);
    for (const row of members) joined[row] = nearest;
  });
  return joined;
}

/** Branches join the nearest cluster that keeps every constraint, as far as there is one. */
export function* joinKeepingSteps(aside: Aside, closure: Closure, relative: Triples): Generator<Step, Joined, void> {
  const problem: Problem = { aside, closure, relative, tripletsOf: tripletsBy(aside, relative) };
  let best = yield* passSteps(problem, brokenBranches(problem), new Set());
  for (let pass = 0; pass < 2 && best.shutOut.length > 0; pass++) {
    const next = yield* passSteps(problem, new Set(aside.rows.keys()), new Set(pass === 0 ? [] : best.shutOut));
    if (next.shutOut.length < best.shutOut.length) best = next;
  }
  return best;
}

interface Problem {
  readonly aside: Aside;
  readonly closure: Closure;
  readonly relative: Triples;
  /** By branch, the triplets that name one of its rows. */
  readonly tripletsOf: readonly (readonly number[])[];
}

/** Branches with a part in a constraint that is broken when all join their nearest cluster. */
function brokenBranches({ aside, closure, relative: { a, b, c } }: Problem): Set<number> {
  const { branch, rows } = aside;
  const labels = joinNearest(aside);
  const found = new Set<number>();
  for (let s = 0; s < a.length; s++) {
    const [i, j, o] = [a[s]!, b[s]!, c[s]!];
    if (labels[i] === labels[j] || (labels[o] !== labels[i] && labels[o] !== labels[j])) continue;
    for (const row of [i, j, o]) if (branch[row]! >= 0) found.add(branch[row]!);
  }
  rows.forEach((members, q) => {
    for (const component of componentsOf(members, closure)) {
      for (const other of closure.neighbours(component)) {
        if (labels[firstRow(closure, other)] === labels[members[0]!]) found.add(q);
      }
    }
  });
  return found;
}

/** The nearest cluster for all but the branches of `anew`; these one after the other, those of `ahead` before the others. */
function* passSteps(problem: Problem, anew: ReadonlySet<number>, ahead: ReadonlySet<number>): Generator<Step, Joined, void> {
  const { rows, distances } = problem.aside;
  const labels = joinNearest(problem.aside);
  for (const q of anew) for (const row of rows[q]!) labels[row] = -1;
  const doors = new Map(Array.from(anew, (q) => [q, doorsOf(problem, labels, q)]));
  const waiting = Int32Array.from(anew).sort();
  const shutOut: number[] = [];
  let detours = 0;
  let work = 0;
  for (let left = waiting.length; left > 0; left--) {
    work += left;
    if (work > WORK_PER_STEP) {
      work = 0;
      yield { phase: "joining outliers", done: waiting.length - left, total: waiting.length };
    }
    const at = nextOf(waiting, left, doors, ahead);
    const q = waiting[at]!;
    waiting[at] = waiting[left - 1]!;
    const { count, nearest } = doors.get(q)!;
    if (count === 0) {
      shutOut.push(q);
      continue;
    }
    for (const row of rows[q]!) labels[row] = nearest;
    if (nearest !== nearestOf(distances[q]!, null)) detours++;
    for (const p of concerned(problem, q)) {
      if (!anew.has(p)) continue;
      work += problem.tripletsOf[p]!.length + rows[p]!.length;
      doors.set(p, doorsOf(problem, labels, p));
    }
  }
  return { labels, shutOut, detours };
}

/** Clusters that are open to a branch: how many, the nearest of them (-1 for none), and how far it is. */
interface Doors {
  readonly count: number;
  readonly nearest: number;
  readonly distance: number;
}

/** The place, in the first `left` of those that wait, of the branch that goes next: fewest doors, then nearest, then first. */
function nextOf(waiting: Int32Array, left: number, doors: ReadonlyMap<number, Doors>, ahead: ReadonlySet<number>): number {
  let at = 0;
  for (let p = 1; p < left; p++) if (isBefore(waiting[p]!, waiting[at]!, doors, ahead)) at = p;
  return at;
}

function isBefore(p: number, q: number, doors: ReadonlyMap<number, Doors>, ahead: ReadonlySet<number>): boolean {
  if (ahead.has(p) !== ahead.has(q)) return ahead.has(p);
  const [ours, theirs] = [doors.get(p)!, doors.get(q)!];
  if (ours.count !== theirs.count) return ours.count < theirs.count;
  return ours.distance !== theirs.distance ? ours.distance < theirs.distance : p < q;
}

/** The least of the distances, of those that are not shut; the first when equal, -1 for none. */
function nearestOf(distances: Float64Array, shut: Uint8Array | null): number {
  let nearest = -1;
  for (let g = 0; g < distances.length; g++) {
    if (shut?.[g] === 1) continue;
    if (nearest < 0 || distances[g]! < distances[nearest]!) nearest = g;
  }
  return nearest;
}

/** By branch, the triplets that name one of its rows. */
function tripletsBy({ branch, rows }: Aside, { a, b, c }: Triples): number[][] {
  const lists: number[][] = Array.from(rows, () => []);
  for (let s = 0; s < a.length; s++) {
    for (const q of new Set([branch[a[s]!]!, branch[b[s]!]!, branch[c[s]!]!])) if (q >= 0) lists[q]!.push(s);
  }
  return lists;
}

/** Other branches whose doors may change when this one has joined. */
function concerned({ aside: { branch, rows }, closure, relative: { a, b, c }, tripletsOf }: Problem, q: number): Set<number> {
  const found = new Set<number>();
  for (const s of tripletsOf[q]!) for (const row of [a[s]!, b[s]!, c[s]!]) found.add(branch[row]!);
  for (const component of componentsOf(rows[q]!, closure)) {
    for (const other of closure.neighbours(component)) found.add(branch[firstRow(closure, other)]!);
  }
  found.delete(-1);
  found.delete(q);
  return found;
}

function doorsOf({ aside, closure, relative: { a, b, c }, tripletsOf }: Problem, labels: Int32Array, q: number): Doors {
  const { branch, rows, distances } = aside;
  const shut = new Uint8Array(distances[q]!.length);
  for (const component of componentsOf(rows[q]!, closure)) {
    for (const other of closure.neighbours(component)) {
      const label = labels[firstRow(closure, other)]!;
      if (label >= 0) shut[label] = 1;
    }
  }
  for (const s of tripletsOf[q]!) {
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
      if (label < 0) continue;
      if (label !== partner) shut[label] = 1;
      // Both are there already: this one has to be there too.
      else for (let g = 0; g < shut.length; g++) if (g !== label) shut[g] = 1;
    }
  }
  const nearest = nearestOf(distances[q]!, shut);
  const count = shut.length - shut.reduce((sum, flag) => sum + flag, 0);
  return { count, nearest, distance: nearest < 0 ? Infinity : distances[q]![nearest]! };
}

/** The must-link components of some rows, each once; a branch holds them whole. */
function componentsOf(rows: Int32Array, { component }: Closure): Set<number> {
  return new Set(rows.map((row) => component[row]!));
}

function firstRow({ members }: Closure, component: number): number {
  return members.items[members.start[component]!]!;
}

/** The rows of each branch that `branch` numbers. */
export function rowsByBranch(branch: Int32Array, count: number): Int32Array[] {
  const { items, start } = listsByKey(branch, count);
  return Array.from({ length: count }, (_, q) => items.subarray(start[q]!, start[q + 1]!));
}
