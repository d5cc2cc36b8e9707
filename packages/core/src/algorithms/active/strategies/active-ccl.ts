/**
 * Active constrained complete linkage: asks about the highest merges before they are made.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 5.5.
 *
 * Complete linkage runs without questions below a height alpha. Alpha is chosen so that about `share` of the budget's questions
 * can become merges on the way to k clusters; the rest is for answers "different", which cost a question and merge nothing. From alpha on,
 * each merge is asked about, by the roots of its two clusters. "same" sets their distance to 0 and contracts the space around them
 * by shortest paths in the reduced matrix; "different" bars the pair, which complete linkage propagates by itself.
 * When the budget is spent, the linkage continues without questions. (The paper expects some merges below alpha after a contraction; in the
 * reduced matrix a shortened distance is a sum or minimum of distances of at least alpha, so there are none.)
 *
 * Departs from the paper, or decides what it leaves open: the root is the cluster's medoid; after "unsure" the merge is made, as the
 * distances say; the dialogue ends at k clusters. The linkage after the last answer looks ahead, as `ccl` does, so that it ends in k
 * clusters that satisfy every answer; if clusters formed without questions make that impossible, `ccl` clusters all rows anew under all
 * answers. `lookahead: false` continues as in the paper, and can break answers. In the hierarchy, the height of a merge is the distance at
 * which it was proposed, whatever the answer, so that heights do not fall while questions are asked.
 */
import * as z from "zod";
import { graphOf } from "../../../colouring/graphs/graph.js";
import { type IncrementalColouring, keepColouring } from "../../../colouring/kept-colouring.js";
import type { PairAnswer, Steps } from "../../../steps/index.js";
import { METRICS } from "../../distance.js";
import { cutToK } from "../../hierarchical/cut/merges.js";
import type { Context, Outcome } from "../../method.js";
import { linkageOutcome } from "../constrained-outcome.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";
import { reduceSteps } from "./active-ccl-start.js";
import { GrowingTree } from "./growing-tree.js";
import { GrownClusters } from "./grown-clusters.js";
import { ReducedMatrix } from "./reduced-matrix.js";

export const activeCclOptions = z.strictObject({
  share: z
    .number()
    .min(0)
    .max(1)
    .default(0.75)
    .meta({ description: "expected share of questions answered by a merge; the rest is for answers 'different'" }),
  lookahead: z
    .boolean()
    .default(true)
    .meta({ description: "after the last answer, refuse merges after which k clusters could not satisfy every answer" }),
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
});

type Options = z.output<typeof activeCclOptions>;

export function* startActiveCcl(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { points, constraints, budget } = input;
  const k = input.k!;
  const merges = Math.round(Math.min(options.share * budget, points.n));
  const start = yield* reduceSteps(points, constraints, { k, merges, distance: options.distance }, context.kernels);
  const { journal } = setting;
  const matrix = new ReducedMatrix(start.distances, start.bars, start.barred, journal);
  const clusters = new GrownClusters(start.rows, start.totals, journal);
  const tree = new GrowingTree(start.merges, start.rows, journal);
  return new PairSession(setting, activeCcl(setting, { ...options, k }, context, { ...start, matrix, clusters, tree }));
}

interface LinkageState {
  readonly alpha: number;
  readonly matrix: ReducedMatrix;
  readonly clusters: GrownClusters;
  readonly tree: GrowingTree;
  readonly notices: readonly string[];
}

function activeCcl(
  setting: QuestionerSetting,
  options: Options & { readonly k: number },
  context: Context,
  growing: LinkageState,
): Questioner {
  const { knowledge, journal } = setting;
  const { alpha, matrix, clusters, tree } = growing;
  /** The two clusters of the pair proposed last. */
  const proposed = Int32Array.of(-1, -1);
  return {
    propose() {
      while (matrix.count > options.k) {
        const pair = matrix.nearest();
        if (pair === null) return null;
        const [a, b] = pair;
        if (matrix.effective(a, b) >= alpha) {
          journal.set(proposed, 0, a);
          journal.set(proposed, 1, b);
          return [clusters.root(a), clusters.root(b)];
        }
        clusters.merge(a, b);
        join(growing, a, b);
      }
      return null;
    },
    observe(answer: PairAnswer) {
      const [a = -1, b = -1] = proposed;
      if (answer === "different") return matrix.bar(a, b);
      const height = matrix.effective(a, b);
      if (answer === "same") matrix.contract(a, b);
      clusters.merge(a, b);
      tree.merge(a, b, height);
      matrix.merge(a, b);
    },
    *outcome(): Steps<Outcome> {
      const mark = journal.mark();
      const further = mergesToK(matrix, options);
      journal.rewind(mark);
      if (!further) return yield* linkageOutcome(setting.points, knowledge.constraints(), options.k, options.distance, context);
      const k = Math.min(options.k, matrix.count);
      for (const [a, b] of further) join(growing, a, b);
      for (let pair = nearestOfAll(matrix); pair; pair = nearestOfAll(matrix)) join(growing, ...pair);
      const merges = [...tree.merges];
      journal.rewind(mark);
      return { labels: cutToK(merges, setting.points.n, k), merges, notices: growing.notices };
    },
  };
}

/**
 * Merges down to k clusters; null if lookahead finds no way to satisfy every answer. Leaves the matrix at k clusters, with refused merges
 * barred.
 */
function mergesToK(
  matrix: ReducedMatrix,
  { k, lookahead }: { readonly k: number; readonly lookahead: boolean },
): (readonly [number, number])[] | null {
  const colouring = lookahead ? colouringOf(matrix, k) : undefined;
  if (colouring === null) return null;
  const merges: (readonly [number, number])[] = [];
  while (matrix.count > k) {
    const pair = lookahead ? matrix.nearest() : nearestOfAll(matrix);
    if (pair === null) return null;
    const [a, b] = pair;
    if (colouring && colouring.canMerge(a, b) !== "yes") {
      matrix.bar(a, b);
      continue;
    }
    colouring?.merge(a, b);
    matrix.merge(a, b);
    merges.push(pair);
  }
  return merges;
}

/** The closest pair, barred pairs last; null if one cluster is left. */
function nearestOfAll(matrix: ReducedMatrix): readonly [number, number] | null {
  return matrix.nearest() ?? matrix.nearestBarred();
}

function join({ matrix, tree }: LinkageState, a: number, b: number): void {
  tree.merge(a, b, matrix.isBarred(a, b) ? Infinity : matrix.effective(a, b));
  matrix.merge(a, b);
}

/** A colouring with k colours of the graph of bars, updated incrementally as clusters merge; null if there is none. */
function colouringOf(matrix: ReducedMatrix, k: number): IncrementalColouring | null {
  const left = matrix.clusters();
  const pairs = left.flatMap((a) => left.filter((b) => b > a && matrix.isBarred(a, b)).map((b) => [a, b] as const));
  const answer = keepColouring(graphOf(matrix.m, pairs), k);
  return answer.status === "feasible" ? answer.kept : null;
}
