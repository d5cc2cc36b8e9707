/**
 * ReCon: a hierarchy that induces every relative constraint ab|c, from data.
 *
 * Liu, Zhang, Wang: Clustering with Relative Constraints. KDD 2011. Clusters merge from the closest pair on, where a hierarchy
 * that induces all triplets stays possible; so there is never a dead end, and every cut keeps the triplets. Small branches that
 * are set aside in the cut join their nearest cluster by the paper's rule, `outliersJoin: "nearest"`, which may break some.
 *
 * Departs from the paper, which leaves these open:
 * - Must-links and labels: their rows merge first, at height 0, in the order of the linkage and of the triplets about them.
 * - Cannot-links, labels of other classes and exclusive groups bar a merge until the cut; merges above have height Infinity. With
 *   k given, merges after which k clusters could not keep them are refused, as far as the effort goes. Where that and the relative
 *   triplets together end the merging too early, classes are sought first (`recon-plan.ts`).
 * - Triplets that clash are an error that names a minimal clash; or a large consistent part of them is kept.
 * - By default small branches join the nearest cluster that keeps every constraint; those that have none are not set aside.
 * - Two more ways to cut, which need no threshold for outliers: see `recon-cut.ts`.
 */

import { z } from "zod";
import {
  type Closure,
  closeConstraints,
  noConstraints,
  refuseContradictions,
  refuseLargeGroups,
} from "../../../constraints/index.js";
import { badOption, CoterieError } from "../../../errors.js";
import { type Kernels, plainKernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Merge, Result } from "../../../model/result.js";
import { randomFrom } from "../../../random/index.js";
import { drain, type Step, type Steps } from "../../../steps/index.js";
import { overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { distanceMatrixSteps } from "../../distance.js";
import { finish } from "../../finish.js";
import type { Context, Input, Outcome } from "../../method.js";
import { type LearnedMetricOptions, withLearnedMetric } from "../../metric/learned.js";
import { checkedRun } from "../../run.js";
import { cutHierarchy } from "../cut/cut-hierarchy.js";
import { CUTS, type Cut, checkedCut, cutOptions } from "../cut/options.js";
import { distanceOptions, type Linkage, mergeSteps, prepareLinkage } from "../linkage.js";
import { clusterSteps } from "./clusters.js";
import { coloursFor, noColours } from "./colours.js";
import { type ConsistentTriplets, consistentTriplets } from "./consistent-triplets.js";
import { endSteps } from "./ends.js";
import { withImpliedCannotLinks } from "./implied-links.js";
import { planClasses, withHeadsApart } from "./plan.js";
import { type DeadEnd, reconTreeSteps } from "./tree.js";

const OUTLIERS = "a number of rows, or a share of them such as 5%";

export const reconOptions = z.strictObject({
  k: cutOptions.k,
  height: cutOptions.height,
  minClusterSize: cutOptions.minClusterSize,
  linkage: z.enum(["centroid", "complete", "average", "single", "ward", "median", "weighted"]).optional().meta({
    description:
      "which clusters are closest (default: centroid, or average where rows have no means: missing cells, or another distance than euclidean)",
  }),
  ...distanceOptions,
  outliers: z
    .union([z.int().min(0), z.string().regex(/^(\d+(\.\d+)?|(\d{1,2}(\.\d+)?|100(\.0+)?)%)$/, OUTLIERS)], OUTLIERS)
    .default(0)
    .meta({
      description: "branches of fewer rows (or 5% of them) are set aside while cutting, and then join a cluster",
    }),
  outliersJoin: z.enum(["keep", "nearest"]).default("keep").meta({
    description:
      "branches that are set aside join the nearest cluster that keeps every constraint, or the nearest one, as the paper has it, whatever that breaks",
  }),
  cut: z
    .enum([...CUTS, "merges", "largest", "triplets"])
    .optional()
    .meta({
      description:
        "with k: undo the last merges (k, merges), divide the largest branch each time, or take the k branches that satisfy the most relative constraints; at the height; or best: at no one height, to keep the most constraint weight and then the most stable clusters (default: k with -k, best without)",
    }),
  inconsistent: z
    .enum(["error", "largest"])
    .default("error")
    .meta({ description: "relative constraints that clash: an error, or keep a large consistent part of them" }),
  effort: z
    .int()
    .min(1)
    .default(200_000)
    .meta({ description: "work budget of the test whether k clusters suffice, in nodes", shared: true }),
});

export type ReconOptions = z.input<typeof reconOptions> & LearnedMetricOptions;
export type CheckedReconOptions = z.output<typeof reconOptions>;
type WithLinkage = CheckedReconOptions & { readonly linkage: Linkage };

/** The linkage of a run, and a sentence where it is not the usual one. */
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
 * What `recon` gives with these options, from the merges of a run with the same points, constraints, k and linkage: the cut is made
 * anew, the hierarchy is not. Under a learned metric the points are the mapped ones.
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

/** With `made`, merges of an earlier run, nothing is merged. */
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
  "Cannot-links and relative constraints together left no way by the closest merges alone: the rows that they name were put into classes first.";

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

/** A hierarchy under the given triplets and cannot-links, and its cut; or where merging ended above k clusters. */
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
    // The cut writes what it needs of the matrix anew.
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

/** Ways of ReCon's own to cut into k clusters. */
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

/** Branches of fewer rows than this are outliers. */
function thresholdOf(outliers: number | string, n: number): number {
  const text = String(outliers);
  return text.endsWith("%") ? (Number(text.slice(0, -1)) / 100) * n : Number(text);
}

/** Merges rows into a hierarchy that induces every relative constraint, and keeps all others. */
export const recon = defineMethod({
  name: "recon",
  title: "ReCon",
  summary: "a hierarchy that induces every relative constraint, and keeps all others",
  paper: "Liu, Zhang, Wang: Clustering with Relative Constraints. 2011",
  family: "hierarchy",
  seconds: overPairs(() => 2),
  treats: { mustLink: "hard", cannotLink: "hard", relative: "hard", labels: "hard", exclusive: "hard" },
  ...withLearnedMetric({ options: reconOptions, steps: reconSteps }),
});
