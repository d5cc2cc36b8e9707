/**
 * ReCon: builds a hierarchy from data that induces every relative constraint ab|c.
 *
 * Liu, Zhang, Wang: Clustering with Relative Constraints. KDD 2011. The closest pair of clusters merges, among the pairs after which a
 * hierarchy that induces all triplets is still possible. So the merging never reaches a dead end, and every cut satisfies the triplets.
 * Small branches that are set aside in the cut join their nearest cluster by the paper's rule, `outliersJoin: "nearest"`. This may
 * violate some triplets.
 *
 * Departs from the paper, which leaves these open:
 * - Must-links and labels: their rows merge first, at height 0, in the order of the linkage and of the triplets inside each component.
 * - Cannot-links, labels of different classes and exclusive groups forbid a merge until the cut; merges above it have height Infinity. If
 *   k is given, a merge is refused if k clusters could not satisfy them afterwards, within the effort. If this and the relative triplets
 *   together end the merging too early, a search assigns classes first (see `planClasses`).
 * - Contradictory triplets are an error that names a minimal conflict; or a large consistent part of them is used.
 * - By default small branches join the nearest cluster that satisfies every constraint. A branch without such a cluster is not set aside.
 * - Two more ways to cut, which need no threshold for outliers: see `cut.ts`.
 */

import * as z from "zod/mini";
import {
  type Closure,
  closeConstraints,
  noConstraints,
  refuseContradictions,
  refuseLargeGroups,
} from "../../../constraints/index.js";
import { badOption, CoterieError } from "../../../errors.js";
import { type Kernels, plainKernels } from "../../../kernels/index.js";
import type { ConstraintSet, Triples } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Merge, Result } from "../../../model/result.js";
import { oneOf, option, whole } from "../../../options.js";
import { randomFrom } from "../../../random/index.js";
import { drain, type Step, type Steps } from "../../../steps/index.js";
import { buildTree, isBuilt } from "../../../triplets/build.js";
import { leavesOf } from "../../../triplets/consistency.js";
import { overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { distanceMatrixSteps } from "../../distance.js";
import { finish } from "../../finish.js";
import type { Context, Input, Outcome } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { checkedRun } from "../../run.js";
import { cutHierarchy } from "../cut/cut-hierarchy.js";
import { CUTS, type Cut, checkedCut, cutOptions } from "../cut/options.js";
import { distanceOptions, isMeansLinkage, type Linkage, mergeSteps, prepareLinkage } from "../linkage.js";
import { coloursFor, noColours } from "./compatibility.js";
import { type ConsistentTriplets, consistentTriplets, type MemberTriplets } from "./consistent-triplets.js";
import { clusterSteps, endSteps } from "./cut.js";
import { type DeadEnd, reconTreeSteps } from "./tree.js";

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
    "distance between clusters (default: centroid; average if rows have no means, because of missing cells or a distance other than euclidean)",
  ),
  ...distanceOptions,
  outliers: option(
    z._default(z.union([whole(0), z.string().check(z.regex(ROWS_OR_SHARE, OUTLIERS))], OUTLIERS), 0),
    "branches with fewer rows than this number or share (such as 5%) are set aside for the cut, and then join a cluster",
  ),
  outliersJoin: option(
    oneOf(["keep", "nearest"]),
    "keep: branches set aside join the nearest cluster that breaks no constraint; nearest: they join the nearest cluster, as in the paper, even if that breaks constraints",
  ),
  cut: option(
    z.optional(cutWords),
    "k or merges: undo the last merges until k clusters are left; largest: split the largest branch each time; triplets: the k branches that satisfy the most relative constraints; height: at the height; best: clusters from different heights, with the most satisfied constraint weight, then the highest stability (default: k with -k, best without)",
  ),
  inconsistent: option(
    oneOf(["error", "largest"]),
    "relative constraints that contradict each other: error, or largest to keep a large consistent part of them",
  ),
  effort: option(z._default(whole(1), 200_000), "work budget of the test whether k clusters suffice, in nodes", { shared: true }),
});

export type CheckedReconOptions = z.output<typeof reconOptions>;
type WithLinkage = CheckedReconOptions & { readonly linkage: Linkage };

/** The linkage of a run. Adds a notice if it is not the default linkage. */
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

/**
 * Repeats only the cut of `recon`. `merges` come from a run with the same points, constraints, k and linkage. With a learned metric,
 * `points` are the mapped points.
 */
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

/** With `made`, the merges of an earlier run, nothing is merged again. */
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
  readonly options: WithLinkage;
  readonly notices: readonly string[];
  readonly context: Context;
  readonly made: readonly Merge[] | undefined;
}

/** Builds and cuts a hierarchy under the given triplets and cannot-links. Returns a dead end if the merging ended above k clusters. */
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
    // With `made`, the cut computes the distances it needs and writes them into this matrix.
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

/** Ways to cut into k clusters that only ReCon has. */
type OwnCut = "merges" | "largest" | "triplets";

function checkCut({ cut, outliers, ...options }: CheckedReconOptions, n: number): Cut | OwnCut {
  const own = cut === "merges" || cut === "largest" || cut === "triplets" ? cut : undefined;
  const way = checkedCut({ ...options, cut: own ? "k" : (cut as Cut | undefined) }, n);
  if (way !== "k" && thresholdOf(outliers, n) > 0)
    throw badOption("outliers", outliers, "left out unless the cut is into k clusters");
  return own ?? way;
}

function deadEnd(clusters: number, k: number): CoterieError {
  return new CoterieError({
    code: "gave-up",
    message: `Cannot-links and relative constraints together ended the merging at ${clusters} clusters, before ${k}, and no ${k} classes that keep all of them were found; whether there are any is not known. Ask for ${clusters} clusters or more, or raise the effort.`,
  });
}

/** Branches with fewer rows than this are outliers. */
function thresholdOf(outliers: number | string, n: number): number {
  const text = String(outliers);
  return text.endsWith("%") ? (Number(text.slice(0, -1)) / 100) * n : Number(text);
}

/** Merges rows into a hierarchy that induces every relative constraint and satisfies all other constraints. */
export const recon = /* @__PURE__ */ defineMethod({
  name: "recon",
  title: "ReCon",
  summary: "a hierarchy that induces every relative constraint, and keeps all others",
  paper: "Liu, Zhang, Wang: Clustering with Relative Constraints. 2011",
  example: "recon(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).merges;",
  comparesMeans: ({ linkage }) => isMeansLinkage(linkage),
  onEngine: "micro-clusters",
  advisedWith: "relative",
  family: "hierarchy",
  seconds: overPairs(() => 2),
  treats: { mustLink: "hard", cannotLink: "hard", relative: "hard", labels: "hard", exclusive: "hard" },
  ...withLearnedMetric({ options: reconOptions, steps: reconSteps }),
});

/*
 * Part 2. Implied cannot-links. If a and b must be apart, ab|c separates c from both: a cluster with a and c would have to contain b. The
 * implied cannot-links imply further cannot-links in the same way.
 */

/** The closure with all implied cannot-links added. Returns the same closure if there are none. */
function withImpliedCannotLinks(closure: Closure, { a, b, c }: Triples): Closure {
  const { set, component } = closure;
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
  if (found.size === 0) return closure;
  const pairs = [...found.values()];
  const links = set.cannotLinks;
  return closeConstraints({
    ...set,
    cannotLinks: {
      a: Int32Array.from([...links.a, ...pairs.map(([end]) => end)]),
      b: Int32Array.from([...links.b, ...pairs.map(([, outsider]) => outsider)]),
      weight: Float64Array.from([...links.weight, ...pairs.map(() => 1)]),
    },
  });
}

/*
 * Part 3. Class search. Used if cannot-links and relative constraints together end the merging above k clusters: it assigns the
 * components in any of these constraints to k classes, and the hierarchy must then contain the classes as branches.
 *
 * k clusters cut from a hierarchy satisfy ab|c if c is with neither a nor b, or if all three are together. So this is a graph colouring
 * with two kinds of rules. A backtracking search with forward checking takes the component with the fewest remaining classes next. The
 * classes become relative constraints (liu2011 §5.2). ReCon satisfies them together with the given ones, without a dead end.
 */

interface Plan {
  /** The given triplets between components, and the triplets that turn the classes into branches. */
  readonly between: MemberTriplets;
  /** One component of each class. */
  readonly heads: readonly number[];
}

interface Search {
  readonly k: number;
  /** `members`: the component at each place. The lists of neighbours and triplets contain places too. */
  readonly members: readonly number[];
  readonly apart: readonly (readonly number[])[];
  readonly triples: readonly (readonly [number, number, number])[];
  readonly triplesOf: readonly (readonly number[])[];
  readonly colour: Int32Array;
  /** How many constraints rule out a class for a place, places × k. */
  readonly barred: Int32Array;
  readonly open: Int32Array;
  /** The (place, class) entries that were ruled out, in order, for backtracking. */
  readonly trail: number[];
  effort: number;
}

/** The class search runs up to this many components, because it is recursive. */
const MOST_PLANNED = 4000;

/** Null if no such classes exist, or if the search finds none within the effort. The effort counts assigned places. */
function planClasses(closure: Closure, between: MemberTriplets, k: number, effort: number): Plan | null {
  const search = openSearch(closure, between, k, effort);
  if (search.members.length > MOST_PLANNED) return null;
  let found: Plan | null = null;
  const colourRest = (done: number, used: number): boolean => {
    if (done === search.members.length) {
      found = planOf(search, between);
      return found !== null;
    }
    const place = mostConstrained(search);
    for (let colour = 0; colour < Math.min(k, used + 1); colour++) {
      if (search.barred[place * k + colour]! > 0) continue;
      if (search.effort-- <= 0) return true;
      const mark = search.trail.length;
      search.colour[place] = colour;
      if (propagate(search, place) && colourRest(done + 1, Math.max(used, colour + 1))) return true;
      undo(search, mark);
      search.colour[place] = -1;
    }
    return false;
  };
  colourRest(0, 0);
  return found;
}

function openSearch(closure: Closure, { triplets, members: leaves }: MemberTriplets, k: number, effort: number): Search {
  const named = new Set(leaves);
  for (let c = 0; c < closure.componentCount; c++) if (closure.degree(c) > 0) named.add(c);
  const members = [...named].sort((p, q) => p - q);
  const placeOf = new Map(members.map((component, place) => [component, place]));
  const triples = Array.from(triplets.a, (a, s) => {
    const place = (leaf: number): number => placeOf.get(leaves[leaf]!)!;
    return [place(a), place(triplets.b[s]!), place(triplets.c[s]!)] as const;
  });
  const triplesOf: number[][] = members.map(() => []);
  triples.forEach((triple, s) => {
    for (const place of triple) triplesOf[place]!.push(s);
  });
  return {
    k,
    members,
    apart: members.map((component) => Array.from(closure.neighbours(component), (other) => placeOf.get(other)!)),
    triples,
    triplesOf,
    colour: new Int32Array(members.length).fill(-1),
    barred: new Int32Array(members.length * k),
    open: new Int32Array(members.length).fill(k),
    trail: [],
    effort,
  };
}

/** The unassigned place with the fewest remaining classes; among equal places the one with the most constraints. */
function mostConstrained({ colour, open, apart, triplesOf }: Search): number {
  let best = -1;
  const weight = (place: number): number => apart[place]!.length + triplesOf[place]!.length;
  for (let place = 0; place < colour.length; place++) {
    if (colour[place]! >= 0) continue;
    if (best < 0 || open[place]! < open[best]! || (open[place] === open[best] && weight(place) > weight(best))) best = place;
  }
  return best;
}

/** Rules out classes that contradict the class of a place. Returns false if a place has no class left. */
function propagate(search: Search, place: number): boolean {
  const { colour, apart, triples, triplesOf, k } = search;
  let apartAll = false;
  for (const other of apart[place]!) if (!bar(search, other, colour[place]!)) return false;
  for (const s of triplesOf[place]!) {
    const [a, b, c] = triples[s]!;
    const [ca, cb, cc] = [colour[a]!, colour[b]!, colour[c]!];
    if (cc < 0) {
      if (ca < 0 || cb < 0 || ca === cb) continue;
      if (!bar(search, c, ca) || !bar(search, c, cb)) return false;
    } else if (ca >= 0 && cb >= 0) {
      if (ca !== cb && (cc === ca || cc === cb)) return false;
      apartAll ||= ca !== cb;
    } else if (ca >= 0 || cb >= 0) {
      const [known, unknown] = ca >= 0 ? [ca, b] : [cb, a];
      for (let other = 0; other < k; other++) {
        const fits = known === cc ? other === cc : other !== cc;
        if (!fits && !bar(search, unknown, other)) return false;
      }
    }
  }
  return !apartAll || classesFit(search);
}

/** Whether some hierarchy of the classes induces the triplets between three different classes. */
function classesFit({ colour, triples, k }: Search): boolean {
  const keys = new Set<number>();
  for (const [a, b, c] of triples) {
    const [ca, cb, cc] = [colour[a]!, colour[b]!, colour[c]!];
    if (ca >= 0 && cb >= 0 && cc >= 0 && ca !== cb) keys.add((Math.min(ca, cb) * k + Math.max(ca, cb)) * k + cc);
  }
  const all = [...keys];
  return isBuilt(
    buildTree({
      leaves: k,
      a: Int32Array.from(all, (key) => Math.floor(key / (k * k))),
      b: Int32Array.from(all, (key) => Math.floor(key / k) % k),
      c: Int32Array.from(all, (key) => key % k),
    }),
  );
}

function bar({ barred, open, colour, trail, k }: Search, place: number, ruledOut: number): boolean {
  if (colour[place]! >= 0) return colour[place] !== ruledOut;
  const at = place * k + ruledOut;
  if (barred[at]!++ === 0) open[place]!--;
  trail.push(at);
  return open[place]! > 0;
}

function undo({ barred, open, trail, k }: Search, mark: number): void {
  while (trail.length > mark) {
    const at = trail.pop()!;
    if (--barred[at]! === 0) open[Math.floor(at / k)]!++;
  }
}

/** The classes as triplets, added to the given triplets. Null if no hierarchy induces all of them. */
function planOf({ members, colour, k }: Search, { triplets, members: leaves }: MemberTriplets): Plan | null {
  const classes = Array.from({ length: k }, (_, c) => members.filter((_, place) => colour[place] === c)).filter(
    (list) => list.length > 0,
  );
  const columns: [number[], number[], number[]] = [
    Array.from(triplets.a, (leaf) => leaves[leaf]!),
    Array.from(triplets.b, (leaf) => leaves[leaf]!),
    Array.from(triplets.c, (leaf) => leaves[leaf]!),
  ];
  for (const own of classes) {
    for (const other of classes) {
      if (other === own) continue;
      for (const member of own.slice(1))
        [own[0]!, member, other[0]!].forEach((component, part) => void columns[part]!.push(component));
    }
  }
  const [a, b, c] = columns.map((column) => Int32Array.from(column)) as [Int32Array, Int32Array, Int32Array];
  const { triplets: all, rows } = leavesOf({ a, b, c });
  return isBuilt(buildTree(all)) ? { between: { triplets: all, members: rows }, heads: classes.map(([head]) => head!) } : null;
}

/** Adds cannot-links between one component of each class and one component of every other class. */
function withHeadsApart({ set, members }: Closure, heads: readonly number[]): Closure {
  const rows = heads.map((head) => members.items[members.start[head]!]!);
  const pairs = rows.flatMap((row, at) => rows.slice(at + 1).map((other) => [row, other] as const));
  const { a, b, weight } = set.cannotLinks;
  const cannotLinks = {
    a: Int32Array.from([...a, ...pairs.map(([row]) => row)]),
    b: Int32Array.from([...b, ...pairs.map(([, other]) => other)]),
    weight: Float64Array.from([...weight, ...pairs.map(() => 1)]),
  };
  return closeConstraints({ ...set, cannotLinks });
}
