/**
 * ClusILC: a clustering tree under must-links and cannot-links. Each leaf has a label, and the leaves of one label form a cluster. So a
 * cluster is a disjunction of conjunctions of tests.
 *
 * Struyf, Džeroski: Clustering Trees with Instance Level Constraints. ECML 2007, figures 2 and 4. Minimises
 *   H = (1 - γ) · variance in the leaves / variance of the data + γ · violated constraints / all constraints.
 * The constraints are first completed by the constraints that follow from them (their closure).
 *
 * Departs from the paper:
 * - Leaf labels follow the rule of the authors' program by default (see label-rules.ts).
 * - Constraints have weights. Entailed constraints are counted by component and never listed.
 * - Nominal columns use the Gini index, and tests for levels.
 * - Beam search is available.
 * - The tree can be pruned by held-out constraints, or by a cost per leaf.
 * - Thresholds are short decimals.
 */

import * as z from "zod/mini";
import { closeConstraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import { atLeast, oneOf, option, whole } from "../../options.js";
import type { Random } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { tree } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { wholeRows } from "../encode.js";
import { renumber } from "../finish.js";
import { refuseUnsatisfiable } from "../hard-part.js";
import { type Context, type Input, type Outcome, SOFT } from "../method.js";
import { type Grown, type GrowOptions, grow } from "./grow/grow.js";
import { pairCosts } from "./grow/label-rules.js";
import { bestSplitCount, buildTree, holdOuts, replay, splitCountByCost, violationsAfterSplits } from "./grow/prune.js";

import { type Space, spaceSteps, untestedNotices } from "./grow/space.js";
import { rulesSteps, ruleText } from "./rules/rules.js";

const columnNames = z.union([
  z.array(z.string()),
  z.pipe(
    z.string(),
    z.transform((text) => text.split(",").map((name) => name.trim())),
  ),
]);

const clusilcOptions = z.strictObject({
  k: option(whole(1), "maximum number of clusters"),
  gamma: option(z._default(atLeast(0).check(z.lte(1)), 0.5), "weight of the constraints relative to the variance, from 0 to 1"),
  minLeaf: option(z._default(whole(1), 2), "minimum number of rows in a leaf"),
  maxLeaves: option(z.optional(whole(1)), "maximum number of leaves"),
  beam: option(z._default(whole(1), 1), "number of trees kept in the beam search (1: greedy search)"),
  labelRule: option(
    oneOf(["linked", "any"]),
    "labels that a new leaf can take: linked = a new label, or the label of a leaf to which it has a must-link; any = any label",
  ),
  describe: option(z.optional(columnNames), "columns that the tree can test, separated by commas (default: all)"),
  variance: option(z.optional(columnNames), "columns whose variance counts in the objective, separated by commas (default: all)"),
  validation: option(
    z._default(atLeast(0).check(z.lt(1)), 0),
    "share of the constraints held out in each round to choose the number of leaves (0: grow the full tree)",
  ),
  leafCost: option(
    z._default(atLeast(0), 0),
    "cost of each leaf, in units of the objective H; the tree is pruned to the smallest sum of H and leaf costs",
  ),
});

type CheckedOptions = z.output<typeof clusilcOptions>;

function* clusilcSteps(input: Input, options: CheckedOptions, { random }: Pick<Context, "random">): Steps<Outcome> {
  const { constraints } = input;
  const { points, notices: filled } = wholeRows(input.points);
  const { k, leafCost, validation } = options;
  if (k > points.n) throw new CoterieError({ code: "k-too-large", k, n: points.n });
  refuseUnsatisfiable(constraints, k, points.ids);
  const space = yield* spaceSteps(points, options);
  const bound: GrowOptions = { ...options, maxLeaves: options.maxLeaves ?? Infinity };
  const stop = validation > 0 ? yield* earlyStop(space, constraints, bound, validation, random.split("validation")) : null;
  const maxLeaves = stop?.leaves ?? bound.maxLeaves;
  const costs = pairCosts(closeConstraints(constraints));
  const grown = yield* grow(space, costs, { ...bound, maxLeaves });
  const notices = [
    ...filled,
    ...nominalNotice(points),
    ...untestedNotices(space),
    ...hardNotice(costs.hard),
    ...(stop?.notices ?? []),
  ];
  return yield* outcomeOf(
    points,
    space,
    grown,
    splitCountByCost(grown, leafCost),
    { k, maxLeaves, stopped: stop !== null },
    notices,
  );
}

function* earlyStop(
  space: Space,
  constraints: ConstraintSet,
  options: GrowOptions,
  share: number,
  random: Random,
): Steps<{ readonly leaves: number; readonly notices: readonly string[] }> {
  const tests = holdOuts(constraints, share, random).filter(({ held }) => held.count > 0);
  if (tests.length === 0) {
    return {
      leaves: options.maxLeaves,
      notices: ["No constraint was held out that the others do not entail: the tree was grown to its end."],
    };
  }
  const rounds: (readonly number[])[] = [];
  for (const test of tests) {
    const grown = yield* grow(space, pairCosts(closeConstraints(test.kept)), options);
    rounds.push(violationsAfterSplits(space, grown.splits, test));
  }
  const { splits, broken } = bestSplitCount(rounds);
  const leaves = splits + 1;
  const count = tests.reduce((sum, { held }) => sum + held.count, 0);
  return {
    leaves,
    notices: [
      `Trees of ${leaves} ${leaves === 1 ? "leaf" : "leaves"} broke least, ${broken} of ${count}, of the constraints that were held out ` +
        `in ${rounds.length === 1 ? "one round" : `${rounds.length} rounds`}; the tree was grown to that size from all constraints.`,
    ],
  };
}

function hardNotice(hard: "none" | "alone" | "mixed"): string[] {
  if (hard === "none") return [];
  const weight =
    hard === "mixed"
      ? "each weighs 1,000 times as much as the heaviest other one"
      : "all have the same weight, since there are no others";
  return [`A tree cannot guarantee hard constraints: ${weight}.`];
}

function nominalNotice({ nominal, texts }: Instances): string[] {
  const count = nominal?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  if (count === 0) return [];
  const written = texts?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  return [
    `${count === 1 ? "1 nominal column counts" : `${count} nominal columns count`} with the Gini index as variance.`,
    ...(written > 0 ? ["A tree tests texts for equality alone, not for similarity."] : []),
  ];
}

/**
 * Builds the outcome from the first `worth` splits. Clusters are numbered by first appearance. stopped: whether validation limited the
 * number of leaves, not the user.
 */
function* outcomeOf(
  points: Instances,
  space: Space,
  { splits: allSplits, heights }: Grown,
  worth: number,
  { k, maxLeaves, stopped }: { readonly k: number; readonly maxLeaves: number; readonly stopped: boolean },
  notices: readonly string[],
): Steps<Outcome> {
  const splits = allSplits.slice(0, worth);
  const slots = replay(space, splits);
  const labelOfSlot = new Int32Array(slots.length);
  splits.forEach(({ slot, first, second }, s) => {
    labelOfSlot[slot] = first;
    labelOfSlot[s + 1] = second;
  });
  const rough = new Int32Array(points.n);
  slots.forEach((rows, slot) => {
    for (const row of rows) rough[row] = labelOfSlot[slot]!;
  });
  const { labels, names } = renumber(rough);
  const tree = buildTree(points, space, splits, slots, (slot) => names.indexOf(labelOfSlot[slot]!));
  const objective = heights[worth]!;
  const isFull = worth === allSplits.length && worth + 1 === maxLeaves;
  const whyNoMore =
    worth < allSplits.length
      ? "more leaves are not worth their cost"
      : isFull
        ? "the limit on leaves is reached"
        : "no other allowed split lowers H";
  return {
    labels,
    tree,
    rules: (yield* rulesSteps(tree)).map((rule) => ruleText(rule, tree.notations)),
    objective,
    history: worth === 0 ? [objective] : heights.slice(1, worth + 1),
    iterations: worth,
    stopped: isFull && !stopped ? "max-iterations" : "converged",
    notices: names.length < k ? [...notices, `The tree has ${names.length} of at most ${k} clusters: ${whyNoMore}.`] : notices,
  };
}

/** Grows a tree under constraints, and describes each cluster by a rule. */
export const clusilc = /* @__PURE__ */ defineMethod({
  name: "clusilc",
  title: "ClusILC",
  summary: "grows a tree under constraints and describes each cluster by a rule",
  paper: "Struyf, Džeroski: Clustering Trees with Instance Level Constraints. 2007",
  example: 'clusilc(points, known, { k: 3 }).rules; // ["if petal_length <= 2.45", …]',
  menuTitle: "ClusILC tree",
  onEngine: "micro-clusters",
  family: "tree",
  treats: SOFT,
  seconds: tree,
  weighsRows: true,
  options: clusilcOptions,
  steps: clusilcSteps,
});
