/** Figure 4: does the fractional chromatic number tell how well an algorithm will do? */
import {
  closeConstraints,
  constraintGraph,
  fractionalColouring,
  generateConstraints,
  type LpSolver,
  randomFrom,
} from "@coterie/core";
import { curvesFigure } from "@coterie/figures";
import { createLpSolver } from "@coterie/kernels";
import type { Figure, Finding, Picture, Setting } from "../experiment.js";
import { correlation, meanOf, welchTest } from "../statistics.js";
import { DATA, type Data, K, load, METHODS, type Method, randOf, randomCentres } from "./methods.js";

const SETS = 100;
/** The paper's size, and one at which the number varies. */
const COUNTS = [25, 100] as const;
/** Correlations beyond this are significant at 1% for 100 sets. */
const SIGNIFICANT = 0.256;

interface Point {
  readonly fcn: number;
  readonly rand: Readonly<Record<Method, number | null>>;
}

type Cloud = Readonly<Record<Data, readonly Point[]>>;

export const figure4: Figure = {
  name: "figure-4",
  title: "Figure 4: the inverse of the fractional chromatic number against the Rand index",
  async run(setting) {
    const solver = await createLpSolver();
    const clouds: Cloud[] = [];
    for (const count of COUNTS) clouds.push(await cloudOf(count, solver, setting));
    const [small, large] = clouds as [Cloud, Cloud];
    return {
      protocol: `${SETS} random sets for each table and size; k random rows as first centres, the same for all algorithms. The paper has sets of 25 constraints; sets of 100 are added because the number hardly varies below. Points where an algorithm found no clustering are missing from the clouds.`,
      findings: [correlationFinding(small), largeFinding(large), failureFinding(large)],
      pictures: COUNTS.map((count, i) => pictureOf(clouds[i]!, count)),
      tables: [
        {
          title: "Correlation of 1/FCN with the Rand index; in brackets the share of sets without a clustering",
          columns: ["constraints", "data", "values of FCN", ...METHODS],
          rows: COUNTS.flatMap((count, i) =>
            DATA.map((data) => [
              String(count),
              data,
              valuesIn(clouds[i]![data]),
              ...METHODS.map(
                (method) => `${shown(correlationIn(clouds[i]![data], method))} (${percent(failures(clouds[i]![data], method))})`,
              ),
            ]),
          ),
        },
      ],
    };
  },
};

async function cloudOf(count: number, solver: LpSolver, { seed, quick, log }: Setting): Promise<Cloud> {
  const all: Partial<Record<Data, readonly Point[]>> = {};
  for (const data of DATA) {
    const points = await load(data);
    const own = randomFrom(seed).split(`davidson2012 figure 4 ${data} ${count}`);
    const cloud: Point[] = [];
    for (let t = 0; t < (quick ? SETS / 2 : SETS); t++) {
      const random = own.split("trial", t);
      const known = generateConstraints(points.truth!, { count, mix: "random", random: random.split("constraints") });
      const centres = randomCentres(points, K[data], random);
      const graph = constraintGraph(closeConstraints(known));
      const rand = Object.fromEntries(METHODS.map((method) => [method, randOf(method, points, known, K[data], centres)]));
      cloud.push({ fcn: fractionalColouring(graph, { solver }).upper, rand: rand as Point["rand"] });
    }
    log(`figure 4, ${data}, ${count} constraints: FCN ${valuesIn(cloud)}`);
    all[data] = cloud;
  }
  return all as Cloud;
}

function correlationIn(cloud: readonly Point[], method: Method): number {
  const run = cloud.filter(({ rand }) => rand[method] !== null);
  return correlation(
    run.map(({ fcn }) => 1 / fcn),
    run.map(({ rand }) => rand[method]!),
  );
}

function failures(cloud: readonly Point[], method: Method): number {
  return cloud.filter(({ rand }) => rand[method] === null).length / cloud.length;
}

function correlationFinding(cloud: Cloud): Finding {
  const all = DATA.flatMap((data) => METHODS.map((method) => correlationIn(cloud[data], method)));
  const strong = all.filter((r) => r >= 0.5).length;
  const two = DATA.map((data) => cloud[data].filter(({ fcn }) => Math.abs(fcn - 2) < 1e-9).length / cloud[data].length);
  return {
    claim: "With 25 constraints 1/FCN and the Rand index are strongly and positively correlated (figure 4)",
    published: "strong positive correlation for all data sets and algorithms",
    ours: `at least 0.5 in ${strong} of 16 cells, above ${SIGNIFICANT} in ${all.filter((r) => r > SIGNIFICANT).length}, not defined in ${all.filter(Number.isNaN).length}; FCN is exactly 2 in ${percent(Math.min(...two))} to ${percent(Math.max(...two))} of the sets`,
    verdict: strong >= 12 ? "holds" : strong >= 4 ? "holds in part" : "does not hold",
    because:
      "25 random pairs among 150 rows or more make a graph without odd cycles nearly always, and then FCN is 2 whatever the set; a number that does not vary cannot be correlated with anything",
  };
}

function largeFinding(cloud: Cloud): Finding {
  const all = DATA.flatMap((data) => METHODS.map((method) => ({ data, method, r: correlationIn(cloud[data], method) })));
  const positive = all.filter(({ r }) => r > SIGNIFICANT);
  const negative = all.filter(({ r }) => r < -SIGNIFICANT);
  return {
    claim: "The same with 100 constraints, where FCN varies (our extension)",
    published: "not published",
    ours: `significantly positive in ${positive.length} of 16 cells, significantly negative in ${negative.length}`,
    verdict: positive.length >= 12 ? "holds" : positive.length >= 4 ? "holds in part" : "does not hold",
    ...(positive.length >= 12
      ? {}
      : {
          because:
            "what differs between sets of one size is which rows they speak of; how hard they are to satisfy says little about that",
        }),
  };
}

/** What the number could be good for; on the tables where COP-k-means fails at times and the number varies. */
function failureFinding(cloud: Cloud): Finding {
  const texts: string[] = [];
  let higher = 0;
  let tables = 0;
  for (const data of DATA) {
    const fcnWhere = (failed: boolean) => cloud[data].filter(({ rand }) => (rand.CKM === null) === failed).map(({ fcn }) => fcn);
    const [stuck, done] = [fcnWhere(true), fcnWhere(false)];
    if (Math.min(stuck.length, done.length) < 2 || new Set([...stuck, ...done]).size < 2) continue;
    const { difference, p } = welchTest(stuck, done);
    tables++;
    if (difference > 0 && p < 0.05) higher++;
    texts.push(
      `${data}: mean FCN ${meanOf(stuck).mean.toFixed(2)} in ${stuck.length} sets that get it stuck, ${meanOf(done).mean.toFixed(2)} in the others (p ${p.toFixed(3)})`,
    );
  }
  return {
    claim: "FCN tells which sets of 100 constraints get COP-k-means stuck",
    published: "the FCN is the difficulty of generating a legal clustering (section 1)",
    ours: texts.join("; "),
    verdict: higher === tables && tables > 0 ? "holds" : higher > 0 ? "holds in part" : "does not hold",
    ...(higher === tables
      ? {}
      : {
          because:
            "one odd cycle or triangle anywhere sets the number, while the method is stuck by many rows that each have several neighbours",
        }),
  };
}

function pictureOf(cloud: Cloud, count: number): Picture {
  return {
    name: `clouds-${count}`,
    caption: `1/FCN against the Rand index, ${count} constraints, one point for each set and algorithm.`,
    svg: curvesFigure({
      title: `1/FCN against the Rand index with ${count} constraints`,
      marks: "dots",
      columns: 2,
      xLabel: "1/FCN (larger is easier)",
      yLabel: "Rand index",
      xDomain: [0.3, 0.52],
      panels: DATA.map((data) => ({
        title: data,
        series: METHODS.map((method) => ({
          name: method,
          points: cloud[data].flatMap(({ fcn, rand }) => (rand[method] === null ? [] : [{ x: 1 / fcn, y: rand[method]! }])),
        })),
      })),
    }),
  };
}

function valuesIn(cloud: readonly Point[]): string {
  const values = cloud.map(({ fcn }) => fcn).sort((a, b) => a - b);
  const [low, high] = [values[0]!, values.at(-1)!];
  return high - low < 1e-9 ? low.toFixed(2) : `${low.toFixed(2)} to ${high.toFixed(2)}`;
}

function shown(r: number): string {
  return Number.isNaN(r) ? "–" : r.toFixed(2);
}

function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${Math.round(100 * share)}%`;
}
