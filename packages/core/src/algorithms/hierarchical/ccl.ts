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
import { colour } from "../../diagnose/colouring.js";
import { constraintGraph } from "../../diagnose/graph.js";
import { badOption, CoterieError } from "../../errors.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Merge, Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { drain, type Steps } from "../../steps/index.js";
import { distanceMatrixSteps, METRICS } from "../distance.js";
import { finish } from "../finish.js";
import type { Context, Input, Outcome } from "../method.js";
import { constrainSteps } from "./constrain-proximities.js";
import { type Linkage, mergeSteps, prepareLinkage } from "./linkage.js";
import { lookAheadSteps } from "./look-ahead.js";
import { cutAtHeight, cutToK } from "./merges.js";

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
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
  storage: z
    .enum(["f64", "f32"])
    .optional()
    .meta({ description: "precision of the stored distances (default: f64 up to 16,000 rows)" }),
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
  const input = { points, constraints };
  return finish(input, drain(cclSteps(input, cclOptions.parse(options), { kernels, random: randomFrom(seed) })));
}

export function* cclSteps({ points, constraints }: Input, options: CheckedOptions, { kernels }: Context): Steps<Outcome> {
  checkCut(options, points.n);
  const closure = closeConstraints(constraints);
  const prepared = prepareLinkage(options.linkage, points, options);
  const notices = [...prepared.notices];
  if (isContradictory(closure)) notices.push("Some cannot-links contradict the must-links; must-links come first.");
  const constrained = function* (work: (matrix: F64 | F32, barred: number, arena: Arena) => Steps<readonly Merge[]>) {
    const arena = kernels.arena();
    try {
      const matrix = yield* distanceMatrixSteps(prepared.points, prepared.metric, prepared.storage, kernels, arena);
      const barred = yield* constrainSteps(matrix, closure, kernels, arena);
      if (!SQUARES.includes(options.linkage)) tieMembers(matrix, closure);
      return (yield* work(matrix, barred, arena)).map(
        ([left, right, height, size]) => [left, right, Math.max(0, height), size] as const,
      );
    } finally {
      arena.release();
    }
  };
  const merged = yield* constrained((matrix, _, arena) => mergeSteps(options.linkage, matrix, points.n, kernels, arena));
  const plain = markForbidden(merged, closure);
  const k = mostClusters(options.k, closure, notices);
  const cut = { ...options, k };
  if (k === undefined || firstForbidden(plain) >= points.n - k) return outcomeOf(plain, points.n, cut, notices);
  const advice = adviceFor(options, closure, k);
  if (advice !== undefined) return outcomeOf(plain, points.n, cut, [...notices, advice]);
  const merges = yield* constrained((matrix, barred) => lookAheadSteps(matrix, barred, closure, k, options.effort));
  return outcomeOf(merges, points.n, cut, [...notices, LOOKED_AHEAD]);
}

/** Linkages that square distances, for which a negative one is not the smallest. */
const SQUARES: readonly Linkage[] = ["ward", "centroid", "median"];

/**
 * Rows of a component merge before any others, duplicates at distance 0 included: else two members, each drawn away by a
 * duplicate of its own, could end in clusters that must be apart.
 */
export function tieMembers(matrix: F64 | F32, { n, members, componentCount }: Closure): void {
  const d = matrix.view();
  for (let c = 0; c < componentCount; c++) {
    for (let p = members.start[c]!; p < members.start[c + 1]!; p++) {
      for (let q = members.start[c]!; q < members.start[c + 1]!; q++)
        if (p !== q) d[members.items[p]! * n + members.items[q]!] = -1;
    }
  }
}

/** Must-links are hard: there cannot be more clusters than components. */
function mostClusters(k: number | undefined, { componentCount }: Closure, notices: string[]): number | undefined {
  if (k === undefined || k <= componentCount) return k;
  notices.push(
    `The must-links leave only ${componentCount} groups of rows, so there are ${componentCount} clusters instead of ${k}.`,
  );
  return componentCount;
}

const LOOKED_AHEAD = "Plain complete linkage would have broken cannot-links at this k; looking ahead kept them all.";

function checkCut({ k, height, stopBeforeViolation }: CheckedOptions, n: number): void {
  const ways = [k !== undefined, height !== undefined, stopBeforeViolation].filter((way) => way).length;
  if (ways === 0) throw badOption("k", undefined, "given, or a height to cut at, or stopBeforeViolation");
  if (ways > 1) throw badOption("height", height, "the only way to cut: give one of k, height and stopBeforeViolation");
  if (k !== undefined && k > n) throw new CoterieError({ code: "k-too-large", k, n });
}

/** Why the plain result has to do, in a sentence; undefined where looking ahead will keep every cannot-link. */
function adviceFor({ lookahead, linkage, effort }: CheckedOptions, closure: Closure, k: number): string | undefined {
  const broken = `With ${k} clusters some cannot-links are broken`;
  if (!lookahead) return `${broken}; looking ahead was switched off.`;
  if (linkage !== "complete") return `${broken}; only complete linkage looks ahead.`;
  const graph = constraintGraph(closure);
  const answer = colour(graph, k, { effort });
  if (answer.status === "feasible") return undefined;
  if (answer.status === "undecided")
    return `${broken}; whether ${k} clusters could keep them all was not decided within the effort.`;
  return `${broken}: no clustering with ${k} clusters keeps them all, since ${answer.core.vertices.length} groups of rows already need more.`;
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

/** The place of the first merge that a constraint forbids; their number when there is none. */
function firstForbidden(merges: readonly Merge[]): number {
  const first = merges.findIndex((merge) => merge[2] === Infinity);
  return first < 0 ? merges.length : first;
}

/** Merges that join rows which must be apart get height Infinity. Each is found at the first merge that joins the two. */
export function markForbidden(merges: readonly Merge[], closure: Closure): Merge[] {
  const { n, component, neighbours } = closure;
  const inside: (Set<number> | undefined)[] = [];
  const componentsOf = (cluster: number): Set<number> => inside[cluster] ?? new Set([component[cluster]!]);
  return merges.map(([left, right, height, size], m) => {
    const [small, large] = [componentsOf(left), componentsOf(right)].sort((a, b) => a.size - b.size) as [
      Set<number>,
      Set<number>,
    ];
    let forbidden = false;
    for (const c of small) for (const other of neighbours(c)) forbidden ||= large.has(other);
    for (const c of small) large.add(c);
    inside[n + m] = large;
    return [left, right, forbidden ? Infinity : height, size] as const;
  });
}
