/** Figure 4: does the fractional chromatic number (FCN) predict the accuracy of an algorithm? */

import {
  closeConstraints,
  constraintGraph,
  fractionalColouring,
  generateConstraints,
  type LpSolver,
  randomFrom,
} from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { createLpSolver } from "@coterie/kernels";
import { columnOf, correlation, correlationP, type Line, numbersOf, repeated, where } from "@coterie/workbench/trials";
import { percent, shareCell, welchCell } from "../frame/cells.js";
import { ABOUT_IRIS, load, titleOf } from "../frame/data.js";
import type { Cell, Claim, Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { ALGORITHMS, DATA, type Data, K, METHODS, type Method, randOf, randomCentres } from "./methods.js";

const SETS = { quick: 25, full: 100 } as const;
const COUNTS = [25, 100] as const;
const STRONG = 0.5;

let solver: Promise<LpSolver> | undefined;

export function lpSolver(): Promise<LpSolver> {
  solver ??= createLpSolver();
  return solver;
}

const colouring: TrialTable = {
  name: "fractional-chromatic-number",
  keys: ["set", "count", "run"],
  values: ["FCN", ...METHODS],
  trials: (size, seed) =>
    crossed(DATA, COUNTS, (set, count) =>
      repeated(SETS[size], seed, `davidson2012 figure 4, ${set}, ${count}`, { key: { set, count }, needs: [set], cost: 30 }),
    ).flat(),
  async measure({ key, seed }) {
    const set = key.set as Data;
    const points = await load(set);
    const random = randomFrom(seed);
    const count = key.count as number;
    const known = generateConstraints(points.truth, { count, mix: "random", random: random.split("constraints") });
    const start = { k: K[set], init: randomCentres(points, K[set], random), seed };
    const graph = constraintGraph(closeConstraints(known));
    return {
      FCN: fractionalColouring(graph, { solver: await lpSolver() }).upper,
      ...Object.fromEntries(METHODS.map((method) => [method, randOf(method, points, known, start)])),
    };
  },
};

function cloudOf(seen: PageData, set: Data, count: number): readonly Line[] {
  return where(seen.lines(colouring), { set, count });
}

function correlationIn(cloud: readonly Line[], method: Method): { readonly r: number; readonly count: number } {
  const ended = cloud.filter((line) => line[method] !== null);
  const easy = numbersOf(ended, "FCN").map((fcn) => 1 / fcn);
  return { r: correlation(easy, numbersOf(ended, method)), count: ended.length };
}

/** Tests that FCN and accuracy are correlated, positively and strongly. If FCN is the same for all sets, no correlation can be computed. */
function correlationCell(seen: PageData, set: Data, method: Method, count: number): Cell {
  const { r, count: ended } = correlationIn(cloudOf(seen, set, count), method);
  const place = { row: titleOf(set), column: method };
  if (Number.isNaN(r)) return { ...place, kind: "difference", said: "FCN does not vary", difference: 0, p: 1 };
  return { ...place, kind: "difference", said: r.toFixed(2), difference: r, p: correlationP(r, ended), least: STRONG };
}

function correlated(count: (typeof COUNTS)[number]): Pick<Claim, "judge"> {
  return {
    judge: (seen) => {
      const two = DATA.map((set) => {
        const values = numbersOf(cloudOf(seen, set, count), "FCN");
        return values.filter((fcn) => Math.abs(fcn - 2) < 1e-6).length / values.length;
      });
      return {
        cells: crossed(DATA, METHODS, (set, method) => correlationCell(seen, set, method, count)),
        because:
          count === 25
            ? `25 random pairs among 150 rows or more make a graph without odd cycles nearly always, and then FCN is 2 whatever the set (${percent(Math.min(...two))} to ${percent(Math.max(...two))} of the sets): a number that does not vary cannot be correlated with anything.`
            : "what differs between sets of one size is which rows they constrain; how hard they are to satisfy says little about that.",
      };
    },
  };
}

const varies: Claim = {
  id: "figure-4.varies",
  quote:
    "[…] and fractional chromatic number (FCN) of the constraints represented as a graph varies greatly for constraint sets of the same size",
  section: "section 1",
  tested: "with 25 constraints, at least a tenth of the sets have another FCN than the commonest",
  published: "varies greatly",
  judge: byCells(
    (seen) =>
      DATA.map((set) => {
        const values = numbersOf(cloudOf(seen, set, 25), "FCN").map((fcn) => fcn.toFixed(4));
        const commonest = Math.max(...[...new Set(values)].map((value) => values.filter((one) => one === value).length));
        const others = values.length - commonest;
        const place = { row: titleOf(set), column: "other than the commonest FCN" };
        return shareCell(place, [others, values.length], 0.1, percent(others / values.length));
      }),
    "a graph of some 17 random edges is a forest in nearly all sets, and every forest with an edge has FCN 2.",
  ),
};

const stuck: Claim = {
  id: "figure-4.stuck",
  quote: "[…] the later the difficulty of generating a legal clustering and transitioning from one state to another",
  section: "section 1",
  tested:
    "with 100 constraints, FCN of the sets that leave CKM without a clustering less FCN of the others; on tables where both kinds occur (ours)",
  published: "a measure of difficulty",
  judge: byCells(
    (seen) =>
      DATA.flatMap((set) => {
        const cloud = cloudOf(seen, set, 100);
        const fcnWhere = (failed: boolean): number[] =>
          numbersOf(
            cloud.filter((line) => (line.CKM === null) === failed),
            "FCN",
          );
        const [without, ended] = [fcnWhere(true), fcnWhere(false)];
        if (Math.min(without.length, ended.length) < 2) return [];
        return [welchCell({ row: titleOf(set), column: `FCN (${without.length} of ${cloud.length} stuck)` }, without, ended)];
      }),
    "one odd cycle or triangle anywhere sets the number, while the method is stuck by many rows that each have several neighbours.",
  ),
};

export const figure4: Page = {
  name: "figure-4",
  title: "Figure 4: the inverse of the fractional chromatic number against the Rand index",
  kind: "figure",
  tables: [colouring],
  protocol: (seen) =>
    `${cloudOf(seen, "wine", 25).length} random sets for each table and size; k random rows as first centres, the same for all algorithms. The paper has sets of 25 constraints; sets of 100 are added because the number hardly varies below. ${ALGORITHMS} ${ABOUT_IRIS}`,
  claims: [
    {
      id: "figure-4.correlated",
      quote: "shows a strong positive correlation between the x and y axes",
      section: "section 5, figure 4",
      tested: "the correlation of 1/FCN with the Rand index is at least 0.5",
      published: "strong, for all data sets and algorithms",
      ...correlated(25),
    },
    {
      id: "figure-4.correlated-100",
      section: "figure 4 with more constraints",
      tested: "the same with 100 constraints, where FCN varies",
      published: "–",
      ...correlated(100),
    },
    varies,
    stuck,
  ],
  pictures: (seen) => COUNTS.map((count) => pictureOf(seen, count)),
  results: (seen) => [tableOf(seen)],
};

function pictureOf(seen: PageData, count: number): Picture {
  return {
    name: `clouds-${count}`,
    caption: `1/FCN against the Rand index, ${count} constraints: one point for each of ${cloudOf(seen, "wine", count).length} sets and each algorithm. Points where an algorithm found no clustering are missing.`,
    svg: () =>
      curvesFigure({
        title: `1/FCN against the Rand index with ${count} constraints`,
        marks: "dots",
        columns: 2,
        xLabel: "1/FCN (larger is easier)",
        yLabel: "Rand index",
        xDomain: [0.3, 0.52],
        yDomain: "shared",
        panels: DATA.map((set) => ({
          title: titleOf(set),
          series: METHODS.map((method) => ({
            name: method,
            points: cloudOf(seen, set, count).flatMap((line) => {
              const rand = line[method] as number | null;
              return rand === null ? [] : [{ x: 1 / (line.FCN as number), y: rand }];
            }),
          })),
        })),
      }),
  };
}

function tableOf(seen: PageData): ResultTable {
  return {
    title: "Correlation of 1/FCN with the Rand index; in brackets the share of sets without a clustering",
    columns: ["constraints", "data", "values of FCN", ...METHODS],
    rows: crossed(COUNTS, DATA, (count, set) => {
      const cloud = cloudOf(seen, set, count);
      const fcn = numbersOf(cloud, "FCN");
      const [low, high] = [Math.min(...fcn), Math.max(...fcn)];
      const cell = (method: Method): string => {
        const { r } = correlationIn(cloud, method);
        const failed = columnOf(cloud, method).filter((rand) => rand === null).length / cloud.length;
        return `${Number.isNaN(r) ? "–" : r.toFixed(2)} (${percent(failed)})`;
      };
      const range = high - low < 1e-6 ? low.toFixed(2) : `${low.toFixed(2)} to ${high.toFixed(2)}`;
      return [String(count), titleOf(set), range, ...METHODS.map(cell)];
    }),
  };
}
