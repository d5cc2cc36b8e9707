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
import { constraintGraph } from "../../diagnose/graph.js";
import { type KeepColouring, keepColouring } from "../../diagnose/kept-colouring.js";
import { badOption, CoterieError } from "../../errors.js";
import { type Arena, type F32, type F64, type Kernels, plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Merge, Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { drain, type Steps } from "../../steps/index.js";
import { finish } from "../finish.js";
import type { Context, Input, Outcome } from "../method.js";
import { componentDistanceSteps } from "./component-distances.js";
import { expandMerges, firstForbidden, markForbidden, weighForWard } from "./component-merges.js";
import { distanceOptions, type Linkage, mergeSteps, type PreparedLinkage, prepareLinkage } from "./linkage.js";
import { followPlain, lookAheadSteps, reduceSteps } from "./look-ahead.js";
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
  const input = { points, constraints };
  return finish(input, drain(cclSteps(input, cclOptions.parse(options), { kernels, random: randomFrom(seed) })));
}

export function* cclSteps({ points, constraints }: Input, options: CheckedOptions, { kernels }: Context): Steps<Outcome> {
  checkCut(options, points.n);
  const closure = closeConstraints(constraints);
  const prepared = prepareLinkage(options.linkage, points, options);
  const notices = [...prepared.notices];
  if (isContradictory(closure)) notices.push("Some cannot-links contradict the must-links; must-links come first.");
  const k = mostClusters(options.k, closure, notices);
  const proximities: Proximities = { prepared, closure, linkage: options.linkage, kernels };
  const { componentCount: m } = closure;
  const graph = k !== undefined && options.lookahead && options.linkage === "complete" ? constraintGraph(closure) : null;
  const keep = graph !== null && graph.vertices > k! && m <= MOST_KEPT;
  const { merges: merged, kept } = yield* plainSteps(proximities, keep);
  const plain = markForbidden(merged, closure);
  const outcome = (merges: readonly Merge[], ...more: readonly string[]): Outcome =>
    outcomeOf(expandMerges(merges, closure), points.n, { ...options, k }, [...notices, ...more]);
  if (k === undefined || firstForbidden(plain) >= m - k) return outcome(plain);
  const broken = `With ${k} clusters some cannot-links are broken`;
  if (!options.lookahead) return outcome(plain, `${broken}; looking ahead was switched off.`);
  if (graph === null) return outcome(plain, `${broken}; only complete linkage looks ahead.`);
  const answer = keepColouring(graph, k, { effort: options.effort });
  if (answer.status !== "feasible") return outcome(plain, `${broken}${whyNot(answer, k)}`);
  const turning = followPlain(plain, graph.vertexOf, k, answer.kept);
  const reduced = kept
    ? { matrix: yield* reduceSteps((i) => kept.rows[i]!, turning), barred: kept.barred }
    : yield* constrained(proximities, function* (matrix, barred) {
        return { matrix: yield* reduceSteps((i) => matrix.view().subarray(i * m + i + 1, (i + 1) * m), turning), barred };
      });
  const merges = yield* lookAheadSteps(reduced.matrix, reduced.barred, turning, k, answer.kept);
  return outcome([...plain.slice(0, turning.made), ...merges], LOOKED_AHEAD);
}

/** Up to this many components a copy of the matrix is kept for looking ahead; beyond, it is made again if need be. */
const MOST_KEPT = 6_000;

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

interface Kept {
  /** What lies right of the diagonal in each row. */
  readonly rows: readonly (Float64Array | Float32Array)[];
  readonly barred: number;
}

function plainSteps(
  proximities: Proximities,
  keep: boolean,
): Steps<{ readonly merges: readonly Merge[]; readonly kept: Kept | null }> {
  const { closure, linkage, kernels } = proximities;
  const { componentCount: m, sizes } = closure;
  return constrained(proximities, function* (matrix, barred, arena) {
    const d = matrix.view();
    const rows = Array.from({ length: keep ? m : 0 }, (_, i) => d.slice(i * m + i + 1, (i + 1) * m));
    const merges = yield* mergeSteps(linkage, matrix, m, kernels, arena, sizes);
    return { merges, kept: keep ? { rows, barred } : null };
  });
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
  if (ways > 1) {
    const [option, value] = height === undefined ? (["stopBeforeViolation", true] as const) : (["height", height] as const);
    throw badOption(option, value, "the only way to cut: give one of k, height and stopBeforeViolation");
  }
  if (k !== undefined && k > n) throw new CoterieError({ code: "k-too-large", k, n });
}

/** Why no clustering with k clusters is known to keep every cannot-link, as the end of a sentence. */
function whyNot(answer: Exclude<KeepColouring, { readonly status: "feasible" }>, k: number): string {
  if (answer.status === "undecided") return `; whether ${k} clusters could keep them all was not decided within the effort.`;
  return `: no clustering with ${k} clusters keeps them all, since ${answer.core.vertices.length} groups of rows already need more.`;
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
