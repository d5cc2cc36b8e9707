/**
 * Questions about duplicates (our own strategy): asks about the pair whose answer is expected to correct the most pairs of rows.
 *
 * Candidate pairs are compared once, and the model of matches is fitted once (see `pairs/`). After each answer all answers correct the
 * weights of the model, and the rows are clustered again. Two kinds of decisions of this clustering can be wrong: a cluster that holds
 * together by one pair with a low probability, and two clusters with a pair of high probability between them. The expected number of wrong
 * pairs is the probability that the decision is wrong, times the numbers of rows on both sides of the pair.
 */
import type * as z from "zod/mini";
import { closeConstraints } from "../../../constraints/index.js";
import { exp } from "../../../linalg/elementary.js";
import { drain, type Steps } from "../../../steps/index.js";
import { type Forest, forest, join, rootOf } from "../../../structures/components.js";
import type { Context } from "../../method.js";
import {
  type ComparedRows,
  clustersOfPairs,
  comparedRowsSteps,
  type duplicatesOptions,
  duplicatesUnder,
  oddsUnderSteps,
} from "../../pairs/index.js";
import type { Knowledge } from "../knowledge.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

type Options = z.output<typeof duplicatesOptions>;

export function* startDuplicates(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const compared = yield* comparedRowsSteps(input, options, context);
  return new PairSession(setting, questioner(setting, compared, options));
}

/** A question is worth asking only if at least this number of pairs of rows is expected to be wrong without it. */
const LEAST_WRONG = 0.005;

function questioner({ knowledge }: QuestionerSetting, compared: ComparedRows, options: Options): Questioner {
  return {
    propose() {
      const closure = closeConstraints(knowledge.constraints());
      const odds = drain(oddsUnderSteps(compared, closure));
      const { a, b } = compared.pairs;
      const { labels } = drain(clustersOfPairs({ a, b, odds }, closure, options));
      const best = mostWrong({ a, b, odds }, labels, knowledge);
      return best && best.wrong >= LEAST_WRONG ? [a[best.pair]!, b[best.pair]!] : null;
    },
    // The session records every answer in `knowledge`, from which `propose` reads it.
    observe() {},
    outcome: () => duplicatesUnder(compared, closeConstraints(knowledge.constraints()), options),
  };
}

interface Doubt {
  readonly pair: number;
  /** The expected number of pairs of rows that the current clustering decides wrongly because of this pair. */
  readonly wrong: number;
}

interface ScoredRows {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly odds: Float64Array;
}

/**
 * Returns the pair to ask about: among the pairs whose relation is unknown, the pair with the most expected wrong pairs, the earliest on
 * ties.
 */
export function mostWrong(pairs: ScoredRows, labels: Int32Array, knowledge: Knowledge): Doubt | undefined {
  const { a, b, odds } = pairs;
  const sizes = new Int32Array(labels.length);
  for (const label of labels) sizes[label]!++;
  const inside: number[] = [];
  /**
   * For each two clusters with scored pairs between them: the likeliest pair whose relation is unknown (`best`, -1: none), and the sum and
   * number of log odds from which the chance is computed that the two clusters belong together.
   */
  const between = new Map<number, { best: number; sum: number; count: number }>();
  for (let p = 0; p < a.length; p++) {
    const [u, v] = [labels[a[p]!]!, labels[b[p]!]!];
    if (u === v) {
      inside.push(p);
      continue;
    }
    const key = Math.min(u, v) * labels.length + Math.max(u, v);
    const known = between.get(key);
    if (!known && odds[p]! < LEAST_ODDS) continue;
    const own = known ?? { best: -1, sum: 0, count: 0 };
    between.set(key, own);
    const isOpen = knowledge.relation(a[p]!, b[p]!) === null;
    own.sum += isOpen ? odds[p]! : Math.min(odds[p]!, LEAST_ODDS);
    own.count++;
    if (isOpen && (own.best < 0 || odds[p]! > odds[own.best]!)) own.best = p;
  }
  let most: Doubt | undefined;
  const consider = (pair: number, wrong: number): void => {
    if (!most || wrong > most.wrong) most = { pair, wrong };
  };
  for (const { best, sum, count } of between.values())
    if (best >= 0) consider(best, sizes[labels[a[best]!]!]! * sizes[labels[b[best]!]!]! * chance(sum / count));
  inside.sort((p, q) => odds[q]! - odds[p]! || p - q);
  const trees = componentTrees(knowledge);
  for (const p of inside) {
    const sides = -trees[rootOf(trees, a[p]!)]! * -trees[rootOf(trees, b[p]!)]!;
    if (join(trees, a[p]!, b[p]!) && knowledge.relation(a[p]!, b[p]!) === null) consider(p, sides * chance(-odds[p]!));
  }
  return most;
}

/** A pair of rows in different clusters is never asked about if its log odds are lower than this. */
const LEAST_ODDS = -6;

function chance(odds: number): number {
  return 1 / (1 + exp(-odds));
}

/** The must-link components known so far, as union-find trees. */
function componentTrees(knowledge: Knowledge): Forest {
  const trees = forest(knowledge.n);
  for (let row = 0; row < knowledge.n; row++) join(trees, row, knowledge.component(row));
  return trees;
}
