/** The pages of figures 2 to 5. */

import { curvesFigure } from "@coterie/figures";
import {
  type Curve,
  columnOf,
  compareCurves,
  curveCells,
  curveOf,
  deviationOf,
  deviationsTest,
  distinct,
  found,
  type Line,
  meanOf,
  numbersOf,
  pairedTest,
  testOf,
  where,
  withError,
} from "@coterie/workbench/trials";
import { evenCell, factCell, largestCell, pairedCell, testCell, welchCell } from "../frame/cells.js";
import { at, seriesOf } from "../frame/curves.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Cell, Claim, Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { KMEANS, KMEANS_SVM, OUTLIERS, PLAIN, RECON, RECON_OURS, RECON_SVM, SCHEMES } from "./schemes.js";
import { NEEDS } from "./sets.js";
import { asManyRandom, CUTS, cuts, informativeConstraints, keepingTime, randomConstraints, TIMED, times } from "./tables.js";

const LARGE: readonly string[] = ["letters-IJLT", "digits-389"];

function curve(seen: PageData, table: TrialTable, set: string, scheme: string): Curve {
  return curveOf(where(seen.lines(table), { set }), scheme);
}

function above(
  seen: PageData,
  table: TrialTable,
  first: string,
  second: string,
  sets: readonly string[],
  least?: number,
): Cell[] {
  return sets.map((set) => {
    const test = compareCurves(curve(seen, table, set, first), curve(seen, table, set, second));
    return testCell({ row: titleOf(set), column: `${first} less ${second}` }, test, least);
  });
}

const OVER_ALL = "each run's mean F over all numbers of constraints above none";

const MARGIN = 0.05;
const BUT_IRIS = NEEDS.filter((set) => titleOf(set) !== "iris");

const svmHelps: Claim = {
  id: "figure-2.svm-helps",
  quote:
    "In most experiments, incorporating SVM Metric in K-Means performed significantly better than its baseline (K-Means + Euclidean Metric).",
  section: "section 5.1",
  tested: OVER_ALL,
  published: "in most experiments",
  about: "most",
  judge: byCells(
    (seen) => above(seen, randomConstraints, KMEANS_SVM, KMEANS, NEEDS),
    "one weight per column helps only where some columns mislead.",
  ),
};

const flat: Claim = {
  id: "figure-2.flat",
  quote: "the accuracy curves of K-Means + SVM Metric are relatively flat",
  section: "section 5.1",
  tested: "F with the most constraints and with the first number above none are alike within 0.05",
  published: "relatively flat",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const own = curve(seen, randomConstraints, set, KMEANS_SVM);
      return evenCell(
        { row: titleOf(set), column: KMEANS_SVM },
        pairedTest(found(own.values.at(-1)!), found(own.values[1]!)),
        0.05,
      );
    }),
  ),
};

const outperforms: Claim = {
  id: "figure-2.outperforms",
  quote:
    "Our algorithm ReCon, incorporating either of the metrics, outperformed K-Means + SVM Metric by large margins in all but one experiments. The only exception is Iris.",
  section: "section 5.1",
  tested: `${OVER_ALL}; at least ${MARGIN}`,
  published: "five of six sets",
  needs: BUT_IRIS,
  judge: byCells(
    (seen) => [RECON, RECON_SVM].flatMap((scheme) => above(seen, randomConstraints, scheme, KMEANS_SVM, BUT_IRIS, MARGIN)),
    "learned weights bring K-Means far on wine, whose raw columns differ in scale; and a cut in merge order misses classes that are several branches (see figure 4).",
  ),
};

const euclideanBetter: Claim = {
  id: "figure-2.euclidean",
  quote: "ReCon + Euclidean Metric generally performed better than ReCon + SVM Metric",
  section: "section 5.1",
  tested: OVER_ALL,
  published: "generally",
  about: "most",
  judge: byCells(
    (seen) => above(seen, randomConstraints, RECON, RECON_SVM, NEEDS),
    "where columns differ in scale the learned weights help ReCon too.",
  ),
};

const improves: Claim = {
  id: "figure-2.improves",
  quote:
    "The advantage of our method on the remaining five datasets was generally obvious with a small amount of constraints regardless of the baseline accuracies (without constraints).",
  section: "section 5.1",
  tested: `with the fewest constraints above none (a quarter as many as rows, in a quick run half), ${RECON} less ${PLAIN}`,
  published: "generally obvious",
  about: "most",
  needs: BUT_IRIS,
  judge: byCells(
    (seen) =>
      BUT_IRIS.map((set) => {
        const [own, plain] = [curve(seen, randomConstraints, set, RECON), curve(seen, randomConstraints, set, PLAIN)];
        const few = own.counts[1]!;
        return pairedCell({ row: titleOf(set), column: `${RECON} less ${PLAIN}` }, at(own, few), at(plain, few));
      }),
    "few random constraints leave the cut in merge order where it was.",
  ),
};

const keeping: Claim = {
  id: "figure-2.keeping",
  section: "section 4.2.1",
  tested: `joining only where every constraint is kept costs accuracy: ${OVER_ALL}, ${RECON} with the outlier rule as printed less the keeping one (ours)`,
  about: "most",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const lines = where(seen.lines(randomConstraints), { set });
      const [printed, own] = [curveOf(lines, RECON), curveOf(lines, RECON_OURS)];
      const cell = testCell({ row: titleOf(set), column: "printed less keeping" }, compareCurves(printed, own));
      const broken = (how: string): string => meanOf(found(curveOf(lines, `broken, ${how}`).values.at(-1)!)).mean.toFixed(1);
      return {
        ...cell,
        said: `${cell.said}; with most constraints ${broken("printed")} broken, ${broken("keeping")} when keeping`,
      };
    }),
  ),
};

const FIGURE_2: readonly Claim[] = [svmHelps, flat, outperforms, euclideanBetter, improves, keeping];

function samples(seen: PageData, set: string, scheme: string): number[][] {
  return curve(seen, randomConstraints, set, scheme).values.slice(1).map(found);
}

const varies: Claim = {
  id: "figure-3.varies",
  quote:
    "the clustering quality in individual runs could vary considerably when applying different sets of randomly sampled relative constraints",
  section: "section 5.1, figure 3",
  tested: "the largest standard deviation over the numbers of constraints is at least 0.03",
  published: "axes of the deviations: to 0.2 on letters-IJLT, to 0.1 on digits-389",
  needs: LARGE,
  judge: byCells(
    (seen) =>
      LARGE.map((set) => {
        const all = samples(seen, set, RECON).map(deviationOf);
        const most = Math.max(...all);
        // The standard error of the standard deviation of n values is about the deviation times 1/√(2n - 2).
        const freedom = curve(seen, randomConstraints, set, RECON).values[0]!.length - 1;
        const test = testOf(most - 0.03, most / Math.sqrt(2 * freedom), freedom);
        return largestCell({ row: set, column: "largest deviation" }, test, all.length, most.toFixed(3));
      }),
    "where every run finds nearly all classes from the first number of constraints on, nothing is left to vary.",
  ),
};

const svmSteadier: Claim = {
  id: "figure-3.svm-steadier",
  quote:
    "the variance of using SVM Metric alone is lower due to its “saturation” behavior. But this is at the cost of having much lower overall accuracy.",
  section: "section 5.1",
  tested: "the mean standard deviation over the numbers of constraints is lower, and so is the mean F",
  published: "lower, and lower",
  needs: LARGE,
  judge: byCells((seen) =>
    LARGE.flatMap((set) => {
      const [own, svm] = [samples(seen, set, RECON), samples(seen, set, KMEANS_SVM)];
      const words = [svm, own].map((all) => meanOf(all.map(deviationOf)).mean.toFixed(3)).join(" and ");
      const lower = { ...testCell({ row: set, column: "deviation" }, deviationsTest(own, svm)), said: words };
      const test = compareCurves(curve(seen, randomConstraints, set, RECON), curve(seen, randomConstraints, set, KMEANS_SVM));
      return [lower, testCell({ row: set, column: "F, ReCon less K-Means + SVM" }, test)];
    }),
  ),
};

const FIGURE_3: readonly Claim[] = [varies, svmSteadier];

const perfect: Claim = {
  id: "figure-4.perfect",
  quote: "In the resulting k partition, we achieved 100% accuracy on all six datasets.",
  section: "section 5.2, with all informative constraints",
  tested: "pairwise F is 1, by the threshold of the outlier rule, which the paper does not state",
  published: "1 on six sets",
  judge: byCells(
    (seen) =>
      crossed(NEEDS, ["threshold 5%", "threshold 12%"], (set, cut) =>
        factCell({ row: titleOf(set), column: cut }, cutF(seen, set, cut) === 1, cutF(seen, set, cut).toFixed(3)),
      ),
    "on letters-IJLT the class T is two branches of 430 and 330 rows that join after J and L have: in merge order any threshold above 330 rows (10.8%) up to the smallest class gives 1, and none below it.",
  ),
};

const noThreshold: Claim = {
  id: "figure-4.no-threshold",
  section: "beyond the paper",
  tested: "a cut that needs no threshold, the k branches that settle the most constraints (`--cut triplets`), gives F = 1",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const f = cutF(seen, set, "by statements (ours)");
      return factCell({ row: titleOf(set), column: "F" }, f === 1, f.toFixed(3));
    }),
  ),
};

const embeds: Claim = {
  id: "figure-4.embeds",
  quote:
    "With all the constraints incorporated, ReCon always created a binary hierarchy that embeds the original two level hierarchy.",
  section: "section 5.2",
  tested:
    "with all informative constraints, cutting in merge order without the outlier rule breaks no constraint, and the k branches that settle the most are the classes",
  published: "always",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const f = cutF(seen, set, "by statements (ours)");
      return factCell({ row: titleOf(set), column: "classes are branches" }, f === 1, f === 1 ? "all" : "not all");
    }),
  ),
};

const informativeBetter: Claim = {
  id: "figure-4.better-than-random",
  quote:
    "In comparing with using randomly generated constraints of the same amount, ReCon attained significantly higher accuracy with informative constraints.",
  section: "section 5.2",
  tested: `${RECON}: ${OVER_ALL}, informative less random`,
  published: "all sets",
  judge: byCells(
    (seen) =>
      NEEDS.map((set) => {
        const informed = withoutFirst(curve(seen, informativeConstraints, set, RECON));
        const test = compareCurves(informed, curve(seen, asManyRandom, set, RECON));
        return testCell({ row: titleOf(set), column: "informative less random" }, test);
      }),
    "on letters-IJLT the cut in merge order at 5% parts a class; other cuts find all.",
  ),
};

const steadier: Claim = {
  id: "figure-4.steadier",
  quote:
    "The variance of the performance gain was also much smaller which indicates the steady informativeness of these constraints.",
  section: "section 5.2",
  tested: `${RECON}: the mean standard deviation of F over all numbers of constraints but all of them is at most two thirds of that with random constraints`,
  published: "much smaller",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const samples = (own: Curve): number[][] => own.values.slice(0, -1).map(found);
      const informed = samples(withoutFirst(curve(seen, informativeConstraints, set, RECON)));
      const random = samples(curve(seen, asManyRandom, set, RECON));
      const words = [informed, random].map((all) => meanOf(all.map(deviationOf)).mean.toFixed(3)).join(" and ");
      return { ...testCell({ row: titleOf(set), column: "deviation" }, deviationsTest(random, informed, 2 / 3)), said: words };
    }),
  ),
};

const overSvm: Claim = {
  id: "figure-4.over-svm",
  quote: "ReCon showed significant improvements over using SVM Metric alone in all experiments (including Iris this time)",
  section: "section 5.2",
  tested: `with all informative constraints, ${RECON} less ${KMEANS_SVM}`,
  published: "six of six",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const side = (scheme: string): number[] => found(curve(seen, informativeConstraints, set, scheme).values.at(-1)!);
      return welchCell({ row: titleOf(set), column: "F" }, side(RECON), side(KMEANS_SVM));
    }),
  ),
};

const limited: Claim = {
  id: "figure-4.limited",
  quote: "But the overall accuracy gain in all experiments was very limited",
  section: "section 5.2, of K-Means + SVM with informative constraints",
  tested: `${KMEANS_SVM} with all informative constraints less with the first number of random ones above none; alike within 0.05`,
  published: "very limited",
  judge: byCells((seen) =>
    NEEDS.map((set) => {
      const informed = found(curve(seen, informativeConstraints, set, KMEANS_SVM).values.at(-1)!);
      const random = found(curve(seen, randomConstraints, set, KMEANS_SVM).values[1]!);
      return evenCell({ row: titleOf(set), column: "F" }, pairedTest(informed, random), 0.05);
    }),
  ),
};

const worseIonosphere: Claim = {
  id: "figure-4.ionosphere",
  quote: "and the clustering results became worse in Ionosphere",
  section: "section 5.2, of K-Means + SVM",
  tested: `${KMEANS} less ${KMEANS_SVM} with all informative constraints`,
  published: "worse",
  needs: ["ionosphere"],
  judge: (seen) => {
    const side = (scheme: string): number[] => found(curve(seen, informativeConstraints, "ionosphere", scheme).values.at(-1)!);
    return { cells: [welchCell({ row: "ionosphere", column: "F" }, side(KMEANS), side(KMEANS_SVM))] };
  },
};

const FIGURE_4: readonly Claim[] = [perfect, embeds, informativeBetter, steadier, overSvm, limited, worseIonosphere, noThreshold];

const minutes: Claim = {
  id: "figure-5.minutes",
  quote: "In most experiments we conducted with the UCI datasets, our algorithm completed clustering within a few minutes.",
  section: "section 5.3",
  tested: "the longest run takes at most three minutes",
  published:
    "axes: 15 to 40 s on letters-IJLT, 18 to 23 s on digits-389, to 400 s on letters-3000, 19 to 24 s on digits-3000 (2.6 GHz, 2011)",
  judge: byCells((seen) =>
    TIMED.map((set) => {
      const longest = Math.max(...numbersOf(where(seen.lines(times), { set }), "ReCon, ms")) / 1000;
      const most = where(seen.lines(times), { set, count: 3000 });
      const words = `longest ${longest.toFixed(2)} s; with 3,000 constraints ${withError(meanOf(numbersOf(most, "ReCon, ms").map((ms) => ms / 1000)), 2)} s`;
      return factCell({ row: set, column: "seconds" }, longest <= 180, words);
    }),
  ),
};

const depends: Claim = {
  id: "figure-5.depends",
  quote: "The running time largely depends on the distribution of the data and the constraints selected.",
  section: "section 5.3, figure 5",
  tested: "from none to 3,000 constraints the time grows most on letters-3000, and less on the digits than on letters-IJLT",
  published: "by the axes: letters-IJLT at most × 2.7, digits × 1.3, letters-3000 × 20",
  judge: (seen) => {
    const growth = Object.fromEntries(
      TIMED.map((set) => {
        const lines = where(seen.lines(times), { set });
        const counts = distinct<number>(lines, "count");
        return [set, medianOf(where(lines, { count: counts.at(-1)! })) / medianOf(where(lines, { count: 0 }))];
      }),
    );
    const words = (set: string): string => `× ${growth[set]!.toFixed(1)}`;
    const most = TIMED.every((set) => growth[set]! <= growth["letters-3000"]!);
    return {
      cells: [
        factCell({ row: "letters-3000", column: "grows most" }, most, words("letters-3000")),
        ...["digits-389", "digits-3000"].map((set) =>
          factCell(
            { row: set, column: "less than letters-IJLT" },
            growth[set]! < growth["letters-IJLT"]!,
            `${words(set)} and ${words("letters-IJLT")}`,
          ),
        ),
      ],
      because:
        "without a constraint ours is the plain linkage kernel, so the first constraint costs most on every set; tests themselves have become cheap.",
    };
  },
};

const FIGURE_5: readonly Claim[] = [minutes, depends];

const PROTOCOL = [
  `Centroid linkage on raw columns; C = 1 and A = I for the SVM metric; k-means from our default starts. The paper's outlier rule (section 4.2.1) is run as printed: branches below ${OUTLIERS} of the rows (the paper states no threshold)`,
  "are set aside while cutting in merge order, and then merged with their nearest clusters, which may break constraints; how many is counted. The plain hierarchy is cut in the same way.",
  "*Keeping (ours)* lets a branch join only where every constraint is kept, and leaves it out of the rule where there is no such place. ReCon + SVM without a constraint is ReCon + Euclidean.",
].join(" ");

function setsOf(seen: PageData, names: readonly string[] = NEEDS): string[] {
  return names.filter((name) => !seen.missing.includes(name));
}

function runsOf(seen: PageData, table: TrialTable): string {
  const runs = distinct<string>(seen.lines(table), "set").map((set) => distinct(where(seen.lines(table), { set }), "run").length);
  return [...new Set(runs)].join(" or ");
}

function curvesPicture(seen: PageData, table: TrialTable, title: string, xLabel: string, published: boolean): Picture {
  return {
    name: "curves",
    caption: `${title}. Lines join means over ${runsOf(seen, table)} runs, bars are standard errors. “(ours)” is not the paper's.${published ? " Rings: the published accuracy of 1 with all informative constraints." : ""}`,
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

function curveTables(seen: PageData, table: TrialTable): ResultTable[] {
  return setsOf(seen).map((set) => {
    const lines = where(seen.lines(table), { set });
    const broken = (how: string): string[] =>
      curveOf(lines, `broken, ${how}`).values.map((values) => meanOf(found(values)).mean.toFixed(1));
    return {
      title: `${titleOf(set)}: pairwise F by number of constraints, mean ± standard error; and constraints broken, mean`,
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
  title: "Figure 2: accuracy with random relative constraints",
  kind: "figure",
  tables: [randomConstraints],
  protocol: (seen) =>
    `Constraints ab|c with a and b of one class and c of another, each set drawn anew, ${runsOf(seen, randomConstraints)} runs (the paper: 50). ${PROTOCOL} ${ABOUT_IRIS}`,
  claims: FIGURE_2,
  pictures: (seen) => [
    curvesPicture(seen, randomConstraints, "Pairwise F by the number of random constraints", "random constraints", false),
  ],
  results: (seen) => curveTables(seen, randomConstraints),
};

export const figure3: Page = {
  name: "figure-3",
  title: "Figure 3: the spread of single runs",
  kind: "figure",
  tables: [randomConstraints],
  protocol: (seen) =>
    `The runs of figure 2 on the two large sets, ${runsOf(seen, randomConstraints)} in all (the paper: 50). ${PROTOCOL}`,
  claims: FIGURE_3,
  pictures: (seen) => [spreadPicture(seen)],
  results: (seen) => setsOf(seen, LARGE).map((set) => spreadTable(seen, set)),
};

function spreadPicture(seen: PageData): Picture {
  const SPREAD = [
    ["greatest", (values: readonly number[]) => Math.max(...values)],
    ["mean", (values: readonly number[]) => meanOf(values).mean],
    ["least", (values: readonly number[]) => Math.min(...values)],
  ] as const;
  return {
    name: "spread",
    caption: `Least, mean and greatest pairwise F over ${runsOf(seen, randomConstraints)} runs: left ${RECON} with the outlier rule as printed, right the keeping one, which is ours.`,
    svg: () =>
      curvesFigure({
        title: "The spread of single runs",
        panels: crossed(setsOf(seen, LARGE), [RECON, RECON_OURS], (set, scheme) => {
          const { counts, values } = curveOf(where(seen.lines(randomConstraints), { set }), scheme);
          return {
            title: `${titleOf(set)}, ${scheme === RECON ? "as printed" : "keeping (ours)"}`,
            series: SPREAD.map(([name, of]) => ({ name, points: counts.map((x, i) => ({ x, y: of(found(values[i]!)) })) })),
          };
        }),
        xLabel: "random constraints",
        yLabel: "pairwise F",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

const SPREAD_SCHEMES = [RECON, RECON_OURS, KMEANS_SVM] as const;

function spreadTable(seen: PageData, set: string): ResultTable {
  const lines = where(seen.lines(randomConstraints), { set });
  return {
    title: set,
    columns: ["constraints", ...SPREAD_SCHEMES.flatMap((scheme) => [`${scheme}: mean`, "deviation", "least", "greatest"])],
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
  title: "Figure 4: accuracy with informative relative constraints",
  kind: "figure",
  tables: [informativeConstraints, randomConstraints, asManyRandom, cuts],
  protocol: (seen) =>
    `The (k-1)(|D|-k) constraints that a set of classes makes (the paper counts k-1 empty ones per class too), and random parts of them, ${runsOf(seen, informativeConstraints)} runs. ${PROTOCOL} ${ABOUT_IRIS}`,
  claims: FIGURE_4,
  pictures: (seen) => [
    curvesPicture(
      seen,
      informativeConstraints,
      "Pairwise F by the number of informative constraints",
      "informative constraints",
      true,
    ),
  ],
  results: (seen) => [cutTable(seen), ...curveTables(seen, informativeConstraints)],
};

function cutTable(seen: PageData): ResultTable {
  return {
    title: "All informative constraints: pairwise F by the way of cutting",
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
    `ReCon with centroid linkage and Euclidean distances, distances and the cut included, ${runsOf(seen, times)} runs with new constraints (the paper: 50). The cut has the outlier rule as printed (branches below ${OUTLIERS} of the rows); *keeping (ours)* is the same run with the keeping cut in its place. Each run stands beside plain centroid linkage of the same rows. Times are processor time of one thread, on Node ${process.versions.node} or as the raw numbers' side file says; ratios hardly depend on the machine. The paper's times are those at the ends of its axes.`,
  claims: FIGURE_5,
  pictures: (seen) => [timePicture(seen), ratioPicture(seen)],
  results: (seen) => setsOf(seen, TIMED).map((set) => timeTable(seen, set)),
};

const AXES: Readonly<Record<string, readonly [number, number]>> = {
  "letters-IJLT": [15, 40],
  "digits-389": [18, 23],
  "letters-3000": [0, 400],
  "digits-3000": [19, 24],
};

function timePicture(seen: PageData): Picture {
  return {
    name: "times",
    caption: `Seconds of ReCon by the number of random constraints, decimal logarithm: means over ${runsOf(seen, times)} runs, and (rings) the ends of the paper's axes, which its curves run between (2.6 GHz, 2011); an end at 0 is left out.`,
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
        xLabel: "random constraints",
        yLabel: "log₁₀ seconds",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

function logSeconds(milliseconds: readonly number[]): number {
  return Math.log10(meanOf(milliseconds).mean / 1000);
}

function ratioPicture(seen: PageData): Picture {
  return {
    name: "ratios",
    caption: `Time of ReCon over that of plain centroid linkage, by the number of random constraints: medians of ${runsOf(seen, times)} runs.`,
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
        xLabel: "random constraints",
        yLabel: "time, plain linkage = 1",
        yDomain: "shared",
        columns: 2,
      }),
  };
}

function timeTable(seen: PageData, set: string): ResultTable {
  const lines = where(seen.lines(times), { set });
  return {
    title: set,
    columns: ["constraints", "over plain centroid linkage", "milliseconds", "milliseconds, keeping (ours)", "merges tested"],
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

function cutF(seen: PageData, set: string, cut: string): number {
  return numbersOf(where(seen.lines(cuts), { set, cut }), "F")[0]!;
}

function withoutFirst({ counts, values }: Curve): Curve {
  return { counts: counts.slice(1), values: values.slice(1) };
}

function medianOf(lines: readonly Line[]): number {
  const ratios = lines
    .map((line) => (line["ReCon, ms"] as number) / (line["centroid linkage, ms"] as number))
    .sort((a, b) => a - b);
  return ratios[ratios.length >> 1]!;
}
