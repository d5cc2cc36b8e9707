/**
 * How many clusters: the method runs with each number of a range, and what it was not told decides.
 *
 * Where there are enough must-links and cannot-links, a third of them is held out three times, and a number is as good as its clusters agree
 * with the held-out ones, beyond chance. Numbers within one standard error of the best are equally good (the rule of Breiman, Friedman, Olshen,
 * Stone 1984); among them, and where there are too few constraints, the silhouette decides.
 *
 * The loop asks for runs and never makes one: whoever drives it answers each trial with a result, at once or after a while. A hierarchy
 * that several numbers share is asked for once, or once for each part that is held out, and cut for each number.
 */
import { badOption, CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Chosen, Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import type { Step } from "../steps/index.js";
import {
  agreement,
  ENOUGH_LINKS,
  type HeardLinks,
  type HeldOut,
  knownPairs,
  listen,
  NOTHING_HEARD,
  partsOf,
} from "./held-out.js";
import { cutToK } from "./hierarchical/cut/merges.js";
import { type Input, type KRange, type Method, type SharedTree, treatmentsOf } from "./method.js";
import { silhouettesOf } from "./silhouette.js";

/** A run that the choice needs: so many clusters, from these constraints alone. */
export interface Trial {
  readonly k: number;
  readonly known: ConstraintSet;
  /** In place of those that the method was given. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a choice looks at in the result of a trial. */
export type TrialResult = Pick<Result, "labels" | "k" | "merges">;

/** Answered with the result of each trial; an error of a trial is thrown into it. */
export type Choosing = Generator<Trial | Step, Chosen, TrialResult | undefined>;

/** What a choice has to know of the method that it is for. */
export interface ChoiceOf {
  readonly method: Pick<Method, "family" | "treats" | "treatsWith" | "sharedTree">;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

/** The range that options ask for, undefined where k is one number or left out; throws if it is none. */
export function rangeOf({ k }: { readonly k?: unknown }): KRange | undefined {
  if (!Array.isArray(k)) return undefined;
  const [from, to] = k as unknown[];
  const areWhole = k.length === 2 && Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (!areWhole || (from as number) < 1 || (from as number) > (to as number))
    throw badOption("k", k, "a whole number, or the first and the last of a range, such as [2, 10]");
  return [from as number, to as number];
}

export function isTrial(turn: Trial | Step): turn is Trial {
  return "known" in turn;
}

/** Answers every trial at once. */
export function chooseAtOnce(choosing: Choosing, run: (trial: Trial) => TrialResult): Chosen {
  let turn = choosing.next();
  while (!turn.done) {
    if (!isTrial(turn.value)) turn = choosing.next();
    else {
      let result: TrialResult;
      try {
        result = run(turn.value);
      } catch (error) {
        turn = choosing.throw(error);
        continue;
      }
      turn = choosing.next(result);
    }
  }
  return turn.value;
}

export function* choosingK({ points, constraints }: Input, of: ChoiceOf, [from, to]: KRange): Choosing {
  if (to > points.n) throw new CoterieError({ code: "k-too-large", k: to, n: points.n });
  const pairs = knownPairs(constraints);
  const enough = pairs.must.length >= ENOUGH_LINKS && pairs.cannot.length >= ENOUGH_LINKS;
  // A trial has its number: without one a hierarchy would be cut by the constraints.
  const treatments = treatmentsOf(of.method, { ...of.options, k: from } as typeof of.options);
  const { mustLink, cannotLink, labels } = treatments;
  const isDeaf = [mustLink, cannotLink, labels].every((treatment) => treatment === "ignored");
  const parts = enough
    ? isDeaf
      ? [{ known: constraints, held: pairs }]
      : partsOf(constraints, randomFrom(of.seed).split("choose k"))
    : [{ known: constraints, held: { must: [], cannot: [] } }];
  const isPlain = of.method.family === "hierarchy" && Object.values(treatments).every((treatment) => treatment === "ignored");
  const shared = of.options.cut === undefined ? (isPlain ? PLAIN : of.method.sharedTree) : undefined;
  const ask = shared ? cutFrom(shared, points.n, to, of.options) : askEach;
  const widthOf = silhouettesOf(points);
  const tried: Tried[] = [];
  let failure: unknown;
  for (let k = from; k <= to; k++) {
    try {
      tried.push(yield* tryK(widthOf, parts, k, ask));
    } catch (error) {
      if (!(error instanceof CoterieError) || !PASSED_OVER.has(error.problem.code)) throw error;
      failure = error;
    }
  }
  if (tried.length === 0) throw failure;
  return decide(tried, enough);
}

/** What a hard method says where so many clusters cannot keep the constraints: another number may. */
const PASSED_OVER = new Set(["infeasible", "gave-up"]);

interface Tried {
  readonly k: number;
  /** Held-out links, of all parts together. */
  readonly heard: HeardLinks;
  readonly silhouette: number;
}

type Ask = (trial: Trial) => Generator<Trial | Step, TrialResult, TrialResult | undefined>;

function* askEach(trial: Trial): ReturnType<Ask> {
  return (yield trial)!;
}

/** A hierarchy that no constraint changes. */
const PLAIN: SharedTree = { options: {}, serves: () => true };

/** One run for each constraint set, with the largest number of clusters; others are cuts of its merges where those serve. */
function cutFrom({ options, serves }: SharedTree, n: number, largest: number, given: ChoiceOf["options"]): Ask {
  const trees = new Map<ConstraintSet, TrialResult>();
  return function* (trial) {
    const tree = trees.get(trial.known) ?? (yield* askEach({ k: largest, known: trial.known, options }));
    trees.set(trial.known, tree);
    // Must-links may leave fewer clusters than were asked for.
    const k = Math.min(trial.k, tree.k);
    if (!tree.merges || !serves(tree.merges, n, k, given)) return yield* askEach(trial);
    return { labels: cutToK(tree.merges, n, k), k };
  };
}

function* tryK(
  widthOf: ReturnType<typeof silhouettesOf>,
  parts: readonly HeldOut[],
  k: number,
  ask: Ask,
): Generator<Trial | Step, Tried, TrialResult | undefined> {
  let heard = NOTHING_HEARD;
  let widths = 0;
  for (const { known, held } of parts) {
    const result = yield* ask({ k, known });
    heard = listen(heard, result.labels, held);
    widths += (yield* widthOf(result.labels, result.k)) ?? -1;
  }
  return { k, heard, silhouette: widths / parts.length };
}

function decide(tried: readonly Tried[], enough: boolean): Chosen {
  const widest = (among: readonly Tried[]): Tried =>
    among.reduce((best, each) => (each.silhouette > best.silhouette ? each : best));
  if (!enough) return { k: widest(tried).k, by: "silhouette", evidence: tried.map(({ k, silhouette: score }) => ({ k, score })) };
  const found = tried.map(({ heard }) => agreement(heard));
  const best = found.reduce((most, each) => (each.score > most.score ? each : most));
  const good = tried.filter((_, at) => found[at]!.score >= best.score - best.error);
  return {
    k: widest(good).k,
    by: "held-out constraints, then silhouette",
    evidence: tried.map(({ k }, at) => ({ k, score: found[at]!.score })),
  };
}
