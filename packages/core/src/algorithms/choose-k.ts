/**
 * Chooses the number of clusters k from a range. The method runs with every k, and held-out constraints or the silhouette decide.
 *
 * If there are enough must-links and cannot-links, they are split into three parts, and each part is held out once. The score of a k is the
 * agreement of its clusters with the held-out links, corrected for chance. All k within one standard error of the best score count as
 * equally good (Breiman, Friedman, Olshen, Stone 1984). Among them, the highest silhouette wins. With too few links, the silhouette decides
 * alone.
 *
 * The generator never runs a method itself. It yields trials, and the caller answers each trial with a result. If one hierarchy serves
 * several k, it is built once for each set of constraints and cut for every k.
 */
import { badOption, CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { ChosenK, Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import type { Step } from "../steps/index.js";
import { agreement, countLinks, ENOUGH_LINKS, type HeldOut, knownPairs, type LinkCounts, NO_LINKS, partsOf } from "./held-out.js";
import { cutToK } from "./hierarchical/cut/merges.js";
import { type Input, type KRange, type Method, type SharedTree, treatmentsOf } from "./method.js";
import { silhouettesOf } from "./silhouette.js";

/** A request to run the method with `k` clusters under the constraints `known`. Held-out constraints are not in `known`. */
export interface Trial {
  readonly k: number;
  readonly known: ConstraintSet;
  readonly options?: Readonly<Record<string, unknown>>;
}

export type TrialResult = Pick<Result, "labels" | "k" | "merges">;

/** Yields trials and progress, and returns the chosen k. The caller passes the result of each trial to `next`, or its error to `throw`. */
export type Choosing = Generator<Trial | Step, ChosenK, TrialResult | undefined>;

export interface ChoiceOf {
  readonly method: Pick<Method, "family" | "treats" | "treatsWith" | "sharedTree" | "whileChoosing">;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

/** Returns the option `k` if it is a range. Returns undefined for a single number or no `k`. Throws if the range is malformed. */
export function rangeOf({ k }: { readonly k?: unknown }): KRange | undefined {
  if (!Array.isArray(k)) return undefined;
  const [from, to] = k as unknown[];
  const areWhole = k.length === 2 && Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (!areWhole || (from as number) < 1 || (from as number) > (to as number))
    throw badOption("k", k, "a whole number, or the first and the last of a range, such as [2, 10]");
  return [from as number, to as number];
}

export function isTrial(yielded: Trial | Step): yielded is Trial {
  return "known" in yielded;
}

export function chooseAtOnce(choosing: Choosing, run: (trial: Trial) => TrialResult): ChosenK {
  let yielded = choosing.next();
  while (!yielded.done) {
    if (!isTrial(yielded.value)) yielded = choosing.next();
    else {
      let result: TrialResult;
      try {
        result = run(yielded.value);
      } catch (error) {
        yielded = choosing.throw(error);
        continue;
      }
      yielded = choosing.next(result);
    }
  }
  return yielded.value;
}

export function* choosingK({ points, constraints }: Input, of: ChoiceOf, [from, to]: KRange): Choosing {
  if (to > points.n) throw new CoterieError({ code: "k-too-large", k: to, n: points.n });
  const pairs = knownPairs(constraints);
  const enough = pairs.must.length >= ENOUGH_LINKS && pairs.cannot.length >= ENOUGH_LINKS;
  // Every trial has a k, so the options get a k. Without a k, `treatmentsOf` would describe the best cut of a hierarchy.
  const treatments = treatmentsOf(of.method, { ...of.options, k: from } as typeof of.options);
  const { mustLink, cannotLink, labels } = treatments;
  const ignoresLinks = [mustLink, cannotLink, labels].every((treatment) => treatment === "ignored");
  const parts = enough
    ? ignoresLinks
      ? [{ known: constraints, held: pairs }]
      : partsOf(constraints, randomFrom(of.seed).split("choose k"))
    : [{ known: constraints, held: { must: [], cannot: [] } }];
  const isPlain = of.method.family === "hierarchy" && Object.values(treatments).every((treatment) => treatment === "ignored");
  const shared = of.options.cut === undefined ? (isPlain ? PLAIN : of.method.sharedTree) : undefined;
  const { whileChoosing } = of.method;
  const each: Ask = whileChoosing ? (trial) => askEach({ ...trial, options: whileChoosing }) : askEach;
  const ask = shared ? cutFrom(shared, points.n, to, of.options) : each;
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

/** A hard method throws errors with these codes if it finds no k clusters that satisfy the constraints. Then this k is skipped. */
const PASSED_OVER = new Set(["infeasible", "gave-up"]);

interface Tried {
  readonly k: number;
  readonly counts: LinkCounts;
  readonly silhouette: number;
}

type Ask = (trial: Trial) => Generator<Trial | Step, TrialResult, TrialResult | undefined>;

function* askEach(trial: Trial): ReturnType<Ask> {
  return (yield trial)!;
}

const PLAIN: SharedTree = { options: {}, serves: () => true };

/**
 * Answers trials by cutting a shared hierarchy. For each constraint set, the method runs once, with the largest k. Each smaller k cuts this
 * hierarchy. If `serves` says that a cut would differ from a separate run, the method runs separately.
 */
function cutFrom({ options, serves }: SharedTree, n: number, largest: number, given: ChoiceOf["options"]): Ask {
  const trees = new Map<ConstraintSet, TrialResult>();
  return function* (trial) {
    const tree = trees.get(trial.known) ?? (yield* askEach({ k: largest, known: trial.known, options }));
    trees.set(trial.known, tree);
    // With must-links, the hierarchy can have fewer clusters than the trial requests.
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
  let counts = NO_LINKS;
  let widths = 0;
  for (const { known, held } of parts) {
    const result = yield* ask({ k, known });
    counts = countLinks(counts, result.labels, held);
    widths += (yield* widthOf(result.labels, result.k)) ?? -1;
  }
  return { k, counts, silhouette: widths / parts.length };
}

function decide(tried: readonly Tried[], enough: boolean): ChosenK {
  const widest = (among: readonly Tried[]): Tried =>
    among.reduce((best, each) => (each.silhouette > best.silhouette ? each : best));
  if (!enough) return { k: widest(tried).k, by: "silhouette", evidence: tried.map(({ k, silhouette: score }) => ({ k, score })) };
  const found = tried.map(({ counts }) => agreement(counts));
  const best = found.reduce((most, each) => (each.score > most.score ? each : most));
  const good = tried.filter((_, at) => found[at]!.score >= best.score - best.error);
  return {
    k: widest(good).k,
    by: "held-out constraints, then silhouette",
    evidence: tried.map(({ k }, at) => ({ k, score: found[at]!.score })),
  };
}
