/**
 * Struyf, Džeroski: Clustering Trees with Instance Level Constraints. ECML 2007. Figure 5: the Rand index of ClusILC and COP-k-means by
 * number of constraints. The index is computed on all rows, and on rows without constraints.
 */

import { curvesFigure } from "@coterie/figures";
import {
  againstNumber,
  type Curve,
  compareCurves,
  curveCells,
  curveOf,
  found,
  meanOf,
  numbersOf,
  welchTest,
  where,
  withError,
} from "@coterie/workbench/trials";
import { atLeastCell, evenCell, factCell, largestCell, numberCell, testCell, welchCell } from "../frame/cells.js";
import { at, seriesOf } from "../frame/curves.js";
import { ABOUT_IRIS, IRIS, titleOf } from "../frame/data.js";
import type { Cell, Claim, Page, PageData, Paper, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import {
  allData,
  CKM,
  CKM_OURS,
  CKM_SCALED,
  CUT_BACK,
  crossValidated,
  DRAWN_SETS,
  draws,
  HELD_OUT,
  LEAF_COST,
  MOST_DRAWS,
  pruned,
  SHOWN,
  TREE,
} from "./protocol.js";
import { SETS } from "./sets.js";

const CLEAR = 0.01;

const allDataClaim: Claim = {
  id: "figure-5.all-data",
  quote:
    "The Rand index of COP-k-means increases with the number of constraints and, in 8 out of 12 data sets, clearly surpasses that of ClusILC for a sufficiently large number of generated constraints.",
  section: "section 4.2",
  tested: `at the largest number of constraints at which COP-k-means has a clustering, its Rand index on all data less ClusILC's, at least ${CLEAR}; how many sets: 8, give or take 2`,
  published: "8 of 12",
  judge: (seen) => {
    const cells = SETS.map(({ name }) => surpasses(seen, name));
    const clear = cells.filter((cell) => cell.kind === "difference" && cell.difference >= CLEAR && cell.p < 0.05 / SETS.length);
    const count = { mean: clear.length, error: 0, count: 1 };
    return {
      cells: [numberCell({ row: "sets", column: "surpassed" }, count, 8, 2, (value) => String(value))],
      ours: `${clear.length} of 12: ${clear.map(({ row }) => row).join(", ") || "none"}`,
      because: "our largest numbers of constraints may be smaller than the paper's, whose axes are not in the text.",
    };
  },
};

const copRises: Claim = {
  id: "figure-5.cop-rises",
  quote: "The Rand index of COP-k-means increases with the number of constraints",
  section: "section 4.2",
  tested:
    "all data: the Rand index at the largest number of constraints at which COP-k-means has a clustering, less that at the smallest",
  published: "increases",
  judge: byCells(
    (seen) =>
      SETS.map(({ name }) => {
        const { values, counts } = curve(seen, allData, name, CKM);
        const last = values.findLastIndex((own) => found(own).length > 1);
        const cell = welchCell({ row: titleOf(name), column: CKM }, found(values[Math.max(0, last)]!), found(values[0]!));
        return { ...cell, said: `${cell.said} at ${counts[Math.max(0, last)]}` };
      }),
    "constraints on a small part of the rows move few others: on large sets more constraints are needed (as the paper says of image and pendig).",
  ),
};

const betterOrComparable: Claim = {
  id: "figure-5.generalises",
  quote: "ClusILC has a better or comparable generalization performance",
  section: "section 5",
  tested: `cross-validated: ClusILC is at least as good as COP-k-means, within ${CLEAR}`,
  published: "11 of 12 sets",
  about: "most",
  judge: byCells((seen) =>
    SETS.map(({ name }) => {
      const test = compareCurves(curve(seen, crossValidated, name, TREE), curve(seen, crossValidated, name, CKM), 0);
      return atLeastCell({ row: titleOf(name), column: "ClusILC less COP-k-means" }, test, CLEAR);
    }),
  ),
};

const inconsistent: Claim = {
  id: "figure-5.inconsistent",
  quote:
    "For wine, heart-statlog, liver-disorders, and ionosphere, COP-k-means was, for large constraints sets, unable to find a consistent clustering.",
  section: "footnote 2",
  tested:
    "at some number of constraints, more than ten sets are drawn on average until COP-k-means has a clustering; tested on logarithms, whose mean is the smaller one",
  published: "four sets; up to 100,000 draws",
  needs: DRAWN_SETS,
  judge: byCells(
    (seen) =>
      DRAWN_SETS.map((name) => {
        const own = curve(seen, draws, name, "sets");
        const means = own.values.map((values) => meanOf(values.map((value) => value ?? 100_000)).mean);
        const most = means.indexOf(Math.max(...means));
        const without = own.values[most]!.filter((value) => value === null).length;
        const words = `${means[most]!.toFixed(0)} sets on average at ${own.counts[most]}${without > 0 ? `, ${without} of ${own.values[most]!.length} given up after 100,000` : ""}`;
        const test = againstNumber(
          own.values[most]!.map((value) => Math.log10(value ?? 100_000)),
          1,
        );
        return largestCell({ row: titleOf(name), column: "sets drawn" }, test, means.length, words);
      }),
    "few sets were drawn for each number of constraints. If all of them are given up, they are equal, and few equal values are not certain.",
  ),
};

const wineDraws: Claim = {
  id: "figure-5.wine-draws",
  quote: "for wine, the peak was at 300 constraints and required on average 1087 sets before a consistent solution was found",
  section: "footnote 2",
  tested:
    "the mean number of sets drawn at 300 constraints is the published one, give or take a factor of two; the peak is at 300, give or take 100",
  published: "1087 sets at 300",
  needs: ["wine"],
  judge: (seen) => {
    const own = curve(seen, draws, "wine", "sets");
    const at300 = meanOf(found(at(own, 300)));
    const means = own.values.map((values) => meanOf(found(values)).mean);
    const peak = own.counts[means.indexOf(Math.max(...means))]!;
    return {
      cells: [
        {
          // Logarithms turn the ratio between our number and the published number into a difference, which a cell can compare.
          ...numberCell(
            { row: "wine", column: "sets drawn at 300" },
            { mean: Math.log(at300.mean), error: at300.error / at300.mean, count: at300.count },
            Math.log(1087),
            Math.log(2),
            String,
          ),
          said: withError(at300, 0),
        },
        factCell({ row: "wine", column: "peak" }, Math.abs(peak - 300) <= 100, `${Math.max(...means).toFixed(0)} at ${peak}`),
      ],
      ours: `${withError(at300, 0)} at 300; peak ${Math.max(...means).toFixed(0)} at ${peak}`,
      because:
        "how often rows placed one by one get stuck depends on their order and on the first centres, which the paper does not give.",
    };
  },
};

const sizes: Claim = {
  id: "figure-5.sizes",
  quote: "The maximum tree size ranges from 23 nodes (iris) to 773 nodes (yeast).",
  section: "section 4.2",
  tested: "iris has the smallest largest tree, yeast the largest; their sizes within a third of the published ones",
  published: "iris 23, yeast 773",
  judge: (seen) => {
    const nodes = SETS.map(({ name }) => ({ name, nodes: mostNodes(seen, name) })).sort((a, b) => a.nodes - b.nodes);
    const of = (set: string): number => nodes.find(({ name }) => name === set)!.nodes;
    const one = (value: number) => ({ mean: value, error: 0, count: 1 });
    const show = (value: number): string => String(Math.round(value));
    return {
      cells: [
        factCell({ row: "smallest", column: "set" }, nodes[0]!.name === IRIS, titleOf(nodes[0]!.name)),
        factCell({ row: "largest", column: "set" }, nodes.at(-1)!.name === "yeast", nodes.at(-1)!.name),
        numberCell({ row: "smallest", column: "nodes" }, one(of(IRIS)), 23, 23 / 3, show),
        numberCell({ row: "largest", column: "nodes" }, one(of("yeast")), 773, 773 / 3, show),
      ],
      ours: nodes.map(({ name, nodes: count }) => `${titleOf(name)} ${count}`).join(", "),
      because:
        "the paper's numbers of constraints are not in its text; trees grow with them, so that its largest are likely of more constraints than ours.",
    };
  },
};

const grows: Claim = {
  id: "figure-5.grows",
  quote: "Typically, the more constraints, the larger the tree.",
  section: "section 4.2",
  tested: "leaves with the most constraints less leaves with the fewest",
  published: "typically",
  about: "most",
  judge: byCells((seen) =>
    SETS.map(({ name }) => {
      const { values } = curve(seen, allData, name, "leaves");
      return welchCell({ row: titleOf(name), column: "leaves" }, found(values.at(-1)!), found(values[0]!));
    }),
  ),
};

const overfits: Claim = {
  id: "figure-5.overfits",
  quote: "this may yield to overfitting as can be seen, for example, from the graphs for iris and ecoli",
  section: "section 4.2",
  tested: "the cross-validated Rand index of ClusILC at the number of constraints where it is highest less that with the most",
  published: "seen in the graphs",
  needs: [IRIS, "ecoli"],
  judge: byCells(
    (seen) =>
      [IRIS, "ecoli"].map((set) => {
        const { counts, values } = curve(seen, crossValidated, set, TREE);
        const means = values.map((own) => meanOf(found(own)).mean);
        const best = means.indexOf(Math.max(...means));
        const cell = welchCell({ row: titleOf(set), column: TREE }, found(values[best]!), found(values.at(-1)!));
        return { ...cell, said: `${cell.said} (highest at ${counts[best]})` };
      }),
    "the cross-validated index does not fall beyond chance; all that grows is its distance to the index on all data.",
  ),
};

const times: Claim = {
  id: "figure-5.times",
  quote:
    "The maximum execution time (over all sets of constraints) for one run ranges from 1.4 seconds (on balance) to 9 minutes (on heart-statlog).",
  section: "section 4.2",
  tested:
    "the shortest of the longest runs is on balance, the longest on heart-statlog; and no run takes longer than the published 9 minutes",
  published: "1.4 s on balance, 9 min on heart-statlog (1.8 to 2.4 GHz Opteron)",
  judge: (seen) => {
    const most = SETS.map(({ name }) => {
      const seconds = [allData, crossValidated].flatMap((table) => numbersOf(where(seen.lines(table), { set: name }), "seconds"));
      return { name, seconds: Math.max(...seconds) };
    }).sort((a, b) => a.seconds - b.seconds);
    const words = (one: (typeof most)[number]): string => `${titleOf(one.name)} ${one.seconds.toFixed(2)} s`;
    return {
      cells: [
        factCell({ row: "shortest", column: "set" }, most[0]!.name === "balance", words(most[0]!)),
        factCell({ row: "longest", column: "set" }, most.at(-1)!.name === "heart-statlog", words(most.at(-1)!)),
        factCell({ row: "longest", column: "time" }, most.at(-1)!.seconds <= 540, words(most.at(-1)!)),
      ],
      ours: most.map(words).join(", "),
      because:
        "ours sorts each column once and keeps the best split of a leaf for as long as no other leaf that its constraints lead to changes; its time grows with rows and columns, which heart-statlog has few of. What made heart-statlog slow in the authors' program is not known.",
    };
  },
};

const printedRule: Claim = {
  id: "figure-5.printed-rule",
  section: "section 3.3 as printed",
  tested:
    "with the label rule as printed, any label for a new leaf, trees are larger than with the rule of the authors' program, which we run as ClusILC: leaves with the fewest constraints",
  published: "at most 23 nodes on iris",
  judge: byCells((seen) =>
    SETS.map(({ name }) => {
      const [printed, own] = ["leaves as printed", "leaves"].map((column) => curve(seen, allData, name, column));
      return testCell(
        { row: titleOf(name), column: "leaves" },
        compareCurves(printed!, own!, own!.counts[0], own!.counts[0]),
        undefined,
        1,
      );
    }),
  ),
};

const cutBack: Claim = {
  id: "figure-5.cut-back",
  section: "section 5, further work",
  tested: "cutting trees back lifts the cross-validated Rand index with the most constraints",
  published: "not tried",
  about: "most",
  judge: byCells(
    (seen) =>
      crossed(CUT_BACK.slice(1), SETS, (how, { name }) => {
        const lines = where(seen.lines(pruned), { set: name });
        const asCurve = (column: string): Curve => ({ counts: [1], values: [numbersOf(lines, column)] });
        return testCell({ row: titleOf(name), column: how }, compareCurves(asCurve(how), asCurve("whole tree")));
      }),
    "most trees are not too large: what is cut back is missed as often as not.",
  ),
};

export const CLAIMS: readonly Claim[] = [
  allDataClaim,
  copRises,
  standings("figure-5.cross-validated", CKM, {
    quote:
      "ClusILC does better for wine, ecoli, ionosphere, balance, image, and pendig (6 out of 12 data sets). It only does clearly worse for one data set (yeast). For the other 5 data sets it performs comparable to COP-k-means.",
    section: "section 4.2",
    tested:
      "cross-validated Rand index, each run's mean over the numbers of constraints at which both have a clustering; better and worse by at least 0.01, comparable within 0.02",
  }),
  betterOrComparable,
  inconsistent,
  wineDraws,
  sizes,
  grows,
  overfits,
  times,
  printedRule,
  standings("figure-5.cross-validated-ours", CKM_OURS, {
    section: "section 4.2, beside our COP-k-means",
    tested: "the same beside our repairing COP-k-means, on columns as they are",
  }),
  standings("figure-5.cross-validated-scaled", CKM_SCALED, {
    section: "section 4.2, beside our COP-k-means",
    tested: "the same beside our repairing COP-k-means on the scaled columns that the tree sees",
  }),
  cutBack,
];

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

function setsOf(seen: PageData): string[] {
  return SETS.map(({ name }) => name).filter((name) => !seen.missing.includes(name));
}

function runsOf(seen: PageData): string {
  const runs = [...new Set(setsOf(seen).map((set) => curve(seen, allData, set, "leaves").values[0]!.length))];
  return runs.join(" or ");
}

const LINES =
  "Lines join means over the runs that have a clustering, bars are standard errors; a gap where more than half have none. “(ours)” is not the paper's.";

function randPicture(seen: PageData, name: string, table: TrialTable, words: string): Picture {
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

/** The size of the largest tree in the paper, in nodes. The paper does not state with how many constraints this tree was grown. */
const PUBLISHED_NODES: Readonly<Record<string, number>> = { [IRIS]: 23, yeast: 773 };

function sizePicture(seen: PageData): Picture {
  return {
    name: "sizes",
    caption: `Nodes of the trees on all data, ${runsOf(seen)} runs: the largest and the mean; rings are the largest trees in the paper, drawn at our largest number of constraints because the paper does not state the number. The axis is logarithmic (10 to the power).`,
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

function drawsPicture(seen: PageData): Picture {
  const sets = DRAWN_SETS.filter((set) => !seen.missing.includes(set));
  const trials = [...new Set(sets.map((set) => curve(seen, draws, set, "sets").values[0]!.length))];
  return {
    name: "draws",
    caption: `Sets drawn until COP-k-means has a clustering: decimal logarithm of the mean over ${trials.join(" or ")} trials; a trial is given up after 100,000, and counts as 100,000. The ring is the published mean on wine at 300 constraints.`,
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

function randTables(seen: PageData, table: TrialTable, words: string): ResultTable[] {
  return setsOf(seen).map((set) => ({
    title: `${words}, ${titleOf(set)}: mean ± standard error`,
    columns: ["method", ...curve(seen, table, set, "leaves").counts.map(String)],
    rows: SHOWN.map((method) => [method, ...curveCells(curve(seen, table, set, method))]),
  }));
}

function treeTable(seen: PageData): ResultTable {
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

function cutTable(seen: PageData): ResultTable {
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

function drawsTable(seen: PageData): ResultTable {
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

function curve(seen: PageData, table: TrialTable, set: string, column: string): Curve {
  return curveOf(where(seen.lines(table), { set }), column);
}

function nodesOf(leaves: number): number {
  return 2 * leaves - 1;
}

function mostNodes(seen: PageData, set: string): number {
  const leaves = [allData, crossValidated].flatMap((table) => numbersOf(where(seen.lines(table), { set }), "leaves"));
  return nodesOf(Math.max(...leaves));
}

function surpasses(seen: PageData, set: string): Cell {
  const [cop, tree] = [curve(seen, allData, set, CKM), curve(seen, allData, set, TREE)];
  const last = cop.values.findLastIndex((values) => found(values).length > 1);
  const place = { row: titleOf(set), column: "COP-k-means less ClusILC" };
  if (last < 0) return testCell(place, welchTest([], []), CLEAR);
  const cell = welchCell(place, found(cop.values[last]!), found(tree.values[last]!), CLEAR);
  return { ...cell, said: `${cell.said} at ${cop.counts[last]}` };
}

function standings(id: string, rival: string, head: Pick<Claim, "quote" | "section" | "tested">): Claim {
  return {
    id,
    ...head,
    published: "better: wine, ecoli, ionosphere, balance, image, pendig; worse: yeast; comparable: the others",
    judge: byCells(
      (seen) =>
        SETS.map(({ name, published }) => {
          const [tree, cop] = [curve(seen, crossValidated, name, TREE), curve(seen, crossValidated, name, rival)];
          const place = { row: titleOf(name), column: "ClusILC less COP-k-means" };
          const test = compareCurves(tree, cop, 0);
          if (published === "comparable") return labelled(evenCell(place, test, 0.02), published);
          if (published === "better") return labelled(testCell(place, test, CLEAR), published);
          const turned = { ...test, difference: -test.difference };
          return labelled({ ...testCell(place, turned, CLEAR), said: testCell(place, test).said }, published);
        }),
      rival === CKM_SCALED
        ? "the authors' program scales the columns for the tree only; distances in units of each column's deviation help k-means as well."
        : "the order of rows, the starts of k-means and the numbers of constraints are not given in full; where COP-k-means had to draw many sets, only those that it could satisfy count.",
    ),
  };
}

function labelled(cell: Cell, published: string): Cell {
  return { ...cell, said: `${cell.said} (published: ${published})` };
}
