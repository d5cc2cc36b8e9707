/** What the claims of this paper share: curves, and one scheme against another. */
import { testCell } from "../frame/cells.js";
import { type Curve, compareCurves, curveOf } from "../frame/curves.js";
import { titleOf } from "../frame/data.js";
import type { Cell, Seen, TrialTable } from "../frame/paper.js";
import { where } from "../frame/trials.js";

export const LARGE: readonly string[] = ["letters-IJLT", "digits-389"];

export function curve(seen: Seen, table: TrialTable, set: string, scheme: string): Curve {
  return curveOf(where(seen.lines(table), { set }), scheme);
}

/** Each run's mean F over all numbers of statements above none: the first scheme less the second. */
export function above(
  seen: Seen,
  table: TrialTable,
  first: string,
  second: string,
  sets: readonly string[],
  least?: number,
): Cell[] {
  return sets.map((set) => {
    const test = compareCurves(curve(seen, table, set, first), curve(seen, table, set, second));
    return testCell({ row: titleOf(set), column: `${first} less ${second}` }, test, least);
  });
}

export const OVER_ALL = "each run's mean F over all numbers of statements above none";
