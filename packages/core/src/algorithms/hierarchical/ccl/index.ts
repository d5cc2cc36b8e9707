/**
 * Constrained complete-link clustering (CCL): constraints change the distances, and the linkage does the rest.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, figures 5 and 6.
 *
 * Departs from the paper: figure 6 prints "min" for the update of complete linkage, which takes the maximum. Other linkages take
 * its place on request. A cannot-link that the must-links contradict is broken, and listed. Where the linkage would break a
 * cannot-link on its way to k clusters, the constraint set is completed and it runs again (`completing.ts`): a set that can be
 * kept is kept, and of one that cannot as little as possible is broken. Where the linkage alone breaks nothing, the result is the
 * paper's, and `lookahead: false` is the paper's everywhere.
 */

import { z } from "zod";
import { constraintGraph } from "../../../colouring/graphs/graph.js";
import { type Closure, closeConstraints, isContradictory } from "../../../constraints/index.js";
import { badOption } from "../../../errors.js";
import type { Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import type { Steps } from "../../../steps/index.js";
import { overPairs } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import type { Context, Input, Outcome, Treatments } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { cutHierarchy } from "../cut/cut-hierarchy.js";
import { cutToK } from "../cut/merges.js";
import { asksForBest, type Cut, type CutRequest, checkedCut, cutOptions } from "../cut/options.js";
import { distanceOptions, prepareLinkage } from "../linkage.js";
import { endSteps } from "../recon/ends.js";
import { type Completing, completeSteps } from "./completing.js";
import { expandMerges, firstForbidden } from "./component-merges.js";
import { keptSteps, plainSteps, type Space } from "./constrained-linkage.js";

export const cclOptions = z.strictObject({
  ...cutOptions,
  stopBeforeViolation: z
    .boolean()
    .default(false)
    .meta({ description: "cut before the first merge that breaks a cannot-link, instead of at k" }),
  lookahead: z.boolean().default(true).meta({
    description: "complete the constraints and link again where the linkage would break cannot-links at k (the paper does not)",
  }),
  linkage: z
    .enum(["complete", "single", "average", "weighted", "ward", "centroid", "median"])
    .default("complete")
    .meta({ description: "linkage; only complete linkage propagates cannot-links by itself" }),
  ...distanceOptions,
  effort: z
    .int()
    .min(1)
    .default(200_000)
    .meta({ description: "work budget of the search for k clusters that keep every cannot-link, in nodes", shared: true }),
});

export type CclOptions = z.input<typeof cclOptions>;
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
  const { merges: plain, kept } = yield* plainSteps(space, completing !== null);
  const outcomeSteps = (merges: readonly Merge[], ...more: readonly string[]): Steps<Outcome> =>
    cutSteps(way, expandMerges(merges, closure), space, { ...options, k }, [...notices, ...more]);
  if (k === undefined || firstForbidden(plain) >= closure.componentCount - k) return yield* outcomeSteps(plain);
  if (completing === null) return yield* outcomeSteps(plain, brokenPlainly(k));
  const { merges, notice } = yield* completeSteps(completing, plain, kept === undefined ? yield* keptSteps(space) : kept);
  return yield* outcomeSteps(merges, notice);
}

/** What is needed to complete the constraint set; null if the linkage alone has nothing to break. */
function openCompleting(space: Space, k: number, effort: number, { ids }: Instances): Completing | null {
  const graph = constraintGraph(space.closure);
  // Among more than k clusters of a complete linkage one holds no vertex then, and may be merged with any.
  const safe = space.linkage === "complete" ? k : 0;
  return graph.vertices <= safe ? null : { space, graph, k, effort, ids };
}

function brokenPlainly(k: number): string {
  const why = k === 1 ? "." : "; looking ahead was switched off.";
  return `With ${counted(k, "cluster")} some cannot-links are broken${why}`;
}

/** Must-links are hard: there cannot be more clusters than components. */
function mostClusters(k: number | undefined, { componentCount }: Closure, notices: string[]): number | undefined {
  if (k === undefined || k <= componentCount) return k;
  notices.push(
    `The must-links leave only ${counted(componentCount, "group")} of rows, hence ${counted(componentCount, "cluster")} instead of ${k}.`,
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

/** Merges rows by distances that the constraints changed; keeps must-links, and cannot-links where k clusters can. */
export const ccl = defineMethod({
  name: "ccl",
  title: "Constrained complete linkage",
  titleWith: ({ linkage }) => `Constrained ${linkage === "ward" ? "Ward" : (linkage ?? "complete")} linkage`,
  summary: "constraints change the distances, the linkage does the rest; keeps must-links, and cannot-links where k clusters can",
  paper: "Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002",
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
