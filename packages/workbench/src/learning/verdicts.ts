/** Computes learning curves from the saved lines of runs, and says which differences between methods are certain. */
import { counted, FOLDS } from "@coterie/core/internal";
import { type Curve, compareCurves, curveOf, found, meanAt } from "../trials/curves.js";
import { where } from "../trials/lines.js";
import { holm, meanOf, type Test, testOf, withError } from "../trials/statistics.js";
import type { Line } from "../trials/trial.js";
import type { LearningPlan } from "./measure.js";

const CERTAIN = 0.05;
/** If the headline would name more methods than this, it gives only their number. */
const MOST_NAMED = 4;

export interface MethodCurve {
  readonly method: string;
  readonly curve: Curve;
  /** Mean score over all numbers of constraints above 0. If there is none, the score without constraints. Null if a score is missing. */
  readonly mean: number | null;
  /** failed: number of runs without a clustering. failure: the error message of the first of these runs. */
  readonly failed: number;
  readonly failure: string | null;
}

export interface Comparison {
  readonly better: string;
  readonly other: string;
  readonly difference: number;
  readonly error: number;
  /** The p-value after Holm's correction; 1 if there was no test. */
  readonly p: number;
  readonly isCertain: boolean;
}

export interface Compared {
  readonly curves: readonly MethodCurve[];
  readonly comparisons: readonly Comparison[];
  /** A sentence that names the method with the highest mean, and the methods that are not certainly worse. */
  readonly headline: string;
  readonly sentences: readonly string[];
}

export function compareMethods(
  lines: readonly Line[],
  { methods, runs, by }: Pick<LearningPlan, "methods" | "runs" | "by">,
): Compared {
  const curves = methods.map((method) => curveOfMethod(where(lines, { method }), method));
  curves.sort((a, b) => (b.mean ?? -2) - (a.mean ?? -2));
  const pairs = curves.flatMap((one, at) => curves.slice(at + 1).map((other) => [one, other] as const));
  const tests = pairs.map(([one, other]) => {
    const test = compareCurves(one.curve, other.curve, fromOf(one.curve));
    return by === "classes" ? test : overlapping(test);
  });
  const corrected = holm(tests.map(({ p }) => p));
  const comparisons = pairs.map(([one, two], at) => {
    const { difference, error } = tests[at]!;
    // The methods can have finished different runs. In the runs that both finished, the method with the lower mean can be better.
    const [better, other] = difference < 0 ? [two.method, one.method] : [one.method, two.method];
    return { better, other, difference: Math.abs(difference), error, p: corrected[at]!, isCertain: corrected[at]! < CERTAIN };
  });
  return {
    curves,
    comparisons,
    headline: headlineOf(curves, comparisons),
    sentences: sentencesOf(curves, comparisons, { runs, by }),
  };
}

/**
 * Corrects the test for runs that hold out parts of the same constraints. The scores of these runs are not independent. So the variance of
 * their mean is (1/runs + held/given) times the variance of a single run, and not 1/runs times (Nadeau and Bengio, Inference for the
 * generalization error, 2003).
 */
function overlapping({ difference, error, freedom }: Test): Test {
  const heldPerGiven = 1 / (FOLDS - 1);
  return testOf(difference, error * Math.sqrt(1 + (freedom + 1) * heldPerGiven), freedom);
}

function curveOfMethod(lines: readonly Line[], method: string): MethodCurve {
  const curve = curveOf(lines, "score");
  const from = fromOf(curve);
  const means = curve.values.filter((_, at) => curve.counts[at]! >= from).map(meanAt);
  const own = found(means);
  const failures = lines.filter(({ score }) => score === null);
  return {
    method,
    curve,
    // A mean over only some numbers of constraints cannot be compared with a mean over all of them, so it is null.
    mean: own.length === 0 || own.length < means.length ? null : meanOf(own).mean,
    failed: failures.length,
    failure: (failures[0]?.failure as string | undefined) ?? null,
  };
}

/**
 * The smallest number of constraints in comparisons. It is 1 if possible, because methods learn nothing without constraints. Otherwise it
 * is 0.
 */
function fromOf({ counts }: Curve): number {
  return counts.some((count) => count > 0) ? 1 : 0;
}

function headlineOf(curves: readonly MethodCurve[], comparisons: readonly Comparison[]): string {
  const highest = curves[0]?.mean ?? null;
  if (highest === null) return "No method has a score at all counts.";
  const best = curves.filter(({ mean }) => mean === highest).map(({ method }) => method);
  const certain = comparisons.filter(({ better, isCertain }) => isCertain && best.includes(better)).map(({ other }) => other);
  const near = curves.map(({ method }) => method).filter((method) => !best.includes(method) && !certain.includes(method));
  const [has, is] = best.length === 1 ? ["has", "it is"] : ["have", "they are"];
  const open =
    near.length === 0
      ? ""
      : `; ${is} not certainly better than ${near.length > MOST_NAMED ? `${near.length} others` : listed(near)}`;
  return `${listed(best)} ${has} the highest mean score, ${highest.toFixed(3)}${open}.`;
}

function sentencesOf(
  curves: readonly MethodCurve[],
  comparisons: readonly Comparison[],
  { runs, by }: Pick<LearningPlan, "runs" | "by">,
): string[] {
  const failures = curves
    .filter(({ failed }) => failed > 0)
    .map(
      ({ method, failed, failure }) => `${method} gave no clusters in ${counted(failed, "run")}. The first reason: ${failure}`,
    );
  if (curves.length < 2) return failures;
  if (runs < 2) return ["Chance cannot be judged from one run: --runs 10 makes ten.", ...failures];
  const scope = fromOf(curves[0]!.curve) === 0 ? "without constraints" : "over all counts above 0";
  const open = comparisons.filter(({ isCertain }) => !isCertain).length;
  const others =
    open === comparisons.length
      ? "No difference is"
      : `The other ${counted(open, "difference")} ${open === 1 ? "is" : "are"} not`;
  return [
    ...curves.flatMap(({ method }) => betterSentence(method, curves, comparisons, runs)),
    ...(open === 0
      ? []
      : [`${others} certain; more ${by === "classes" ? "runs (--runs)" : "constraints"} can decide more of them.`]),
    `Compared are the mean scores of each run ${scope}, by paired t-tests over the same draws from this table${by === "classes" ? "" : ", with errors that allow for runs that share held-out constraints"}. A difference is real if p < ${CERTAIN} after Holm's correction for ${counted(comparisons.length, "comparison")}.`,
    ...failures,
  ];
}

/**
 * Writes a sentence about the methods that are certainly worse than `method`. If three or more of them are at the end of the list, they
 * form one group.
 */
function betterSentence(
  method: string,
  curves: readonly MethodCurve[],
  comparisons: readonly Comparison[],
  runs: number,
): string[] {
  const beaten = curves.flatMap((own) =>
    comparisons.filter((one) => one.isCertain && one.better === method && one.other === own.method),
  );
  if (beaten.length === 0) return [];
  const by = ({ difference, error }: Comparison): string => `by ${withError({ mean: difference, error, count: runs })}`;
  let group = 0;
  while (group < beaten.length && beaten.at(-1 - group)!.other === curves.at(-1 - group)!.method) group++;
  const last = group < 3 ? [] : beaten.slice(-group);
  const single = beaten.slice(0, beaten.length - last.length).map((one) => `${one.other} (${by(one)})`);
  const least = last.reduce((low, one) => (one.difference < low.difference ? one : low), last[0]!);
  const groups =
    last.length === 0 ? [] : [`${last[0]!.other} and the ${last.length - 1} methods below it (${by(least)} or more)`];
  return [`${method} is better than ${listed([...single, ...groups])}.`];
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
