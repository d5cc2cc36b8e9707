/** Curves of this paper, and comparisons of two schemes. */
import { testCell } from "../frame/cells.js";
import { type Curve, compareCurves, curveOf } from "../frame/curves.js";
import type { Cell, PageData } from "../frame/paper.js";
import { where } from "../frame/trials.js";
import { SETS, setTitled } from "./sets.js";
import { ablations, metrics, orders, searches } from "./tables.js";

/** The fewest constraints of the range over which the claims average. */
export const SOME = 50;
export const TITLES = SETS.map(({ title }) => title);

export function curve(seen: PageData, set: string, scheme: string): Curve {
  const table = [ablations, metrics, searches, orders].find(({ values }) => values.includes(scheme))!;
  return curveOf(where(seen.lines(table), { set }), scheme);
}

interface Comparison {
  readonly ours: string;
  readonly other: string;
  readonly sets?: readonly string[];
  readonly from?: number;
  readonly to?: number;
}

/** Tests that the first scheme is better than the second, by each run's mean F over a range of numbers of constraints. */
export function above(seen: PageData, { ours, other, sets = TITLES, from = SOME, to }: Comparison): Cell[] {
  return sets.map((set) =>
    testCell(
      { row: set, column: `${ours} less ${other}` },
      compareCurves(curve(seen, set, ours), curve(seen, set, other), from, to),
    ),
  );
}

export function needsOf(titles: readonly string[]): string[] {
  return titles.map((title) => setTitled(title).name);
}

export const RANGE = `mean F of each run over ${SOME} constraints and more`;
