/** Learning curves: the score of a method by the number of constraints, for each run. */
import { columnOf, distinct, where } from "./lines.js";
import { meanOf } from "./statistics.js";
import type { Line } from "./trial.js";

export interface Curve {
  readonly counts: readonly number[];
  /** Scores by count, then by run; null if there was no clustering. */
  readonly values: readonly (readonly (number | null)[])[];
}

/** The curve of one column over the lines of one data set. */
export function curveOf(lines: readonly Line[], column: string, key = "count"): Curve {
  const counts = distinct<number>(lines, key);
  return { counts, values: counts.map((count) => columnOf(where(lines, { [key]: count }), column)) };
}

export function found(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

/** The mean at a count; null if more than half of the runs have no clustering. */
export function meanAt(values: readonly (number | null)[]): number | null {
  const own = found(values);
  return own.length === 0 || 2 * own.length < values.length ? null : meanOf(own).mean;
}
