/**
 * Constrained complete-link clustering (CCL): constraints change the distances, and the linkage does the rest.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, figures 5 and 6.
 *
 * Departs from the paper: figure 6 prints "min" for the update of complete linkage, which takes the maximum. With k given, a
 * merge that would leave no way to keep every cannot-link with k clusters is refused (look-ahead), so that a set that can be
 * kept is kept; where the plain linkage gets by without breaking one, the result is the plain one. A cannot-link that the
 * must-links contradict is broken, and listed.
 */
import { z } from "zod";
import { type Closure, closeConstraints, isContradictory } from "../../constraints/index.js";
import { type ConstraintGraph, constraintGraph } from "../../diagnose/graph.js";
import { type KeepColouring, type KeptColouring, keepColouring } from "../../diagnose/kept-colouring.js";
import { badOption, CoterieError } from "../../errors.js";
import { type Arena, type F32, type F64, type KeepRows, type Kernels, plainKernels } from "../../kernels/index.js";
import { roomForAll } from "../../kernels/linkage-kept.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Merge, Result } from "../../model/result.js";
import { counted } from "../../model/wording.js";
import { randomFrom } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { atOnce } from "../at-once.js";
import type { Context, Input, Outcome } from "../method.js";
import { componentDistanceSteps } from "./component-distances.js";
import { expandMerges, firstForbidden, markForbidden, weighForWard } from "./component-merges.js";
import { blockLike } from "./constrain-proximities.js";
import { distanceOptions, type Linkage, openMachine, type PreparedLinkage, prepareLinkage, runMachine } from "./linkage.js";
import { distancesFrom, followPlain, lookAheadSteps, reduceSteps, type Turning } from "./look-ahead.js";
import { cutAtHeight, cutToK, orderMerges } from "./merges.js";

export const cclOptions = z.strictObject({
  k: z.int().min(1).optional().meta({ description: "number of clusters to cut into" }),
  height: z.number().min(0).optional().meta({ description: "cut where merges get higher than this, instead of at k" }),
  stopBeforeViolation: z
    .boolean()
    .default(false)
    .meta({ description: "cut before the first merge that breaks a cannot-link, instead of at k" }),
  lookahead: z
    .boolean()
    .default(true)
    .meta({ description: "refuse merges after which k clusters could not keep every cannot-link" }),
  linkage: z
    .enum(["complete", "single", "average", "weighted", "ward", "centroid", "median"])
    .default("complete")
    .meta({ description: "linkage; only complete linkage propagates cannot-links by itself" }),
  ...distanceOptions,
  effort: z
    .int()
    .min(1)
    .default(200_000)
    .meta({ description: "work budget of the test whether k clusters suffice, in nodes", shared: true }),
});

export type CclOptions = z.input<typeof cclOptions>;
type CheckedOptions = z.output<typeof cclOptions>;

/** Clusters with must-links kept, and cannot-links kept where they can be. */
export function constrainedCompleteLink(
  points: Instances,
  constraints: ConstraintSet,
  { kernels = plainKernels, seed = 0, ...options }: CclOptions & { readonly kernels?: Kernels; readonly seed?: number },
): Result {
  return atOnce(cclOptions, cclSteps, { points, constraints }, options, { kernels, random: randomFrom(seed) });
}

export function* cclSteps({ points, constraints }: Input, options: CheckedOptions, { kernels }: Context): Steps<Outcome> {
  checkCut(options, points.n);
  const closure = closeConstraints(constraints);
  const prepared = prepareLinkage(options.linkage, points, options);
  const notices = [...prepared.notices];
  if (isContradictory(closure)) notices.push("Some cannot-links contradict the must-links; must-links come first.");
  const k = mostClusters(options.k, closure, notices);
  const proximities: Proximities = { prepared, closure, linkage: options.linkage, kernels };
  const graph = k !== undefined && options.lookahead && options.linkage === "complete" ? constraintGraph(closure) : null;
  const { plain, ahead, reduced, barred } = yield* plainSteps(proximities, graph !== null && graph.vertices > k!, (merges) =>
    k === undefined ? null : planAhead(merges, k, graph, options),
  );
  const outcome = (merges: readonly Merge[], ...more: readonly string[]): Outcome =>
    outcomeOf(expandMerges(merges, closure), points.n, { ...options, k }, [...notices, ...more]);
  if (ahead === null) return outcome(plain);
  if ("why" in ahead) return outcome(plain, `With ${counted(k!, "cluster")} some cannot-links are broken${ahead.why}`);
  const { turning, colouring } = ahead;
  const distances = reduced ?? (yield* constrained(proximities, (matrix) => reduceSteps(matrix, turning)));
  const merges = yield* lookAheadSteps(distances, barred, turning, k!, colouring);
  return outcome([...plain.slice(0, turning.made), ...merges], LOOKED_AHEAD);
}

/** From where to look ahead, or why not, as the end of a sentence; null where the plain merges break nothing down to k clusters. */
type Ahead = { readonly turning: Turning; readonly colouring: KeptColouring } | { readonly why: string } | null;

function planAhead(
  plain: readonly Merge[],
  k: number,
  graph: ConstraintGraph | null,
  { lookahead, effort }: CheckedOptions,
): Ahead {
  if (firstForbidden(plain) >= plain.length + 1 - k) return null;
  if (!lookahead) return { why: "; looking ahead was switched off." };
  if (graph === null) return { why: "; only complete linkage looks ahead." };
  const answer = keepColouring(graph, k, { effort });
  if (answer.status !== "feasible") return { why: whyNot(answer, k) };
  return { turning: followPlain(plain, graph.vertexOf, k, answer.kept), colouring: answer.kept };
}

interface Proximities {
  readonly prepared: PreparedLinkage;
  readonly closure: Closure;
  readonly linkage: Linkage;
  readonly kernels: Kernels;
}

/** Works with the matrix between components, in memory that is given back at the end. */
function* constrained<R>(
  { prepared, closure, linkage, kernels }: Proximities,
  work: (matrix: F64 | F32, barred: number, arena: Arena) => Steps<R>,
): Steps<R> {
  const arena = kernels.arena();
  try {
    const { matrix, barred } = yield* componentDistanceSteps(
      prepared,
      closure,
      kernels,
      arena,
      linkage === "complete" || linkage === "single",
    );
    if (linkage === "ward") weighForWard(matrix.view(), closure);
    return yield* work(matrix, barred, arena);
  } finally {
    arena.release();
  }
}

interface Plain {
  readonly plain: readonly Merge[];
  readonly ahead: Ahead;
  /** Distances between the clusters from which to look ahead; null where they have to be made from all distances again. */
  readonly reduced: Float64Array | null;
  readonly barred: number;
}

/** The linkage alone, and what the plan for looking ahead needs of it. */
function plainSteps(proximities: Proximities, keeps: boolean, plan: (merges: readonly Merge[]) => Ahead): Steps<Plain> {
  const { closure, linkage, kernels } = proximities;
  const { componentCount: m, sizes } = closure;
  return constrained(proximities, function* (matrix, barred, arena) {
    const keep = keeps ? keepRows(matrix, m, kernels, arena) : undefined;
    const raw = yield* runMachine(openMachine(linkage, matrix, m, kernels, arena, sizes, keep), m);
    const plain = markForbidden(orderMerges(raw, m, linkage), closure);
    const ahead = plan(plain);
    const reduced = keep && ahead && "turning" in ahead ? distancesFrom(keep, raw, ahead.turning) : null;
    return { plain, ahead, reduced, barred };
  });
}

/** Up to this many components all rows of the linkage are kept. */
const MOST_KEPT = 1_000;
/** Of more, a sample says from which height on rows are kept: where so many of its clusters are left. */
const SAMPLED = 256;
const LEFT = 64;
/** Room for them, in numbers, unless an eighth of the matrix is less: 20,000 rows were seen to need a third of it. */
const MOST_ROOM = 2 ** 24;

/**
 * Linkages of many components turn late, at a few large clusters, so that only the rows of their higher merges are kept. Should one
 * turn before, the distances are made again.
 */
function keepRows(matrix: F64 | F32, m: number, kernels: Kernels, arena: Arena): KeepRows {
  if (m <= MOST_KEPT) return { above: -1, into: blockLike(matrix, roomForAll(m), arena) };
  const sample = blockLike(matrix, SAMPLED * SAMPLED, arena);
  const into = blockLike(matrix, Math.min(MOST_ROOM, Math.floor((m * m) / 8)), arena);
  takeEvery(matrix.view(), m, m / SAMPLED, sample.view());
  const machine = kernels.chainLinkage("complete", sample, SAMPLED, arena);
  machine.advance(SAMPLED - 1);
  return {
    above: machine
      .merges()
      .filter((_, i) => i % 3 === 2)
      .sort()[SAMPLED - LEFT]!,
    into,
  };
}

/** Distances between rows that lie `every` apart, into a matrix of SAMPLED rows. */
function takeEvery(from: Float64Array | Float32Array, m: number, every: number, to: Float64Array | Float32Array): void {
  for (let a = 0, p = 0; a < SAMPLED; a++) {
    const row = Math.floor(a * every) * m;
    for (let b = 0; b < SAMPLED; b++, p++) to[p] = from[row + Math.floor(b * every)]!;
  }
}

/** Must-links are hard: there cannot be more clusters than components. */
function mostClusters(k: number | undefined, { componentCount }: Closure, notices: string[]): number | undefined {
  if (k === undefined || k <= componentCount) return k;
  notices.push(
    `The must-links leave only ${counted(componentCount, "group")} of rows, hence ${counted(componentCount, "cluster")} instead of ${k}.`,
  );
  return componentCount;
}

const LOOKED_AHEAD = "Plain complete linkage would have broken cannot-links at this k; looking ahead kept them all.";

function checkCut({ k, height, stopBeforeViolation }: CheckedOptions, n: number): void {
  const ways = [k !== undefined, height !== undefined, stopBeforeViolation].filter((way) => way).length;
  if (ways === 0) throw badOption("k", undefined, "given, or a height to cut at, or stopBeforeViolation");
  if (ways > 1) {
    const [option, value] = height === undefined ? (["stopBeforeViolation", true] as const) : (["height", height] as const);
    throw badOption(option, value, "the only way to cut: give one of k, height and stopBeforeViolation");
  }
  if (k !== undefined && k > n) throw new CoterieError({ code: "k-too-large", k, n });
}

/** Why no clustering with k clusters is known to keep every cannot-link, as the end of a sentence. */
function whyNot(answer: Exclude<KeepColouring, { readonly status: "feasible" }>, k: number): string {
  if (answer.status === "undecided")
    return `; whether ${counted(k, "cluster")} could keep them all was not decided within the effort.`;
  return `: no clustering with ${counted(k, "cluster")} keeps them all, since ${answer.core.vertices.length} groups of rows already need more.`;
}

type Cut = Pick<CheckedOptions, "height" | "stopBeforeViolation"> & { readonly k: number | undefined };

function outcomeOf(
  merges: readonly Merge[],
  n: number,
  { k, height, stopBeforeViolation }: Cut,
  notices: readonly string[],
): Outcome {
  const cut = stopBeforeViolation
    ? cutToK(merges, n, n - firstForbidden(merges))
    : k === undefined
      ? cutAtHeight(merges, n, height!)
      : cutToK(merges, n, k);
  return { labels: cut, merges, notices };
}
