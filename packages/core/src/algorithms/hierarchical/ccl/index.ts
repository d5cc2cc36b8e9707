/**
 * Constrained complete-link clustering (CCL): the constraints change the distances, then a standard linkage runs.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, figures 5 and 6.
 *
 * Departs from the paper:
 * - Figure 6 prints "min" for the update of complete linkage. This code takes the maximum.
 * - Options select other linkages.
 * - A cannot-link that contradicts the must-links is violated, and reported.
 * - If the linkage would violate a cannot-link before it reaches k clusters, the constraint set is completed and the linkage runs again
 *   (see "Completing the constraint set" below). If k clusters can satisfy all constraints, the result satisfies them; otherwise it
 *   violates as little as possible.
 *
 * The result equals the paper's result if the linkage alone violates nothing, or with `lookahead: false`.
 */

import * as z from "zod/mini";
import { type ConstraintGraph, constraintGraph } from "../../../colouring/graphs/graph.js";
import { type Closure, closeConstraints, emptyConstraints, isContradictory } from "../../../constraints/index.js";
import { badOption } from "../../../errors.js";
import type { InstanceId, Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { oneOf, option, toggle, whole } from "../../../options.js";
import { budgetOf } from "../../../steps/budget.js";
import type { Step, Steps } from "../../../steps/index.js";
import { overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import type { Context, Input, Outcome, Treatments } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { type Colours, colourSteps, forcedNotice, type Groups, READS_PER_NODE, type Refused } from "../../placement/keep.js";
import { openWork } from "../../placement/work.js";
import { cutHierarchy } from "../cut/cut-hierarchy.js";
import { cutToK } from "../cut/merges.js";
import { asksForBest, type Cut, type CutRequest, checkedCut, cutOptions } from "../cut/options.js";
import { distanceOptions, isMeansLinkage, prepareLinkage } from "../linkage.js";
import { endSteps } from "../recon/cut.js";
import { chunkletsOf, type HalfMatrix, type RowsAbove } from "./constrain-proximities.js";
import {
  completedLinkageSteps,
  distancesAgain,
  expandMerges,
  firstForbidden,
  halfMatrixSteps,
  markForbidden,
  plainSteps,
  type Space,
} from "./constrained-linkage.js";

export const cclOptions = z.strictObject({
  ...cutOptions,
  stopBeforeViolation: option(toggle(false), "cut before the first merge that breaks a cannot-link, instead of at k"),
  lookahead: option(
    toggle(true),
    "run the linkage again with added constraints if it would break cannot-links at k (not in the paper)",
  ),
  linkage: option(
    oneOf(["complete", "single", "average", "weighted", "ward", "centroid", "median"]),
    "how the distance between clusters is measured; only with complete linkage, a cannot-link also affects the rows near its two rows",
  ),
  ...distanceOptions,
  effort: option(
    z._default(whole(1), 200_000),
    "limit on the search for k clusters that keep every cannot-link, in nodes of the search tree",
    {
      shared: true,
    },
  ),
});

type CheckedOptions = z.output<typeof cclOptions>;

export function* cclSteps({ points, constraints }: Input, options: CheckedOptions, { kernels }: Context): Steps<Outcome> {
  const way = checkCut(options, points.n);
  const closure = closeConstraints(constraints);
  const prepared = prepareLinkage(options.linkage, points, options);
  const notices = [...prepared.notices];
  if (isContradictory(closure)) notices.push("Some cannot-links contradict the must-links; must-links come first.");
  const k = mostClusters(options.k, closure, notices);
  const space: Space = { prepared, closure, linkage: options.linkage, kernels };
  const completing = k === undefined || k === 1 || !options.lookahead ? null : openCompleting(space, k, options.effort, points);
  const { merges: plain, half } = yield* plainSteps(space, completing !== null);
  const outcomeSteps = (merges: readonly Merge[], ...more: readonly string[]): Steps<Outcome> =>
    cutSteps(way, expandMerges(merges, closure), space, { ...options, k }, [...notices, ...more]);
  if (k === undefined || firstForbidden(plain) >= closure.componentCount - k) return yield* outcomeSteps(plain);
  if (completing === null) return yield* outcomeSteps(plain, plainViolationNotice(k));
  const { merges, notice } = yield* completeSteps(completing, plain, half === undefined ? yield* halfMatrixSteps(space) : half);
  return yield* outcomeSteps(merges, notice);
}

/** The data for completing the constraint set; null if the linkage alone never violates a cannot-link. */
function openCompleting(space: Space, k: number, effort: number, { ids }: Instances): Completing | null {
  const graph = constraintGraph(space.closure);
  // The vertices of the graph are the components that must be apart from another component. With at most k vertices, there is always a
  // cluster without a vertex while there are more than k clusters. This cluster can merge with any other cluster.
  const safe = space.linkage === "complete" ? k : 0;
  return graph.vertices <= safe ? null : { space, graph, k, effort, ids };
}

function plainViolationNotice(k: number): string {
  const why = k === 1 ? "." : "; the option lookahead was off.";
  return `With ${counted(k, "cluster")} some cannot-links are broken${why}`;
}

/** Must-links are hard, so there cannot be more clusters than components. */
function mostClusters(k: number | undefined, { componentCount }: Closure, notices: string[]): number | undefined {
  if (k === undefined || k <= componentCount) return k;
  notices.push(
    `The must-links leave only ${counted(componentCount, "group")} of rows, so there are ${counted(componentCount, "cluster")} instead of ${k}.`,
  );
  return componentCount;
}

type Way = Cut | "before-violation";

function checkCut(options: CheckedOptions, n: number): Way {
  const { k, height, cut, stopBeforeViolation, minClusterSize } = options;
  if (!stopBeforeViolation) return checkedCut(options, n);
  const other = Object.entries({ height, cut, k, minClusterSize }).find(([, value]) => value !== undefined);
  if (other === undefined) return "before-violation";
  const [option, value] = other[0] === "height" ? other : ["stopBeforeViolation", true];
  throw badOption(option, value, "the only way to cut: give one of k, height and stopBeforeViolation");
}

function* cutSteps(
  way: Way,
  merges: readonly Merge[],
  { closure, linkage, prepared, kernels }: Space,
  options: CutRequest,
  notices: readonly string[],
): Steps<Outcome> {
  const { n, set, componentCount } = closure;
  if (way === "before-violation") return { labels: cutToK(merges, n, n - firstForbidden(merges)), merges, notices };
  const arena = kernels.arena();
  try {
    const ground = () => ({ prepared, kernels, arena, matrix: arena[prepared.storage](n * n) });
    const ends = way === "best" ? yield* endSteps(merges, n, linkage, ground) : undefined;
    const cut = cutHierarchy(way, merges, set, { ...options, firm: n - componentCount, ends });
    return { ...cut, merges, notices: [...notices, ...cut.notices] };
  } finally {
    arena.release();
  }
}

const TREATS: Treatments = { mustLink: "hard", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };

/**
 * Merges rows by distances that the constraints changed. Satisfies all must-links. Satisfies all cannot-links if k clusters can satisfy
 * them.
 */
export const ccl = /* @__PURE__ */ defineMethod({
  name: "ccl",
  title: "Constrained complete linkage",
  titleWith: ({ linkage }) => `Constrained ${linkage === "ward" ? "Ward" : (linkage ?? "complete")} linkage`,
  summary:
    "merges rows by distances that the constraints changed; keeps must-links, and cannot-links if k clusters can keep them",
  paper: "Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002",
  example: "const { labels, merges, violations } = ccl(points, known, { k: 3 });",
  menuTitle: "Constrained linkage",
  comparesMeans: ({ linkage }) => isMeansLinkage(linkage),
  onEngine: "sample",
  family: "hierarchy",
  treats: TREATS,
  seconds: overPairs(() => 2),
  treatsWith: (options) =>
    asksForBest(options) && options.stopBeforeViolation !== true ? { ...TREATS, relative: "soft" } : undefined,
  sharedTree: {
    options: { lookahead: false },
    serves: (merges, n, k, { lookahead }) => lookahead === false || k === 1 || firstForbidden(merges) >= n - k,
  },
  ...withLearnedMetric({ options: cclOptions, steps: cclSteps }),
});

/*
 * Completing the constraint set. Used if the linkage alone would violate a cannot-link before it reaches k clusters. This part is not in
 * the paper.
 *
 * 1. Each component that must be apart from others gets one of k colours. A colour is a cluster of the linkage alone. The cost of a colour
 *    is the size of the component times its mean distance to the rows of that cluster. Two components that must be apart get different
 *    colours.
 * 2. Components of one colour are must-linked, and components of different colours must be apart. This is the completed set.
 * 3. The linkage runs again with the completed set. Must-links are propagated, so rows without constraints follow the constrained rows.
 *
 * The steps repeat from the new clusters until the colours do not change, at most three times. Large tables get fewer rounds, see
 * `roundsWithin`.
 *
 * In the completed set at most k clusters must be apart. So among more than k clusters, at least one can merge with any other cluster. The
 * hierarchy therefore violates nothing down to k clusters.
 *
 * If k colours do not suffice, the method violates as little as possible. If the linkage alone violates just as little, the result of the
 * linkage alone is used.
 */

interface Completing {
  readonly space: Space;
  readonly graph: ConstraintGraph;
  readonly k: number;
  readonly effort: number;
  readonly ids: readonly InstanceId[] | undefined;
}

interface Completed {
  readonly merges: readonly Merge[];
  readonly notice: string;
}

function* completeSteps(completing: Completing, plain: readonly Merge[], half: HalfMatrix | null): Steps<Completed> {
  const { space, k } = completing;
  const m = space.closure.componentCount;
  const alone = cutToK(plain, m, k);
  const run: Run = {
    ...completing,
    plain: completing.graph.component.map((c) => alone[c]!),
    budget: budgetOf(completing),
    work: openWork(completing.effort * READS_PER_NODE),
  };
  let merges = plain;
  let labels = alone;
  let colours: Colours | null = null;
  const rounds = roundsWithin(completing, half !== null);
  for (let round = 0; round < rounds; round++) {
    const next = yield* distancesAgain(space, half, function* (rows, arena): Steps<Round | Completed> {
      const found: Colours | Refused = yield* colourSteps(run, colours, yield* preferencesSteps(run, rows, labels));
      if ("notice" in found) return { merges: plain, notice: found.notice };
      if (found.isPlain) return { merges: plain, notice: noticeOf(run, found, alone) };
      if (colours !== null && samePartition(found.labels, colours.labels, k)) return { colours: found, merges: null };
      const completed = completedClosure(completing.graph, found.labels, k);
      const between = yield* completedLinkageSteps(space, completed, rows, arena);
      // If k colours do not suffice, two components of one colour can have a cannot-link. The merge that joins them gets height Infinity.
      const all = markForbidden(expandMerges(between, completed), space.closure);
      return { colours: found, merges: all };
    });
    if ("notice" in next) return next;
    colours = next.colours;
    if (next.merges === null) break;
    merges = next.merges;
    labels = cutToK(merges, m, k);
  }
  return { merges, notice: noticeOf(run, colours!, labels) };
}

const MOST_ROUNDS = 3;
/** Up to this number of components, all MOST_ROUNDS rounds run: they take only milliseconds. */
const FEW_COMPONENTS = 500;
/** Above FEW_COMPONENTS: maximum work of all rounds together, as a multiple of the work of the linkage alone. */
const MOST_WORK = 1.2;
/**
 * Work of one round, measured. The unit is the work of the linkage for one distance. PER_DISTANCE: work for each distance between
 * components. PER_JOINED: work for each distance between the joined components, after components of one colour are joined.
 */
const PER_DISTANCE = 0.75;
const PER_JOINED = 0.9;

/** The number of rounds in which the constraint set is completed. MOST_ROUNDS for small tables, at least one for large tables. */
function roundsWithin({ space, graph, k }: Completing, isStored: boolean): number {
  const { componentCount: m } = space.closure;
  if (m <= FEW_COMPONENTS) return MOST_ROUNDS;
  const alone = m * m * (1 + propagating(chunkletsOf(space.closure).length));
  const joined = m - graph.vertices + Math.min(k, graph.vertices);
  // If the distances were not stored, each round computes them again.
  const round = PER_DISTANCE * m * m + PER_JOINED * joined * joined + (isStored ? 0 : alone);
  return Math.max(1, Math.min(MOST_ROUNDS, Math.floor((MOST_WORK * alone) / round)));
}

/**
 * Work of propagating the must-links, measured per distance and chunklet. The unit is the work of the linkage for one distance.
 * PER_CHUNKLET: for each of the first FIRST_CHUNKLETS chunklets. PER_FURTHER_CHUNKLET: for each further chunklet.
 */
const PER_CHUNKLET = 0.013;
const PER_FURTHER_CHUNKLET = 0.005;
const FIRST_CHUNKLETS = 128;

function propagating(chunklets: number): number {
  const first = Math.min(chunklets, FIRST_CHUNKLETS);
  return PER_CHUNKLET * first + PER_FURTHER_CHUNKLET * (chunklets - first);
}

type Run = Completing & Groups;

interface Round {
  readonly colours: Colours;
  /** The merges of the linkage in this round; null if the colours did not change. */
  readonly merges: readonly Merge[] | null;
}

/** Maximum number of entries of the preference table (256 MB). Above it, the solver chooses colours without preferences. */
const MOST_PREFERENCES = 2 ** 25;

function* preferencesSteps({ graph, k }: Run, rows: RowsAbove, labels: Int32Array) {
  return graph.vertices * k > MOST_PREFERENCES ? null : yield* preferenceSteps(rows, graph, labels, k);
}

function noticeOf(run: Run, { forced }: Colours, labels: Int32Array): string {
  if (forced)
    return forcedNotice(
      run,
      forced,
      run.graph.closure.component.map((c) => labels[c]!),
    );
  const { linkage } = run.space;
  return `Plain ${linkage} linkage would have broken cannot-links at this k; with the constraint set completed it keeps them all.`;
}

/* The completed constraint set, and the preferences of its components for colours. */

/** Distances read in one step; after each step the generator yields. */
const PER_STEP = 4_000_000;

/**
 * The preference table: vertices of the constraint graph × k. Each entry is the size of the vertex times its mean distance to the rows of
 * the cluster.
 *
 * rows: distances between components, after propagation and without bars. labels: the cluster of each component.
 */
function* preferenceSteps(
  rows: RowsAbove,
  { component: componentOf, vertexOf, closure }: ConstraintGraph,
  labels: Int32Array,
  k: number,
): Generator<Step, Float64Array, void> {
  const { componentCount: m, sizes } = closure;
  const held = new Float64Array(k);
  for (let c = 0; c < m; c++) held[labels[c]!]! += sizes[c]!;
  const costs = new Float64Array(componentOf.length * k);
  const every = Math.ceil(PER_STEP / m);
  // Each distance between two components is read once, and is used for the vertices of both components.
  for (let c = 0, next = 0; c < m; c++) {
    if (c % every === 0) yield { phase: "distances to clusters", done: c, total: m };
    const d = rows.values();
    const from = rows.at(c);
    const own = vertexOf[c]!;
    if (own >= 0)
      for (let other = c + 1, to = own * k; other < m; other++) costs[to + labels[other]!]! += sizes[other]! * d[from + other]!;
    while (next < componentOf.length && componentOf[next]! <= c) next++;
    for (let v = next; v < componentOf.length; v++) costs[v * k + labels[c]!]! += sizes[c]! * d[from + componentOf[v]!]!;
  }
  for (let v = 0; v < componentOf.length; v++) {
    for (let c = 0; c < k; c++) costs[v * k + c]! *= sizes[componentOf[v]!]! / held[c]!;
  }
  return costs;
}

/** The closure of the completed constraint set, over the components of `closure`. component: the components that have a colour. */
export function completedClosure({ component, closure }: ConstraintGraph, colours: Int32Array, k: number): Closure {
  return closeConstraints({
    ...emptyConstraints(closure.componentCount),
    labels: {
      row: component,
      code: colours,
      weight: new Float64Array(component.length).fill(1),
      names: Array.from({ length: k }, (_, c) => String(c)),
    },
  });
}

export function samePartition(one: Int32Array, other: Int32Array, k: number): boolean {
  const nameOf = new Int32Array(k).fill(-1);
  const taken = new Uint8Array(k);
  return one.every((colour, v) => {
    if (nameOf[colour] === -1 && taken[other[v]!] === 0) {
      nameOf[colour] = other[v]!;
      taken[other[v]!] = 1;
    }
    return nameOf[colour] === other[v];
  });
}
