/** Learning curves of an experiment: for each run, the score of a method by the number of constraints. */
import { randomFrom } from "@coterie/core/internal";
import type { CurveSeries } from "@coterie/figures";
import { type Curve, curveOf, type Line, meanAt, meanOf, pointsOf } from "@coterie/workbench/trials";

export function seriesOf(lines: readonly Line[], columns: readonly string[], key = "count"): CurveSeries[] {
  return columns.map((name) => ({ name, points: pointsOf(curveOf(lines, name, key)) }));
}

export function at({ counts, values }: Curve, count: number): readonly (number | null)[] {
  return values[counts.indexOf(count)] ?? [];
}

export function countFrom({ counts }: Curve, least: number): number {
  return counts.find((count) => count >= least) ?? counts.at(-1)!;
}

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
  /**
   * The constraints that the first method needs, divided by the constraints that the second method needs for the same score. The median
   * over several scores. NaN if there is no score that both methods reach.
   */
  readonly share: number;
  readonly error: number;
  /** The range of compared scores. It starts at the better of the two first scores, and ends at the best score that both methods reach. */
  readonly from: number;
  readonly to: number;
}

const RESAMPLES = 200;

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

const LEVELS = 20;

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
