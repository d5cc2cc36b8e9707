/**
 * Cuts a hierarchy into k clusters (liu2011 §4.2.1). The hierarchy induces every relative constraint. Then any set of branches satisfies
 * the constraints ab|c: a and b meet below c, so a branch with a and c also contains b.
 *
 *     merges ──cutAside or cutByTriplets──> k branches, and small branches set aside ──joinNearest or joinKeeping──> labels
 *
 * - `cutAside` undoes merges until k branches count as clusters. Branches below a minimum size do not count. The paper does not say which
 *   merge is undone next. The options are the last merge, or the merge of the largest branch (docs/decisions, "cuts of ReCon").
 * - `cutByTriplets` is not in the paper, and works without a minimum size. It takes the k branches that satisfy the most triplet weight. A
 *   triplet ab|c is satisfied if a and b are in one branch and c is not. On ties the latest merges are undone. Without triplets this is the
 *   cut in merge order. If the triplets come from classes, the classes satisfy all of them, and no other cut does.
 *
 * `endSteps` computes heights of branches below a forbidden merge, for the best cut (`cut-best.ts`).
 */
import { violationCount } from "../../../constraints/counts.js";
import type { Closure } from "../../../constraints/index.js";
import { meetingPlaces } from "../../../constraints/meeting.js";
import { violationsOf } from "../../../constraints/violations.js";
import type { ConstraintSet, Triples } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import type { Step } from "../../../steps/index.js";
import { listsByKey } from "../../../structures/components.js";
import { cutToK, labelsOfBranches } from "../cut/merges.js";
import type { Linkage } from "../linkage.js";
import type { DistancesFrom } from "./distances.js";
import { distancesFor, type Ground } from "./distances.js";

interface Clusters {
  readonly labels: Int32Array;
  readonly notices: readonly string[];
}

interface CutRequest {
  readonly k: number;
  readonly linkage: Linkage;
  readonly cut: "merges" | "largest" | "triplets";
  /** Branches with fewer rows than this are set aside in the cut, and join a cluster afterwards. */
  readonly least: number;
  readonly outliersJoin: "keep" | "nearest";
}

/** A finished hierarchy and its constraints. `given`: the given constraints. `closure`: the closure with all implied constraints. */
interface Hierarchy {
  readonly merges: readonly Merge[];
  readonly closure: Closure;
  readonly relative: Triples;
  readonly given: ConstraintSet;
}

/** Cuts a finished hierarchy into k clusters, as the options request. If this is not possible, cuts in merge order and adds a notice. */
export function* clusterSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters, void> {
  const { merges, closure } = hierarchy;
  const { n, componentCount } = closure;
  const k = Math.min(request.k, componentCount);
  const notices = k < request.k ? [fewerClusters(k, request.k)] : [];
  const plain = (more: readonly string[]): Clusters => ({ labels: cutToK(merges, n, k), notices: [...notices, ...more] });
  if (request.cut === "merges" && request.least <= 1) return plain([]);
  const cut = { ...request, k };
  const found =
    request.outliersJoin === "nearest"
      ? yield* nearestSteps(hierarchy, cut, ground)
      : yield* keepingSteps(hierarchy, cut, ground);
  if (found) return { ...found, notices: [...notices, ...found.notices] };
  return plain([`There are no ${k} branches of ${Math.ceil(request.least)} rows or more: outliers were not set aside.`]);
}

/**
 * The rule of the paper: each small branch joins its nearest cluster, even if this violates constraints. Null if there are no k large
 * branches.
 */
function* nearestSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters | null, void> {
  const branches = branchesOf(hierarchy, request, new Set());
  if (!branches) return null;
  const aside = yield* asideSteps(branches, hierarchy, distancesFor(request.linkage, ground));
  const labels = joinNearest(aside);
  const broken = violationCount(violationsOf({ ...hierarchy.given, relative: hierarchy.relative }, labels));
  return { labels, notices: aside.rows.length > 0 ? [`${setAside(aside)}${breaking(broken)}`] : [] };
}

/**
 * Each small branch joins the nearest cluster that it can join without violating a constraint. If some small branches can join no cluster,
 * the largest of them count as clusters, and the cut is repeated. Null if there are no k large branches.
 */
function* keepingSteps(hierarchy: Hierarchy, request: CutRequest, ground: Ground): Generator<Step, Clusters | null, void> {
  const { closure, relative } = hierarchy;
  const distances = distancesFor(request.linkage, ground);
  const counted = new Set<number>();
  let countedRows = 0;
  for (;;) {
    const branches = branchesOf(hierarchy, request, counted);
    if (!branches) return null;
    const aside = yield* asideSteps(branches, hierarchy, distances);
    const { labels, unplaced, detours } = yield* joinKeepingSteps(aside, closure, relative);
    if (unplaced.length === 0) {
      const joined = aside.rows.length > 0 ? [`${setAside(aside)}${keeping(detours)}`] : [];
      return { labels, notices: [...joined, ...countedNotices(counted.size, countedRows)] };
    }
    const sizeOf = (q: number): number => aside.rows[q]!.length;
    const largest = [...unplaced].sort((p, q) => sizeOf(q) - sizeOf(p) || branches.aside[q]! - branches.aside[p]!);
    for (const q of largest.slice(0, Math.max(1, Math.floor(largest.length / 8)))) {
      counted.add(branches.aside[q]!);
      countedRows += sizeOf(q);
    }
    yield { phase: "cutting", done: counted.size, total: null };
  }
}

function branchesOf(
  { merges, closure, relative }: Hierarchy,
  { cut, k, least }: CutRequest,
  counted: ReadonlySet<number>,
): Branches | null {
  const { n, componentCount } = closure;
  const [counting, firm] = [{ least, counted }, n - componentCount];
  return cut === "triplets"
    ? cutByTriplets(merges, n, k, counting, firm, relative)
    : cutAside(merges, n, k, counting, firm, cut === "largest" ? "largest" : "latest");
}

function fewerClusters(k: number, asked: number): string {
  return `The must-links and labels leave only ${k} groups of rows: there are ${k} clusters instead of ${asked}.`;
}

function setAside({ rows }: Aside): string {
  const count = rows.reduce((sum, members) => sum + members.length, 0);
  return `Set aside while cutting: ${counted(count, "row")} in ${counted(rows.length, "small branch", "small branches")}.`;
}

function breaking(broken: number): string {
  const what = broken === 0 ? "no constraint" : counted(broken, "constraint");
  return ` Each branch then joined its nearest cluster, which breaks ${what}.`;
}

function keeping(detours: number): string {
  if (detours === 0) return " Each branch then joined its nearest cluster.";
  return ` Each branch then joined the nearest cluster that keeps every constraint, which for ${detours} of them is not the nearest of all.`;
}

function countedNotices(branches: number, rows: number): string[] {
  if (branches === 0) return [];
  return [
    `${counted(branches, "small branch", "small branches")} of ${counted(rows, "row")} could join no cluster without breaking a constraint, and so counted as clusters in the cut (outliers-join nearest also joins such branches, and lists the broken constraints).`,
  ];
}

/**
 * Distances between rows of small branches and all rows of the table that are computed in one step; after each step the generator yields.
 */
const PAIRS_PER_STEP = 100_000;

function* asideSteps(
  { clusters, aside }: Branches,
  { merges, closure: { n } }: Hierarchy,
  distancesFrom: DistancesFrom,
): Generator<Step, Aside, void> {
  const labels = labelsOfBranches(clusters, merges, n);
  const branch = labelsOfBranches(aside, merges, n);
  const rows = rowsByBranch(branch, aside.length);
  if (aside.length === 0) return { labels, branch, rows, distances: [] };
  const distancesTo = distancesFrom(rowsByBranch(labels, clusters.length));
  const distances: Float64Array[] = [];
  let pairs = 0;
  for (const members of rows) {
    pairs += members.length * n;
    if (pairs > PAIRS_PER_STEP) {
      pairs = 0;
      yield { phase: "joining outliers", done: distances.length, total: rows.length };
    }
    distances.push(distancesTo(members));
  }
  return { labels, branch, rows, distances };
}

export interface Branches {
  readonly clusters: readonly number[];
  /** Small branches. They are in no cluster yet. */
  readonly aside: readonly number[];
}

/** Which branches count as clusters: branches of at least `least` rows, and the branches in `counted`. */
export interface Counting {
  readonly least: number;
  readonly counted?: ReadonlySet<number>;
}

/**
 * Undoes merges from the root down until k branches count as clusters. Merges at Infinity are undone first. Null if this is not possible.
 * firm: the number of merges at the start of the hierarchy that are never undone.
 */
export function cutAside(
  merges: readonly Merge[],
  n: number,
  k: number,
  { least, counted }: Counting,
  firm: number,
  undoing: "latest" | "largest",
): Branches | null {
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  const isLarge = (node: number): boolean => sizeOf(node) >= least || counted?.has(node) === true;
  const isForbidden = (node: number): boolean => merges[node - n]![2] === Infinity;
  /** A merge is undone only if it is forbidden, or if one of its parts counts as a cluster. */
  const canBeUndone = (node: number): boolean =>
    node >= n + firm && (isForbidden(node) || merges[node - n]!.slice(0, 2).some(isLarge));
  const rank = undoing === "latest" ? (node: number) => node : sizeOf;
  const before = (p: number, q: number): boolean =>
    isForbidden(p) === isForbidden(q) ? rank(p) > rank(q) || (rank(p) === rank(q) && p > q) : isForbidden(p);
  const open: number[] = [];
  const whole: number[] = [];
  let large = 0;
  const add = (node: number): void => {
    (canBeUndone(node) ? open : whole).push(node);
    if (isLarge(node)) large++;
  };
  add(n + merges.length - 1);
  while (open.length > 0) {
    let at = 0;
    for (let p = 1; p < open.length; p++) if (before(open[p]!, open[at]!)) at = p;
    const node = open[at]!;
    if (large >= k && !isForbidden(node)) break;
    open[at] = open.at(-1)!;
    open.pop();
    if (isLarge(node)) large--;
    add(merges[node - n]![0]);
    add(merges[node - n]![1]);
  }
  if (large !== k) return null;
  const all = [...open, ...whole].sort((p, q) => p - q);
  return { clusters: all.filter(isLarge), aside: all.filter((node) => !isLarge(node)) };
}

/**
 * The k branches that count as clusters and satisfy the largest weight of triplets. Null if there are no such branches. firm: the number of
 * merges at the start of the hierarchy that are never undone.
 */
function cutByTriplets(
  merges: readonly Merge[],
  n: number,
  k: number,
  { least, counted }: Counting,
  firm: number,
  relative: Triples,
): Branches | null {
  const satisfied = satisfiedWeights(merges, n, relative);
  const single: Choice = { gain: [-Infinity, 0], lateness: [0, 0], left: [0, 0] };
  const best: Choice[] = Array.from({ length: n }, (_, row) => (least <= 1 || counted?.has(row) ? single : ASIDE));
  const barred = new Uint8Array(n + merges.length);
  merges.forEach(([left, right, height, size], m) => {
    const node = n + m;
    barred[node] = height === Infinity ? 1 : barred[left]! | barred[right]!;
    const whole = barred[node] === 1 ? -Infinity : satisfied[node]!;
    if (size < least && barred[node] === 0 && !counted?.has(node)) best.push(ASIDE);
    else if (m < firm) best.push({ gain: [-Infinity, whole], lateness: [0, 0], left: [0, 0] });
    else best.push(combine(best[left]!, best[right]!, whole, m - merges.length, k));
    // Frees memory: `descend` reads only the field `left`.
    for (const child of [left, right]) best[child] = { ...best[child]!, gain: [], lateness: [] };
  });
  const top = best.at(-1)!.gain[k];
  return top === undefined || top === -Infinity ? null : descend(best, merges, n, k);
}

/** By node: the weight of the triplets ab|c for which the node contains a and b, but not c. */
function satisfiedWeights(merges: readonly Merge[], n: number, { a, b, c, weight }: Triples): Float64Array {
  const satisfied = new Float64Array(n + merges.length);
  const meet = meetingPlaces(n, merges);
  for (let s = 0; s < a.length; s++) {
    const [low, high] = [meet(a[s]!, b[s]!), meet(a[s]!, c[s]!)];
    if (low >= high) continue;
    const w = weight[s] === Infinity ? 1 : weight[s]!;
    satisfied[low]! += w;
    satisfied[high]! -= w;
  }
  merges.forEach(([left, right], m) => {
    satisfied[n + m]! += satisfied[left]! + satisfied[right]!;
  });
  return satisfied;
}

/**
 * The best choices of branches below a node. Entry p of each list describes the best choice of p branches. `gain`: satisfied weight.
 * `lateness`: sum over the undone merges, larger for later merges. `left`: number of branches in the left child plus 1, or 0 if the whole
 * node is one branch.
 */
interface Choice {
  readonly gain: number[];
  readonly lateness: number[];
  readonly left: number[];
}

const ASIDE: Choice = { gain: [0], lateness: [0], left: [0] };

/**
 * Computes the best choices below a node from the best choices below its two children. whole: gain if the node is one branch. late:
 * lateness of this merge, its number minus the number of merges. It is negative, so undoing fewer or later merges gives a larger sum.
 */
function combine(left: Choice, right: Choice, whole: number, late: number, k: number): Choice {
  const choice: Choice = { gain: [-Infinity, whole], lateness: [0, 0], left: [0, 0] };
  for (let p = 0; p < left.gain.length; p++) {
    for (let q = p === 0 ? 1 : 0; q < right.gain.length && p + q <= k; q++) {
      const at = p + q;
      const gain = left.gain[p]! + right.gain[q]!;
      const lateness = left.lateness[p]! + right.lateness[q]! + late;
      const old = choice.gain[at];
      if (old !== undefined && (gain < old || (gain === old && (gain === -Infinity || lateness <= choice.lateness[at]!))))
        continue;
      choice.gain[at] = gain;
      choice.lateness[at] = lateness;
      // Plus 1, because 0 means that the whole node is one branch.
      choice.left[at] = p + 1;
    }
  }
  return choice;
}

function descend(best: readonly Choice[], merges: readonly Merge[], n: number, k: number): Branches {
  const clusters: number[] = [];
  const aside: number[] = [];
  const open: [node: number, count: number][] = [[n + merges.length - 1, k]];
  while (open.length > 0) {
    const [node, count] = open.pop()!;
    const onLeft = best[node]!.left[count]! - 1;
    if (onLeft < 0) {
      (count === 1 ? clusters : aside).push(node);
      continue;
    }
    const [left, right] = merges[node - n]!;
    open.push([left, onLeft], [right, count - onLeft]);
  }
  return { clusters, aside };
}

/*
 * Small branches that were set aside in the cut join a cluster (liu2011 §4.2.1). There are two rules: the nearest cluster, as in the paper;
 * or the nearest cluster that satisfies every constraint, which is not in the paper.
 *
 * The second rule works in several passes:
 *
 * 1. All branches join their nearest cluster. Branches in a violated constraint are placed again, the branch with the fewest available
 *    clusters first.
 * 2. If some branches find no cluster, all branches are placed again.
 * 3. If some branches still find no cluster, all branches are placed again, and these branches come first.
 *
 * The pass that leaves the fewest branches without a cluster is used.
 */

export interface Aside {
  /** By row: its cluster; -1 for rows of set-aside branches. */
  readonly labels: Int32Array;
  /** `branch`, by row: the set-aside branch of the row, -1 for none. `rows`, by set-aside branch: its rows. */
  readonly branch: Int32Array;
  readonly rows: readonly Int32Array[];
  /** By set-aside branch: the distance to each cluster. */
  readonly distances: readonly Float64Array[];
}

export interface Joined {
  /** By row: its cluster, -1 for rows of unplaced branches. */
  readonly labels: Int32Array;
  /** Set-aside branches that could join no cluster without violating a constraint. */
  readonly unplaced: readonly number[];
  readonly detours: number;
}

/** Elements read in one step, about 20 ms; after each step the generator yields. */
const WORK_PER_STEP = 2_000_000;

/** Every branch joins its nearest cluster, even if that violates constraints. */
function joinNearest({ labels, rows, distances }: Aside): Int32Array {
  const joined = labels.slice();
  rows.forEach((members, q) => {
    const nearest = nearestOf(distances[q]!, null);
    for (const row of members) joined[row] = nearest;
  });
  return joined;
}

function* joinKeepingSteps(aside: Aside, closure: Closure, relative: Triples): Generator<Step, Joined, void> {
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

/**
 * Places the set-aside branches in `moved` one by one, each in the nearest cluster where it violates no constraint. Branches in `ahead`
 * come first. All other branches join their nearest cluster.
 */
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
 * The clusters that a branch can join without violating a constraint: `count`, their number; `nearest`, the nearest of them (-1 for none);
 * `distance`, the distance from the branch to `nearest`.
 */
interface Available {
  readonly count: number;
  readonly nearest: number;
  readonly distance: number;
}

/** The next branch to place: branches of `ahead` first, then fewest available clusters, least distance, lowest number. */
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

/** The nearest cluster that is not excluded. On ties the lowest number; -1 if all clusters are excluded. */
function nearestOf(distances: Float64Array, excluded: Uint8Array | null): number {
  let nearest = -1;
  for (let g = 0; g < distances.length; g++) {
    if (excluded?.[g] === 1) continue;
    if (nearest < 0 || distances[g]! < distances[nearest]!) nearest = g;
  }
  return nearest;
}

function tripletsBy({ branch, rows }: Aside, { a, b, c }: Triples): number[][] {
  const lists: number[][] = Array.from(rows, () => []);
  for (let s = 0; s < a.length; s++) {
    for (const q of new Set([branch[a[s]!]!, branch[b[s]!]!, branch[c[s]!]!])) if (q >= 0) lists[q]!.push(s);
  }
  return lists;
}

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
      // This branch has one of a and b; c and the partner, the other of a and b, are in one cluster. So this branch must join that cluster:
      // all other clusters are excluded.
      else for (let g = 0; g < excluded.length; g++) if (g !== label) excluded[g] = 1;
    }
  }
  const nearest = nearestOf(distances[q]!, excluded);
  const count = excluded.length - excluded.reduce((sum, flag) => sum + flag, 0);
  return { count, nearest, distance: nearest < 0 ? Infinity : distances[q]![nearest]! };
}

/** The must-link components of some rows. A branch always contains whole components. */
function componentsOf(rows: Int32Array, { component }: Closure): Set<number> {
  return new Set(rows.map((row) => component[row]!));
}

function firstRow({ members }: Closure, component: number): number {
  return members.items[members.start[component]!]!;
}

function rowsByBranch(branch: Int32Array, count: number): Int32Array[] {
  const { items, start } = listsByKey(branch, count);
  return Array.from({ length: count }, (_, q) => items.subarray(start[q]!, start[q + 1]!));
}

/*
 * The heights of branches below a forbidden merge. A forbidden merge has height Infinity, which is no distance. So the height at which such
 * a branch ends is its distance to the nearest other branch. A branch far from all others is then a stable cluster, even if constraints
 * forbid merges with it.
 */

/**
 * For each branch directly below a forbidden merge that contains no forbidden merge itself: the distance to the nearest other branch of
 * this kind, as a merge height. Undefined if no merge is forbidden.
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

/**
 * Converts a distance of `distancesFor` to a merge height. For linkages over means, the distance is a square. For Ward, the square of the
 * height is twice the distance.
 */
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
