/**
 * Which method suits a table and what is known about it. Each method is told two thirds of the links and labels, three times, and judged by the
 * third that it was not told: the rule that `choose-k.ts` chooses a number by. Ours; no paper's.
 *
 * Methods within one standard error of the best agree as well as it does (Breiman, Friedman, Olshen, Stone 1984). Among them the one that breaks
 * the smallest share of what it was told is advised, then the one that agrees best.
 *
 * The loop asks for runs and never makes one: whoever drives it answers each trial with a result.
 */
import { brokenCount, type Closure, closeConstraints, countConstraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import { agreement, ENOUGH_LINKS, type HeldOut, listen, NOTHING_HEARD, type Pairs, partsOf } from "./held-out.js";

/** A run that the advice needs: this method, from these constraints alone. */
export interface AdviceTrial {
  readonly algorithm: string;
  readonly known: ConstraintSet;
  /** How many trials came before it, of how many. */
  readonly done: number;
  readonly total: number;
}

/** How a method did. */
export interface TriedMethod {
  readonly algorithm: string;
  /** Agreement with the held-out links beyond chance, and its standard error; null where a run failed. */
  readonly score: number | null;
  readonly error: number | null;
  /** Constraints that it was told, all times together, and how many of these it broke. */
  readonly told: number;
  readonly broken: number;
  /** Why a run failed. */
  readonly failure: string | null;
}

export interface MethodAdvice {
  /** The method that suits best; null if every one failed. */
  readonly algorithm: string | null;
  /** In the order in which they were tried. */
  readonly tried: readonly TriedMethod[];
  /** Links that were held out, all times together. */
  readonly held: number;
}

export type AdviceResult = Pick<Result, "labels" | "violations">;

/** Answered with the result of each trial; an error of a trial is thrown into it. Null where too few links are known to hold any out. */
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

/** What follows from the rest is no test of a method: whoever keeps the rest keeps it too. */
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
  let heard = NOTHING_HEARD;
  let [told, broken] = [0, 0];
  for (const [part, { known, held }] of parts.entries()) {
    try {
      const { labels, violations } = yield { algorithm, known, done: done + part, total };
      heard = listen(heard, labels, held);
      told += countConstraints(known);
      broken += brokenCount(violations);
    } catch (error) {
      if (!(error instanceof CoterieError)) throw error;
      return { algorithm, score: null, error: null, told, broken, failure: error.message };
    }
  }
  return { algorithm, ...agreement(heard), told, broken, failure: null };
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
