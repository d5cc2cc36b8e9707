/** Features before they become points: scaling, and a word when one of them would drown the others. */
import { badInput, type Notation, type Scaling } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { quoted } from "../table/sentences.js";
import type { Numbers } from "../table/table.js";

export interface Feature {
  readonly name: string;
  /** Numbers, or level codes. They may be the table's own: never written to. */
  readonly values: Numbers;
  /** The level names of a nominal column; null for numbers. */
  readonly levels: readonly string[] | null;
  /** The rows whose missing cell was filled. */
  readonly filledRows: Int32Array;
  /** What a missing cell is filled with, if it is. */
  readonly fill?: number | string;
  /** Missing cells that stayed: NaN among the values. */
  readonly holes: number;
  /** The column of vectors that it is a part of. */
  readonly vector?: string;
  /** Whether its levels are texts that are more or less alike. */
  readonly isText?: true;
  /** How much the feature counts in distances; 1 if absent. */
  readonly weight?: number;
  /** How people write its values. */
  readonly notation?: Notation;
}

/** The share of the total variance from which a feature dominates. */
const DOMINANT_SHARE = 0.95;

/**
 * How the numeric features are scaled: zscore by mean and population deviation, minmax to 0 … 1. A constant column becomes 0.
 * Level codes stay as they are. Null if nothing is scaled.
 */
export function scalingOf(features: readonly Feature[], scale: "none" | "zscore" | "minmax", file: string): Scaling | null {
  if (scale === "none") return null;
  const offset: number[] = [];
  const factor: number[] = [];
  for (const { name, values, levels, holes } of features) {
    const [shift, divisor] = levels === null ? (scale === "zscore" ? standard(values, holes) : unit(values)) : [0, 1];
    if (!Number.isFinite(shift) || !Number.isFinite(divisor) || divisor === 0) {
      throw badInput(`Column ${quoted(name)} cannot be scaled: its values are too far from 1.`, {
        file,
        remedy: `Change its unit, or leave it out (${shellListFlag("--ignore", name)}).`,
      });
    }
    offset.push(shift);
    factor.push(divisor);
  }
  return { offset, factor };
}

/**
 * A weight makes a column's squared differences count so many times: its numbers are stretched by the root. Level codes keep their
 * numbers; distances weigh them by the weights of the points.
 */
export function weighted(scaling: Scaling | null, features: readonly Feature[]): Scaling | null {
  const roots = features.map(({ weight = 1, levels }) => (levels === null ? Math.sqrt(weight) : 1));
  if (roots.every((root) => root === 1)) return scaling;
  return {
    offset: roots.map((_, j) => scaling?.offset[j] ?? 0),
    factor: roots.map((root, j) => (scaling?.factor[j] ?? 1) / root),
  };
}

function unit(values: Numbers): [offset: number, factor: number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high < low) return [0, 1];
  return [low, high === low ? 1 : high - low];
}

function standard(values: Numbers, holes: number): [offset: number, factor: number] {
  return standardOf(holes > 0 ? values.filter((value) => !Number.isNaN(value)) : values);
}

function standardOf(values: Numbers): [offset: number, factor: number] {
  const first = values[0] ?? 0;
  // The mean of equal numbers may differ from them in its last bit: a constant column must become exactly 0.
  if (isConstant(values, first)) return [first, 1];
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) * (values[i]! - mean);
  return [mean, Math.sqrt(squares / values.length)];
}

function isConstant(values: Numbers, first: number): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== first) return false;
  return true;
}

/**
 * The variance in one pass, for a comparison: about the first value, which is one of the n, so that what cancels is at most n
 * times what remains. Two sums of each kind, because one would wait for itself.
 */
function roughVariance(values: Numbers): number {
  const n = values.length;
  const first = values[0] ?? 0;
  let [sum, squares, otherSum, otherSquares] = [0, 0, 0, 0];
  for (let i = 0; i + 1 < n; i += 2) {
    const a = values[i]! - first;
    const b = values[i + 1]! - first;
    sum += a;
    squares += a * a;
    otherSum += b;
    otherSquares += b * b;
  }
  const last = n % 2 === 1 ? values[n - 1]! - first : 0;
  const mean = (sum + otherSum + last) / n;
  return (squares + otherSquares + last * last) / n - mean * mean;
}

/** A sentence if one of several numeric features holds nearly all the variance. */
export function dominanceOf(features: readonly Feature[]): string | undefined {
  const numeric = features.filter((feature) => feature.levels === null);
  const names = numeric.map(({ name }) => name);
  return dominanceAmong(names, () =>
    numeric.map(({ values, holes }) => roughVariance(holes === 0 ? values : values.filter((value) => !Number.isNaN(value)))),
  );
}

/** The same, of columns whose variances are known. */
export function dominanceAmong(names: readonly string[], variancesOf: () => readonly number[]): string | undefined {
  if (names.length < 2) return undefined;
  const variances = variancesOf();
  const total = variances.reduce((sum, variance) => sum + variance, 0);
  const largest = variances.reduce((best, variance, j) => (variance > variances[best]! ? j : best), 0);
  const share = variances[largest]! / total;
  if (!(share > DOMINANT_SHARE)) return undefined;
  return `Feature ${quoted(names[largest]!)} holds ${(100 * share).toFixed(1)}% of the total variance: distances go by it nearly alone; consider --scale zscore.`;
}
