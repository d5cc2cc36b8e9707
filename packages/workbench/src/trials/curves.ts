/** Learning curves: the score of a method for each number of constraints, in several runs. */
import { columnOf, distinct, where } from "./lines.js";
import { meanOf, pairedTest, type Test, withError } from "./statistics.js";
import type { Line } from "./trial.js";

export interface Curve {
  readonly counts: readonly number[];
  /** values[i][run]: the score with counts[i] constraints. Null if the run gave no clustering. */
  readonly values: readonly (readonly (number | null)[])[];
}

export function curveOf(lines: readonly Line[], column: string, key = "count"): Curve {
  const counts = distinct<number>(lines, key);
  return { counts, values: counts.map((count) => columnOf(where(lines, { [key]: count }), column)) };
}

export function found(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

/** The mean score at one number of constraints; null if more than half of the runs gave no clustering. */
export function meanAt(values: readonly (number | null)[]): number | null {
  const own = found(values);
  return own.length === 0 || 2 * own.length < values.length ? null : meanOf(own).mean;
}

export function pointsOf({ counts, values }: Curve): { readonly x: number; readonly y: number; readonly error: number }[] {
  return counts.map((x, at) => ({ x, y: meanAt(values[at]!) ?? Number.NaN, error: meanOf(found(values[at]!)).error }));
}

/**
 * Compares two curves by a paired test over runs. The score of a run is a mean over the numbers of constraints from `from` to `to`. If one
 * of the methods gave no clustering at a number, this number is left out.
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

export interface Sides {
  readonly first: number;
  readonly second: number;
}

/**
 * A curve as cells of a table, one for each number of constraints. A cell has the mean score. If some runs gave no clustering, it also has
 * their share.
 */
export function curveCells(curve: Curve): string[] {
  return curve.values.map((values) => {
    const own = found(values);
    const shown = meanAt(values) === null ? "–" : withError(meanOf(own));
    const without = values.length - own.length;
    return without === 0 ? shown : `${shown} (${Math.round((100 * without) / values.length)}% without)`;
  });
}
