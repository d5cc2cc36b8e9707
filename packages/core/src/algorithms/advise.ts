/**
 * Advises a method for a table and its constraints. Three times, every method gets two thirds of the links and labels and is scored on the
 * held-out third: the rule by which `choose-k.ts` chooses k. Ours; not from a paper.
 *
 * A method within one standard error of the best score counts as equally good (Breiman, Friedman, Olshen, Stone 1984). Among these methods
 * the advice is the one that breaks the smallest share of its given constraints; on a tie, the one with the highest score.
 *
 * The generator yields the runs it needs and never runs a method itself: the caller answers each trial with a result.
 */
import { brokenCount, type Closure, closeConstraints, countConstraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import { agreement, countLinks, ENOUGH_LINKS, type HeldOut, NO_LINKS, type Pairs, partsOf } from "./held-out.js";

/** A run that the advice needs: `algorithm`, given only the constraints `known`. */
export interface AdviceTrial {
  readonly algorithm: string;
  readonly known: ConstraintSet;
  /** Number of trials before this one, out of `total`. */
  readonly done: number;
  readonly total: number;
}

/** The results of one method over all trials. */
export interface TriedMethod {
  readonly algorithm: string;
  /** Agreement with the held-out links beyond chance, and its standard error; null if a run failed. */
  readonly score: number | null;
  readonly error: number | null;
  /** Number of constraints given to the method, summed over its trials, and how many of them it broke. */
  readonly told: number;
  readonly broken: number;
  /** Why a run failed. */
  readonly failure: string | null;
}

export interface MethodAdvice {
  /** The best method; null if every method failed. */
  readonly algorithm: string | null;
  /** In the order of the trials. */
  readonly tried: readonly TriedMethod[];
  /** Number of held-out links, summed over the parts. */
  readonly held: number;
}

export type AdviceResult = Pick<Result, "labels" | "violations">;

/**
 * The caller answers each trial with its result, or throws the trial's error into the generator. Null if there are too few links to hold
 * any out.
 */
export type Advising = Generator<AdviceTrial, MethodAdvice | null, AdviceResult>;

export function* advising(constraints: ConstraintSet, algorithms: readonly string[], seed: number): Advising {
  const parts = partsOf(constraints, randomFrom(seed).split("advise")).map(withoutImplied);
  const count = (kind: keyof Pairs) => parts.reduce((sum, { held }) => sum + held[kind].length, 0);
  if (count("must") < ENOUGH_LINKS || count("cannot") < ENOUGH_LINKS) return null;
  const tried: TriedMethod[] = [];
  for (const [at, algorithm] of algorithms.entries())
    tried.push(yield* tryMethod(algorithm, parts, { done: at * parts.length, total: algorithms.length * parts.length }));
  return { algorithm: bestOf(tried)?.algorithm ?? null, tried, held: count("must") + count("cannot") };
}

/** Removes held-out links that the known constraints imply: every method that keeps the known constraints keeps those links too. */
function withoutImplied({ known, held }: HeldOut): HeldOut {
  const closure = closeConstraints(known);
  const isOpen = ([a, b]: readonly [number, number]): boolean =>
    !isImplied(closure, closure.component[a]!, closure.component[b]!);
  return { known, held: { must: held.must.filter(isOpen), cannot: held.cannot.filter(isOpen) } };
}

function isImplied(closure: Closure, a: number, b: number): boolean {
  return a === b || closure.apart(a, b);
}

function* tryMethod(
  algorithm: string,
  parts: readonly HeldOut[],
  { done, total }: Pick<AdviceTrial, "done" | "total">,
): Generator<AdviceTrial, TriedMethod, AdviceResult> {
  let counts = NO_LINKS;
  let [told, broken] = [0, 0];
  for (const [part, { known, held }] of parts.entries()) {
    try {
      const { labels, violations } = yield { algorithm, known, done: done + part, total };
      counts = countLinks(counts, labels, held);
      told += countConstraints(known);
      broken += brokenCount(violations);
    } catch (error) {
      if (!(error instanceof CoterieError)) throw error;
      return { algorithm, score: null, error: null, told, broken, failure: error.message };
    }
  }
  return { algorithm, ...agreement(counts), told, broken, failure: null };
}

type Judged = TriedMethod & { readonly score: number; readonly error: number };

function isJudged(method: TriedMethod): method is Judged {
  return method.score !== null;
}

function bestOf(tried: readonly TriedMethod[]): TriedMethod | undefined {
  const judged = tried.filter(isJudged);
  const [best] = [...judged].sort((a, b) => b.score - a.score);
  if (!best) return undefined;
  const share = ({ broken, told }: TriedMethod): number => (told === 0 ? 0 : broken / told);
  const [chosen] = judged
    .filter(({ score }) => score >= best.score - best.error)
    .sort((a, b) => share(a) - share(b) || b.score - a.score);
  return chosen;
}
