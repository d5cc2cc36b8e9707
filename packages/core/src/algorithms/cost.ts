/**
 * Estimates the running time of a method from the size of its problem: seconds on one core, correct within a small factor. The estimate
 * is shown before a run that takes minutes. `auto` uses it to leave out methods that would take far too long.
 */
import { badInput } from "../errors.js";
import type { Instances } from "../model/points.js";
import type { Input, Method } from "./method.js";

export type Options = Readonly<Record<string, unknown>>;
/** Estimated seconds of a run with the given options (before defaults are filled in). */
export type Cost = (input: Input, options: Options) => number;

/** Typical number of iterations of one start of k-means. */
export const ITERATIONS = 25;
/** Default number of starts of the k-means family. */
export const USUAL_STARTS = 10;

export const MOST_COLUMNS_OF_FULL_METRICS = 512;

/** Throws if there are more than `most` columns; the error says how to reduce them. */
export function refuseManyColumns({ n, d }: { readonly n: number; readonly d: number }, most: number): void {
  if (d <= most) return;
  const enough = Math.min(n - 1, most);
  throw badInput(
    `A full metric of ${d.toLocaleString("en")} columns has ${(d * d).toLocaleString("en")} numbers; it is learned for at most ${most} columns.`,
    {
      remedy: `Take fewer: --reduce ${enough} makes ${enough} principal components of them${enough === n - 1 ? ", which keep every difference between the rows" : ""}.`,
    },
  );
}

/** Products per second on one core, for row-centre and row-row distances. */
const PRODUCTS = 1.5e9;

/** Cost of all starts of k-means. `times`: duration relative to plain k-means. */
export function aroundMeans(times = 1): Cost {
  return ({ points }, { k, restarts }) =>
    (times * Number(restarts ?? USUAL_STARTS) * ITERATIONS * points.n * Number(k ?? 1) * widthOf(points)) / PRODUCTS;
}

/** Seconds per comparison of two texts. */
const OF_TEXTS = 6e-7;
const OF_A_MERGE = 2e-9;

/** Cost of all pairs of rows. `times`: how often each pair is read. */
export function overPairs(times: (points: Instances) => number = () => 1): Cost {
  return ({ points }) => {
    const { n, d, distances, holes } = points;
    const perPair = distances ? 0 : writtenIn(points) * OF_TEXTS + d / PRODUCTS + (holes ? d * 4e-9 : 0);
    return ((n * n) / 2) * (perPair + 2 * OF_A_MERGE) * times(points);
  };
}

/** Cost of a nearest-neighbour search with bounding boxes, relative to reading all pairs once. With many columns no pair is skipped. */
export function boxes({ d }: Instances): number {
  return Math.min(4, d / 4);
}

/** Cost of k-means that learns metrics. With full metrics, every iteration reads all rows once for each matrix. */
export const underMetrics: Cost = (input, options) => {
  const { matrix, metrics, k, restarts } = options;
  const diagonal = aroundMeans(5)(input, options);
  if (matrix !== "full") return diagonal;
  return (
    diagonal + Number(restarts ?? USUAL_STARTS) * ITERATIONS * fullMetrics(input, metrics === "multiple" ? Number(k ?? 1) : 1)
  );
};

/** A full metric in d columns costs CUBES · d³ products, because its matrix is factored, inverted and multiplied. */
const CUBES = 3;
/**
 * Largest number of columns d for which a full matrix is learned. Above it, the d² numbers fill the memory, and one factorisation (d³
 * products) blocks a run that nobody can interrupt. If the matrix can need its eigenvectors, which take longer, the limit is
 * MOST_COLUMNS_OF_FULL_METRICS.
 */
export const MOST_COLUMNS_OF_RCA = 768;

/** `metrics`: number of full matrices. Above MOST_COLUMNS_OF_RCA columns the run is refused immediately, so its cost is 0. */
export function fullMetrics({ points: { n, d } }: Input, metrics = 1): number {
  if (d > MOST_COLUMNS_OF_RCA) return 0;
  return (metrics * (n * d * d + CUBES * d * d * d)) / PRODUCTS;
}

/** Steps of the search for column weights that satisfy the relative constraints. */
const MARGIN_STEPS = 40;

/** Cost of column weights learned from relative constraints. Unknowns: the columns or the comparisons, whichever are fewer. */
export function columnWeights({ points: { d }, constraints }: Input): number {
  const comparisons = 2 * constraints.relative.a.length;
  const unknowns = Math.min(comparisons, d);
  return (MARGIN_STEPS * unknowns * unknowns * Math.max(comparisons, d)) / PRODUCTS;
}

/** How often a tree reads each row and column. */
const LEVELS_OF_TREE = 30;

export function tree({ points: { n, d } }: Input): number {
  return (LEVELS_OF_TREE * n * d * Math.min(n, d)) / PRODUCTS;
}

export function secondsOf({ seconds }: Pick<Method, "seconds">, input: Input, options: Options): number {
  const metric =
    options.learnedMetric === "rca" ? fullMetrics(input) : options.learnedMetric === "svm" ? columnWeights(input) : 0;
  return metric + seconds(input, options);
}

function writtenIn({ texts }: Instances): number {
  return texts?.reduce((sum, flag) => sum + flag, 0) ?? 0;
}

/** Default number of dimensions of an encoded text column. */
const TEXT_DIMENSIONS = 64;

function widthOf(points: Instances): number {
  return points.d + writtenIn(points) * (points.textDimensions ?? TEXT_DIMENSIONS);
}
