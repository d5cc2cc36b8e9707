/**
 * How long a run may take, from the size of its problem alone: seconds on one core, within a factor of a few. Said before a run that takes minutes,
 * and used to leave out methods that would take out of proportion before they start.
 */
import { badInput } from "../errors.js";
import type { Instances } from "../model/points.js";
import type { Input, Method } from "./method.js";

export type Options = Readonly<Record<string, unknown>>;
/** Seconds of a run with these options, as they were asked for. */
export type Cost = (input: Input, options: Options) => number;

/** Products a second on one core, of rows with centres and of rows with rows. */
const PRODUCTS = 1.5e9;
/** Iterations that a start of k-means usually takes. */
export const ITERATIONS = 25;
/** Starts of the k-means family where nobody says how many. */
export const USUAL_STARTS = 10;
/** Seconds for one comparison of two texts. */
const OF_TEXTS = 6e-7;
const OF_A_MERGE = 2e-9;
/** Numbers that a text column becomes, where nobody says how many. */
const TEXT_DIMENSIONS = 64;
/** Cubes of the number of columns that a full metric takes: it is factored, inverted and multiplied. */
const CUBES = 3;
/** Steps of the search for weights under which relative constraints hold. */
const MARGIN_STEPS = 40;
/** Times that a tree looks at each row and column. */
const LEVELS_OF_TREE = 30;

/**
 * Columns of which a full matrix can be learned. Beyond them its d² numbers fill the memory, and the d³ products of one factorisation leave a
 * run that nobody can interrupt. Fewer where the matrix may need its eigenvectors.
 */
export const MOST_COLUMNS_OF_RCA = 768;
export const MOST_COLUMNS_OF_FULL_METRICS = 512;

/** Throws with the remedy where there are too many columns for a full matrix. */
export function refuseManyColumns({ n, d }: { readonly n: number; readonly d: number }, most: number): void {
  if (d <= most) return;
  const enough = Math.min(n - 1, most);
  throw badInput(
    `A full metric of ${d.toLocaleString("en")} columns has ${(d * d).toLocaleString("en")} numbers; it is learned for at most ${most} columns.`,
    {
      remedy: `Take fewer: --reduce ${enough} makes ${enough} principal components of them${enough === n - 1 ? ", which hold all differences between rows" : ""}.`,
    },
  );
}

/** Starts of k-means; `times`: how much longer one takes. */
export function aroundMeans(times = 1): Cost {
  return ({ points }, { k, restarts }) =>
    (times * Number(restarts ?? USUAL_STARTS) * ITERATIONS * points.n * Number(k ?? 1) * widthOf(points)) / PRODUCTS;
}

/** All pairs of rows; `times`: how often they are looked at. */
export function overPairs(times: (points: Instances) => number = () => 1): Cost {
  return ({ points }) => {
    const { n, d, distances, holes } = points;
    const perPair = distances ? 0 : writtenIn(points) * OF_TEXTS + d / PRODUCTS + (holes ? d * 4e-9 : 0);
    return ((n * n) / 2) * (perPair + 2 * OF_A_MERGE) * times(points);
  };
}

/** A search for the nearest rows among boxes spares most pairs in few columns; from 16 on it takes longer than going through them. */
export function boxes({ d }: Instances): number {
  return Math.min(4, d / 4);
}

/** k-means that learns metrics: a diagonal one, or full ones for the matrices of which each iteration goes through all rows. */
export const underMetrics: Cost = (input, options) => {
  const { matrix, metrics, k, restarts } = options;
  const diagonal = aroundMeans(5)(input, options);
  if (matrix !== "full") return diagonal;
  return (
    diagonal + Number(restarts ?? USUAL_STARTS) * ITERATIONS * fullMetrics(input, metrics === "multiple" ? Number(k ?? 1) : 1)
  );
};

/** `metrics`: the number of full matrices learned from all rows. Beyond `MOST_COLUMNS_OF_RCA` columns a run is refused at once and costs nothing. */
export function fullMetrics({ points: { n, d } }: Input, metrics = 1): number {
  if (d > MOST_COLUMNS_OF_RCA) return 0;
  return (metrics * (n * d * d + CUBES * d * d * d)) / PRODUCTS;
}

/** Weights of columns that relative constraints hold under: solved in as many unknowns as there are columns or comparisons, whichever are fewer. */
export function columnWeights({ points: { d }, constraints }: Input): number {
  const comparisons = 2 * constraints.relative.a.length;
  const unknowns = Math.min(comparisons, d);
  return (MARGIN_STEPS * unknowns * unknowns * Math.max(comparisons, d)) / PRODUCTS;
}

export function tree({ points: { n, d } }: Input): number {
  return (LEVELS_OF_TREE * n * d * Math.min(n, d)) / PRODUCTS;
}

/** Seconds that a run may take, with the metric that is learned first. */
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
