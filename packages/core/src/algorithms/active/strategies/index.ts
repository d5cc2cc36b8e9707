/** The catalogue of question strategies. */

import { emptyConstraints } from "../../../constraints/index.js";
import { badOption, CoterieError } from "../../../errors.js";
import { type Kernels, plainKernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { nearestName } from "../../../model/names.js";
import type { Instances, Rows } from "../../../model/points.js";
import { checkedOptions } from "../../../options.js";
import { randomFrom } from "../../../random/index.js";
import { asPoints } from "../../../rows.js";
import { answerFromLabels, drain, type Steps } from "../../../steps/index.js";
import { duplicatesOptions } from "../../pairs/index.js";
import { checkInput } from "../../values.js";
import { startEvidence } from "../evidence/evidence-session.js";
import { dialogueOf } from "../session.js";
import type { EarlierAnswer, Session, SessionResult, Strategy } from "../strategy.js";
import { activeCclOptions, startActiveCcl } from "./active-ccl.js";
import { closestOptions, startClosest } from "./closest.js";
import { startDuplicates } from "./duplicates.js";
import { farthestFirstOptions, startExploreConsolidate, startMinMax } from "./farthest-first.js";
import { npuOptions, startNpu } from "./npu.js";
import { oddOneOutOptions, startOddOneOut } from "./odd-one-out.js";
import { spreadingOptions, startSpreading } from "./spreading.js";

/**
 * All strategies for choosing questions.
 *
 * ```ts
 * strategies.map(({ name, summary }) => `${name}: ${summary}`);
 * ```
 */
export const strategies: readonly Strategy[] = [
  {
    name: "spreading",
    title: "Spreading answers",
    summary: "asks about rows whose class is uncertain, in regions of uncertain rows; does not need the number of clusters",
    paper: "Zhu, Ghahramani, Lafferty: Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions. 2003",
    needsK: false,
    asks: "pair",
    options: spreadingOptions,
    start: startSpreading,
  },
  {
    name: "active-ccl",
    title: "Active constrained complete linkage",
    summary: "runs complete linkage, and asks before each of its highest merges whether the two clusters belong together",
    paper: "Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002",
    needsK: true,
    plansBudget: true,
    asks: "pair",
    options: activeCclOptions,
    start: startActiveCcl,
  },
  {
    name: "explore-consolidate",
    title: "Explore and consolidate",
    summary: "finds a row of each cluster by choosing rows far apart, then places rows in random order",
    paper: "Basu, Banerjee, Mooney: Active Semi-Supervision for Pairwise Constrained Clustering. 2004",
    needsK: true,
    asks: "pair",
    options: farthestFirstOptions,
    start: startExploreConsolidate,
  },
  {
    name: "min-max",
    title: "Min-max",
    summary: "like explore-consolidate, but places the row that is least similar to all rows placed so far",
    paper: "Mallapragada, Jin, Jain: Active Query Selection for Semi-supervised Clustering. 2008",
    needsK: true,
    asks: "pair",
    options: farthestFirstOptions,
    start: startMinMax,
  },
  {
    name: "npu",
    title: "Normalised point-based uncertainty",
    summary: "asks to which cluster a row belongs; chooses the row with the most uncertainty per expected question",
    paper: "Xiong, Azimi, Fern: Active Learning of Constraints for Semi-Supervised Clustering. 2014",
    needsK: true,
    asks: "pair",
    options: npuOptions,
    start: startNpu,
  },
  {
    name: "duplicates",
    title: "Duplicates",
    summary:
      "for duplicates: asks about the pair whose answer is expected to correct the most pairs; finds the number of clusters",
    paper: "Fellegi, Sunter: A Theory for Record Linkage. 1969",
    needsK: false,
    findsK: true,
    ownClusters: true,
    asks: "pair",
    options: duplicatesOptions,
    start: startDuplicates,
  },
  {
    name: "closest",
    title: "Closest pairs",
    summary:
      "asks about the most similar pairs that are still undecided, by the distance of rows; does not need the number of clusters",
    paper: "Otsu: A Threshold Selection Method from Gray-Level Histograms. 1979",
    needsK: false,
    ownClusters: true,
    asks: "pair",
    options: closestOptions,
    start: startClosest,
  },
  {
    name: "odd-one-out",
    title: "The odd one out",
    summary: "shows three rows and asks which is the odd one out, to test the current hierarchy, large branches first",
    paper: "Liu, Zhang, Wang: Clustering with Relative Constraints. 2011",
    needsK: true,
    ownClusters: true,
    asks: "triplet",
    options: oddOneOutOptions,
    start: startOddOneOut,
  },
];

export const DEFAULT_STRATEGY = "spreading";

export function findStrategy(name: string): Strategy | undefined {
  return strategies.find((strategy) => strategy.name === name);
}

export interface AskOptions {
  readonly points: Instances | Rows;
  readonly strategy?: string;
  /** Constraints known before the first question. */
  readonly constraints?: ConstraintSet;
  /** The number of clusters; some strategies do not need it. */
  readonly k?: number;
  /** Maximum number of questions. */
  readonly budget?: number;
  /**
   * Share of answers that are expected to be wrong, or "learn" to estimate it from the answers. Above 0, answers are evidence instead of
   * hard constraints. Default: 0.
   */
  readonly errorRate?: number | "learn";
  /** Answers given before the session. They are evidence, so they need an error rate, and they do not count towards the budget. */
  readonly evidence?: readonly EarlierAnswer[];
  readonly seed?: number;
  readonly kernels?: Kernels;
  /** Options of the strategy. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/**
 * Opens a session of questions.
 *
 * ```ts
 * const session = startAsking({ points, k: 3, budget: 20 });
 * session.next(); // { kind: "pair", ask: [12, 87] }
 * session.answer("same");
 * ```
 */
export function startAsking(options: AskOptions): Session {
  return drain(startAskingSteps({ ...options, points: asPoints(options?.points) }));
}

/** Like `startAsking`, as steps that can be paused, because opening a session takes a while with many rows. */
export function startAskingSteps({
  points,
  strategy: name = DEFAULT_STRATEGY,
  constraints = emptyConstraints(points.n),
  k,
  budget = Infinity,
  errorRate = 0,
  evidence = [],
  seed = 0,
  kernels = plainKernels,
  options = {},
}: AskOptions & { readonly points: Instances }): Steps<Session> {
  const strategy = findStrategy(name);
  if (!strategy) {
    const names = strategies.map((known) => known.name);
    const meant = nearestName(name, names);
    throw badOption("strategy", name, `one of ${names.join(", ")}${meant ? `; did you mean ${meant}?` : ""}`);
  }
  if (k === undefined && strategy.needsK) throw badOption("k", undefined, `given: ${name} needs the number of clusters`);
  if (k !== undefined && strategy.findsK) throw badOption("k", k, `left out: the strategy ${name} finds the number of clusters`);
  if (k !== undefined && !(Number.isInteger(k) && k >= 1)) throw badOption("k", k, "a whole number of at least 1");
  if (k !== undefined && k > points.n) throw new CoterieError({ code: "k-too-large", k, n: points.n });
  if (!(budget >= 0)) throw badOption("budget", budget, "a number of questions");
  if (errorRate !== "learn" && !(errorRate >= 0 && errorRate < 0.5))
    throw badOption("errorRate", errorRate, 'a share from 0 to less than 0.5, or "learn"');
  checkInput({ points, constraints });
  const context = { kernels, random: randomFrom(seed) };
  const checked = checkedOptions(strategy.options, options);
  if (errorRate === 0 && evidence.length > 0)
    throw badOption("evidence", evidence.length, "left out when errorRate is 0, because every answer is certain then");
  if (errorRate === 0) return strategy.start({ points, constraints, k, budget }, checked, context);
  if (name !== DEFAULT_STRATEGY)
    throw badOption(
      "errorRate",
      errorRate,
      `0 with ${name}, which treats answers as certain; only ${DEFAULT_STRATEGY} weighs them`,
    );
  return startEvidence({ points, constraints, k, budget }, { ...spreadingOptions.parse(checked), errorRate, evidence }, context);
}

/**
 * Runs the whole dialogue with answers from known classes (`truth`; -1: unknown), within the budget.
 *
 * ```ts
 * askFromLabels({ points, k: 3, budget: 20, truth }).outcome.labels;
 * ```
 */
export function askFromLabels(options: AskOptions & { readonly truth: Int32Array; readonly budget: number }): SessionResult {
  return answerFromLabels(dialogueOf(startAsking(options)), options.truth, options.budget);
}
