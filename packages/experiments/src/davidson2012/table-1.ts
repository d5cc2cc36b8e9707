/** Table 1: how often do constraints hurt? */

import { barsFigure } from "@coterie/figures";
import { againstNumber, type Line, type Mean, shareOf, where } from "@coterie/workbench/trials";
import { numberCell, percent, shareCell, testCell } from "../frame/cells.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, Picture, ResultTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { ALGORITHMS, DATA, type Data, METHODS, type Method, OURS, type Ours } from "./methods.js";
import { effectOf, READINGS, type Reading, setsOf25, withoutConstraints } from "./sets-of-25.js";

const PUBLISHED: Readonly<Record<Data, Readonly<Record<Method, number>>>> = {
  glass: { CKM: 0.31, PKM: 0.07, MKM: 0.16, MPKM: 0.03 },
  ionosphere: { CKM: 0.26, PKM: 0.68, MKM: 0.03, MPKM: 0.8 },
  "iris-fisher": { CKM: 0.27, PKM: 0.23, MKM: 0.31, MPKM: 0.41 },
  wine: { CKM: 0.35, PKM: 0.38, MKM: 0.82, MPKM: 0.69 },
};

/**
 * Our share counts as equal to the published share within this distance. The paper states neither the order of the rows nor the first
 * metric, so the shares cannot agree exactly.
 */
const WITHIN = 0.1;
const MANY = 0.1;

const CAUSE: Readonly<Record<Reading, string>> = {
  itself:
    "the paper gives neither the scaling of the columns, nor the unit of PKM's costs, nor the first metric of MKM. CKM and MPKM depend on these least, and come out near their published columns on three sets of four. With unit costs no set moves PKM on raw wine, whose squared distances are far larger, and few do on ionosphere; with costs in the unit of the spread (*PCK (ours)*, in the tables below) the share on ionosphere is the published one. Why MKM differs on glass, iris and wine was not found.",
  "k-means":
    "a learned metric alone, without any constraint, is far better than plain k-means on raw wine and on iris, so that no set of constraints brings the metric learners below k-means: the published 69% and 82% on wine are only possible against the same method without constraints.",
};

export function hurtShare(lines: readonly Line[], method: Method | Ours, reading: Reading): Mean {
  const effects = lines.map((line) => effectOf(line, method, reading)).filter((effect) => effect !== "none");
  return shareOf(effects.filter((effect) => effect === "hurt").length, effects.length);
}

function linesOf(seen: PageData, set: Data): readonly Line[] {
  return where(seen.lines(setsOf25), { set });
}

function sharesClaim(reading: Reading): Claim {
  const unconstrained = reading === "itself" ? "the same algorithm without constraints" : "k-means";
  return {
    id: `table-1.${reading}`,
    quote: "Fraction of 1000 randomly created 25-constraint sets that caused a drop in accuracy",
    section: "table 1",
    tested: `“an unconstrained run with the same centroid initialization” read as ${unconstrained}; each cell ours ± standard error (published); tolerance 10 points`,
    published: "16 percentages",
    judge: byCells(
      (seen) =>
        crossed(DATA, METHODS, (set, method) =>
          numberCell(
            { row: titleOf(set), column: method },
            hurtShare(linesOf(seen, set), method, reading),
            PUBLISHED[set][method],
            WITHIN,
            percent,
          ),
        ),
      CAUSE[reading],
    ),
  };
}

const many: Claim = {
  id: "table-1.many",
  quote:
    "the fraction of these 1000 trials that caused a decrease in clustering accuracy (compared to using no constraints) is significant",
  section: "section 5",
  tested: "at least a tenth of the sets hurt, against the same algorithm without constraints",
  published: "3% to 82%",
  about: "most",
  judge: byCells((seen) =>
    crossed(DATA, METHODS, (set, method) => {
      const { mean, count } = hurtShare(linesOf(seen, set), method, "itself");
      const cases = [Math.round(mean * count), count] as const;
      return shareCell({ row: titleOf(set), column: method }, cases, MANY, percent(mean));
    }),
  ),
};

const onAverage: Claim = {
  id: "table-1.on-average",
  quote:
    "even though on average (over many constraint sets of the same size) the accuracy of a variety of algorithms […] increased with the amount of constraints",
  section: "section 5, of earlier work that is verified",
  tested: "the mean change of the Rand index by 25 constraints, against the same algorithm without",
  published: "increases on average",
  judge: byCells(
    (seen) =>
      crossed(DATA, METHODS, (set, method) => {
        const changes = linesOf(seen, set).flatMap((line) => {
          const rand = line[method] as number | null;
          return rand === null ? [] : [rand - withoutConstraints(line, method, "itself")];
        });
        return testCell({ row: titleOf(set), column: method }, againstNumber(changes, 0), undefined, 4);
      }),
    "25 random pairs help COP-k-means and PCK-means a little or not at all, and mislead a metric that is learned from so few: its curve has a dip there (bilenko2004, section 4.2).",
  ),
};

export const table1: Page = {
  name: "table-1",
  title: "Table 1: sets of 25 constraints that lower the Rand index",
  kind: "table",
  tables: [setsOf25],
  protocol: (seen) =>
    `${linesOf(seen, "wine").length} sets of 25 random pairs for each table, drawn at random; k random rows as first centres, the same with and without constraints. ${ALGORITHMS} What “an unconstrained run” is, the paper leaves open: plain k-means, or the same algorithm without constraints; both are shown. *PCK (ours)* and *MPCK (ours)* have relative costs and our search. ${ABOUT_IRIS}`,
  claims: [sharesClaim("itself"), sharesClaim("k-means"), many, onAverage],
  pictures: (seen) => [picture(seen)],
  results: (seen) => READINGS.map((reading) => tableOf(seen, reading)),
};

function picture(seen: PageData): Picture {
  const sets = linesOf(seen, "wine").length;
  return {
    name: "shares",
    caption: `Share of ${sets} sets of 25 constraints that lower the Rand index: published (table 1); run here, against the same algorithm without constraints; run here, against k-means. All are the papers' algorithms. Lines on the bars are standard errors; no bar is a share of 0; runs of CKM without a clustering are left out.`,
    svg: () =>
      barsFigure({
        title: "Sets of 25 constraints that lower the Rand index",
        yLabel: "share of sets",
        columns: 2,
        yDomain: "shared",
        panels: DATA.map((set) => ({
          title: titleOf(set),
          groups: METHODS.map((method) => ({
            name: method,
            bars: [
              { name: "published", value: PUBLISHED[set][method] },
              ...READINGS.toReversed().map((reading) => {
                const { mean, error } = hurtShare(linesOf(seen, set), method, reading);
                return { name: `run here, against ${reading}`, value: mean, error };
              }),
            ],
          })),
        })),
      }),
  };
}

function tableOf(seen: PageData, reading: Reading): ResultTable {
  const cell = (set: Data, method: Method | Ours): string => {
    const effects = linesOf(seen, set).map((line) => effectOf(line, method, reading));
    const share = (wanted: string): string => percent(effects.filter((effect) => effect === wanted).length / effects.length);
    return `${percent(hurtShare(linesOf(seen, set), method, reading).mean)} (${share("same")}, ${share("none")})`;
  };
  return {
    title: `Share of sets that hurt, against ${reading}; in brackets the share that changes nothing, and the share without a clustering`,
    columns: ["data", ...METHODS, ...OURS],
    rows: DATA.map((set) => [
      titleOf(set),
      ...METHODS.map((method) => cell(set, method)),
      ...OURS.map((method) => cell(set, method)),
    ]),
  };
}
