/** Curves of this paper, and comparisons of two schemes. */
import { testCell } from "../frame/cells.js";
import { type Curve, compareCurves, curveOf } from "../frame/curves.js";
import { titleOf } from "../frame/data.js";
import type { Cell, PageData, TrialTable } from "../frame/paper.js";
import { where } from "../frame/trials.js";

export const LARGE: readonly string[] = ["letters-IJLT", "digits-389"];

export function curve(seen: PageData, table: TrialTable, set: string, scheme: string): Curve {
  return curveOf(where(seen.lines(table), { set }), scheme);
}

/** Tests that the first scheme is better than the second, by each run's mean F over all numbers of constraints above 0. */
export function above(
  seen: PageData,
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

export const OVER_ALL = "each run's mean F over all numbers of constraints above none";
