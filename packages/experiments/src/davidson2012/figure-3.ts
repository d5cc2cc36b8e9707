/** Figure 3: do constraint sets that hurt have fewer feasible clusterings? */

import { barsFigure } from "@coterie/figures";
import { correlation, meanOf, numbersOf, welchTest, where, withError } from "@coterie/workbench/trials";
import { factCell, testCell } from "../frame/cells.js";
import { ABOUT_IRIS, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, Picture, ResultTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { ALGORITHMS, DATA, type Data, METHODS, type Method } from "./methods.js";
import { effectOf, READINGS, type Reading, setsOf25 } from "./sets-of-25.js";

const CAUSE =
  "with 25 random pairs the constraint graph is nearly always a forest, for which the share of feasible clusterings is ((k-1)/k)^m: it says how many cannot-links fell, m, and nothing about where they lie.";

function sharesOf(
  seen: PageData,
  set: Data,
  method: Method,
  reading: Reading,
): { readonly help: number[]; readonly hurt: number[] } {
  const lines = where(seen.lines(setsOf25), { set });
  const of = (...wanted: string[]): number[] =>
    numbersOf(
      lines.filter((line) => wanted.includes(effectOf(line, method, reading))),
      "feasible share",
    );
  return { help: of("help"), hurt: of("hurt", "same") };
}

/** The text of a cell without a comparison: no set helps, or every set helps. */
function oneSided(help: number, hurt: number): string {
  if (help + hurt === 0) return "no runs";
  return help === 0 ? `no set helps (${hurt} do not)` : `all ${help} sets help`;
}

function fewer(reading: Reading): Claim {
  return {
    id: `figure-3.${reading}`,
    quote:
      "constraint sets that hurt clustering accuracy have a smaller number of feasible clusterings on average than those that helped",
    section: "section 5, figure 3",
    tested: `feasible share of sets that help less that of sets that hurt or change nothing, in thousandths; a set helps against ${reading === "itself" ? "the same algorithm without constraints" : "k-means"}`,
    published: "every data set and algorithm shown",
    judge: byCells(
      (seen) =>
        crossed(DATA, METHODS, (set, method) => {
          const { help, hurt } = sharesOf(seen, set, method, reading);
          const scaled = (values: readonly number[]): number[] => values.map((value) => 1000 * value);
          const cell = testCell({ row: titleOf(set), column: method }, welchTest(scaled(help), scaled(hurt)), undefined, 2);
          return help.length > 0 && hurt.length > 0 ? cell : { ...cell, said: oneSided(help.length, hurt.length) };
        }),
      CAUSE,
    ),
  };
}

const varies: Claim = {
  id: "figure-3.varies",
  quote:
    "the number of feasible clusterings (NFC) and fractional chromatic number (FCN) of the constraints represented as a graph varies greatly for constraint sets of the same size",
  section: "section 1",
  tested: "the number of feasible clusterings varies at least tenfold (for FCN see figure 4)",
  published: "varies greatly",
  judge: byCells((seen) =>
    DATA.map((set) => {
      const shares = numbersOf(where(seen.lines(setsOf25), { set }), "feasible share");
      const links = numbersOf(where(seen.lines(setsOf25), { set }), "cannot-links");
      const [least, most] = [Math.min(...shares), Math.max(...shares)];
      const r = correlation(
        shares.map((share) => Math.log(share)),
        links,
      );
      const words = `from ${least.toExponential(0)} to ${most.toExponential(0)}; log correlated ${r.toFixed(3)} with the number of cannot-links`;
      return factCell({ row: titleOf(set), column: "feasible share" }, most >= 10 * least, words);
    }),
  ),
};

export const figure3: Page = {
  name: "figure-3",
  title: "Figure 3: feasible clusterings of sets that help and of sets that hurt",
  kind: "figure",
  tables: [setsOf25],
  protocol: (seen) =>
    `The ${where(seen.lines(setsOf25), { set: "wine" }).length} sets of table 1. A set helps if it raises the Rand index, and hurts if it lowers it or leaves it as it is, as in the paper; runs without a clustering are left out. The count is P(G, k), exact for all these graphs, as a share of the kⁿ clusterings of the n constrained points. ${ALGORITHMS} ${ABOUT_IRIS}`,
  claims: [fewer("itself"), fewer("k-means"), varies],
  pictures: (seen) => [picture(seen)],
  results: (seen) => READINGS.map((reading) => tableOf(seen, reading)),
};

function picture(seen: PageData): Picture {
  return {
    name: "shares",
    caption: `Mean share of clusterings that are feasible for sets that help and sets that hurt, against the same algorithm without constraints, in units of the data set's mean over all ${where(seen.lines(setsOf25), { set: "wine" }).length} sets; lines on the bars are standard errors over the sets. A bar is missing where there is no such set.`,
    svg: () =>
      barsFigure({
        title: "Feasible clusterings of sets that help and sets that hurt",
        yLabel: "feasible share, mean of the data set = 1",
        columns: 2,
        yDomain: "shared",
        panels: DATA.map((set) => ({
          title: titleOf(set),
          groups: METHODS.map((method) => {
            const { help, hurt } = sharesOf(seen, set, method, "itself");
            const usual = meanOf(numbersOf(where(seen.lines(setsOf25), { set }), "feasible share")).mean;
            const bar = (name: string, values: readonly number[]) => {
              const { mean, error } = meanOf(values);
              return { name, value: mean / usual, error: error / usual };
            };
            return { name: method, bars: [bar("sets that help", help), bar("sets that hurt", hurt)] };
          }),
        })),
      }),
  };
}

function tableOf(seen: PageData, reading: Reading): ResultTable {
  return {
    title: `Feasible share in thousandths, mean ± standard error and number of sets; helping and hurting against ${reading}`,
    columns: ["data", "algorithm", "help", "sets", "hurt", "sets"],
    rows: crossed(DATA, METHODS, (set, method) => {
      const { help, hurt } = sharesOf(seen, set, method, reading);
      const words = (values: readonly number[]): string => withError(meanOf(values.map((value) => 1000 * value)), 2);
      return [titleOf(set), method, words(help), String(help.length), words(hurt), String(hurt.length)];
    }),
  };
}
