/** Learning curves from the lines of their runs, and which differences between methods are certain. */
import { counted } from "@coterie/core/internal";
import { type Curve, compareCurves, curveOf, found, meanAt } from "../trials/curves.js";
import { where } from "../trials/lines.js";
import { holm, meanOf, withError } from "../trials/statistics.js";
import type { Line } from "../trials/trial.js";

const CERTAIN = 0.05;

export interface MethodCurve {
  readonly method: string;
  readonly curve: Curve;
  /** Mean score over all counts above 0, or over count 0 alone if there is no other; null without a score. */
  readonly mean: number | null;
  /** Runs without a clustering, and the reason of the first. */
  readonly failed: number;
  readonly failure: string | null;
}

/** A paired test between two methods, over the runs that both have. `better` has the higher mean. */
export interface Comparison {
  readonly better: string;
  readonly other: string;
  readonly difference: number;
  readonly error: number;
  /** After Holm's correction; 1 where there is no test. */
  readonly p: number;
  readonly isCertain: boolean;
}

export interface Compared {
  /** By falling mean. */
  readonly curves: readonly MethodCurve[];
  readonly comparisons: readonly Comparison[];
  /** Which differences are certain, in sentences. */
  readonly sentences: readonly string[];
}

/** `lines`: the runs, by method, count and run, with the remark of each failed run. */
export function compareMethods(
  lines: readonly Line[],
  { methods, runs }: { readonly methods: readonly string[]; readonly runs: number },
): Compared {
  const curves = methods.map((method) => curveOfMethod(where(lines, { method }), method));
  curves.sort((a, b) => (b.mean ?? -2) - (a.mean ?? -2));
  const pairs = curves.flatMap((one, at) => curves.slice(at + 1).map((other) => [one, other] as const));
  const tests = pairs.map(([one, other]) => compareCurves(one.curve, other.curve, fromOf(one.curve)));
  const corrected = holm(tests.map(({ p }) => p));
  const comparisons = pairs.map(([one, two], at) => {
    const { difference, error } = tests[at]!;
    // Over the runs that both have, the order of the means can be another one.
    const [better, other] = difference < 0 ? [two.method, one.method] : [one.method, two.method];
    return { better, other, difference: Math.abs(difference), error, p: corrected[at]!, isCertain: corrected[at]! < CERTAIN };
  });
  return { curves, comparisons, sentences: sentencesOf(curves, comparisons, runs) };
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
    // A mean over some of the counts cannot be compared with a mean over all of them.
    mean: own.length === 0 || own.length < means.length ? null : meanOf(own).mean,
    failed: failures.length,
    failure: (failures[0]?.failure as string | undefined) ?? null,
  };
}

/** The first count that a comparison uses: without constraints, methods that learn from them have learned nothing. */
function fromOf({ counts }: Curve): number {
  return counts.some((count) => count > 0) ? 1 : 0;
}

function sentencesOf(curves: readonly MethodCurve[], comparisons: readonly Comparison[], runs: number): string[] {
  if (curves.length < 2) return [];
  const from = fromOf(curves[0]!.curve);
  if (runs < 2) return ["One run says nothing about chance: --runs 10 makes ten."];
  const scope = from === 0 ? "without constraints" : "over all counts above 0";
  const rule = `Compared are the mean scores of each run ${scope}, by paired t-tests over the same draws. A difference is real if p < ${CERTAIN} after Holm's correction for ${counted(comparisons.length, "comparison")}.`;
  const real = curves.flatMap(({ method }) => {
    const beaten = comparisons.filter(({ better, isCertain }) => isCertain && better === method);
    if (beaten.length === 0) return [];
    const others = beaten.map(
      ({ other, difference, error }) => `${other} (by ${withError({ mean: difference, error, count: runs })})`,
    );
    return [`${method} is better than ${listed(others)}.`];
  });
  const open = comparisons.filter(({ isCertain }) => !isCertain).length;
  const rest =
    open === 0
      ? []
      : [
          `${open === comparisons.length ? "No difference" : `The other ${counted(open, "difference")}`} ${open === comparisons.length ? "is" : open === 1 ? "is not" : "are not"} certain; more runs (--runs) can decide more of them.`,
        ];
  const failed = curves
    .filter((own) => own.failed > 0)
    .map(
      ({ method, failed: count, failure }) => `${method} gave no clusters in ${counted(count, "run")}, first because: ${failure}`,
    );
  return [...real, ...rest, rule, ...failed];
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
