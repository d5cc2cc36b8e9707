/**
 * Struyf, Džeroski: Clustering Trees with Instance Level Constraints. ECML 2007: figure 5, the Rand index of ClusILC and of
 * COP-k-means against the number of constraints, on all rows and on rows without constraints.
 */
import { curvesFigure } from "@coterie/figures";
import { curveCells, seriesOf } from "../frame/curves.js";
import { ABOUT_IRIS, IRIS, titleOf } from "../frame/data.js";
import type { Page, Paper, Picture, ResultTable, Seen, TrialTable } from "../frame/paper.js";
import { meanOf, withError } from "../frame/statistics.js";
import { numbersOf, where } from "../frame/trials.js";
import { CLAIMS, curve, nodesOf } from "./claims.js";
import {
  allData,
  CUT_BACK,
  crossValidated,
  DRAWN_SETS,
  draws,
  HELD_OUT,
  LEAF_COST,
  MOST_DRAWS,
  pruned,
  SHOWN,
} from "./protocol.js";
import { SETS } from "./sets.js";

const PROTOCOL = [
  "Each trial draws pairs of rows at random; pairs of one class are must-links, others cannot-links; all rows are clustered with k the",
  "number of classes. *All data*: pairs from all rows, Rand index on all rows. *Cross-validated*: pairs from nine folds, Rand index on",
  "the tenth, with a constraint set for each fold of some partitions. The paper averages over 60 sets of constraints.",
  "",
  "The paper's axes are not in its text, so the numbers of constraints are ours. `hayes-roth` has 3 classes in the data (the paper's table",
  "says 4). *ClusILC* has γ 0.5, at least 2 rows in a leaf, and the label rule of the authors' program: a new leaf takes a new label or one",
  "that a must-link leads to; variance is measured in units of each column's (`--scale zscore`), as there. With the *label rule as printed* a new",
  "leaf may take any label. *COP-k-means* is the paper's, on columns as they are and from one random start: after a dead end it draws a new set, up",
  `to ${MOST_DRAWS.toLocaleString("en")} sets (the paper: 100,000); a trial without a clustering is left out of its mean. *cop-kmeans (ours)* repairs its`,
  `placements. Trees are cut back (ours) by holding out ${100 * HELD_OUT}% of the constraints in each of four rounds, or by asking ${LEAF_COST} of H for each`,
  "leaf. Seconds are processor time of one thread.",
  "",
  "The bench case `trees` runs the authors' program, Clus, with the same constraints: on `digits` and `pendig` its tree has the same number of",
  "leaves, the same H and the same Rand index as ours.",
].join("\n");

function setsOf(seen: Seen): string[] {
  return SETS.map(({ name }) => name).filter((name) => !seen.missing.includes(name));
}

function runsOf(seen: Seen): string {
  const runs = [...new Set(setsOf(seen).map((set) => curve(seen, allData, set, "leaves").values[0]!.length))];
  return runs.join(" or ");
}

const LINES =
  "Lines join means over the runs that have a clustering, bars are standard errors; a gap where more than half have none. “(ours)” is not the paper's.";

function randPicture(seen: Seen, name: string, table: TrialTable, words: string): Picture {
  return {
    name,
    caption: `${words}, ${runsOf(seen)} runs. ${LINES}`,
    svg: () =>
      curvesFigure({
        title: words,
        panels: setsOf(seen).map((set) => ({
          title: titleOf(set),
          series: seriesOf(where(seen.lines(table), { set }), SHOWN),
        })),
        xLabel: "constraints",
        yLabel: "Rand index",
        yDomain: "shared",
        columns: 3,
      }),
  };
}

/** The largest trees that the paper tells of; at which number of constraints, it does not say. */
const PUBLISHED_NODES: Readonly<Record<string, number>> = { [IRIS]: 23, yeast: 773 };

function sizePicture(seen: Seen): Picture {
  return {
    name: "sizes",
    caption: `Nodes of the trees on all data, ${runsOf(seen)} runs: the largest and the mean; rings are the largest trees that the paper tells of, drawn at our most constraints since it does not say at which number. The axis is logarithmic (10 to the power).`,
    svg: () =>
      curvesFigure({
        title: "Nodes of the trees",
        panels: setsOf(seen).map((set) => {
          const own = curve(seen, allData, set, "leaves");
          const series = (name: string, of: (values: readonly number[]) => number) => ({
            name,
            points: own.counts.map((x, i) => ({ x, y: Math.log10(nodesOf(of(own.values[i] as readonly number[]))) })),
          });
          const published = PUBLISHED_NODES[set];
          return {
            title: titleOf(set),
            series: [
              series("largest", (values) => Math.max(...values)),
              series("mean", (values) => meanOf(values).mean),
              ...(published === undefined
                ? []
                : [{ name: "published", published: true, points: [{ x: own.counts.at(-1)!, y: Math.log10(published) }] }]),
            ],
          };
        }),
        xLabel: "constraints",
        yLabel: "log₁₀ nodes",
        yDomain: "shared",
        columns: 3,
      }),
  };
}

function drawsPicture(seen: Seen): Picture {
  const sets = DRAWN_SETS.filter((set) => !seen.missing.includes(set));
  const trials = [...new Set(sets.map((set) => curve(seen, draws, set, "sets").values[0]!.length))];
  return {
    name: "draws",
    caption: `Sets drawn until COP-k-means has a clustering: decimal logarithm of the mean over ${trials.join(" or ")} trials; a trial is given up after 100,000, and counts as so many. The ring is the published mean on wine at 300 constraints.`,
    svg: () =>
      curvesFigure({
        title: "Sets drawn until COP-k-means has a clustering",
        panels: sets.map((set) => {
          const own = curve(seen, draws, set, "sets");
          const points = own.counts.map((x, i) => ({
            x,
            y: Math.log10(meanOf(own.values[i]!.map((value) => value ?? 100_000)).mean),
          }));
          return {
            title: titleOf(set),
            series: [
              { name: "run here", points },
              ...(set === "wine" ? [{ name: "published", published: true, points: [{ x: 300, y: Math.log10(1087) }] }] : []),
            ],
          };
        }),
        xLabel: "constraints",
        yLabel: "log₁₀ sets",
        yDomain: "shared",
        columns: 4,
      }),
  };
}

function randTables(seen: Seen, table: TrialTable, words: string): ResultTable[] {
  return setsOf(seen).map((set) => ({
    title: `${words}, ${titleOf(set)}: mean ± standard error`,
    columns: ["method", ...curve(seen, table, set, "leaves").counts.map(String)],
    rows: SHOWN.map((method) => [method, ...curveCells(curve(seen, table, set, method))]),
  }));
}

function treeTable(seen: Seen): ResultTable {
  return {
    title: "Trees on all data with the fewest and the most constraints: mean leaves, and the longest run",
    columns: ["data", "fewest", "leaves", "as printed", "most", "leaves", "as printed", "longest run, s"],
    rows: setsOf(seen).map((set) => {
      const [own, printed] = ["leaves", "leaves as printed"].map((column) => curve(seen, allData, set, column));
      const mean = (values: readonly (number | null)[]): string => meanOf(values as readonly number[]).mean.toFixed(1);
      const last = own!.counts.length - 1;
      const seconds = numbersOf(where(seen.lines(allData), { set }), "seconds");
      return [
        titleOf(set),
        ...[0, last].flatMap((i) => [String(own!.counts[i]), mean(own!.values[i]!), mean(printed!.values[i]!)]),
        Math.max(...seconds).toFixed(2),
      ];
    }),
  };
}

function cutTable(seen: Seen): ResultTable {
  return {
    title: "Trees that are cut back (ours), with the most constraints: cross-validated Rand index, and leaves",
    columns: ["data", ...CUT_BACK, ...CUT_BACK.map((how) => `${how}, leaves`)],
    rows: setsOf(seen).map((set) => {
      const lines = where(seen.lines(pruned), { set });
      return [
        titleOf(set),
        ...CUT_BACK.map((how) => withError(meanOf(numbersOf(lines, how)))),
        ...CUT_BACK.map((how) => meanOf(numbersOf(lines, `${how}, leaves`)).mean.toFixed(1)),
      ];
    }),
  };
}

function drawsTable(seen: Seen): ResultTable {
  return {
    title: "Sets drawn until COP-k-means has a clustering, and trials given up after 100,000",
    columns: ["data", "constraints", "trials", "mean", "given up"],
    rows: DRAWN_SETS.filter((set) => !seen.missing.includes(set)).flatMap((set) => {
      const own = curve(seen, draws, set, "sets");
      return own.counts.map((count, i) => {
        const ended = own.values[i]!.filter((value) => value !== null);
        const given = own.values[i]!.length - ended.length;
        return [titleOf(set), String(count), String(own.values[i]!.length), withError(meanOf(ended), 0), String(given)];
      });
    }),
  };
}

const figure5: Page = {
  name: "figure-5",
  title: "Figure 5: ClusILC and COP-k-means against the number of constraints",
  kind: "figure",
  tables: [allData, crossValidated, draws, pruned],
  protocol: (seen) => `${PROTOCOL}\n\n${runsOf(seen)} runs here. ${ABOUT_IRIS}`,
  claims: CLAIMS,
  pictures: (seen) => [
    randPicture(seen, "all", allData, "All data: Rand index on all rows"),
    randPicture(seen, "cv", crossValidated, "Cross-validated: Rand index on rows without constraints"),
    sizePicture(seen),
    drawsPicture(seen),
  ],
  results: (seen) => [
    treeTable(seen),
    drawsTable(seen),
    cutTable(seen),
    ...randTables(seen, allData, "Rand index on all data"),
    ...randTables(seen, crossValidated, "Cross-validated Rand index"),
  ],
};

export const struyf2006: Paper = {
  name: "struyf2006",
  title: "Struyf and Džeroski (2007): Clustering Trees with Instance Level Constraints",
  pages: [figure5],
};
