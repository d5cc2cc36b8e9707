/** Figures 8 and 9: the accuracy of the methods by number of constraints. */

import { curvesFigure } from "@coterie/figures";
import {
  againstNumber,
  type Curve,
  compareCurves,
  curveCells,
  curveOf,
  found,
  meanAt,
  meanOf,
  shareTest,
  type Test,
  testOf,
  where,
  withError,
} from "@coterie/workbench/trials";
import {
  atLeastCell,
  evenCell,
  largestCell,
  type Place,
  pairedCell,
  percent,
  testCell,
  weaker,
  welchCell,
} from "../frame/cells.js";

import { at, countFrom, seriesOf, shareNeeded } from "../frame/curves.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Cell, Claim, Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells } from "../grid.js";
import { type DataSet, SYNTHETIC, SYNTHETIC_ROWS, TABLES } from "./data-sets.js";
import { ACTIVE, CCL, CCL_OURS, CCL_PRINTED, CKM, CKM_OURS, PASSIVE } from "./methods.js";
import { countsOf, RUNS, realActive, realCurves, syntheticActive, syntheticCurves } from "./tables.js";

interface Figure {
  readonly name: string;
  readonly sets: readonly DataSet[];
  readonly passive: TrialTable;
  readonly active: TrialTable;
}

const SOYBEAN = "soybean-562";

const SUBSTANTIAL = 0.02;

function curve(seen: PageData, { passive, active }: Figure, set: string, method: string): Curve {
  return curveOf(where(seen.lines(method === ACTIVE ? active : passive), { set }), method);
}

function eachSet({ sets }: Figure, cell: (set: string, row: string) => Cell): Cell[] {
  return sets.map(({ name }) => cell(name, titleOf(name)));
}

type Sides = readonly [first: string, second: string];

function onAverage(seen: PageData, figure: Figure, [first, second]: Sides, cellOf: (place: Place, test: Test) => Cell): Cell[] {
  return eachSet(figure, (set, row) => {
    const test = compareCurves(curve(seen, figure, set, first), curve(seen, figure, set, second));
    const cell = cellOf({ row, column: `${first} less ${second}` }, test);
    return { ...cell, said: `${cell.said} (${test.first.toFixed(3)} and ${test.second.toFixed(3)})` };
  });
}

function aboveOnAverage(seen: PageData, figure: Figure, sides: Sides, least?: number): Cell[] {
  return onAverage(seen, figure, sides, (place, test) => testCell(place, test, least));
}

function behindAt(seen: PageData, figure: Figure, [first, second]: Sides): string {
  const parts = figure.sets.flatMap(({ name }) => {
    const [one, other] = [curve(seen, figure, name, first), curve(seen, figure, name, second)];
    const behind = one.counts.filter(
      (count, place) => count > 0 && (meanAt(one.values[place]!) ?? 1) < (meanAt(other.values[place]!) ?? 0),
    );
    return behind.length === 0 ? [] : [`${behind.join(", ")} on ${titleOf(name)}`];
  });
  return parts.length === 0 ? "no number of constraints" : parts.join("; ");
}

function fewHelp(figure: Figure): Claim {
  return {
    id: `${figure.name}.few`,
    quote: "In every case, there is significant improvement over the unconstrained accuracy, even with very few constraints.",
    section: "section 5.2",
    tested: "CRI of CCL with 20 constraints less that without",
    published: "significant",
    judge: byCells((seen) =>
      eachSet(figure, (set, row) => {
        const own = curve(seen, figure, set, CCL);
        return pairedCell({ row, column: CCL }, at(own, countFrom(own, 20)), at(own, 0));
      }),
    ),
  };
}

function improves(figure: Figure): Claim {
  return {
    id: `${figure.name}.improves`,
    quote: "Constraints improve performance substantially in every case.",
    section: "section 5.3",
    tested: `each run's mean CRI of CCL over all numbers of constraints less the CRI without; at least ${SUBSTANTIAL}`,
    published: "in every case",
    judge: byCells((seen) =>
      eachSet(figure, (set, row) => {
        const own = curve(seen, figure, set, CCL);
        const none = { counts: own.counts, values: own.values.map(() => own.values[0]!) };
        return testCell({ row, column: CCL }, compareCurves(own, none), SUBSTANTIAL);
      }),
    ),
  };
}

function beatsCkm(figure: Figure, quote: string, section: string): Claim {
  return {
    id: `${figure.name}.ckm`,
    quote,
    section,
    tested: `each run's mean CRI over the numbers of constraints at which CKM has a clustering; at least ${SUBSTANTIAL}`,
    published: "substantially",
    judge: byCells(
      (seen) => aboveOnAverage(seen, figure, [CCL, CKM], SUBSTANTIAL),
      "the comparison is kind to CKM: where constraints get it stuck it has no score, so that only the sets that it could satisfy count.",
    ),
  };
}

function activeBeatsPassive(figure: Figure): Claim {
  return {
    id: `${figure.name}.active`,
    quote: "In all cases, actively chosen constraints are much more effective than passively chosen ones.",
    section: "section 5.5",
    tested: `each run's mean CRI over all numbers of constraints; at least ${SUBSTANTIAL}. The curve of active CCL is not smooth, so averages are judged`,
    published: "in all cases",
    judge: (seen) => ({
      cells: aboveOnAverage(seen, figure, [ACTIVE, CCL], SUBSTANTIAL),
      because: `active CCL has the lower mean CRI with these numbers of constraints: ${behindAt(seen, figure, [ACTIVE, CCL])}.${
        figure.sets.some(({ name }) => name === SOYBEAN)
          ? " On soybean, which has many classes, nearly all merges are right without a question, so that questions about the highest merges give little more information than random pairs."
          : ""
      }`,
    }),
  };
}

const QUICKLY = 20;

function activeConverges(figure: Figure): Claim {
  return {
    id: `${figure.name}.active-quickly`,
    quote: "The active selection converges to the correct structures very quickly.",
    section: "section 5.5, figure 12",
    tested: `CRI of active CCL with ${QUICKLY} questions less 0.95`,
    published: "very quickly",
    judge: byCells((seen) =>
      eachSet(figure, (set, row) => {
        const values = found(at(curve(seen, figure, set, ACTIVE), QUICKLY));
        const cell = testCell({ row, column: ACTIVE }, againstNumber(values, 0.95));
        return { ...cell, said: withError(meanOf(values)) };
      }),
    ),
  };
}

export function halfTheConstraints(figure: Figure): Claim {
  return {
    id: `${figure.name}.half`,
    quote: "generally requiring less than half as many constraints to achieve a given accuracy on a range of real-world data",
    section: "abstract",
    tested:
      "constraints that CCL needs for one of CKM's: the median over accuracies between what the better of the two has without constraints and what both reach; ± the standard error of a bootstrap over runs. A method has no mean, and so reaches nothing, with numbers of constraints at which more than half of its runs have no clustering: each cell names those numbers. Where no accuracy is reached by both, the cell tests that CCL rises above that start",
    published: "less than half",
    about: "most",
    judge: byCells(
      (seen) =>
        eachSet(figure, (set, row) => halfCell(curve(seen, figure, set, CCL), curve(seen, figure, set, CKM), row, seen.seed)),
      "COP-k-means from one random start with all of the constraints satisfied is a good method where it does not get stuck.",
    ),
  };
}

function halfCell(ccl: Curve, ckm: Curve, row: string, seed: number): Cell {
  const column = "share of CKM's constraints";
  const { share, error, from, to } = shareNeeded(ccl, ckm, seed);
  const without = ckm.counts.filter((_, place) => meanAt(ckm.values[place]!) === null);
  const leftOut = without.length === 0 ? "" : `; most runs of CKM have no clustering with ${without.join(", ")} constraints`;
  if (Number.isFinite(share)) {
    const said = `${share.toFixed(2)} ± ${error.toFixed(2)} (accuracies from ${from.toFixed(3)} to ${to.toFixed(3)}${leftOut})`;
    return { ...testCell({ row, column }, testOf(0.5 - share, error, ckm.values[0]!.length - 1)), said };
  }
  // There is no accuracy above `from` that both methods reach, so their numbers of constraints cannot be compared. If CCL's best mean is
  // above `from`, CKM never exceeds `from`, so CCL needs fewer constraints.
  const means = [ccl, ckm].map((curve) => curve.values.map((values) => meanAt(values) ?? 0));
  const [own, other] = means.map((all) => Math.max(...all));
  const words = `no accuracy above ${from.toFixed(3)} is reached by both; CCL reaches ${own!.toFixed(3)}, CKM ${other!.toFixed(3)}${leftOut}`;
  const best = found(ccl.values[means[0]!.indexOf(own!)]!);
  return largestCell({ row, column }, againstNumber(best, from), ccl.counts.length, words);
}

function robust(figure: Figure): Claim {
  return {
    id: `${figure.name}.robust`,
    quote: "while also being more robust when over-constrained",
    section: "abstract",
    tested:
      "CKM has no clustering in at least a tenth of the runs at some number of constraints, where CCL has one and is above its unconstrained accuracy",
    published: "more robust",
    judge: byCells(
      (seen) =>
        eachSet(figure, (set, row) => {
          const [ckm, ccl] = [curve(seen, figure, set, CKM), curve(seen, figure, set, CCL)];
          const failures = ckm.values.map((values) => values.length - found(values).length);
          const worst = failures.indexOf(Math.max(...failures));
          const [failed, runs] = [failures[worst]!, ckm.values[worst]!.length];
          const accuracy = meanOf(found(ccl.values[worst]!)).mean;
          const words = `with ${ckm.counts[worst]} constraints CKM fails in ${percent(failed / runs)} of the runs; CCL ${accuracy.toFixed(3)}`;
          const place = { row, column: "CKM's failures" };
          const fails = largestCell(place, shareTest(failed, runs, 0.1), ckm.counts.length, words);
          if (worst === 0) return fails;
          return weaker(fails, { ...pairedCell(place, ccl.values[worst]!, ccl.values[0]!), said: words });
        }),
      "soybean has 15 classes: a row that cannot go to some of the clusters has enough others.",
    ),
  };
}

function fewDoNotHelpCkm(figure: Figure): Claim {
  return {
    id: `${figure.name}.ckm-few`,
    quote:
      "Previous algorithms […] have failed to show marked improvement over their unsupervised counterparts with the addition of very few constraints.",
    section: "section 2, of COP-k-means among others",
    tested: `CRI of CKM with the first number of constraints from 20 on less that without; alike within ${SUBSTANTIAL}`,
    published: "no marked improvement",
    judge: byCells((seen) =>
      eachSet(figure, (set, row) => {
        const own = curve(seen, figure, set, CKM);
        const few = countFrom(own, 20);
        return evenCell(
          { row, column: CKM },
          compareCurves(own, { ...own, values: own.values.map(() => own.values[0]!) }, few, few),
          SUBSTANTIAL,
        );
      }),
    ),
  };
}

const SOON = 100;

function soybean(figure: Figure): Claim[] {
  const set = SOYBEAN;
  const head = { section: "section 5.3", needs: [set] };
  const of = (seen: PageData, method: string): Curve => curve(seen, figure, set, method);
  const place = { row: "soybean-562", column: "CRI" };
  return [
    {
      ...head,
      id: `${figure.name}.soybean-start`,
      quote: "in the SOYBEAN example, the unconstrained CL algorithm performs worse than unconstrained KM",
      published: "worse",
      judge: byCells((seen) => [welchCell(place, found(at(of(seen, CKM), 0)), found(at(of(seen, CCL), 0)))]),
    },
    {
      ...head,
      id: `${figure.name}.soybean-overtakes`,
      quote: "CCL exploits constraints so well that it quickly overtakes CKM in accuracy",
      tested: `CCL is certainly ahead at ${SOON} constraints`,
      published: "quickly",
      judge: (seen) => {
        const [ccl, ckm] = [of(seen, CCL), of(seen, CKM)];
        const ahead = ccl.counts.find((_, i) => meanOf(found(ccl.values[i]!)).mean > meanOf(found(ckm.values[i]!)).mean);
        return {
          cells: [testCell(place, compareCurves(ccl, ckm, SOON, SOON))],
          ours: `${testCell(place, compareCurves(ccl, ckm, SOON, SOON)).said} at ${SOON}; ${ahead === undefined ? "never ahead" : `ahead from ${ahead} constraints on`}`,
          because: "complete linkage breaks its many ties by row number here, which the paper leaves open.",
        };
      },
    },
    {
      ...head,
      id: `${figure.name}.soybean-ckm`,
      quote: "a limited number of constraints appears to be ineffective in helping the CKM algorithm",
      tested: "CRI of CKM with 25 constraints and without are alike within 0.01",
      published: "ineffective",
      judge: (seen) => {
        const own = of(seen, CKM);
        return {
          cells: [evenCell(place, compareCurves(own, { ...own, values: own.values.map(() => own.values[0]!) }, 25, 25), 0.01)],
        };
      },
    },
  ];
}

function ownClaims(figure: Figure): Claim[] {
  return [
    {
      id: `${figure.name}.printed`,
      section: "section 4.2 as printed",
      tested:
        "the one correction that decides the curve: with barred entries all equal, as printed, CCL is less accurate than with max + 1 + distance, which we call CCL. As printed, all merges that break a cannot-link tie, and the index order chooses",
      judge: byCells(
        (seen) => aboveOnAverage(seen, figure, [CCL, CCL_PRINTED]),
        "where at most k clusters are left before the first barred merge, nothing is to be chosen and the two are the same.",
      ),
    },
    {
      id: `${figure.name}.ours`,
      section: "beyond the paper",
      tested: `\`ccl\` as it is here, which completes the constraint set and so keeps every cannot-link that can be kept, is at least as accurate as the paper's CCL, within ${SUBSTANTIAL}`,
      judge: byCells(
        (seen) => onAverage(seen, figure, [CCL_OURS, CCL], (place, test) => atLeastCell(place, test, SUBSTANTIAL)),
        "keeping every cannot-link is another aim than accuracy on free pairs: on some sets it costs some.",
      ),
    },
    {
      id: `${figure.name}.repairing`,
      section: "beyond the paper",
      tested: "CCL is above a COP-k-means that repairs its placements and so always has a clustering (ours, best of 5 starts)",
      judge: byCells(
        (seen) => aboveOnAverage(seen, figure, [CCL, CKM_OURS]),
        "to keep all constraints at once, the repairing one moves whole components: much of CKM's weakness was its getting stuck.",
      ),
    },
  ];
}

export const PROTOCOL = [
  "Accuracy is the constrained Rand index (CRI): the Rand index over the pairs that the closure of the constraints leaves free.",
  "Constraints are pairs of rows drawn at random, must-linked or cannot-linked as their classes say; all methods see the same sets.",
  "*CCL* is the paper's, with its slips corrected: figure 5 prints 0 for the entries of cannot-linked pairs, figure 6 the minimum",
  "for the maximum of complete linkage, and barred entries are max + 1 + distance. *CCL as printed* has all barred entries at max + 1, as",
  "section 4.2 says: when more than k mutually barred clusters are left, all merges tie and the index order decides, so that the first two",
  "clusters are joined again and again. *CKM* is COP-k-means as its paper prints it, from one random start; a run in which some row finds no",
  "legal cluster has no score and is counted. *ccl, set completed (ours)* gives every constrained row one of k clusters that keep all",
  "constraints, must-links the rows of each, and runs CCL again, if CCL breaks a cannot-link at k; *cop-kmeans (ours)* repairs",
  "placements and takes the best of 5 starts. *Active CCL* asks as many questions as there are constraints (section 5.5; three quarters of",
  "the budget are expected to be merges, for a “no” costs a question and makes none) and goes on as the paper's CCL.",
].join("\n");

const CAPTION =
  "Lines join means over the runs that have a clustering, bars are standard errors; a line has a gap where more than half of the runs have none. “(ours)” is not the paper's.";

const EIGHT = { name: "figure-8", sets: SYNTHETIC, passive: syntheticCurves, active: syntheticActive };
const NINE = { name: "figure-9", sets: TABLES, passive: realCurves, active: realActive };

export const figure8: Page = {
  name: "figure-8",
  title: "Figure 8: synthetic data, accuracy against the number of constraints",
  kind: "figure",
  tables: [syntheticCurves, syntheticActive],
  protocol: ({ size }) =>
    `${PROTOCOL}\n\n${RUNS[size]} runs, each with ${SYNTHETIC_ROWS} rows drawn anew and new constraints; the paper gives neither number.`,
  claims: [
    fewHelp(EIGHT),
    beatsCkm(EIGHT, "CCL’s spatial propagation allows it to substantially outperform CKM.", "section 5.2"),
    activeBeatsPassive(EIGHT),
    activeConverges(EIGHT),
    fewDoNotHelpCkm(EIGHT),
    ...ownClaims(EIGHT),
  ],
  pictures: (seen) => [picture(seen, EIGHT, 2)],
  results: (seen) => tables(seen, EIGHT),
};

export const figure9: Page = {
  name: "figure-9",
  title: "Figure 9: real data, accuracy against the number of constraints",
  kind: "figure",
  tables: [realCurves, realActive],
  protocol: ({ size }) =>
    `${PROTOCOL}\n\n${RUNS[size]} runs with new constraints. Iris and crabs (two species) with Euclidean distance on the columns as they are, soybean-562 with Hamming distance (k-means sees its columns one-hot). The dialogue of active CCL has nothing random in it, so its curve is one run. ${ABOUT_IRIS}`,
  claims: [
    improves(NINE),
    beatsCkm(
      NINE,
      "CCL again outperforms it substantially, supporting the hypothesis that a spatial induction principle is appropriate for real data sets.",
      "section 5.3, of CKM",
    ),
    halfTheConstraints(NINE),
    robust(NINE),
    activeBeatsPassive(NINE),
    fewDoNotHelpCkm(NINE),
    ...soybean(NINE),
    ...ownClaims(NINE),
  ],
  pictures: (seen) => [picture(seen, NINE, 3)],
  results: (seen) => tables(seen, NINE),
};

function picture(seen: PageData, figure: Figure, columns: number): Picture {
  const sets = figure.sets.filter(({ name }) => !seen.missing.includes(name));
  return {
    name: "curves",
    caption: `CRI against the number of constraints, ${RUNS[seen.size]} runs${figure === NINE ? "; active CCL is one run" : ""}. ${CAPTION}`,
    svg: () =>
      curvesFigure({
        title: "CRI against the number of constraints",
        panels: sets.map(({ name }) => ({
          title: titleOf(name),
          series: [
            ...seriesOf(where(seen.lines(figure.passive), { set: name }), PASSIVE),
            ...seriesOf(where(seen.lines(figure.active), { set: name }), [ACTIVE]),
          ],
        })),
        xLabel: "constraints",
        yLabel: "CRI",
        yDomain: "shared",
        columns,
        width: 980,
        height: 300,
      }),
  };
}

function tables(seen: PageData, figure: Figure): ResultTable[] {
  return figure.sets
    .filter(({ name }) => !seen.missing.includes(name))
    .map((set) => ({
      title: `Mean CRI on ${titleOf(set.name)}, ± standard error`,
      columns: ["method", ...countsOf(set, seen.size).map(String)],
      rows: [...PASSIVE, ACTIVE].map((method) => [method, ...curveCells(curve(seen, figure, set.name, method))]),
    }));
}
