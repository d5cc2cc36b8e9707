/**
 * Small branches that were set aside in the cut join a cluster (liu2011 §4.2.1): the nearest cluster, as in the paper; or the nearest
 * cluster that satisfies every constraint, which is not in the paper.
 *
 * For the second rule, all branches first join their nearest cluster. The branches in a violated constraint are then placed again, the
 * branch with the fewest available clusters first, so that other branches do not take its last cluster. If some branches still find no
 * cluster, all branches are placed again, and then once more with the unplaced branches first.
 */

import type { Closure } from "../../../constraints/index.js";
import type { Triples } from "../../../model/constraint-set.js";
import type { Step } from "../../../steps/index.js";
import { listsByKey } from "../../../structures/components.js";

/** The branches that were set aside, and their distances to the clusters. */
export interface Aside {
  /** By row: its cluster, -1 for rows of the branches. */
  readonly labels: Int32Array;
  /** `branch`, by row: its branch, -1 for none. `rows`, by branch: its rows. */
  readonly branch: Int32Array;
  readonly rows: readonly Int32Array[];
  /** By branch: the distance to each cluster. */
  readonly distances: readonly Float64Array[];
}

export interface Joined {
  /** By row: its cluster, -1 for rows of unplaced branches. */
  readonly labels: Int32Array;
  /** Branches that could join no cluster. */
  readonly unplaced: readonly number[];
  /** Number of branches that joined a cluster other than the nearest. */
  readonly detours: number;
}

/** Elements read between two yields, about 20 ms. */
const WORK_PER_STEP = 2_000_000;

/** Every branch joins its nearest cluster, even if that violates constraints. */
export function joinNearest({ labels, rows, distances }: Aside): Int32Array {
  const joined = labels.slice();
  rows.forEach((members, q) => {
    const nearest = nearestOf(distances[q]!, null);
    for (const row of members) joined[row] = nearest;
  });
  return joined;
}

/** Each branch joins the nearest cluster that satisfies every constraint, if there is such a cluster. */
export function* joinKeepingSteps(aside: Aside, closure: Closure, relative: Triples): Generator<Step, Joined, void> {
  const problem: Problem = { aside, closure, relative, tripletsOf: tripletsBy(aside, relative) };
  let best = yield* passSteps(problem, brokenBranches(problem), new Set());
  for (let pass = 0; pass < 2 && best.unplaced.length > 0; pass++) {
    const next = yield* passSteps(problem, new Set(aside.rows.keys()), new Set(pass === 0 ? [] : best.unplaced));
    if (next.unplaced.length < best.unplaced.length) best = next;
  }
  return best;
}

interface Problem {
  readonly aside: Aside;
  readonly closure: Closure;
  readonly relative: Triples;
  /** By branch: the triplets that contain one of its rows. */
  readonly tripletsOf: readonly (readonly number[])[];
}

/** Branches with a row in a constraint that is violated if all branches join their nearest cluster. */
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

/** Places the branches of `moved` one after the other, the branches of `ahead` first. All other branches join their nearest cluster. */
function* passSteps(problem: Problem, moved: ReadonlySet<number>, ahead: ReadonlySet<number>): Generator<Step, Joined, void> {
  const { rows, distances } = problem.aside;
  const labels = joinNearest(problem.aside);
  for (const q of moved) for (const row of rows[q]!) labels[row] = -1;
  const available = new Map(Array.from(moved, (q) => [q, availableTo(problem, labels, q)]));
  const pending = Int32Array.from(moved).sort();
  const unplaced: number[] = [];
  let detours = 0;
  let work = 0;
  for (let left = pending.length; left > 0; left--) {
    work += left;
    if (work > WORK_PER_STEP) {
      work = 0;
      yield { phase: "joining outliers", done: pending.length - left, total: pending.length };
    }
    const at = nextOf(pending, left, available, ahead);
    const q = pending[at]!;
    pending[at] = pending[left - 1]!;
    const { count, nearest } = available.get(q)!;
    if (count === 0) {
      unplaced.push(q);
      continue;
    }
    for (const row of rows[q]!) labels[row] = nearest;
    if (nearest !== nearestOf(distances[q]!, null)) detours++;
    for (const p of affectedBy(problem, q)) {
      if (!moved.has(p)) continue;
      work += problem.tripletsOf[p]!.length + rows[p]!.length;
      available.set(p, availableTo(problem, labels, p));
    }
  }
  return { labels, unplaced, detours };
}

/**
 * The clusters that a branch can join without violating a constraint: their number, the nearest of them (-1 for none), and its distance.
 */
interface Available {
  readonly count: number;
  readonly nearest: number;
  readonly distance: number;
}

/**
 * The index, among the first `left` pending branches, of the branch to place next: fewest available clusters, then the least distance,
 * then the lowest number.
 */
function nextOf(
  pending: Int32Array,
  left: number,
  available: ReadonlyMap<number, Available>,
  ahead: ReadonlySet<number>,
): number {
  let at = 0;
  for (let p = 1; p < left; p++) if (isBefore(pending[p]!, pending[at]!, available, ahead)) at = p;
  return at;
}

function isBefore(p: number, q: number, available: ReadonlyMap<number, Available>, ahead: ReadonlySet<number>): boolean {
  if (ahead.has(p) !== ahead.has(q)) return ahead.has(p);
  const [ours, theirs] = [available.get(p)!, available.get(q)!];
  if (ours.count !== theirs.count) return ours.count < theirs.count;
  return ours.distance !== theirs.distance ? ours.distance < theirs.distance : p < q;
}

/** The nearest cluster that is not excluded. The first of equally near clusters, -1 for none. */
function nearestOf(distances: Float64Array, excluded: Uint8Array | null): number {
  let nearest = -1;
  for (let g = 0; g < distances.length; g++) {
    if (excluded?.[g] === 1) continue;
    if (nearest < 0 || distances[g]! < distances[nearest]!) nearest = g;
  }
  return nearest;
}

/** By branch: the triplets that contain one of its rows. */
function tripletsBy({ branch, rows }: Aside, { a, b, c }: Triples): number[][] {
  const lists: number[][] = Array.from(rows, () => []);
  for (let s = 0; s < a.length; s++) {
    for (const q of new Set([branch[a[s]!]!, branch[b[s]!]!, branch[c[s]!]!])) if (q >= 0) lists[q]!.push(s);
  }
  return lists;
}

/** Other branches whose available clusters may change when branch q joins a cluster. */
function affectedBy({ aside: { branch, rows }, closure, relative: { a, b, c }, tripletsOf }: Problem, q: number): Set<number> {
  const found = new Set<number>();
  for (const s of tripletsOf[q]!) for (const row of [a[s]!, b[s]!, c[s]!]) found.add(branch[row]!);
  for (const component of componentsOf(rows[q]!, closure)) {
    for (const other of closure.neighbours(component)) found.add(branch[firstRow(closure, other)]!);
  }
  found.delete(-1);
  found.delete(q);
  return found;
}

function availableTo({ aside, closure, relative: { a, b, c }, tripletsOf }: Problem, labels: Int32Array, q: number): Available {
  const { branch, rows, distances } = aside;
  const excluded = new Uint8Array(distances[q]!.length);
  for (const component of componentsOf(rows[q]!, closure)) {
    for (const other of closure.neighbours(component)) {
      const label = labels[firstRow(closure, other)]!;
      if (label >= 0) excluded[label] = 1;
    }
  }
  for (const s of tripletsOf[q]!) {
    // ab|c is violated if c is with exactly one of a and b.
    const [i, j, o] = [a[s]!, b[s]!, c[s]!];
    const [iHere, jHere, oHere] = [branch[i] === q, branch[j] === q, branch[o] === q];
    if (iHere && jHere) continue;
    if (oHere && !iHere && !jHere) {
      if (labels[i] === labels[j]) continue;
      for (const label of [labels[i]!, labels[j]!]) if (label >= 0) excluded[label] = 1;
    } else if (!oHere) {
      const partner = labels[iHere ? j : i]!;
      const label = labels[o]!;
      if (label < 0) continue;
      if (label !== partner) excluded[label] = 1;
      // c and the partner are already in one cluster, so this branch must join it too.
      else for (let g = 0; g < excluded.length; g++) if (g !== label) excluded[g] = 1;
    }
  }
  const nearest = nearestOf(distances[q]!, excluded);
  const count = excluded.length - excluded.reduce((sum, flag) => sum + flag, 0);
  return { count, nearest, distance: nearest < 0 ? Infinity : distances[q]![nearest]! };
}

/** The must-link components of some rows, each once. A branch contains components as a whole. */
function componentsOf(rows: Int32Array, { component }: Closure): Set<number> {
  return new Set(rows.map((row) => component[row]!));
}

function firstRow({ members }: Closure, component: number): number {
  return members.items[members.start[component]!]!;
}

/** The rows of each branch, from the branch of each row. */
export function rowsByBranch(branch: Int32Array, count: number): Int32Array[] {
  const { items, start } = listsByKey(branch, count);
  return Array.from({ length: count }, (_, q) => items.subarray(start[q]!, start[q + 1]!));
}
