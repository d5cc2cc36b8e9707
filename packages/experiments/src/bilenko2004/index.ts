/** Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004: figures 2 to 13. */

import { curvesFigure } from "@coterie/figures";
import {
  type Curve,
  compareCurves,
  curveCells,
  curveOf,
  distinct,
  found,
  meanOf,
  numbersOf,
  pairedTest,
  pointsOf,
  where,
} from "@coterie/workbench/trials";
import { evenCell, factCell, largestCell, pairedCell, percent, shareCell, testCell, weaker } from "../frame/cells.js";
import { at } from "../frame/curves.js";
import { ABOUT_IRIS } from "../frame/data.js";
import {
  type Cell,
  type Claim,
  joined,
  type Page,
  type PageData,
  type Paper,
  type Picture,
  type ResultTable,
  type TrialTable,
} from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { FOLDS } from "./protocol.js";
import { ABLATIONS, METRICS, SEARCHES, VARIANTS } from "./schemes.js";
import { SETS, setTitled } from "./sets.js";
import { ablations, metrics, orders, searches } from "./tables.js";

const SOME = 50;
const TITLES = SETS.map(({ title }) => title);

function curve(seen: PageData, set: string, scheme: string): Curve {
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

function above(seen: PageData, { ours, other, sets = TITLES, from = SOME, to }: Comparison): Cell[] {
  return sets.map((set) =>
    testCell(
      { row: set, column: `${ours} less ${other}` },
      compareCurves(curve(seen, set, ours), curve(seen, set, other), from, to),
    ),
  );
}

function needsOf(titles: readonly string[]): string[] {
  return titles.map((title) => setTitled(title).name);
}

const RANGE = `mean F of each run over ${SOME} constraints and more`;

const METRIC_SETS = ["Wine", "Protein", "Letters-IJL"];

const unified: Claim = {
  id: "figures-2-7.unified",
  quote: "the unified approach (MPCK-MEANS) outperforms individual seeding (PCK-MEANS) and metric learning (MK-MEANS)",
  section: "section 4.2",
  tested: RANGE,
  published: "on the presented datasets",
  judge: byCells(
    (seen) => [...above(seen, { ours: "MPCK-S-D", other: "PCK" }), ...above(seen, { ours: "MPCK-S-D", other: "MK" })],
    "on Ionosphere one diagonal metric is worse than none: weights that shrink noisy columns shrink those that separate the classes.",
  ),
};

const overKMeans: Claim = {
  id: "figures-2-7.unsupervised",
  quote: "Superiority of semi-supervised over unsupervised clustering",
  section: "section 4.2",
  tested: `${RANGE}, less k-means`,
  published: "superior",
  judge: byCells(
    (seen) => ["MPCK-S-D", "PCK", "MK"].flatMap((ours) => above(seen, { ours, other: "k-means" })),
    "MK-means loses with constraints what its metric gains without (the next claims but one).",
  ),
};

const overSupervised: Claim = {
  id: "figures-2-7.supervised",
  quote:
    "Improvements of semi-supervised clustering over SUPERVISED-MEANS indicate that iterative refinement of centroids using both constraints and unlabeled data outperforms purely supervised assignment",
  section: "section 4.2",
  tested: `${RANGE}: MPCK-S-D less supervised means, on all sets but Ionosphere`,
  published: "on all sets but Ionosphere",
  needs: needsOf(TITLES.filter((title) => title !== "Ionosphere")),
  judge: byCells((seen) =>
    above(seen, { ours: "MPCK-S-D", other: "supervised", sets: TITLES.filter((title) => title !== "Ionosphere") }),
  ),
};

const withoutConstraints: Claim = {
  id: "figures-2-7.without",
  quote: "even in the absence of constraints, weighting features by their variance […] improves clustering accuracy",
  section: "section 4.2, of Wine, Protein and Letters",
  tested: "without constraints, MK less k-means (MPCK without constraints is MK from other first centres)",
  published: "improves",
  needs: needsOf(METRIC_SETS),
  judge: byCells((seen) =>
    crossed(METRIC_SETS, ["MPCK-S-D", "MK"], (set, scheme) =>
      pairedCell(
        { row: set, column: `${scheme} less k-means` },
        at(curve(seen, set, scheme), 0),
        at(curve(seen, set, "k-means"), 0),
      ),
    ),
  ),
};

const wineFlat: Claim = {
  id: "figures-2-7.wine",
  quote: "For the Wine dataset, additional constraints provide an insubstantial improvement in cluster quality",
  section: "section 4.2",
  tested: "MPCK-S-D with the most constraints less without; alike within 0.05",
  published: "insubstantial",
  needs: ["wine"],
  judge: (seen) => {
    const own = curve(seen, "Wine", "MPCK-S-D");
    return {
      cells: [evenCell({ row: "Wine", column: "MPCK-S-D" }, pairedTest(found(own.values.at(-1)!), found(own.values[0]!)), 0.05)],
      because:
        "from one random start without constraints the first clusters are often poor, so that seeding has much to improve.",
    };
  },
};

const dip: Claim = {
  id: "figures-2-7.dip",
  quote:
    "Some of the metric learning curves display a characteristic “dip”, where clustering accuracy decreases when initial constraints are provided, but after a certain point starts to increase and eventually rises above the initial point",
  section: "section 4.2",
  tested: "at some number of constraints F is below its start, and at the last it is above; both certainly",
  published: "some curves",
  about: "some",
  judge: byCells(
    (seen) =>
      crossed(TITLES, ["MPCK-S-D", "MK"], (set, scheme) => {
        const { values } = curve(seen, set, scheme);
        const start = found(values[0]!);
        const falls = values.slice(1).map((own) => pairedTest(found(own), start));
        const lowest = falls.reduce((least, fall) => (fall.p < least.p && fall.difference < 0 ? fall : least), {
          ...falls[0]!,
          p: 1,
        });
        const end = falls.at(-1)!;
        const fallen = falls.length * lowest.p < 0.05;
        const words = fallen ? (end.difference > 0 ? "falls, ends above" : "falls and stays below") : "does not fall";
        const place = { row: set, column: scheme };
        const fall = largestCell(place, { ...lowest, difference: Math.abs(lowest.difference) }, falls.length, words);
        return weaker(fall, { ...testCell(place, end), said: words });
      }),
    "MK-means breaks most cannot-links, and each broken one, given or entailed, adds the farthest pair's squared difference to the sum that is inverted: the features that separate lose weight, and more constraints make it worse.",
  ),
};

export const ABLATION_CLAIMS: readonly Claim[] = [
  unified,
  overKMeans,
  improvesAlone(
    "figures-2-7.seeding-alone",
    "PCK",
    "unit costs change nothing on sets with large numbers, and seeds from few constraints may mislead.",
  ),
  improvesAlone(
    "figures-2-7.metric-alone",
    "MK",
    "MK-means takes no notice of constraints when it assigns rows, breaks most cannot-links, and each broken one adds the farthest pair's squared difference to the sum that is inverted: separating features lose weight, and the closure multiplies it.",
  ),
  overSupervised,
  withoutConstraints,
  wineFlat,
  dip,
  seeding(
    "figures-2-7.seeding-early",
    "at once",
    "seeding the clusters with a small number of pairwise constraints has an immediate positive effect on the final cluster quality",
  ),
  seeding(
    "figures-2-7.seeding-late",
    "little more",
    "providing more pairwise constraints has diminishing returns, i.e., PCK-MEANS learning curves rise slowly",
  ),
];

const FEW = 25;

function variantClaim(id: string, quote: string, ours: string, sets: readonly string[], because: string): Claim {
  return {
    id,
    quote,
    section: "section 4.2",
    tested: `${RANGE}: ${ours} less MPCK-S-D`,
    published: `beneficial on ${sets.join(", ")}`,
    needs: needsOf(sets),
    judge: (seen) => ({ cells: above(seen, { ours, other: "MPCK-S-D", sets }), because }),
  };
}

const needsMoreMetric: Claim = {
  id: "figures-8-13.ionosphere",
  quote:
    "for Ionosphere, MPCK-MEANS requires either the full weight matrix or individual cluster metrics to outperform SUPERVISED-MEANS",
  section: "section 4.2, figure 11",
  tested: `${RANGE}, on Ionosphere: supervised means is not below MPCK-S-D, and is below MPCK-M-D and MPCK-S-F`,
  published: "M or F needed",
  needs: ["ionosphere"],
  judge: byCells((seen) => [
    ...above(seen, { ours: "supervised", other: "MPCK-S-D", sets: ["Ionosphere"] }),
    ...above(seen, { ours: "MPCK-M-D", other: "supervised", sets: ["Ionosphere"] }),
    ...above(seen, { ours: "MPCK-S-F", other: "supervised", sets: ["Ionosphere"] }),
  ]),
};

function bestVariant(seen: PageData, set: string, from: number): string {
  const mean = (scheme: string): number => compareCurves(curve(seen, set, scheme), curve(seen, set, scheme), from).first;
  return VARIANTS.reduce((best, scheme) => (mean(scheme) > mean(best) ? scheme : best));
}

const together: Claim = {
  id: "figures-8-13.together",
  quote:
    "A combination of the two techniques is most helpful when both of these requirements are satisfied, as for Iris and Digits",
  section: "section 4.2",
  tested: `the variant with the highest mean F over ${SOME} constraints and more is MPCK-M-F`,
  published: "Iris and Digits",
  needs: needsOf(["Iris", "Digits-389"]),
  judge: byCells(
    (seen) =>
      ["Iris", "Digits-389"].map((set) => {
        const best = bestVariant(seen, set, SOME);
        return factCell({ row: set, column: "best variant" }, best === "MPCK-M-F", best);
      }),
    "several full matrices have many more numbers to learn, each from its own cluster's rows alone.",
  ),
};

const rcaEarly: Claim = {
  id: "figures-8-13.rca-early",
  quote:
    "early on the learning curves, where few pairwise constraints are available, RCA leads to better metrics than MPCK-MEANS",
  section: "section 4.2",
  tested: `with ${FEW} constraints, RCA less MPCK-S-D`,
  published: "better early on",
  judge: byCells(
    (seen) => above(seen, { ours: "RCA", other: "MPCK-S-D", from: FEW, to: FEW }),
    "a full matrix from a handful of must-links is of low rank: most directions are open, and those that are not are shrunk to nothing.",
  ),
};

const rcaLate: Claim = {
  id: "figures-8-13.rca-late",
  quote:
    "as more training data is provided, the ability of MPCK-MEANS to learn from both supervised and unsupervised data as well as use individual metrics allows MPCK-MEANS to produce better clustering",
  section: "section 4.2",
  tested: "with the most constraints, the best variant of MPCK-means there less RCA",
  published: "better with more",
  judge: byCells(
    (seen) =>
      TITLES.map((set) => {
        const rca = curve(seen, set, "RCA");
        const last = rca.counts.at(-1)!;
        const best = bestVariant(seen, set, last);
        const cell = testCell({ row: set, column: "best variant less RCA" }, compareCurves(curve(seen, set, best), rca, last));
        return { ...cell, said: `${cell.said} (${best})` };
      }),
    "with this many constraints a quarter of the rows and more are in large components, and their covariance within is what a single full metric needs.",
  ),
};

const rcaOurs: Claim = {
  id: "figures-8-13.rca-ours",
  section: "beyond the paper",
  tested: `${RANGE}: RCA with the covariance of all rows mixed in while must-links are few (ours) less the paper's`,
  about: "most",
  judge: byCells((seen) => above(seen, { ours: "RCA (ours)", other: "RCA", from: FEW })),
};

const canHelp: Claim = {
  id: "figures-8-13.can-help",
  quote:
    "both full matrix parameterization and individual metrics for each cluster can lead to significant improvements in clustering quality",
  section: "section 4.2",
  tested: `${RANGE}, less MPCK-S-D`,
  published: "can",
  about: "some",
  judge: byCells((seen) => [
    ...above(seen, { ours: "MPCK-S-F", other: "MPCK-S-D" }),
    ...above(seen, { ours: "MPCK-M-D", other: "MPCK-S-D" }),
  ]),
};

export const METRIC_CLAIMS: readonly Claim[] = [
  canHelp,
  variantClaim(
    "figures-8-13.full",
    "switching from a diagonal to a full weight matrix leads to large improvements on Wine, Ionosphere, and Letters",
    "MPCK-S-F",
    ["Wine", "Ionosphere", "Letters-IJL"],
    "a full matrix has many more numbers to learn from the same rows, and pays only with many constraints.",
  ),
  variantClaim(
    "figures-8-13.multiple",
    "multiple metrics are particularly beneficial for Protein and Digits datasets",
    "MPCK-M-D",
    ["Protein", "Digits-389"],
    "each metric is learned from its own cluster's rows alone, on Protein 19 for 20 features.",
  ),
  needsMoreMetric,
  together,
  rcaEarly,
  rcaLate,
  rcaOurs,
];

const converges: Claim = {
  id: "search.converges",
  quote: "convergence is no longer guaranteed theoretically; however, empirically this has not been a problem in our experience",
  section: "section 3.3",
  tested: "at least 95% of all runs of a variant end with no row moved, within 100 iterations",
  published: "no problem",
  judge: byCells(
    (seen) =>
      crossed(TITLES, VARIANTS, (set, variant) => {
        const table = variant === "MPCK-S-D" ? ablations : metrics;
        const lines = where(seen.lines(table), { set });
        const converged = numbersOf(lines, `${variant} converged`);
        const ended = converged.reduce((sum, one) => sum + one, 0);
        const rises = meanOf(numbersOf(lines, `${variant} rises`)).mean;
        const words = `${percent(ended / converged.length)}; objective rises in ${percent(rises)} of the iterations`;
        return shareCell({ row: set, column: variant }, [ended, converged.length], 0.95, words);
      }),
    "a metric that was corrected, or another farthest pair, changes the objective between iterations, and rows may move in circles.",
  ),
};

const order: Claim = {
  id: "search.order",
  quote: "the order of assignment does not result in statistically significant differences in clustering quality",
  section: "section 3.2",
  tested:
    "MPCK-S-D with rows in random order, and those with the fewest constraints first, of these the closest to a centre; alike within 0.02 in mean F over all numbers of constraints",
  published: "not significant",
  judge: byCells((seen) =>
    TITLES.map((set) => {
      const lines = joined(seen, orders, orders).filter((line) => line.set === set);
      return evenCell(
        { row: set, column: "random less greedy" },
        compareCurves(curveOf(lines, "random order"), curveOf(lines, "greedy order")),
        0.02,
      );
    }),
  ),
};

const ourSearch: Claim = {
  id: "search.ours",
  section: "beyond the paper",
  tested: `${RANGE}: our search for the assignment of constrained rows less the paper's moves of single rows (MPCK-S-D)`,
  judge: byCells(
    (seen) =>
      TITLES.map((set) => {
        const lines = joined(seen, searches, ablations).filter((line) => line.set === set);
        return testCell(
          { row: set, column: "our search less single rows" },
          compareCurves(curveOf(lines, "our search"), curveOf(lines, "MPCK-S-D"), SOME),
        );
      }),
    "a lower objective need not mean a better score on rows that no constraint binds.",
  ),
};

const SEARCH_CLAIMS: readonly Claim[] = [order, converges, ourSearch];

function improvesAlone(id: string, scheme: "PCK" | "MK", because: string): Claim {
  return {
    id,
    quote: "The two methods for semi-supervision individually improve clustering accuracy",
    section: "section 1, of section 4's experiments",
    tested: `${scheme === "PCK" ? "constraints in seeding and assignment alone" : "metric learning alone"}: ${scheme} with ${SOME} constraints and more less ${scheme} without any`,
    published: "improves",
    judge: (seen) => ({
      cells: TITLES.map((set) => {
        const own = curve(seen, set, scheme);
        const none = { ...own, values: own.values.map(() => own.values[0]!) };
        return testCell({ row: set, column: scheme }, compareCurves(own, none, SOME));
      }),
      because,
    }),
  };
}

function seeding(id: string, what: "at once" | "little more", quote: string): Claim {
  return {
    id,
    quote,
    section: "section 4.2, of PCK-means",
    tested:
      what === "at once"
        ? `F of PCK with ${SOME} constraints less without`
        : `what PCK gains from ${SOME} constraints to the most is less than what it gains up to ${SOME}`,
    published: what === "at once" ? "immediate positive effect" : "diminishing returns",
    judge: byCells(
      (seen) =>
        TITLES.map((set) => {
          const own = curve(seen, set, "PCK");
          const place = { row: set, column: "PCK" };
          const early = at(own, SOME).map((value, run) => value! - own.values[0]![run]!);
          if (what === "at once") return pairedCell(place, at(own, SOME), own.values[0]!);
          const late = own.values.at(-1)!.map((value, run) => value! - at(own, SOME)[run]!);
          return pairedCell(place, early, late);
        }),
      "unit costs are small beside squared distances on sets with large numbers, so that only the first centres know of the constraints.",
    ),
  };
}

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
