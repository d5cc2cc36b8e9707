/** Figure 11: the accuracy of the methods for different mixes of must-links and cannot-links. */

import { curvesFigure } from "@coterie/figures";
import { type Curve, compareCurves, curveCells, curveOf, pointsOf, where } from "@coterie/workbench/trials";
import { pairedCell, testCell } from "../frame/cells.js";
import { at } from "../frame/curves.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, Picture, ResultTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { TABLES } from "./data-sets.js";
import { PROTOCOL } from "./figures.js";
import { CCL, CKM, CKM_OURS } from "./methods.js";
import { MIXED, MIXES, mixes, RUNS } from "./tables.js";

function curve(seen: PageData, set: string, mix: string, method: string): Curve {
  return curveOf(where(seen.lines(mixes), { set, mix }), method);
}

function gainOf(curve: Curve): Curve {
  const start = curve.values[0]!;
  const less = (value: number | null, run: number): number | null =>
    value === null || start[run] === null ? null : value - start[run]!;
  return { counts: curve.counts, values: curve.values.map((values) => values.map(less)) };
}

const improves: Claim = {
  id: "figure-11.improves",
  quote: "In all cases, CCL's accuracy improves quickly […] as constraints are added.",
  section: "section 5.4, figure 11",
  tested: "CRI of CCL with the most constraints less that without",
  published: "in all cases",
  judge: byCells(
    (seen) =>
      crossed(TABLES, Object.keys(MIXES), ({ name }, mix) => {
        const own = curve(seen, name, mix, CCL);
        return pairedCell({ row: titleOf(name), column: mix }, own.values.at(-1)!, at(own, 0));
      }),
    "must-links alone draw classes together through rows between them, and nothing holds them apart.",
  ),
};

function faster(rival: typeof CKM | typeof CKM_OURS): Claim {
  const paper = rival === CKM;
  return {
    id: paper ? "figure-11.faster" : "figure-11.faster-ours",
    ...(paper ? { quote: "(and faster than CKM)" } : {}),
    section: paper ? "section 5.4" : "section 5.4, beside our COP-k-means",
    tested: `each run's gain over its own unconstrained start, mean over the numbers of constraints at which both have a clustering: CCL less ${rival}`,
    published: paper ? "in all cases" : "–",
    judge: byCells(
      (seen) =>
        crossed(TABLES, Object.keys(MIXES), ({ name }, mix) => {
          const [ccl, other] = [curve(seen, name, mix, CCL), curve(seen, name, mix, rival)].map(gainOf) as [Curve, Curve];
          return testCell({ row: titleOf(name), column: mix }, compareCurves(ccl, other));
        }),
      paper
        ? "with must-links alone CKM cannot get stuck and moves its centres towards the classes, while CCL joins them."
        : "a COP-k-means that repairs placements gains from every mix.",
    ),
  };
}

const effective: Claim = {
  id: "figure-11.effective",
  quote: "Constraints are effective for CCL over a wide range of mix types, including 100% must-links and 100% cannot-links",
  section: "figure 11, caption",
  tested: "each run's mean CRI of CCL over all numbers of constraints is above its CRI without",
  published: "effective",
  judge: byCells((seen) =>
    crossed(TABLES, Object.keys(MIXES), ({ name }, mix) => {
      const gain = gainOf(curve(seen, name, mix, CCL));
      const none = { counts: gain.counts, values: gain.values.map((values) => values.map(() => 0)) };
      return testCell({ row: titleOf(name), column: mix }, compareCurves(gain, none));
    }),
  ),
};

export const figure11: Page = {
  name: "figure-11",
  title: "Figure 11: mixes of must-links and cannot-links",
  kind: "figure",
  tables: [mixes],
  protocol: ({ size }) =>
    `${PROTOCOL}\n\nAs in figure 9, ${RUNS[size]} runs for each mix: must-links only, cannot-links only, half of each, and in the proportion of all pairs of the data. ${ABOUT_IRIS}`,
  claims: [improves, faster(CKM), effective, faster(CKM_OURS)],
  pictures: (seen) => [picture(seen)],
  results: (seen) => MIXED.flatMap((method) => tablesOf(seen, method)),
};

function setsOf(seen: PageData): string[] {
  return TABLES.map(({ name }) => name).filter((name) => !seen.missing.includes(name));
}

function picture(seen: PageData): Picture {
  return {
    name: "mixes",
    caption: `CRI with four mixes of constraints, ${RUNS[seen.size]} runs each: CCL and CKM as the papers have them, and cop-kmeans (ours). Lines join means over the runs that have a clustering, bars are standard errors; a line ends or has a gap where more than half of the runs have none.`,
    svg: () =>
      curvesFigure({
        title: "CRI with four mixes of constraints",
        panels: crossed(MIXED, setsOf(seen), (method, set) => ({
          title: `${titleOf(set)}, ${method}`,
          series: Object.keys(MIXES).map((mix) => ({ name: mix, points: pointsOf(curve(seen, set, mix, method)) })),
        })),
        xLabel: "constraints",
        yLabel: "CRI",
        yDomain: "shared",
        columns: setsOf(seen).length,
        width: 980,
        height: 300,
      }),
  };
}

function tablesOf(seen: PageData, method: string): ResultTable[] {
  return setsOf(seen).map((set) => ({
    title: `${method} on ${titleOf(set)}: mean CRI ± standard error`,
    columns: ["mix", ...curve(seen, set, "half and half", method).counts.map(String)],
    rows: Object.keys(MIXES).map((mix) => [mix, ...curveCells(curve(seen, set, mix, method))]),
  }));
}
