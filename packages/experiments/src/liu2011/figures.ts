/** Figures 2 to 5. */
import { curvesFigure } from "@coterie/figures";
import { curveCells, curveOf, found, seriesOf } from "../frame/curves.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Page, Picture, ResultTable, Seen, TrialTable } from "../frame/paper.js";
import { deviationOf, meanOf } from "../frame/statistics.js";
import { columnOf, distinct, numbersOf, where } from "../frame/trials.js";
import { LARGE } from "./compare.js";
import { FIGURE_4, FIGURE_5, medianOf } from "./informative-claims.js";
import { FIGURE_2, FIGURE_3 } from "./random-claims.js";
import { KMEANS_SVM, OUTLIERS, RECON, RECON_OURS, SCHEMES } from "./schemes.js";
import { NEEDS } from "./sets.js";
import { asManyRandom, CUTS, cuts, informativeStatements, keepingTime, randomStatements, TIMED, times } from "./tables.js";

const PROTOCOL = [
  `Centroid linkage on raw columns; C = 1 and A = I for the SVM metric; k-means from our default starts. The paper's outlier rule (section 4.2.1) is run as printed: branches below ${OUTLIERS} of the rows (the paper states no threshold)`,
  "are set aside while cutting in merge order, and then merged with their nearest clusters, which may break statements; how many is counted. The plain hierarchy is cut in the same way.",
  "*Keeping (ours)* lets a branch join only where every statement is kept, and leaves it out of the rule where there is no such place. ReCon + SVM without a statement is ReCon + Euclidean.",
].join(" ");

function setsOf(seen: Seen, names: readonly string[] = NEEDS): string[] {
  return names.filter((name) => !seen.missing.includes(name));
}

function runsOf(seen: Seen, table: TrialTable): string {
  const runs = distinct<string>(seen.lines(table), "set").map((set) => distinct(where(seen.lines(table), { set }), "run").length);
  return [...new Set(runs)].join(" or ");
}

function curvesPicture(seen: Seen, table: TrialTable, title: string, xLabel: string, published: boolean): Picture {
  return {
    name: "curves",
    caption: `${title}. Lines join means over ${runsOf(seen, table)} runs, bars are standard errors. “(ours)” is not the paper's.${published ? " Rings: the published accuracy of 1 with all informative statements." : ""}`,
    svg: () =>
      curvesFigure({
        title,
        panels: setsOf(seen).map((set) => {
          const lines = where(seen.lines(table), { set });
          const last = curveOf(lines, RECON).counts.at(-1)!;
          const rings = published ? [{ name: "published, ReCon", published: true, points: [{ x: last, y: 1 }] }] : [];
          return { title: titleOf(set), series: [...seriesOf(lines, SCHEMES), ...rings] };
        }),
        xLabel,
        yLabel: "pairwise F",
        yDomain: "shared",
        columns: 3,
      }),
  };
}

function curveTables(seen: Seen, table: TrialTable): ResultTable[] {
  return setsOf(seen).map((set) => {
    const lines = where(seen.lines(table), { set });
    const broken = (how: string): string[] =>
      curveOf(lines, `broken, ${how}`).values.map((values) => meanOf(found(values)).mean.toFixed(1));
    return {
      title: `${titleOf(set)}: pairwise F by number of statements, mean ± standard error; and statements broken, mean`,
      columns: ["scheme", ...curveOf(lines, RECON).counts.map(String)],
      rows: [
        ...SCHEMES.map((scheme) => [scheme, ...curveCells(curveOf(lines, scheme))]),
        [`broken, ${RECON}`, ...broken("printed")],
        [`broken, ${RECON}, keeping (ours)`, ...broken("keeping")],
      ],
    };
  });
}

export const figure2: Page = {
  name: "figure-2",
  title: "Figure 2: accuracy with random relative statements",
  kind: "figure",
  tables: [randomStatements],
  protocol: (seen) =>
    `Statements ab|c with a and b of one class and c of another, each set drawn anew, ${runsOf(seen, randomStatements)} runs (the paper: 50). ${PROTOCOL} ${ABOUT_IRIS}`,
  claims: FIGURE_2,
  pictures: (seen) => [
    curvesPicture(seen, randomStatements, "Pairwise F by the number of random statements", "random statements", false),
  ],
  results: (seen) => curveTables(seen, randomStatements),
};

export const figure3: Page = {
  name: "figure-3",
  title: "Figure 3: the spread of single runs",
  kind: "figure",
  tables: [randomStatements],
  protocol: (seen) =>
    `The runs of figure 2 on the two large sets, ${runsOf(seen, randomStatements)} in all (the paper: 50). ${PROTOCOL}`,
  claims: FIGURE_3,
  pictures: (seen) => [spreadPicture(seen)],
  results: (seen) => setsOf(seen, LARGE).map((set) => spreadTable(seen, set)),
};

function spreadPicture(seen: Seen): Picture {
  const SPREAD = [
    ["greatest", (values: readonly number[]) => Math.max(...values)],
    ["mean", (values: readonly number[]) => meanOf(values).mean],
    ["least", (values: readonly number[]) => Math.min(...values)],
  ] as const;
  return {
    name: "spread",
    caption: `Least, mean and greatest pairwise F over ${runsOf(seen, randomStatements)} runs: left ${RECON} with the outlier rule as printed, right the keeping one, which is ours.`,
    svg: () =>
      curvesFigure({
        title: "The spread of single runs",
        panels: setsOf(seen, LARGE).flatMap((set) =>
          [RECON, RECON_OURS].map((scheme) => {
            const { counts, values } = curveOf(where(seen.lines(randomStatements), { set }), scheme);
            return {
              title: `${titleOf(set)}, ${scheme === RECON ? "as printed" : "keeping (ours)"}`,
              series: SPREAD.map(([name, of]) => ({ name, points: counts.map((x, i) => ({ x, y: of(found(values[i]!)) })) })),
            };
          }),
        ),
        xLabel: "random statements",
        yLabel: "pairwise F",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

const SPREAD_SCHEMES = [RECON, RECON_OURS, KMEANS_SVM] as const;

function spreadTable(seen: Seen, set: string): ResultTable {
  const lines = where(seen.lines(randomStatements), { set });
  return {
    title: set,
    columns: ["statements", ...SPREAD_SCHEMES.flatMap((scheme) => [`${scheme}: mean`, "deviation", "least", "greatest"])],
    rows: distinct<number>(lines, "count").map((count) => [
      String(count),
      ...SPREAD_SCHEMES.flatMap((scheme) => {
        const values = numbersOf(where(lines, { count }), scheme);
        return [meanOf(values).mean, deviationOf(values), Math.min(...values), Math.max(...values)];
      }),
    ]),
  };
}

export const figure4: Page = {
  name: "figure-4",
  title: "Figure 4: accuracy with informative relative statements",
  kind: "figure",
  tables: [informativeStatements, randomStatements, asManyRandom, cuts],
  protocol: (seen) =>
    `The (k-1)(|D|-k) statements that a set of classes makes (the paper counts k-1 empty ones per class too), and random parts of them, ${runsOf(seen, informativeStatements)} runs. ${PROTOCOL} ${ABOUT_IRIS}`,
  claims: FIGURE_4,
  pictures: (seen) => [
    curvesPicture(
      seen,
      informativeStatements,
      "Pairwise F by the number of informative statements",
      "informative statements",
      true,
    ),
  ],
  results: (seen) => [cutTable(seen), ...curveTables(seen, informativeStatements)],
};

function cutTable(seen: Seen): ResultTable {
  return {
    title: "All informative statements: pairwise F by the way of cutting",
    columns: ["set", ...Object.keys(CUTS)],
    rows: setsOf(seen).map((set) => [titleOf(set), ...(columnOf(where(seen.lines(cuts), { set }), "F") as number[])]),
  };
}

export const figure5: Page = {
  name: "figure-5",
  title: "Figure 5: running time",
  kind: "figure",
  tables: [times],
  protocol: (seen) =>
    `ReCon with centroid linkage and Euclidean distances, distances and the cut included, ${runsOf(seen, times)} runs with new statements (the paper: 50). The cut has the outlier rule as printed (branches below ${OUTLIERS} of the rows); *keeping (ours)* is the same run with the keeping cut in its place. Each run stands beside plain centroid linkage of the same rows. Times are processor time of one thread, on Node ${process.versions.node} or as the raw numbers' side file says; ratios hardly depend on the machine. The paper's times are those at the ends of its axes.`,
  claims: FIGURE_5,
  pictures: (seen) => [timePicture(seen), ratioPicture(seen)],
  results: (seen) => setsOf(seen, TIMED).map((set) => timeTable(seen, set)),
};

/** The lowest and highest marks of the axes of figure 5: what the paper's text gives of its times, in seconds. */
const AXES: Readonly<Record<string, readonly [number, number]>> = {
  "letters-IJLT": [15, 40],
  "digits-389": [18, 23],
  "letters-3000": [0, 400],
  "digits-3000": [19, 24],
};

function timePicture(seen: Seen): Picture {
  return {
    name: "times",
    caption: `Seconds of ReCon by the number of random statements, decimal logarithm: means over ${runsOf(seen, times)} runs, and (rings) the ends of the paper's axes, which its curves run between (2.6 GHz, 2011); an end at 0 is left out.`,
    svg: () =>
      curvesFigure({
        title: "Running time",
        panels: setsOf(seen, TIMED).map((set) => {
          const lines = where(seen.lines(times), { set });
          const { counts, values } = curveOf(lines, "ReCon, ms");
          const ends = AXES[set]!.flatMap((seconds, i) =>
            seconds === 0 ? [] : [{ x: i === 0 ? 0 : 3000, y: Math.log10(seconds) }],
          );
          return {
            title: set,
            series: [
              { name: "measured here", points: counts.map((x, i) => ({ x, y: logSeconds(found(values[i]!)) })) },
              {
                name: "measured here, keeping (ours)",
                points: counts.map((x) => ({ x, y: logSeconds(where(lines, { count: x }).map(keepingTime)) })),
              },
              { name: "ends of the paper's axes", published: true, points: ends },
            ],
          };
        }),
        xLabel: "random statements",
        yLabel: "log₁₀ seconds",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

function logSeconds(milliseconds: readonly number[]): number {
  return Math.log10(meanOf(milliseconds).mean / 1000);
}

function ratioPicture(seen: Seen): Picture {
  return {
    name: "ratios",
    caption: `Time of ReCon over that of plain centroid linkage, by the number of random statements: medians of ${runsOf(seen, times)} runs.`,
    svg: () =>
      curvesFigure({
        title: "Running time beside plain linkage",
        panels: setsOf(seen, TIMED).map((set) => {
          const lines = where(seen.lines(times), { set });
          const counts = distinct<number>(lines, "count");
          return {
            title: set,
            series: [
              {
                name: "ReCon over centroid linkage",
                points: counts.map((x) => ({ x, y: medianOf(where(lines, { count: x })) })),
              },
            ],
          };
        }),
        xLabel: "random statements",
        yLabel: "time, plain linkage = 1",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

function timeTable(seen: Seen, set: string): ResultTable {
  const lines = where(seen.lines(times), { set });
  return {
    title: set,
    columns: ["statements", "over plain centroid linkage", "milliseconds", "milliseconds, keeping (ours)", "merges tested"],
    rows: distinct<number>(lines, "count").map((count) => {
      const own = where(lines, { count });
      return [
        String(count),
        medianOf(own),
        String(Math.round(meanOf(numbersOf(own, "ReCon, ms")).mean)),
        String(Math.round(meanOf(own.map(keepingTime)).mean)),
        meanOf(numbersOf(own, "merges tested")).mean.toFixed(0),
      ];
    }),
  };
}
