/** Figure 3: do sets that hurt leave fewer clusterings? */
import { barsFigure } from "@coterie/figures";
import type { Figure, Finding } from "../experiment.js";
import { correlation, meanOf, welchTest, withError } from "../statistics.js";
import { DATA, type Data, METHODS, type Method } from "./methods.js";
import { EQUAL } from "./table-1.js";
import { setsIn, type Trial, trialsOf } from "./trials.js";

export const figure3: Figure = {
  name: "figure-3",
  title: "Figure 3: feasible clusterings of sets that help and of sets that hurt",
  async run(setting) {
    const trials = await trialsOf(setting);
    const cells = DATA.flatMap((data) => METHODS.map((method) => cellOf(data, method, trials[data])));
    return {
      protocol: `The ${setsIn(setting)} sets of table 1. A set helps if it raises the Rand index, and hurts if it lowers it or leaves it as it is, as in the paper; runs without a clustering are left out. The count is P(G, k), exact for all these graphs, as a share of the kⁿ clusterings of the n constrained points.`,
      findings: [fewerFinding(cells), variesFinding(trials)],
      pictures: [
        {
          name: "shares",
          caption: "Mean share of clusterings that are feasible, with standard errors, for sets that help and sets that hurt.",
          svg: picture(cells),
        },
      ],
      tables: [
        {
          title: "Feasible share in thousandths, mean ± standard error, number of sets, and Welch's test",
          columns: ["data", "algorithm", "help", "sets", "hurt", "sets", "difference", "p"],
          rows: cells.map(({ data, method, help, hurt, difference, p }) => [
            data,
            method,
            withError({ ...help, mean: 1000 * help.mean, error: 1000 * help.error }, 2),
            help.count,
            withError({ ...hurt, mean: 1000 * hurt.mean, error: 1000 * hurt.error }, 2),
            hurt.count,
            Number.isNaN(difference) ? "–" : (1000 * difference).toFixed(2),
            Number.isNaN(p) ? "–" : p < 0.0001 ? "< 0.0001" : p.toFixed(4),
          ]),
        },
      ],
    };
  },
};

function fewerFinding(cells: readonly Cell[]): Finding {
  const fewer = cells.filter(({ difference, p }) => difference > 0 && p < 0.01).length;
  const more = cells.filter(({ difference, p }) => difference < 0 && p < 0.01).length;
  return {
    claim: "Sets that hurt leave fewer feasible clusterings, on average, than sets that help (figure 3)",
    published: "for every data set and algorithm shown",
    ours: `${fewer} of 16 cells significantly fewer (p < 0.01), ${more} significantly more, ${16 - fewer - more} without a difference`,
    verdict: fewer >= 12 ? "holds" : fewer > 2 * more && fewer >= 4 ? "holds in part" : "does not hold",
    ...(fewer >= 12
      ? {}
      : {
          because:
            "with 25 random pairs the constraint graph is nearly always a forest, for which the share of feasible clusterings is ((k-1)/k)^m: it says how many cannot-links fell, m, and nothing about where they lie",
        }),
  };
}

function variesFinding(trials: Readonly<Record<Data, readonly Trial[]>>): Finding {
  const links = DATA.map((data) =>
    correlation(
      trials[data].map(({ feasibleShare }) => Math.log(feasibleShare)),
      trials[data].map(({ cannotLinks }) => cannotLinks),
    ),
  );
  return {
    claim: "The number of feasible clusterings varies greatly for sets of one size (section 1)",
    published: "varies greatly",
    ours: DATA.map((data) => `${data} from ${short(trials[data], Math.min)} to ${short(trials[data], Math.max)} of all`).join(
      ", ",
    ),
    verdict: "holds",
    because: `it follows the number of cannot-links: the correlation of its logarithm with that number is ${links.map((r) => r.toFixed(3)).join(", ")}`,
  };
}

function picture(cells: readonly Cell[]): string {
  return barsFigure({
    title: "Feasible clusterings of sets that help and sets that hurt",
    yLabel: "feasible share",
    columns: 2,
    panels: DATA.map((data) => ({
      title: data,
      groups: cells
        .filter((cell) => cell.data === data)
        .map(({ method, help, hurt }) => ({
          name: method,
          bars: [
            { name: "sets that help", value: help.mean, error: help.error },
            { name: "sets that hurt", value: hurt.mean, error: hurt.error },
          ],
        })),
    })),
  });
}

type Cell = ReturnType<typeof cellOf>;

const NO_TEST = { difference: Number.NaN, p: Number.NaN };

function cellOf(data: Data, method: Method, trials: readonly Trial[]) {
  const run = trials.filter(({ rand }) => rand[method] !== null);
  const helps = ({ rand, without }: Trial): boolean => rand[method]! > without + EQUAL;
  const help = run.filter(helps).map(({ feasibleShare }) => feasibleShare);
  const hurt = run.filter((trial) => !helps(trial)).map(({ feasibleShare }) => feasibleShare);
  const { difference, p } = Math.min(help.length, hurt.length) < 2 ? NO_TEST : welchTest(help, hurt);
  return { data, method, help: meanOf(help), hurt: meanOf(hurt), difference, p };
}

function short(trials: readonly Trial[], choose: (...values: number[]) => number): string {
  return choose(...trials.map(({ feasibleShare }) => feasibleShare)).toExponential(0);
}
