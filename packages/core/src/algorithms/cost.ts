/**
 * Estimates the running time of a method from the size of its problem: seconds on one core, correct within a small factor. The estimate
 * is shown before a run that takes minutes. `auto` uses it to leave out methods that would take far too long.
 */
import { badInput } from "../errors.js";
import type { Instances } from "../model/points.js";
import { TEXT_DIMENSIONS } from "./encode.js";
import type { Input, Method } from "./method.js";

export type Options = Readonly<Record<string, unknown>>;
/** Estimates the seconds of a run. `options`: as the caller gives them, without defaults. */
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

/** Assumed number of multiplications per second on one core. */
const PRODUCTS = 1.5e9;

/** Estimated seconds of all starts of a k-means method. `times`: the time of one start, as a multiple of plain k-means. */
export function aroundMeans(times = 1): Cost {
  return ({ points }, { k, restarts }) =>
    (times * Number(restarts ?? USUAL_STARTS) * ITERATIONS * points.n * Number(k ?? 1) * widthOf(points)) / PRODUCTS;
}

/** Assumed seconds to compare two texts. */
const OF_TEXTS = 6e-7;
const OF_A_MERGE = 2e-9;

/** Estimated seconds of a method that reads all pairwise distances. `times`: how often it reads them. */
export function overPairs(times: (points: Instances) => number = () => 1): Cost {
  return ({ points }) => {
    const { n, d, distances, holes } = points;
    const perPair = distances ? 0 : writtenIn(points) * OF_TEXTS + d / PRODUCTS + (holes ? d * 4e-9 : 0);
    return ((n * n) / 2) * (perPair + 2 * OF_A_MERGE) * times(points);
  };
}

/**
 * Time of a nearest-neighbour search with bounding boxes, as a multiple of the time to read all pairs once. With many columns, the boxes
 * exclude hardly any pair.
 */
export function boxes({ d }: Instances): number {
  return Math.min(4, d / 4);
}

/** Estimated seconds of k-means with learned metrics. In every iteration, each full metric reads all rows once. */
export const underMetrics: Cost = (input, options) => {
  const { matrix, metrics, k, restarts } = options;
  const diagonal = aroundMeans(5)(input, options);
  if (matrix !== "full") return diagonal;
  return (
    diagonal + Number(restarts ?? USUAL_STARTS) * ITERATIONS * fullMetrics(input, metrics === "multiple" ? Number(k ?? 1) : 1)
  );
};

/** A full metric in d columns needs CUBES · d³ multiplications: to factor, invert and multiply its matrix. */
const CUBES = 3;
/**
 * Maximum number of columns d for a full matrix. With more columns, d² numbers fill the memory, and one factorisation (d³ multiplications)
 * takes long and cannot be interrupted. Some metrics also need eigenvectors, which take longer. Their limit is
 * MOST_COLUMNS_OF_FULL_METRICS.
 */
export const MOST_COLUMNS_OF_RCA = 768;

/**
 * Estimated seconds to learn full metrics. `metrics`: number of matrices. 0 above MOST_COLUMNS_OF_RCA columns, because such a run is
 * refused at once.
 */
export function fullMetrics({ points: { n, d } }: Input, metrics = 1): number {
  if (d > MOST_COLUMNS_OF_RCA) return 0;
  return (metrics * (n * d * d + CUBES * d * d * d)) / PRODUCTS;
}

/** Assumed number of iterations to find column weights from relative constraints. */
const MARGIN_STEPS = 40;

/**
 * Estimated seconds to learn column weights from relative constraints. The number of unknowns is the smaller of two numbers: columns and
 * comparisons.
 */
export function columnWeights({ points: { d }, constraints }: Input): number {
  const comparisons = 2 * constraints.relative.a.length;
  const unknowns = Math.min(comparisons, d);
  return (MARGIN_STEPS * unknowns * unknowns * Math.max(comparisons, d)) / PRODUCTS;
}

/** Assumed depth of a tree. Every level reads all rows and columns. */
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

function widthOf(points: Instances): number {
  return points.d + writtenIn(points) * (points.textDimensions ?? TEXT_DIMENSIONS);
}
