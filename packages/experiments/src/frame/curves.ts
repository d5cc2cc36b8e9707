/** Learning curves: the score of a method by the number of constraints, for each run. */
import { randomFrom } from "@coterie/core/internal";
import type { CurvePoint, CurveSeries } from "@coterie/figures";
import {
  type Curve,
  curveOf,
  found,
  type Line,
  meanAt,
  meanOf,
  pairedTest,
  type Test,
  withError,
} from "@coterie/workbench/trials";

/** Means with standard errors; counts at which more than half of the runs have no clustering are left out. */
export function pointsOf({ counts, values }: Curve): CurvePoint[] {
  return counts.map((x, at) => ({ x, y: meanAt(values[at]!) ?? Number.NaN, error: meanOf(found(values[at]!)).error }));
}

export function seriesOf(lines: readonly Line[], columns: readonly string[], key = "count"): CurveSeries[] {
  return columns.map((name) => ({ name, points: pointsOf(curveOf(lines, name, key)) }));
}

export function at({ counts, values }: Curve, count: number): readonly (number | null)[] {
  return values[counts.indexOf(count)] ?? [];
}

/** The first count of at least `least`; otherwise the last count. */
export function countFrom({ counts }: Curve, least: number): number {
  return counts.find((count) => count >= least) ?? counts.at(-1)!;
}

/**
 * Compares two curves run by run, by the means of each run over the counts in a range at which both have a clustering. A curve with
 * one run is compared with each run of the other curve.
 */
export function compareCurves(first: Curve, second: Curve, from = 1, to = Number.POSITIVE_INFINITY): Test & Sides {
  const chosen = first.counts.flatMap((count, place) => (count >= from && count <= to ? [place] : []));
  const runs = Math.max(first.values[0]?.length ?? 0, second.values[0]?.length ?? 0);
  const one = (values: readonly (number | null)[], run: number): number | null =>
    (values.length === 1 ? values[0] : values[run]) ?? null;
  const sides = Array.from({ length: runs }, (_, run) => {
    const pairs = chosen.flatMap((place) => {
      const [a, b] = [one(first.values[place]!, run), one(second.values[place]!, run)];
      return a === null || b === null ? [] : [[a, b] as const];
    });
    return [meanOf(pairs.map(([a]) => a)).mean, meanOf(pairs.map(([, b]) => b)).mean] as const;
  }).filter(([a]) => !Number.isNaN(a));
  const [a, b] = [sides.map(([value]) => value), sides.map(([, value]) => value)];
  return { ...pairedTest(a, b), first: meanOf(a).mean, second: meanOf(b).mean };
}

/** The means of the two sides of a comparison. */
export interface Sides {
  readonly first: number;
  readonly second: number;
}

/** The number of constraints at which a curve of means first reaches a level, interpolated linearly between counts. */
export function countFor(level: number, { counts, values }: Curve): number {
  let before: { readonly count: number; readonly mean: number } | null = null;
  for (const [place, count] of counts.entries()) {
    const mean = meanAt(values[place]!);
    if (mean === null) continue;
    if (mean >= level) {
      return before === null ? count : before.count + ((count - before.count) * (level - before.mean)) / (mean - before.mean);
    }
    before = { count, mean };
  }
  return Number.POSITIVE_INFINITY;
}

export interface ShareNeeded {
  /** Constraints that the first method needs per constraint of the second: the median over levels; NaN if no level can be compared. */
  readonly share: number;
  readonly error: number;
  /** The range of levels: from above the scores of both methods without constraints to the highest level that both reach. */
  readonly from: number;
  readonly to: number;
}

const LEVELS = 20;
const RESAMPLES = 200;

/** Compares the constraints that two methods need, with the standard error from a bootstrap over runs. */
export function shareNeeded(first: Curve, second: Curve, seed: number): ShareNeeded {
  const whole = shareOnce(first, second);
  const random = randomFrom(seed).split("bootstrap");
  const runs = second.values[0]!.length;
  const shares = Array.from({ length: RESAMPLES }, () => {
    const drawn = Array.from({ length: runs }, () => random.int(runs));
    const again = (curve: Curve): Curve => ({
      counts: curve.counts,
      values: curve.values.map((values) => (values.length === 1 ? values : drawn.map((run) => values[run]!))),
    });
    return shareOnce(again(first), again(second)).share;
  }).filter(Number.isFinite);
  const { error, count } = meanOf(shares);
  return { ...whole, error: error * Math.sqrt(count) };
}

function shareOnce(first: Curve, second: Curve): Omit<ShareNeeded, "error"> {
  const means = [first, second].map(({ values }) => values.map(meanAt).filter((mean) => mean !== null));
  const from = Math.max(...means.map((own) => own[0] ?? 0));
  const to = Math.min(...means.map((own) => Math.max(...own)));
  if (!(to > from)) return { share: Number.NaN, from, to };
  const shares = Array.from({ length: LEVELS }, (_, i) => {
    const level = from + ((to - from) * (i + 1)) / LEVELS;
    return countFor(level, first) / countFor(level, second);
  }).sort((a, b) => a - b);
  return { share: shares[LEVELS >> 1]!, from, to };
}

/** A row of a table: the mean at each count, and the share of runs without a clustering if it is not 0. */
export function curveCells(curve: Curve): string[] {
  return curve.values.map((values) => {
    const own = found(values);
    const shown = meanAt(values) === null ? "–" : withError(meanOf(own));
    const without = values.length - own.length;
    return without === 0 ? shown : `${shown} (${Math.round((100 * without) / values.length)}% without)`;
  });
}
