/** What the curves say about the paper's claims: numbers first, then verdicts. */
import type { Finding, Verdict } from "../experiment.js";
import { meanOf, pairedTest, withError } from "../statistics.js";
import { type Cell, type Curve, type CurvesOf, meanAt } from "./curves.js";
import type { Accuracy } from "./methods.js";

export const CERTAIN = 0.05;

export function curveOf({ curves, data }: CurvesOf, name: string): Curve {
  const found = curves.find((curve) => curve.name === name);
  if (!found) throw new Error(`There is no curve ${name} for ${data}.`);
  return found;
}

/**
 * The mean over the numbers of constraints above 0 of each run's accuracy, where the run has a clustering; not a number for a run
 * that has none at all.
 */
export function averages({ cells }: Curve): number[] {
  const asked = cells.filter(({ count }) => count > 0);
  const runs = asked[0]?.values.length ?? 0;
  return Array.from(
    { length: runs },
    (_, run) => meanOf(asked.flatMap(({ values }) => (values[run] === null ? [] : [values[run]!]))).mean,
  );
}

export interface Comparison {
  readonly first: number;
  readonly second: number;
  readonly p: number;
}

/**
 * Two curves by their averages over budgets, run by run, where both have a clustering; a curve of one run stands against each run
 * of the other.
 */
export function compareAverages(first: Curve, second: Curve): Comparison {
  const runs = Math.max(...[first, second].map(({ cells }) => cells[0]?.values.length ?? 0));
  const both = Array.from({ length: runs }, (_, run) => sharedAverages(first, second, run)).filter(([one]) => !Number.isNaN(one));
  const [own, others] = [both.map(([one]) => one), both.map(([, other]) => other)];
  return { first: meanOf(own).mean, second: meanOf(others).mean, p: both.length < 2 ? 1 : pairedTest(own, others).p };
}

/** The means over the numbers of constraints above 0 at which both have a clustering in this run. */
function sharedAverages(first: Curve, second: Curve, run: number): readonly [number, number] {
  const at = ({ values }: Cell): Accuracy => (values.length === 1 ? values[0]! : values[run]!);
  const pairs = first.cells.flatMap((cell, place) => {
    const [one, other] = [at(cell), at(second.cells[place]!)];
    return cell.count === 0 || one === null || other === null ? [] : [[one, other] as const];
  });
  return [meanOf(pairs.map(([one]) => one)).mean, meanOf(pairs.map(([, other]) => other)).mean];
}

/**
 * The number of constraints at which a curve of means first reaches a level, between two counts by a straight line; Infinity if
 * it never does.
 */
export function countFor(level: number, { cells }: Curve): number {
  let before: { count: number; mean: number } | null = null;
  for (const cell of cells) {
    const mean = meanAt(cell);
    if (mean === null) continue;
    if (mean >= level) {
      if (before === null) return cell.count;
      return before.count + ((cell.count - before.count) * (level - before.mean)) / (mean - before.mean);
    }
    before = { count: cell.count, mean };
  }
  return Number.POSITIVE_INFINITY;
}

const LEVELS = 20;

/** The median, over levels of accuracy that the second method reaches with constraints, of how many the first needs for one of its. */
export function shareNeeded(first: Curve, second: Curve): { readonly share: number; readonly from: number; readonly to: number } {
  const means = second.cells.map(meanAt).filter((mean) => mean !== null);
  const [from, to] = [means[0] ?? 0, Math.max(...means)];
  const shares = Array.from({ length: LEVELS }, (_, i) => {
    const level = from + ((to - from) * (i + 1)) / LEVELS;
    return countFor(level, first) / countFor(level, second);
  }).sort((a, b) => a - b);
  return { share: shares[Math.floor(shares.length / 2)]!, from, to };
}

/** The largest fall of the mean from one number of constraints to any larger one, and whether its error bars could hide it. */
export function largestFall({ cells }: Curve): {
  readonly fall: number;
  readonly from: number;
  readonly to: number;
  readonly certain: boolean;
} {
  let worst = { fall: 0, from: 0, to: 0, certain: false };
  const seen = cells.filter((cell) => found(cell).length > 0).map((cell) => ({ ...meanOf(found(cell)), count: cell.count }));
  seen.forEach((low, at) => {
    for (const high of seen.slice(0, at)) {
      const fall = high.mean - low.mean;
      const certain = fall > 2 * Math.hypot(high.error, low.error);
      if (fall > worst.fall) worst = { fall, from: high.count, to: low.count, certain };
    }
  });
  return worst;
}

function found({ values }: Cell): number[] {
  return values.filter((value) => value !== null);
}

/** One verdict from many: all, some or none. */
export function verdictOf(each: readonly boolean[]): Verdict {
  if (each.every((holds) => holds)) return "holds";
  return each.some((holds) => holds) ? "holds in part" : "does not hold";
}

/** A claim that is made about every data set. */
export function claimOf(
  facts: { readonly claim: string; readonly published: string; readonly because: (failed: readonly string[]) => string },
  each: readonly { readonly data: string; readonly holds: boolean; readonly said: string }[],
): Finding {
  const failed = each.filter(({ holds }) => !holds).map(({ data }) => data);
  return {
    claim: facts.claim,
    published: facts.published,
    ours: each.map(({ data, said }) => `${data} ${said}`).join("; "),
    verdict: verdictOf(each.map(({ holds }) => holds)),
    ...(failed.length > 0 ? { because: facts.because(failed) } : {}),
  };
}

export function atCount(curve: Curve, count: number): string {
  const cell = curve.cells.find((candidate) => candidate.count === count);
  return cell ? withError(meanOf(found(cell))) : "–";
}

export function valuesAt({ cells }: Curve, count: number): readonly number[] {
  return found(cells.find((cell) => cell.count === count) ?? { count, values: [] });
}

export function shortP(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}
