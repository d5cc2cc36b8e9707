/** Figures 8 and 9: accuracy against the number of constraints. */

import { curvesFigure } from "@coterie/figures";
import { curveCells, seriesOf } from "../frame/curves.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Page, Picture, ResultTable, Seen } from "../frame/paper.js";
import { where } from "../frame/trials.js";
import * as claims from "./claims.js";
import { SYNTHETIC, SYNTHETIC_ROWS, TABLES } from "./data-sets.js";
import { ACTIVE, PASSIVE } from "./methods.js";
import { countsOf, RUNS, realActive, realCurves, syntheticActive, syntheticCurves } from "./tables.js";

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
    claims.fewHelp(EIGHT),
    claims.beatsCkm(EIGHT, "CCL’s spatial propagation allows it to substantially outperform CKM.", "section 5.2"),
    claims.activeBeatsPassive(EIGHT),
    claims.activeConverges(EIGHT),
    claims.fewDoNotHelpCkm(EIGHT),
    ...claims.ownClaims(EIGHT),
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
    claims.improves(NINE),
    claims.beatsCkm(
      NINE,
      "CCL again outperforms it substantially, supporting the hypothesis that a spatial induction principle is appropriate for real data sets.",
      "section 5.3, of CKM",
    ),
    claims.halfTheConstraints(NINE),
    claims.robust(NINE),
    claims.activeBeatsPassive(NINE),
    claims.fewDoNotHelpCkm(NINE),
    ...claims.soybean(NINE),
    ...claims.ownClaims(NINE),
  ],
  pictures: (seen) => [picture(seen, NINE, 3)],
  results: (seen) => tables(seen, NINE),
};

const CAPTION =
  "Lines join means over the runs that have a clustering, bars are standard errors; a line has a gap where more than half of the runs have none. “(ours)” is not the paper's.";

function picture(seen: Seen, figure: claims.Figure, columns: number): Picture {
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

function tables(seen: Seen, figure: claims.Figure): ResultTable[] {
  return figure.sets
    .filter(({ name }) => !seen.missing.includes(name))
    .map((set) => ({
      title: `Mean CRI on ${titleOf(set.name)}, ± standard error`,
      columns: ["method", ...countsOf(set, seen.size).map(String)],
      rows: [...PASSIVE, ACTIVE].map((method) => [method, ...curveCells(claims.curve(seen, figure, set.name, method))]),
    }));
}
