/**
 * ReCon: builds a hierarchy from data that induces every relative constraint ab|c.
 *
 * Liu, Zhang, Wang: Clustering with Relative Constraints. KDD 2011. In each step the closest compatible pair of clusters merges. A pair is
 * compatible if a hierarchy that induces all triplets is still possible after the merge. So there is always a next merge, and every cut
 * satisfies the triplets. The cut can set small branches aside. By the rule of the paper (`outliersJoin: "nearest"`) they join their
 * nearest cluster, which can violate triplets.
 *
 * Departs from the paper, which does not cover these points:
 * - Must-links and labels: the rows of a component merge first, at height 0. Their order follows the linkage and the triplets.
 * - Cannot-links, labels of different classes and exclusive groups forbid merges. Forbidden merges come last, at height Infinity, above any
 *   cut. If k is given, a merge is also refused if k clusters could not satisfy these constraints after it. If no pair can merge while
 *   there are more than k clusters, the run is repeated with classes from a search (see `planClasses`).
 * - Contradictory triplets: an error names a minimal conflict. With `inconsistent: "largest"` a large consistent part of the triplets is
 *   used.
 * - By default small branches join the nearest cluster that they can join without violating a constraint. A branch that can join no cluster
 *   is not set aside: it counts as a cluster.
 * - Two more ways to cut the hierarchy (`cut: "largest"` and `cut: "triplets"`): see `cut.ts`.
 */

import * as z from "zod/mini";
import type { IncrementalColouring } from "../../../colouring/kept-colouring.js";
import {
  type Closure,
  closeConstraints,
  type Lists,
  noConstraints,
  refuseContradictions,
  refuseLargeGroups,
} from "../../../constraints/index.js";
import { badOption, CoterieError } from "../../../errors.js";
import { type F32, type F64, type Kernels, plainKernels } from "../../../kernels/index.js";
import type { ConstraintSet, Triples } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Merge, Result } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { oneOf, option, whole } from "../../../options.js";
import { randomFrom } from "../../../random/index.js";
import { drain, type Step, type Steps } from "../../../steps/index.js";
import { overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { distanceMatrixSteps } from "../../distance.js";
import { finish } from "../../finish.js";
import type { Context, Input, Outcome } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { checkedRun } from "../../run.js";
import { cutHierarchy } from "../cut/cut-hierarchy.js";
import { orderMerges } from "../cut/merges.js";
import { CUTS, type Cut, checkedCut, cutOptions } from "../cut/options.js";
import { distanceOptions, isMeansLinkage, type Linkage, mergeSteps, prepareLinkage } from "../linkage.js";
import { type Colours, type Compatibility, coloursFor, noColours, openCompatibility } from "./compatibility.js";
import { clusterSteps, endSteps } from "./cut.js";
import {
  closest,
  type Distances,
  forgetRefusals,
  isRefused,
  mergeSlots,
  openDistances,
  refuse,
  renew,
  searchRow,
  separate,
} from "./distances.js";
import { type ConsistentTriplets, consistentTriplets, type MemberTriplets, planClasses } from "./triplets.js";

const OUTLIERS = "a number of rows, or a share of them such as 5%";
const ROWS_OR_SHARE = /^(\d+(\.\d+)?|(\d{1,2}(\.\d+)?|100(\.0+)?)%)$/;

export const linkageWords = z.enum(["centroid", "complete", "average", "single", "ward", "median", "weighted"]);
export const cutWords = z.enum([...CUTS, "merges", "largest", "triplets"]);

export const reconOptions = z.strictObject({
  k: cutOptions.k,
  height: cutOptions.height,
  minClusterSize: cutOptions.minClusterSize,
  linkage: option(
    z.optional(linkageWords),
    "distance between clusters (default: centroid; average for tables with missing cells and for distances other than euclidean, because clusters have no centroid then)",
  ),
  ...distanceOptions,
  outliers: option(
    z._default(z.union([whole(0), z.string().check(z.regex(ROWS_OR_SHARE, OUTLIERS))], OUTLIERS), 0),
    "branches with fewer rows than this number, or than this share of the rows (such as 5%), do not become clusters; they join a cluster after the cut",
  ),
  outliersJoin: option(
    oneOf(["keep", "nearest"]),
    "which cluster the small branches of outliers join; keep: the nearest cluster in which they break no constraint; nearest: the nearest cluster, as in the paper, even if that breaks constraints",
  ),
  cut: option(
    z.optional(cutWords),
    "where the hierarchy is cut; k or merges: undo the last merges until there are k clusters; largest: split the largest branch until there are k clusters; triplets: into the k branches that satisfy the most relative constraints; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without)",
  ),
  inconsistent: option(
    oneOf(["error", "largest"]),
    "what to do if relative constraints contradict each other; error: stop; largest: keep a large consistent part of them",
  ),
  effort: option(
    z._default(whole(1), 200_000),
    "limit on the search for k clusters that keep all constraints, in nodes of the search tree",
    { shared: true },
  ),
});

export type CheckedReconOptions = z.output<typeof reconOptions>;

/** The linkage of a run. Adds a notice if the distances do not allow the default linkage. */
function linkageFor(points: Instances, { linkage, distance = "euclidean" }: CheckedReconOptions): Linked {
  if (linkage !== undefined) return { linkage, notices: [] };
  if (points.distances || (!points.holes && distance === "euclidean")) return { linkage: "centroid", notices: [] };
  const why = points.holes ? "Rows with missing cells" : `Under the distance "${distance}" rows`;
  return { linkage: "average", notices: [`${why} have no means: the linkage is average, not centroid.`] };
}

interface Linked {
  readonly linkage: Linkage;
  readonly notices: readonly string[];
}

/** Repeats only the cut of `recon`. merges: the hierarchy of an earlier run with the same points, constraints, k and linkage. */
export function recutRecon(
  points: Instances,
  constraints: ConstraintSet,
  merges: readonly Merge[],
  { kernels = plainKernels, ...options }: z.input<typeof reconOptions> & { readonly kernels?: Kernels },
): Result {
  const input = { points, constraints };
  const checked = checkedRun({ options: reconOptions, title: "ReCon" }, input, options);
  return finish(input, drain(reconSteps(input, checked, { kernels, random: randomFrom(0) }, merges)));
}

/** `made`: the merges of an earlier run; if given, only the cut is computed. */
export function* reconSteps(
  { points, constraints }: Input,
  asked: CheckedReconOptions,
  context: Context,
  made?: readonly Merge[],
): Steps<Outcome> {
  const { linkage, notices } = linkageFor(points, asked);
  const options = { ...asked, linkage };
  const { n, ids } = points;
  const way = checkCut(options, n);
  const least = thresholdOf(options.outliers, n);
  const given = closeConstraints(constraints);
  refuseContradictions(given, ids);
  if (options.k !== undefined) refuseLargeGroups(constraints, options.k, ids);
  const triplets = consistentTriplets(given, { inconsistent: options.inconsistent, ids });
  const closure = withImpliedCannotLinks(given, triplets.kept);
  const problem: Problem = { points, given: given.set, closure, triplets, least, way, options, notices, context, made };
  const first = yield* attemptSteps(problem, triplets, closure, noConstraints(constraints));
  if ("labels" in first) return first;
  const k = options.k!;
  const plan = planClasses(closure, triplets.between, k, options.effort);
  if (!plan) throw deadEnd(first.clusters, k);
  const second = yield* attemptSteps(problem, { ...triplets, between: plan.between }, withHeadsApart(closure, plan.heads), false);
  if (!("labels" in second)) throw deadEnd(second.clusters, k);
  return { ...second, notices: [...second.notices, PLANNED] };
}

const PLANNED =
  "Merging the closest clusters alone could not keep cannot-links and relative constraints together: their rows were put into classes first.";

interface Problem {
  readonly points: Instances;
  readonly given: ConstraintSet;
  readonly closure: Closure;
  readonly triplets: ConsistentTriplets;
  readonly least: number;
  readonly way: Cut | OwnCut;
  readonly options: CheckedReconOptions & { readonly linkage: Linkage };
  readonly notices: readonly string[];
  readonly context: Context;
  readonly made: readonly Merge[] | undefined;
}

/** Builds and cuts a hierarchy. Returns a dead end if no pair can merge while there are more than k clusters. */
function* attemptSteps(
  { points, given, closure, triplets, least, way, options, notices, context, made }: Problem,
  consistent: Pick<ConsistentTriplets, "between" | "inside">,
  apart: Closure,
  free: boolean,
): Generator<Step, Outcome | DeadEnd, void> {
  const colours = options.k === undefined ? noColours(apart) : coloursFor(apart, options.k, options.effort, points.ids);
  const prepared = prepareLinkage(options.linkage, points, options);
  const arena = context.kernels.arena();
  try {
    // With `made`, the matrix starts empty: the cut writes the distances that it needs.
    const matrix = made
      ? arena[prepared.storage](points.n * points.n)
      : yield* distanceMatrixSteps(prepared.points, prepared.metric, prepared.storage, context.kernels, arena);
    const tree = made
      ? { merges: made, notices: [] }
      : free
        ? { merges: yield* mergeSteps(options.linkage, matrix, points.n, context.kernels, arena), notices: [] }
        : yield* reconTreeSteps(matrix, apart, consistent, colours, options.linkage);
    if (!("merges" in tree)) return tree;
    const ground = { prepared, matrix, arena, kernels: context.kernels };
    const hierarchy = { merges: tree.merges, closure, relative: triplets.kept, given };
    const firm = points.n - closure.componentCount;
    const ends = way === "best" ? yield* endSteps(tree.merges, points.n, options.linkage, () => ground) : undefined;
    const cut =
      way === "best" || way === "height"
        ? cutHierarchy(way, tree.merges, { ...given, relative: triplets.kept }, { ...options, firm, ends })
        : yield* clusterSteps(hierarchy, { ...options, k: options.k!, cut: way === "k" ? "merges" : way, least }, ground);
    return {
      ...cut,
      merges: tree.merges,
      notices: [...notices, ...prepared.notices, ...triplets.notices, ...tree.notices, ...cut.notices],
    };
  } finally {
    arena.release();
  }
}

type OwnCut = "merges" | "largest" | "triplets";

function checkCut({ cut, outliers, ...options }: CheckedReconOptions, n: number): Cut | OwnCut {
  const own = cut === "merges" || cut === "largest" || cut === "triplets" ? cut : undefined;
  const way = checkedCut({ ...options, cut: own ? "k" : (cut as Cut | undefined) }, n);
  if (way !== "k" && thresholdOf(outliers, n) > 0)
    throw badOption("outliers", outliers, 'left out when the cut is "height" or "best"');
  return own ?? way;
}

function deadEnd(clusters: number, k: number): CoterieError {
  return new CoterieError({
    code: "gave-up",
    message: `Cannot-links and relative constraints together ended the merging at ${clusters} clusters, before ${k}, and no ${k} classes that keep all of them were found; whether there are any is not known. Ask for ${clusters} clusters or more, or raise the effort.`,
  });
}

function thresholdOf(outliers: number | string, n: number): number {
  const text = String(outliers);
  return text.endsWith("%") ? (Number(text.slice(0, -1)) / 100) * n : Number(text);
}

/** Merges rows into a hierarchy that induces every relative constraint and satisfies all other constraints. */
export const recon = /* @__PURE__ */ defineMethod({
  name: "recon",
  title: "ReCon",
  summary: "builds a hierarchy that satisfies every relative constraint, and keeps all other constraints",
  paper: "Liu, Zhang, Wang: Clustering with Relative Constraints. 2011",
  example: "recon(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).merges;",
  comparesMeans: ({ linkage }) => isMeansLinkage(linkage),
  onEngine: "micro-clusters",
  family: "hierarchy",
  seconds: overPairs(() => 2),
  treats: { mustLink: "hard", cannotLink: "hard", relative: "hard", labels: "hard", exclusive: "hard" },
  ...withLearnedMetric({ options: reconOptions, steps: reconSteps }),
});

/** Elements read in one step, about 20 ms; after each step the generator yields. */
const WORK_PER_STEP = 10_000_000;

/** A dead end: cannot-links and relative constraints allow no further merge. clusters: number of clusters that are left. */
export interface DeadEnd {
  readonly clusters: number;
}

/**
 * Builds the hierarchy: merges until one cluster is left. Overwrites the matrix. Returns a dead end if no pair can merge while there are
 * more than k clusters.
 */
function* reconTreeSteps(
  matrix: F64 | F32,
  closure: Closure,
  { between, inside }: Pick<ConsistentTriplets, "between" | "inside">,
  { colouring, vertexOf }: Colours,
  linkage: Linkage,
): Generator<Step, { readonly merges: readonly Merge[]; readonly notices: readonly string[] } | DeadEnd, void> {
  const { n, component, componentCount } = closure;
  const linked = yield* linkedMerges(matrix, closure, inside, linkage);
  const distances = openDistances(linkage, matrix, n);
  const rules = noRules(n);
  const merging = openMerging(distances, rules);
  for (const [x, y] of linked) mergePair(merging, x, y, 0, false);
  renew(distances);
  const slotOf = new Int32Array(componentCount);
  for (const slot of distances.slots.subarray(0, distances.count)) slotOf[component[slot]!] = slot;
  separateComponents(distances, closure, slotOf);
  for (let c = 0; c < componentCount; c++) rules.vertex[slotOf[c]!] = vertexOf[c]!;
  between.members.forEach((component, leaf) => {
    rules.cluster[slotOf[component]!] = leaf;
  });
  const triplets = compatibilityOf(between);
  const ruled = { ...merging, rules: { ...rules, triplets, colouring } };
  const complete = yield* mergeAllSteps(ruled);
  if (!complete) return { clusters: distances.count };
  return {
    merges: orderMerges(ruled.merges, n, "centroid"),
    notices: triplets
      ? [`${counted(triplets.counts.tests, "merge was", "merges were")} tested against the relative constraints.`]
      : [],
  };
}

function compatibilityOf({ triplets, members }: MemberTriplets) {
  return members.length === 0 ? null : openCompatibility(members.length, triplets);
}

/** The merges inside must-link components, one component after the other, each in ReCon's order. */
function* linkedMerges(
  matrix: F64 | F32,
  { members, componentCount, n }: Closure,
  inside: ConsistentTriplets["inside"],
  linkage: Linkage,
): Generator<Step, readonly (readonly [number, number])[], void> {
  const found: [number, number][] = [];
  for (let c = 0; c < componentCount; c++) {
    const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
    if (rows.length === 1) continue;
    const size = rows.length;
    const small = submatrix(matrix.view(), n, rows);
    const rules = noRules(size);
    const own = inside.get(c);
    own?.members.forEach((row, leaf) => {
      rules.cluster[rows.indexOf(row)] = leaf;
    });
    const triplets = own ? compatibilityOf(own) : null;
    const merging = openMerging(openDistances(linkage, { view: () => small }, size), { ...rules, triplets });
    yield* mergeAllSteps(merging);
    for (let m = 0; m < size - 1; m++) found.push([rows[merging.merges[3 * m]!]!, rows[merging.merges[3 * m + 1]!]!]);
  }
  return found;
}

function submatrix(d: Float64Array | Float32Array, n: number, rows: Int32Array): Float64Array {
  const size = rows.length;
  const small = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) small[i * size + j] = d[rows[i]! * n + rows[j]!]!;
  return small;
}

/** Sets the distances between clusters that must be apart to Infinity. */
function separateComponents(distances: Distances, { edges, cliques, componentCount }: Closure, slotOf: Int32Array): void {
  for (let c = 0; c < componentCount; c++) {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) separate(distances, slotOf[c]!, slotOf[edges.other[p]!]!);
  }
  const groups: Lists = cliques;
  for (let q = 0; q + 1 < groups.start.length; q++) {
    for (let p = groups.start[q]!; p < groups.start[q + 1]!; p++) {
      for (let r = p + 1; r < groups.start[q + 1]!; r++)
        separate(distances, slotOf[groups.items[p]!]!, slotOf[groups.items[r]!]!);
    }
  }
}

/*
 * The loop of ReCon (liu2011 §4.2). It merges the closest compatible pair until one cluster is left. A pair is compatible if a full
 * hierarchy is possible after the merge. A refused pair stays refused while both clusters exist, so each pair is tested once.
 *
 * Cannot-links: clusters that must be apart have distance Infinity. While there are more than k clusters, a merge is also refused if k
 * clusters could not satisfy every cannot-link after it. When all remaining pairs must be apart, they merge at height Infinity, above any
 * cut.
 */

/**
 * The rules that allow or forbid merges. `cluster`, by slot: number of the cluster in the triplet test, -1 if it is in no triplet.
 * `vertex`, by slot: vertex of the cluster in the colouring, -1 if it has none.
 */
interface Rules {
  readonly triplets: Compatibility | null;
  readonly cluster: Int32Array;
  readonly colouring: IncrementalColouring | null;
  readonly vertex: Int32Array;
}

interface Merging {
  readonly distances: Distances;
  readonly rules: Rules;
  /** The raw merges (slot, slot, height) made so far. */
  readonly merges: Float64Array;
  made: number;
}

function noRules(n: number): Rules {
  return { triplets: null, cluster: new Int32Array(n).fill(-1), colouring: null, vertex: new Int32Array(n).fill(-1) };
}

function openMerging(distances: Distances, rules: Rules): Merging {
  return { distances, rules, merges: new Float64Array(3 * Math.max(0, distances.n - 1)), made: 0 };
}

/** Makes all remaining merges. Returns false if no pair is allowed to merge while there are more than k clusters. */
function* mergeAllSteps(merging: Merging): Generator<Step, boolean, void> {
  const { distances, rules } = merging;
  const k = rules.colouring?.k ?? 0;
  const total = distances.n - 1;
  const isDue = pacer(merging);
  for (let p = 0; p < distances.count; p++) {
    searchRow(distances, distances.slots[p]!);
    if (!isDue()) continue;
    yield { phase: "merging", done: merging.made, total };
    renew(distances);
  }
  while (distances.count > 1) {
    const x = closest(distances);
    if (x >= 0) {
      const y = distances.nearest[x]!;
      if (!isAllowed(merging, x, y, distances.count > k)) searchRow(distances, x);
      else {
        mergePair(merging, x, y, distances.bound[x]!, true);
        // At k clusters the colouring no longer applies. So all refused pairs are allowed again.
        if (distances.count === k) forgetRefusals(distances);
      }
    } else if (distances.count > k && k > 0) return false;
    else mergeForbidden(merging);
    if (!isDue()) continue;
    yield { phase: "merging", done: merging.made, total };
    renew(distances);
  }
  return true;
}

function pacer({ distances, rules }: Merging): () => boolean {
  let seen = 0;
  return () => {
    const now = distances.work + (rules.triplets?.counts.work ?? 0);
    if (now - seen < WORK_PER_STEP) return false;
    seen = now;
    return true;
  };
}

function mergePair(merging: Merging, x: number, y: number, height: number, search: boolean): void {
  const { rules, distances, merges } = merging;
  const { cluster, vertex } = rules;
  const [cx, cy] = [cluster[x]!, cluster[y]!];
  const [vx, vy] = [vertex[x]!, vertex[y]!];
  const coloured = rules.colouring !== null && distances.count > rules.colouring.k;
  const slot = mergeSlots(distances, x, y, search);
  cluster[slot] = cx >= 0 && cy >= 0 ? rules.triplets!.merge(cx, cy) : Math.max(cx, cy);
  if (coloured && vx >= 0 && vy >= 0) rules.colouring!.merge(vx, vy);
  vertex[slot] = Math.max(vx, vy);
  merges.set([x, y, height], 3 * merging.made);
  merging.made++;
}

function isAllowed({ rules, distances }: Merging, x: number, y: number, coloured: boolean): boolean {
  const { triplets, cluster, colouring, vertex } = rules;
  const [cx, cy] = [cluster[x]!, cluster[y]!];
  const tested = cx >= 0 && cy >= 0 && triplets!.carries(cx) && triplets!.carries(cy);
  const fits =
    (!tested || triplets!.compatible(cx, cy)) &&
    (!coloured || vertex[x]! < 0 || vertex[y]! < 0 || colouring!.canMerge(vertex[x]!, vertex[y]!) === "yes");
  if (!fits) refuse(distances, x, y);
  return fits;
}

/**
 * Makes a forbidden merge, at height Infinity. Merges the first pair that must be apart and that the relative constraints allow. There is
 * always such a pair.
 */
function mergeForbidden(merging: Merging): void {
  const { distances } = merging;
  const { slots, count } = distances;
  for (let p = 0; p < count; p++) {
    for (let q = p + 1; q < count; q++) {
      distances.work++;
      if (isRefused(distances, slots[p]!, slots[q]!) || !isAllowed(merging, slots[p]!, slots[q]!, false)) continue;
      mergePair(merging, slots[p]!, slots[q]!, Infinity, true);
      return;
    }
  }
  throw new Error("No pair of clusters may merge, though the relative constraints are consistent.");
}

/*
 * Implied cannot-links. If a and b must be apart, ab|c implies that c is apart from both: a cluster with a and c would also contain b.
 * Implied cannot-links can imply further cannot-links.
 */

/** Adds all implied cannot-links to the closure. Returns the same closure if there are none. */
function withImpliedCannotLinks(closure: Closure, { a, b, c }: Triples): Closure {
  const { component } = closure;
  const byPair = new Map<number, number[]>();
  const found = new Map<number, readonly [number, number]>();
  const key = (p: number, q: number): number => Math.min(p, q) * closure.componentCount + Math.max(p, q);
  const open: number[] = [];
  for (let s = 0; s < a.length; s++) {
    const [p, q] = [component[a[s]!]!, component[b[s]!]!];
    if (p === q) continue;
    const list = byPair.get(key(p, q));
    if (list) list.push(s);
    else byPair.set(key(p, q), [s]);
    if (!list && closure.apart(p, q)) open.push(key(p, q));
  }
  while (open.length > 0) {
    for (const s of byPair.get(open.pop()!)!) {
      for (const end of [a[s]!, b[s]!]) {
        const [p, q] = [component[end]!, component[c[s]!]!];
        if (p === q || closure.apart(p, q) || found.has(key(p, q))) continue;
        found.set(key(p, q), [end, c[s]!]);
        if (byPair.has(key(p, q))) open.push(key(p, q));
      }
    }
  }
  return found.size === 0 ? closure : withCannotLinks(closure, [...found.values()]);
}

function withCannotLinks({ set }: Closure, pairs: readonly (readonly [number, number])[]): Closure {
  const { a, b, weight } = set.cannotLinks;
  const cannotLinks = {
    a: Int32Array.from([...a, ...pairs.map(([row]) => row)]),
    b: Int32Array.from([...b, ...pairs.map(([, other]) => other)]),
    weight: Float64Array.from([...weight, ...pairs.map(() => 1)]),
  };
  return closeConstraints({ ...set, cannotLinks });
}

/** Adds a cannot-link between every pair of heads. heads: one component of each class of `planClasses`. */
function withHeadsApart(closure: Closure, heads: readonly number[]): Closure {
  const rows = heads.map((head) => closure.members.items[closure.members.start[head]!]!);
  return withCannotLinks(
    closure,
    rows.flatMap((row, at) => rows.slice(at + 1).map((other) => [row, other] as const)),
  );
}
