/** What the claims of this paper share: curves, and one scheme against another. */
import { testCell } from "../frame/cells.js";
import { type Curve, compareCurves, curveOf } from "../frame/curves.js";
import type { Cell, Seen } from "../frame/paper.js";
import { where } from "../frame/trials.js";
import { SETS, setTitled } from "./sets.js";
import { ablations, metrics, orders, searches } from "./tables.js";

/** From this many constraints on, the claims speak of constraints. */
export const SOME = 50;
export const TITLES = SETS.map(({ title }) => title);

export function curve(seen: Seen, set: string, scheme: string): Curve {
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

/** Each run's mean F over a range of numbers of constraints: the first scheme less the second. */
export function above(seen: Seen, { ours, other, sets = TITLES, from = SOME, to }: Comparison): Cell[] {
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
