/**
 * A weight for each column, learned from relative constraints.
 *
 * Schultz, Joachims: Learning a distance metric from relative comparisons. NIPS 2004, with A = I. ab|c gives two comparisons,
 * d(a,b) < d(a,c) and d(a,b) < d(b,c), each with the vector z of squared differences, those of the far pair less those of the
 * close one. Minimise ½‖w‖² + C Σ ξ subject to w·z ≥ 1 - ξ, ξ ≥ 0 and w ≥ 0.
 *
 * Departs from the paper: C is the price in units of the median variance of the columns, so that the weights of columns do not change their
 * proportions when all columns are in another unit; as published (`unit` 1) they do. Solved by an interior-point method
 * (`margin-program.ts`) instead of SVM light, with w ≥ 0 held.
 */
import type { Triples } from "../../model/constraint-set.js";
import type { Points } from "../../model/points.js";
import type { Step } from "../../steps/index.js";
import { solveMarginSteps } from "./margin-program.js";

export interface LearnedWeights {
  /** One weight per column, none below 0; all 0 if the triplets teach nothing. */
  readonly weights: Float64Array;
  /** Multipliers of the comparisons, between 0 and C: two for each triplet, that of the pair (a, c) first. */
  readonly multipliers: Float64Array;
  /** ½‖w‖² + C Σ ξ, and the bound below it that the multipliers prove. */
  readonly objective: number;
  readonly bound: number;
  readonly iterations: number;
}

export interface WeightOptions {
  /** C: the price of a comparison that does not hold by a margin of 1. */
  readonly cost?: number;
  /** The squared length that counts as 1, so that C does not depend on the unit of the table; 1 takes the columns as they are. */
  readonly unit?: number;
}

/** The squared differences of each comparison: two rows of d numbers for each triplet. */
export function comparisons({ d, x }: Points, { a, b, c }: Pick<Triples, "a" | "b" | "c">): Float64Array {
  const z = new Float64Array(2 * a.length * d);
  for (let s = 0; s < a.length; s++) {
    for (let j = 0; j < d; j++) {
      const [xa, xb, xc] = [x[a[s]! * d + j]!, x[b[s]! * d + j]!, x[c[s]! * d + j]!];
      const close = (xa - xb) * (xa - xb);
      z[2 * s * d + j] = (xa - xc) * (xa - xc) - close;
      z[(2 * s + 1) * d + j] = (xb - xc) * (xb - xc) - close;
    }
  }
  return z;
}

/** The weights for points whose columns are all numbers. */
export function* learnWeightsSteps(
  points: Points,
  relative: Pick<Triples, "a" | "b" | "c">,
  { cost = 1, unit = 1 }: WeightOptions = {},
): Generator<Step, LearnedWeights, void> {
  const { d } = points;
  if (relative.a.length === 0 || d === 0) {
    return { weights: new Float64Array(d), multipliers: new Float64Array(0), objective: 0, bound: 0, iterations: 0 };
  }
  const z = comparisons(points, relative).map((value) => value / unit);
  const learned = yield* solveMarginSteps(z, d, cost);
  return { ...learned, weights: learned.weights.map((weight) => weight / unit) };
}

/** What a price of a broken triplet is measured in: the spread of the table, or the columns as they are, which is the paper's. */
export const COST_SCALES = ["relative", "unit"] as const;
export type CostScale = (typeof COST_SCALES)[number];

/**
 * The squared length that counts as 1: the lower median of the columns' variances, or 1. The median, not the sum: where one column is in
 * a far smaller unit than the others, its variance would make C too small for all of them.
 */
export function unitOf({ n, d, x, rowWeights }: Points, scale: CostScale): number {
  if (scale === "unit" || n === 0) return 1;
  const variances = Array.from({ length: d }, (_, j) => columnVariance(x, n, d, j, rowWeights))
    .filter((variance) => variance > 0)
    .sort((a, b) => a - b);
  return variances[(variances.length - 1) >> 1] ?? 1;
}

function columnVariance(x: Points["x"], n: number, d: number, j: number, rowWeights: Points["rowWeights"]): number {
  const first = x[j]!;
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  let [mean, total] = [0, 0];
  for (let i = 0; i < n; i++) mean += ((rowWeights?.[i] ?? 1) * (x[i * d + j]! - first)) / all;
  for (let i = 0; i < n; i++) total += ((rowWeights?.[i] ?? 1) * (x[i * d + j]! - first - mean) ** 2) / all;
  return total;
}

/** Points whose plain squared distances are the weighted ones. */
export function weightColumns({ n, d, x, names, rowWeights }: Points, weights: Float64Array): Points {
  const roots = weights.map(Math.sqrt);
  const weighted = new Float64Array(n * d);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) weighted[i * d + j] = roots[j]! * x[i * d + j]!;
  return { n, d, x: weighted, underMetric: true, ...(names ? { names } : {}), ...(rowWeights ? { rowWeights } : {}) };
}
