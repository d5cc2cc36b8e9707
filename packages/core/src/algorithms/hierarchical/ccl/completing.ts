/**
 * Completing the constraint set: ours, where the linkage alone would break a cannot-link on its way to k clusters.
 *
 * 1. The components that must be apart from others get one of k colours each, by preference: a colour is a cluster of the linkage
 *    alone, and costs a component its size times its mean distance to the rows there. No two that must be apart get the same.
 * 2. Components of one colour are must-linked, and colours are kept apart: the completed set.
 * 3. The linkage runs again with it. Must-links are propagated, so that rows without constraints follow those that have some.
 *
 * The three are repeated from the new clusters while the colours change, three times at most, and in large tables fewer where that
 * would take too long beside the linkage alone. In the completed set at most k clusters must be apart, so among more than k there is
 * always one that may be merged with any: the hierarchy breaks nothing down to k clusters.
 *
 * Where no k colours suffice, as little as possible is broken, and the linkage alone stands if it breaks no more.
 */

import { type Colouring, searchColouring } from "../../../colouring/colouring.js";
import type { ConstraintGraph, Graph } from "../../../colouring/graphs/graph.js";
import { upTo } from "../../../linalg/indices.js";
import type { InstanceId } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { type Budget, budgetOf } from "../../../steps/budget.js";
import type { Steps } from "../../../steps/index.js";
import { cheapestSteps } from "../../placement/cheapest.js";
import { type Relaxed, relaxSteps, type Verdict, withoutBroken } from "../../placement/relax.js";
import { breakingPrice } from "../../placement/relax-prices.js";
import { openWork, pausing, type Work } from "../../placement/work.js";
import { cutToK } from "../cut/merges.js";
import { completedClosure, partAlike, preferenceSteps } from "./completed-set.js";
import { expandMerges, markForbidden } from "./component-merges.js";
import { chunkletsOf } from "./constrain-proximities.js";
import { completedLinkageSteps, distancesAgain, type Space } from "./constrained-linkage.js";
import { brokenClause, pricesOf } from "./forced.js";
import type { HalfMatrix, RowsAbove } from "./half-matrix.js";

export interface Completing {
  readonly space: Space;
  readonly graph: ConstraintGraph;
  readonly k: number;
  readonly effort: number;
  readonly ids: readonly InstanceId[] | undefined;
}

export interface Completed {
  /** Over the components. */
  readonly merges: readonly Merge[];
  readonly notice: string;
}

const MOST_ROUNDS = 3;
/** Of so few groups of rows all rounds take milliseconds, and are always run. */
const FEW_COMPONENTS = 500;
/** Elsewhere all rounds together may take so many times the work of the linkage alone, so that the whole stays below three times. */
const MOST_WORK = 1.2;
/** Work in distances, as measured: propagating through one of the first chunklets, and through one more. */
const PER_CHUNKLET = 0.013;
const PER_FURTHER_CHUNKLET = 0.005;
const FIRST_CHUNKLETS = 128;
/** Of a round, what it does to each distance before and after joining. */
const PER_DISTANCE = 0.75;
const PER_JOINED = 0.9;
/** Looks of placing for each node of the effort. */
const LOOKS_PER_NODE = 100;
/** Preferences are numbers for each vertex and cluster; of more than these (256 MB) colours are taken as the solver gives them. */
const MOST_PREFERENCES = 2 ** 25;

const COLOURING = { phase: "looking for k clusters that keep every cannot-link", done: 0, total: null };

/** From the merges of the linkage alone to those with the completed set. */
export function* completeSteps(completing: Completing, plain: readonly Merge[], kept: HalfMatrix | null): Steps<Completed> {
  const { space, k } = completing;
  const m = space.closure.componentCount;
  const run: Run = {
    ...completing,
    plain: cutToK(plain, m, k),
    budget: budgetOf(completing),
    work: openWork(completing.effort * LOOKS_PER_NODE),
  };
  let merges = plain;
  let labels = run.plain;
  let colours: Colours | null = null;
  const rounds = roundsWithin(completing, kept !== null);
  for (let round = 0; round < rounds; round++) {
    const next = yield* distancesAgain(space, kept, function* (rows, arena): Steps<Round | Completed> {
      const found: Colours | Refused = yield* colourSteps(run, colours, yield* preferencesSteps(run, rows, labels));
      if ("notice" in found) return { merges: plain, notice: found.notice };
      if (colours !== null && partAlike(found.labels, colours.labels, k)) return { colours: found, merges: null };
      const completed = completedClosure(completing.graph, found.labels, k);
      const between = yield* completedLinkageSteps(space, completed, rows, arena);
      // What is broken is broken inside a colour: those merges are forbidden too.
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

/** All of them for a small table; for a large one at least one, and more where they are cheap beside the linkage alone. */
function roundsWithin({ space, graph, k }: Completing, isKept: boolean): number {
  const { componentCount: m } = space.closure;
  if (m <= FEW_COMPONENTS) return MOST_ROUNDS;
  const alone = m * m * (1 + propagating(chunkletsOf(space.closure).length));
  const joined = m - graph.vertices + Math.min(k, graph.vertices);
  // Where the distances were not kept, each round has to make them again.
  const round = PER_DISTANCE * m * m + PER_JOINED * joined * joined + (isKept ? 0 : alone);
  return Math.max(1, Math.min(MOST_ROUNDS, Math.floor((MOST_WORK * alone) / round)));
}

/** Work for each distance. */
function propagating(chunklets: number): number {
  const first = Math.min(chunklets, FIRST_CHUNKLETS);
  return PER_CHUNKLET * first + PER_FURTHER_CHUNKLET * (chunklets - first);
}

interface Run extends Completing {
  /** The cluster of each component by the linkage alone. */
  readonly plain: Int32Array;
  readonly budget: Budget;
  readonly work: Work;
}

interface Round {
  readonly colours: Colours;
  /** Null if the round changed nothing. */
  readonly merges: readonly Merge[] | null;
}

interface Colours {
  readonly labels: Int32Array;
  /** The constraint graph, or what is left of it. */
  readonly graph: Graph;
  /** What is broken where not everything can be kept, and the groups of rows that prove it. */
  readonly forced: (Relaxed & { readonly core: number }) | null;
}

interface Refused {
  readonly notice: string;
}

/** Null where there would be too many. */
function* preferencesSteps({ graph, k }: Run, rows: RowsAbove, labels: Int32Array) {
  return graph.vertices * k > MOST_PREFERENCES ? null : yield* preferenceSteps(rows, graph, labels, k);
}

/** Colours for all vertices, given those of the round before; or why there are none. */
function* colourSteps(run: Run, before: Colours | null, costs: Float64Array | null): Steps<Colours | Refused> {
  const { graph, k, budget, work } = run;
  if (before) {
    if (costs === null) return before;
    const labels = yield* cheapestSteps({ graph: before.graph, k, costs }, before.labels, noColouring, work);
    return { ...before, labels: labels! };
  }
  let answer: Colouring = { status: "undecided" };
  const colouring = function* (): Steps<Int32Array | null> {
    answer = yield* pausing(searchColouring(graph, k, budget), COLOURING);
    return answer.status === "feasible" ? answer.colouring : null;
  };
  const labels = costs === null ? yield* colouring() : yield* cheapestSteps({ graph, k, costs }, null, colouring, work);
  if (labels) return { labels, graph, forced: null };
  return yield* breakSteps(run, answer, costs);
}

function* noColouring(): Steps<null> {
  yield COLOURING;
  return null;
}

/** Colours that break as little as possible. */
function* breakSteps(run: Run, answer: Colouring, costs: Float64Array | null): Steps<Colours | Refused> {
  const { graph, k, plain, budget, work } = run;
  if (answer.status !== "infeasible") {
    const open = `whether ${counted(k, "cluster")} could keep them all was not decided within the effort`;
    return { notice: `With ${counted(k, "cluster")} some cannot-links are broken; ${open}.` };
  }
  const core = answer.core.vertices.length;
  const given = pricesOf(graph, k, costs ?? new Float64Array(graph.vertices * k));
  const solve = function* (part: Graph): Steps<Verdict> {
    const found = yield* pausing(searchColouring(part, k, budget), COLOURING);
    return found.status === "feasible" ? found.colouring : found.status;
  };
  const relaxed = yield* relaxSteps(given, solve, work);
  const alone = graph.component.map((c) => plain[c]!);
  const price = breakingPrice(given, upTo(graph.vertices), alone);
  if (price <= relaxed.price) return { notice: forcedNotice(run, { ...relaxed, core }, plain) };
  const left = withoutBroken(given, relaxed.labels);
  const labels = costs && (yield* cheapestSteps({ graph: left, k, costs }, relaxed.labels, noColouring, work));
  return { labels: labels ?? relaxed.labels, graph: left, forced: { ...relaxed, core } };
}

function noticeOf(run: Run, { forced }: Colours, labels: Int32Array): string {
  if (forced) return forcedNotice(run, forced, labels);
  const { linkage } = run.space;
  return `Plain ${linkage} linkage would have broken cannot-links at this k; with the constraint set completed it keeps them all.`;
}

/** Which constraints are broken by components' labels, and whether fewer would do. */
function forcedNotice(
  { graph, k, space, ids }: Run,
  { core, proven }: Relaxed & { readonly core: number },
  labels: Int32Array,
): string {
  const { component, set } = space.closure;
  const clause = brokenClause(
    set,
    graph,
    component.map((c) => labels[c]!),
    ids,
  );
  const clusters = counted(k, "cluster");
  const why = `no clustering with ${clusters} keeps them all, since ${core} groups of rows already need more`;
  const least = proven ? "no fewer would do" : "whether fewer would do was not decided within the effort";
  return `With ${clusters} some cannot-links are broken: ${why}. Broken: ${clause}; ${least}.`;
}
