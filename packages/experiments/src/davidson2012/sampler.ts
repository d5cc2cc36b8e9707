/** Section 3: compares the sampler's estimates of the number of feasible clusterings with exact counts. */

import {
  type ConstraintSet,
  closeConstraints,
  constraintGraph,
  countClusterings,
  generateConstraints,
  type Random,
  randomFrom,
} from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { columnOf, type Line, meanOf, numbersOf, repeated, where } from "@coterie/workbench/trials";
import { percent, shareCell } from "../frame/cells.js";
import { ABOUT_IRIS, load, titleOf } from "../frame/data.js";
import type { Claim, Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";

import { DATA, type Data, K } from "./methods.js";

const COUNT = 25;
const SETS = { quick: 20, full: 100 } as const;
/** EPSILON: maximum relative error of the sampler. DELTA: probability that the error is larger than EPSILON. */
const EPSILON = 0.1;
const DELTA = 0.1;

const sampler: TrialTable = {
  name: "sampler",
  keys: ["set", "run"],
  values: ["vertices", "edges", "largest degree", "exact", "printed", "corrected"],
  trials: (size, seed) =>
    DATA.flatMap((set) => repeated(SETS[size], seed, `davidson2012 sampler, ${set}`, { key: { set }, needs: [set], cost: 180 })),
  async measure({ key, seed }) {
    const set = key.set as Data;
    const points = await load(set);
    const random = randomFrom(seed);
    const known = generateConstraints(points.truth, { count: COUNT, mix: "random", random: random.split("constraints") });
    const { n, edges } = graphOf(known);
    const k = K[set];
    const options = {
      chains: chainsOf(edges.length, EPSILON, DELTA),
      draws: drawsOf(n, EPSILON),
      random: random.split("sampler"),
    };
    const ratios = logRatios(n, edges, k, options);
    const log10 = (start: number): number | null => (ratios === null ? null : (ratios + start) / Math.LN10);
    return {
      vertices: n,
      edges: edges.length,
      "largest degree": largestDegree(n, edges),
      exact: countClusterings(constraintGraph(closeConstraints(known)), k).atMostK.log10,
      printed: log10(logSurjections(n, k)),
      corrected: log10(n * Math.log(k)),
    };
  },
};

/** The constraint graph: a vertex for each must-link component, and an edge between two components that a cannot-link separates. */
export function graphOf(known: ConstraintSet): { readonly n: number; readonly edges: readonly Edge[] } {
  const { component } = closeConstraints(known);
  const number = new Map<number, number>();
  const vertex = (row: number): number => {
    const own = component[row]!;
    if (!number.has(own)) number.set(own, number.size);
    return number.get(own)!;
  };
  const edges = new Map<string, Edge>();
  known.cannotLinks.a.forEach((a, s) => {
    const [p, q] = [vertex(a), vertex(known.cannotLinks.b[s]!)].sort((one, other) => one - other) as [number, number];
    edges.set(`${p} ${q}`, [p, q]);
  });
  return { n: number.size, edges: [...edges.values()] };
}

function linesOf(seen: PageData, set: Data): readonly Line[] {
  return where(seen.lines(sampler), { set });
}

function errorsOf(lines: readonly Line[], column: "printed" | "corrected"): number[] {
  return lines.flatMap((line) => {
    const [estimate, exact] = [line[column] as number | null, line.exact as number];
    return estimate === null ? [] : [Math.abs(10 ** (estimate - exact) - 1)];
  });
}

function accurate(id: string, column: "printed" | "corrected", head: Pick<Claim, "quote" | "tested" | "section">): Claim {
  return {
    id,
    ...head,
    published: `error at most ε with probability 1-δ`,
    judge: (seen) => ({
      cells: DATA.flatMap((set) => {
        const errors = errorsOf(linesOf(seen, set), column);
        if (errors.length === 0) return [];
        const within = errors.filter((one) => one <= EPSILON).length;
        const words = `${percent(within / errors.length)} of ${errors.length} within ε; median error ${median(errors).toFixed(3)}`;
        return [shareCell({ row: titleOf(set), column: "estimates" }, [within, errors.length], 1 - DELTA, words)];
      }),
      because:
        column === "printed"
          ? "the errors of the ratios add up, as below. Equation 1 also starts the chain of ratios at k!·S(n,k), where the walk, which visits clusterings with empty clusters too, starts at kⁿ; with this many vertices the two are nearly equal, and starting at kⁿ changes nothing here."
          : `the errors of the ratios, one for each cannot-link (on average ${edgesIn(seen)}) and each from its own chains, add up: equation 5 does not count the ratios.`,
    }),
  };
}

function edgesIn(seen: PageData): string {
  const means = DATA.map((set) => Math.round(meanOf(numbersOf(linesOf(seen, set), "edges")).mean));
  return `${Math.min(...means)} to ${Math.max(...means)}`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

const noLimit: Claim = {
  id: "sampler.no-limit",
  quote: "typically a small number of constraints are used, hence Δ will be small so this should not be a limitation",
  section: "section 3.1",
  tested: "of sets of 25 constraints at least half have k > Δ",
  published: "should not be a limitation",
  judge: (seen) => ({
    cells: DATA.map((set) => {
      const lines = linesOf(seen, set);
      const allowed = allowedIn(lines);
      const degrees = meanOf(numbersOf(lines, "largest degree")).mean.toFixed(1);
      const words = `${percent(allowed / lines.length)} (k = ${K[set]}, mean Δ ${degrees})`;
      return shareCell({ row: titleOf(set), column: `k > Δ` }, [allowed, lines.length], 0.5, words);
    }),
    because: `with two clusters (ionosphere) one vertex with two cannot-links is one too many, and ${percent(1 - allowedIn(linesOf(seen, "ionosphere")) / linesOf(seen, "ionosphere").length)} of the sets of ${COUNT} random pairs have one.`,
  }),
};

function allowedIn(lines: readonly Line[]): number {
  return columnOf(lines, "corrected").filter((value) => value !== null).length;
}

export const samplerPage: Page = {
  name: "sampler",
  title: "Section 3: the sampler that counts feasible clusterings",
  kind: "extra",
  covers: ["figure-2"],
  tables: [sampler],
  protocol: (seen) =>
    `${linesOf(seen, "wine").length} sets of 25 random pairs for each table. The sampler of figure 2 as printed, with ε = ${EPSILON} and δ = ${DELTA} in equations 4 and 5 (some ${chainsOf(17, EPSILON, DELTA)} chains of some ${drawsOf(30, EPSILON)} draws for each cannot-link); estimates beside the exact number of clusterings into at most k clusters. *Printed* starts the product at k!·S(n,k), *corrected* at kⁿ. \`coterie diagnose\` counts these graphs exactly; where it samples, it has another estimator with an interval. ${ABOUT_IRIS}`,
  claims: [
    accurate("sampler.printed", "printed", {
      quote: "a function of the error (0 < ε < 1) of our estimate and chance of the bound failing",
      section: "section 3.4, equations 1, 4 and 5",
      tested: `at least 90% of the estimates are within ε = ${EPSILON} of the exact count`,
    }),
    accurate("sampler.corrected", "corrected", {
      section: "section 3.4, corrected",
      tested: `the same with the product started at kⁿ`,
    }),
    noLimit,
  ],
  pictures: (seen) => [picture(seen)],
  results: (seen) => [tableOf(seen)],
};

function picture(seen: PageData): Picture {
  return {
    name: "estimates",
    caption:
      "The estimate less the exact count, as the difference of their decimal logarithms, by the number of vertices of the constraint graph; one point a set. Sets with k ≤ Δ have none.",
    svg: () =>
      curvesFigure({
        title: "Estimates beside exact counts",
        marks: "dots",
        columns: 4,
        xLabel: "vertices",
        yLabel: "log₁₀ estimate − log₁₀ exact",
        yDomain: "shared",
        panels: DATA.map((set) => ({
          title: titleOf(set),
          series: (["printed", "corrected"] as const).map((column) => ({
            name: column,
            points: linesOf(seen, set).flatMap((line) =>
              line[column] === null ? [] : [{ x: line.vertices as number, y: (line[column] as number) - (line.exact as number) }],
            ),
          })),
        })),
      }),
  };
}

function tableOf(seen: PageData): ResultTable {
  return {
    title: "Relative error of the estimates",
    columns: [
      "data",
      "sets with k > Δ",
      "vertices",
      "edges",
      "printed, median error",
      "corrected, median error",
      "corrected, within ε",
    ],
    rows: DATA.map((set) => {
      const lines = linesOf(seen, set);
      const [printed, corrected] = [errorsOf(lines, "printed"), errorsOf(lines, "corrected")];
      return [
        titleOf(set),
        `${corrected.length} of ${lines.length}`,
        meanOf(numbersOf(lines, "vertices")).mean.toFixed(1),
        meanOf(numbersOf(lines, "edges")).mean.toFixed(1),
        printed.length === 0 ? "–" : median(printed).toFixed(3),
        corrected.length === 0 ? "–" : median(corrected).toFixed(3),
        corrected.length === 0 ? "–" : percent(corrected.filter((error) => error <= EPSILON).length / corrected.length),
      ];
    }),
  };
}

/*
 * The sampler of figure 2 and section 3.4, as printed. It processes the cannot-links in order. For each cannot-link, Markov chains walk
 * over the clusterings that satisfy all earlier cannot-links. The share of chains whose last clustering also satisfies this cannot-link is
 * one factor of the count. `k <= Δ` is refused: figure 2 prints `k < Δ`, but section 3.1 requires k > Δ.
 */

type Edge = readonly [number, number];

export function drawsOf(q: number, epsilon: number): number {
  return Math.ceil(q * Math.log(q / epsilon));
}

/**
 * The number of Markov chains that estimate one factor of the count, by equation 5. The exponent log(log(cannotLinks)) is below 1 for fewer
 * than 16 cannot-links, and negative for 2 cannot-links.
 */
export function chainsOf(cannotLinks: number, epsilon: number, delta: number): number {
  return Math.ceil((1 / (delta * epsilon ** 2)) ** Math.log(Math.log(cannotLinks)));
}

/** The largest degree Δ of a vertex, which bounds the number of clusters: the sampler needs k > Δ. */
function largestDegree(n: number, edges: readonly Edge[]): number {
  const degree = new Int32Array(n);
  for (const [a, b] of edges) {
    degree[a]!++;
    degree[b]!++;
  }
  return degree.reduce((most, own) => Math.max(most, own), 0);
}

/** The natural logarithm of the product of all estimated factors: equation 1 without its last factor. Null if k is too small. */
export function logRatios(
  n: number,
  edges: readonly Edge[],
  k: number,
  { chains, draws, random }: { readonly chains: number; readonly draws: number; readonly random: Random },
): number | null {
  if (k <= largestDegree(n, edges)) return null;
  let sum = 0;
  for (let taken = edges.length; taken > 0; taken--) {
    const kept = edges.slice(0, taken - 1);
    const ratio = ratioOf(n, kept, edges[taken - 1]!, k, chains, draws, random.split("ratio", taken));
    sum += Math.log(ratio);
  }
  return sum;
}

/**
 * Estimates one factor of the count: the share of chains whose last clustering also satisfies the edge `tested`. As printed, each chain
 * starts where the previous chain ended.
 */
function ratioOf(
  n: number,
  edges: readonly Edge[],
  tested: Edge,
  k: number,
  chains: number,
  draws: number,
  random: Random,
): number {
  const neighbours: number[][] = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) {
    neighbours[a]!.push(b);
    neighbours[b]!.push(a);
  }
  const cluster = firstClustering(neighbours, k);
  let successes = 0;
  for (let chain = 0; chain < chains; chain++) {
    for (let draw = 0; draw < draws; draw++) {
      const choice = random.int(n * k);
      const vertex = Math.floor(choice / k);
      const wanted = choice - vertex * k;
      if (neighbours[vertex]!.every((other) => cluster[other] !== wanted)) cluster[vertex] = wanted;
    }
    if (cluster[tested[0]] !== cluster[tested[1]]) successes++;
  }
  return successes / chains;
}

/**
 * The clustering from which the first chain starts. Each vertex joins the first cluster without neighbours of the vertex. Such a cluster
 * exists, because k exceeds all degrees.
 */
function firstClustering(neighbours: readonly (readonly number[])[], k: number): Int32Array {
  const cluster = new Int32Array(neighbours.length).fill(-1);
  neighbours.forEach((around, vertex) => {
    const taken = new Set(around.map((other) => cluster[other]));
    for (let c = 0; c < k && cluster[vertex] === -1; c++) if (!taken.has(c)) cluster[vertex] = c;
  });
  return cluster;
}

/**
 * The natural logarithm of k!·S(n, k), the number of ways to put n vertices into k clusters so that none is empty. It is the last factor of
 * equation 1 as printed.
 */
export function logSurjections(n: number, k: number): number {
  let sum = 0;
  for (let j = 0, choose = 1; j <= k; j++) {
    sum += (j % 2 === 0 ? 1 : -1) * choose * ((k - j) / k) ** n;
    choose = (choose * (k - j)) / (j + 1);
  }
  return n * Math.log(k) + Math.log(sum);
}
