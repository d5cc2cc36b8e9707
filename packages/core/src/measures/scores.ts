/** All scores of a clustering against known classes. */
import type { Closure } from "../constraints/closure.js";
import { badOption } from "../errors.js";
import { log } from "../linalg/elementary.js";
import type { Labelling } from "../model/points.js";
import type { Scores, ScoresOverClustered } from "../model/result.js";
import type { Random } from "../random/random.js";
import { type Contingency, contingency } from "../structures/contingency.js";
import { constrainedRandIndex } from "./constrained-rand.js";
import { type PairCounts, pairCounts } from "./pair-counts.js";

/** A message if fewer than two rows have a known class, because scores then mean nothing; else undefined. */
export function nothingToScore(truth: Int32Array, what = "a known class"): string | undefined {
  let known = 0;
  for (let i = 0; i < truth.length; i++) if (truth[i]! >= 0) known++;
  if (known > 1) return undefined;
  return `${known === 1 ? "Only one row has" : "No row has"} ${what}: there are no scores.`;
}

/**
 * Scores over all rows with a known class. A row without a cluster (noise, label -1) is scored as a separate cluster, so a method cannot
 * score well by leaving out most rows. Without a closure, the constraints fix no pairs.
 */
export function scoresOf(labels: Int32Array, truth: Int32Array, closure?: Closure): Scores {
  return scoresOfClustered(noiseAlone(labels), truth, closure);
}

export function scoresOverClustered(labels: Int32Array, truth: Int32Array, closure?: Closure): ScoresOverClustered | undefined {
  let [rows, noise] = [0, 0];
  for (let i = 0; i < labels.length; i++) {
    if (truth[i]! < 0) continue;
    if (labels[i]! < 0) noise++;
    else rows++;
  }
  return noise === 0 || rows < 2 ? undefined : { ...scoresOfClustered(labels, truth, closure), rows };
}

export function noiseAlone(labels: Int32Array): Int32Array {
  if (!labels?.some((label) => label < 0)) return labels;
  const numbers = new Map<number, number>();
  let next = 0;
  return labels.map((label) => {
    const known = label < 0 ? undefined : numbers.get(label);
    if (known !== undefined) return known;
    if (label >= 0) numbers.set(label, next);
    return next++;
  });
}

function scoresOfClustered(labels: Int32Array, truth: Int32Array, closure?: Closure): Scores {
  const table = contingency(labels, truth);
  const counts = pairCounts(table);
  const rand = randIndex(counts);
  return {
    rand,
    adjustedRand: adjustedRandIndex(counts),
    constrainedRand: closure ? constrainedRandIndex(labels, truth, closure, counts) : rand,
    pairwiseF: pairwiseF(counts).f,
    normalizedMutualInformation: normalizedMutualInformation(table),
  };
}

/**
 * Draws the fold of each row for cross-validation (bilenko2004, §4.1): constraints come from the rows outside a fold, and only the rows
 * of the fold are scored.
 */

export function drawFolds(n: number, count: number, random: Random): Int32Array {
  if (!(Number.isSafeInteger(count) && count >= 2)) throw badOption("folds", count, "a whole number from 2");
  const fold = Int32Array.from({ length: n }, (_, i) => i % count);
  random.shuffle(fold);
  return fold;
}

export function trainingPart({ codes, names }: Labelling, folds: Int32Array, fold: number): Labelling {
  return { codes: codes.map((code, i) => (folds[i] === fold ? -1 : code)), names };
}

export function heldOutF(labels: Int32Array, truth: Labelling, folds: Int32Array, fold: number): number {
  const held = truth.codes.map((code, i) => (folds[i] === fold ? code : -1));
  return pairwiseF(pairCounts(contingency(labels, held))).f;
}

/* Precision, recall and F over the pairs of rows that a clustering puts together (bilenko2004, §4.2). */

export interface PairwiseF {
  /** Share of the clustering's pairs that are also together in the truth; 1 if the clustering has no pair. */
  readonly precision: number;
  /** Share of the truth's pairs that are also together in the clustering; 1 if the truth has no pair. */
  readonly recall: number;
  /** Harmonic mean of precision and recall: 1 if neither side has a pair, 0 if only one side has pairs. */
  readonly f: number;
}

export function pairwiseF({ both, clusteringOnly, truthOnly }: PairCounts): PairwiseF {
  return {
    precision: share(both, both + clusteringOnly),
    recall: share(both, both + truthOnly),
    f: share(2 * both, 2 * both + clusteringOnly + truthOnly),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/*
 * The Rand index, the share of pairs of rows on which two clusterings agree, and its adjustment for chance.
 *
 * Rand, Objective criteria for the evaluation of clustering methods, 1971. Hubert and Arabie, Comparing partitions, 1985.
 */

/** The Rand index; 1 if there is no pair. */
export function randIndex({ both, clusteringOnly, truthOnly, neither }: PairCounts): number {
  const pairs = both + clusteringOnly + truthOnly + neither;
  return pairs === 0 ? 1 : (both + neither) / pairs;
}

/** The adjusted Rand index: 1 for equal clusterings, and 0 on average for random clusterings with the same sizes. */
export function adjustedRandIndex({ both, clusteringOnly, truthOnly, neither }: PairCounts): number {
  if (clusteringOnly === 0 && truthOnly === 0) return 1;
  const chance = (both + truthOnly) * (truthOnly + neither) + (both + clusteringOnly) * (clusteringOnly + neither);
  return (2 * (both * neither - truthOnly * clusteringOnly)) / chance;
}

/*
 * Normalised mutual information: the mutual information of a clustering and the truth, divided by the mean of their entropies.
 *
 * Strehl and Ghosh, Cluster ensembles, 2002, with the arithmetic mean. If the clustering and the truth both have a single cluster, the
 * score is 1.
 */

export function normalizedMutualInformation(table: Contingency): number {
  const { n, start, column, count, rowSums, columnSums } = table;
  const occupied = (sums: Int32Array): number => sums.reduce((total, sum) => total + (sum > 0 ? 1 : 0), 0);
  // The clusterings differ only in the names of clusters. Rounding in the sums below could give a number other than 1.
  if (occupied(rowSums) === count.length && occupied(columnSums) === count.length) return 1;
  let information = 0;
  for (let r = 0; r < rowSums.length; r++) {
    for (let p = start[r]!; p < start[r + 1]!; p++) {
      information += (count[p]! / n) * log((n * count[p]!) / (rowSums[r]! * columnSums[column[p]!]!));
    }
  }
  // Rounding can leave a tiny value if the clusterings are independent.
  if (information <= 2.220446049250313e-16) return 0;
  return Math.min(1, information / ((entropy(rowSums, n) + entropy(columnSums, n)) / 2));
}

function entropy(sizes: Int32Array, n: number): number {
  let sum = 0;
  for (let s = 0; s < sizes.length; s++) {
    const size = sizes[s]!;
    if (size > 0) sum += (size / n) * log(n / size);
  }
  return sum;
}
