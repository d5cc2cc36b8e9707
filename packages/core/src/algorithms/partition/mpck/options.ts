/** Options that the family shares, and the way from a method's input to the engine's. */
import * as z from "zod";
import type { Kernels } from "../../../kernels/index.js";
import { pairCounts } from "../../../measures/pair-counts.js";
import type { Points } from "../../../model/points.js";
import type { Steps } from "../../../steps/index.js";
import { contingency } from "../../../structures/contingency.js";
import { MOST_COLUMNS_OF_FULL_METRICS, refuseManyColumns } from "../../cost.js";
import { noDirectionNotices } from "../../distance.js";
import { oneHot } from "../../encode.js";
import { type Context, type Input, lowestOutcome, type Outcome, type Work } from "../../method.js";
import { startsSteps } from "./index.js";
import type { Ablation, EngineInput } from "./run.js";

/** The objective does not tell starts apart that are closer. */
export const INDISTINCT = 10;

export const BILENKO = "Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004";

export const k = z.int().min(1).meta({ description: "number of clusters" });

const init = z.union([z.enum(["neighbourhoods", "perturbed", "k-means++", "random"]), z.array(z.array(z.number()))]).meta({
  description:
    "first centres: of must-linked neighbourhoods (in every other start k-means++), the mean of all rows with noise, k-means++, random rows, or a file with k rows of the same columns",
  file: "centres",
});

export const costs = z.enum(["relative", "unit"]).default("relative").meta({
  description: "unit of the constraints' weights: the mean squared distance to the mean, or 1; learned metrics carry their own",
});

export const metricOptions = {
  metrics: z.enum(["single", "multiple"]).default("single").meta({
    description: "one metric for all clusters, or one for each",
  }),
  matrix: z.enum(["diagonal", "full"]).default("diagonal").meta({
    description: "what a metric is: a weight for each feature, or a whole matrix",
  }),
};

export const distance = z.enum(["euclidean", "cosine"]).default("euclidean").meta({
  description: "euclidean, or cosine: rows are brought to length 1, for many features where direction counts",
});

/** Where a method starts, and when it ends. */
export const iterationOptions = (first: "neighbourhoods" | "k-means++") => ({
  init: init.default(first),
  restarts: z.int().min(1).default(10).meta({ description: "starts, of which one is kept (1 with given centres)" }),
  maxIterations: z.int().min(1).default(100).meta({ description: "iterations at most, per start" }),
  tolerance: z.number().min(0).default(0).meta({
    description: "stop when the objective changes by less than this share of it (0: when nothing moves)",
  }),
});

/** Only where metrics are learned is the objective a log-likelihood, and a distance between starts has a meaning. */
export const keep = z
  .enum(["typical", "lowest"])
  .default("typical")
  .meta({
    description: `the start that is kept: the one most like the others among those within ${INDISTINCT} of the lowest objective, or the lowest`,
  });

/** How methods with prices for broken constraints look for a minimum. */
export const searchOptions = {
  search: z.int().min(0).default(20).meta({
    description: "rounds at most, per start, that place all constrained rows anew before the descent; the best is kept",
  }),
  faithful: z.boolean().default(false).meta({
    description: "the paper's search: constrained rows move one by one only, without rounds before the descent",
  }),
};

/** What all definitions of the family say. */
export const FAMILY = { paper: BILENKO, family: "partition", weighsRows: true } as const;

/** What k-means itself is in the family; a method says what it adds. */
export const PLAIN = {
  search: 0,
  faithful: false,
  penalty: "none",
  learning: null,
  relativeCosts: false,
  spherical: false,
  iterate: true,
} as const;

/** Numbers for the engine: nominal columns by level, rows of length 1 for the cosine. */
export function preparedPoints(input: Input, how: "euclidean" | "cosine"): EngineInput {
  const { points, notices } = oneHot(input.points);
  const { constraints } = input;
  const ids = input.points.ids;
  if (how === "euclidean") return { points, constraints, ids, notices };
  const { rows, zeros } = unitRows(points);
  return {
    points: rows,
    constraints,
    ids,
    notices: [...notices, "Rows were brought to length 1; centres are means of such rows.", ...noDirectionNotices(zeros)],
  };
}

/** Rows of length 1; rows of zeros stay. The largest entry is divided out first, so that no square overflows or vanishes. */
export function unitRows({ n, d, x, rowWeights }: Points): { readonly rows: Points; readonly zeros: number } {
  const scaled = new Float64Array(n * d);
  let zeros = 0;
  for (let i = 0; i < n; i++) {
    let largest = 0;
    for (let p = i * d; p < (i + 1) * d; p++) largest = Math.max(largest, Math.abs(x[p]!));
    if (largest === 0) zeros++;
    if (largest === 0) continue;
    let sum = 0;
    for (let p = i * d; p < (i + 1) * d; p++) {
      const value = x[p]! / largest;
      scaled[p] = value;
      sum += value * value;
    }
    for (let p = i * d; p < (i + 1) * d; p++) scaled[p]! /= Math.sqrt(sum);
  }
  return { rows: { n, d, x: scaled, ...(rowWeights ? { rowWeights } : {}) }, zeros };
}

interface Startable {
  readonly init: Ablation["init"];
  readonly restarts: number;
  readonly faithful?: boolean;
  readonly keep?: z.output<typeof keep>;
}

/**
 * Ours: every other start begins with k-means++. Neighbourhoods give the same centres each time, and where two of the k lie in one
 * class, all starts would end in the same poor minimum.
 */
export function initOf({ init, faithful = true }: Startable, index: number): Ablation["init"] {
  return init === "neighbourhoods" && !faithful && index % 2 === 1 ? "k-means++" : init;
}

/** Rows as the engine is to see them, first centres among them, and what its outcome is to those who see them as they are. */
export interface Seen {
  readonly input: EngineInput;
  readonly init: Ablation["init"];
  readonly asFound: (outcome: Outcome) => Outcome;
}

/** A method's starts and its steps over all of them, from the ablation that its options stand for. `under`: what is done to rows first. */
export function familyWork<Options, Checked extends Startable & { readonly distance: "euclidean" | "cosine" }>(
  options: z.ZodType<Checked, Options>,
  ablationOf: (options: Checked) => Ablation,
  under?: (input: EngineInput, options: Checked, kernels: Kernels) => Steps<Seen>,
): Work<Options, Checked> {
  const count = ({ init, restarts }: Checked): number => (Array.isArray(init) ? 1 : restarts);
  function* outcomesOf(given: Input, asked: Checked, indices: readonly number[], { kernels, random }: Context): Steps<Outcome[]> {
    const prepared = preparedPoints(given, asked.distance);
    if ("matrix" in asked && asked.matrix === "full") refuseManyColumns(prepared.points, MOST_COLUMNS_OF_FULL_METRICS);
    const seen = under ? yield* under(prepared, asked, kernels) : { input: prepared, init: asked.init, asFound: null };
    const { input, init, asFound } = seen;
    const starts = indices.map((index) => ({ random: random.split("restart", index), init: initOf({ ...asked, init }, index) }));
    const outcomes = yield* startsSteps(input, ablationOf({ ...asked, init }), kernels, starts);
    return asFound ? outcomes.map(asFound) : outcomes;
  }
  function* start(input: Input, asked: Checked, index: number, context: Context): Steps<Outcome> {
    const [outcome] = yield* outcomesOf(input, asked, [index], context);
    return outcome!;
  }
  const choose = (outcomes: readonly Outcome[], asked: Checked): Outcome =>
    asked.keep === "typical" ? typicalStart(outcomes) : lowestOutcome(outcomes);
  function* steps(input: Input, asked: Checked, context: Context): Steps<Outcome> {
    const indices = Array.from({ length: count(asked) }, (_, index) => index);
    return choose(yield* outcomesOf(input, asked, indices, context), asked);
  }
  return { options, steps, starts: { count, steps: start, choose } };
}

/*
 * Which of several starts to keep where metrics are learned. Equation 6 of bilenko2004 is there twice a negative log-likelihood, up to a
 * constant: a difference of 10 is a likelihood ratio of e⁵, the usual line beyond which a model has no support beside another.
 * Starts closer than that to the lowest explain the rows about as well, and on small data the very lowest scored worse on rows
 * without constraints (docs/measurements/mpck.md). So of these the one is kept whose pairs of rows agree most with the others',
 * ties by objective; an answer that many starts reached counts as often.
 */

export function typicalStart(outcomes: readonly Outcome[]): Outcome {
  const lowest = lowestOutcome(outcomes);
  const close = outcomes.filter(({ objective }) => objective! <= lowest.objective! + INDISTINCT);
  const differences = summedDifferences(close.map(({ labels }) => labels));
  const least = differences.reduce((smallest, sum) => Math.min(smallest, sum), Infinity);
  const kept = lowestOutcome(close.filter((_, s) => differences[s] === least));
  if (kept.objective === lowest.objective) return kept;
  const about = `${close.length} of ${outcomes.length} starts came within ${INDISTINCT} of the lowest objective, ${lowest.objective!.toFixed(3)}`;
  return { ...kept, notices: [...kept.notices, `${about}; kept is the one that the others agree with most.`] };
}

/** For each clustering the pairs of rows that it joins and another parts, or the other way round, over all others. */
function summedDifferences(labels: readonly Int32Array[]): number[] {
  const sums = labels.map(() => 0);
  labels.forEach((first, a) => {
    for (let b = a + 1; b < labels.length; b++) {
      const { clusteringOnly, truthOnly } = pairCounts(contingency(first, labels[b]!));
      sums[a]! += clusteringOnly + truthOnly;
      sums[b]! += clusteringOnly + truthOnly;
    }
  });
  return sums;
}
