/** Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004: figures 2 to 13. */
import { curvesFigure } from "@coterie/figures";
import { curveCells, pointsOf } from "../frame/curves.js";
import { ABOUT_IRIS } from "../frame/data.js";
import type { Page, PageData, Paper, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { distinct } from "../frame/trials.js";
import { curve } from "./compare.js";
import { ABLATION_CLAIMS, METRIC_CLAIMS, SEARCH_CLAIMS } from "./metric-claims.js";

import { FOLDS } from "./protocol.js";
import { ABLATIONS, METRICS, SEARCHES } from "./schemes.js";
import { SETS } from "./sets.js";
import { ablations, metrics, orders, searches } from "./tables.js";

function runsIn(seen: PageData, table: TrialTable): number {
  return distinct(seen.lines(table), "run").length;
}

function protocolOf(seen: PageData, table: TrialTable): string {
  return (
    `${runsIn(seen, table)} runs of ${FOLDS} folds (the paper: 50): pairs are drawn at random from the rows of four folds, all rows are clustered, and ` +
    "pairwise F is taken on the rows of the fifth. A tenth of the digits and letters, drawn once. Data as they are, without scaling; unit costs for " +
    "given and entailed constraints; every scheme has one start and the paper's moves of single rows, with its first centres: those of must-linked " +
    `neighbourhoods, and for schemes that know no constraints the mean of all rows with noise. ${ABOUT_IRIS}`
  );
}

function setsOf(seen: PageData): string[] {
  return SETS.filter(({ name }) => !seen.missing.includes(name)).map(({ title }) => title);
}

function picture(seen: PageData, title: string, schemes: readonly string[], table: TrialTable): Picture {
  return {
    name: "curves",
    caption: `${title}: pairwise F on held-out rows against the number of constraints. Lines join means over ${runsIn(seen, table)} runs, bars are standard errors over runs.${schemes.some((scheme) => scheme.includes("ours")) ? " “(ours)” is not the paper's." : ""}`,
    svg: () =>
      curvesFigure({
        title,
        xLabel: "constraints",
        yLabel: "pairwise F on held-out rows",
        yDomain: "shared",
        columns: 3,
        panels: setsOf(seen).map((set) => ({
          title: set,
          series: schemes.map((name) => ({ name, points: pointsOf(curve(seen, set, name)) })),
        })),
      }),
  };
}

function tables(seen: PageData, schemes: readonly string[]): ResultTable[] {
  return setsOf(seen).map((set) => ({
    title: `${set}: pairwise F, mean ± standard error, by number of constraints`,
    columns: ["scheme", ...curve(seen, set, schemes[0]!).counts.map(String)],
    rows: schemes.map((scheme) => [scheme, ...curveCells(curve(seen, set, scheme))]),
  }));
}

const figuresNamed = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `figure-${first + i}`);

const ablationPage: Page = {
  name: "figures-2-7",
  title: "Figures 2 to 7: MPCK-means beside its parts",
  kind: "figure",
  covers: [...figuresNamed(2, 7), "ablations"],
  tables: [ablations],
  protocol: (seen) => protocolOf(seen, ablations),
  claims: ABLATION_CLAIMS,
  pictures: (seen) => [picture(seen, "MPCK-means beside its parts", Object.keys(ABLATIONS), ablations)],
  results: (seen) => tables(seen, Object.keys(ABLATIONS)),
};

const SHOWN = ["MPCK-S-D", ...Object.keys(METRICS)];

const metricPage: Page = {
  name: "figures-8-13",
  title: "Figures 8 to 13: single and multiple, diagonal and full metrics, and RCA",
  kind: "figure",
  covers: [...figuresNamed(8, 13), "metrics"],
  tables: [metrics, ablations],
  protocol: (seen) =>
    `${protocolOf(seen, metrics)} S and M: single and multiple metrics, D and F: diagonal and full. *RCA* is the paper's: the covariance within must-linked components alone, and no change of metric without must-links; *RCA (ours)* is \`rca-kmeans\` as it is here: as long as must-links know fewer than twice as many directions as there are features, it mixes in the covariance of all rows, by as many rows as there are features.`,
  claims: METRIC_CLAIMS,
  pictures: (seen) => [picture(seen, "Metrics of MPCK-means, and RCA", SHOWN, metrics)],
  results: (seen) => tables(seen, SHOWN),
};

const searchPage: Page = {
  name: "search",
  title: "Sections 3.2 and 3.3: order of assignment, convergence; and our search",
  kind: "extra",
  covers: ["order", "convergence"],
  tables: [searches, orders, ablations, metrics],
  protocol: (seen) =>
    `${protocolOf(seen, ablations)} The order of assignment: ${runsIn(seen, orders)} runs of a plain version of figure 1, pair by pair, that takes the order as an argument. *Our search* (${runsIn(seen, searches)} runs) also moves blocks of must-linked rows and places constrained rows anew; by default it keeps the typical of ten starts.`,
  claims: SEARCH_CLAIMS,
  pictures: (seen) => [picture(seen, "Our search beside the paper's moves", ["MPCK-S-D", ...Object.keys(SEARCHES)], searches)],
  results: (seen) => tables(seen, ["random order", "greedy order"]),
};

export const bilenko2004: Paper = {
  name: "bilenko2004",
  title: "Bilenko, Basu and Mooney (2004): Integrating Constraints and Metric Learning in Semi-Supervised Clustering",
  pages: [ablationPage, metricPage, searchPage],
};
